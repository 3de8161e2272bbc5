// Somebody at the portal, for tests: signed in with both factors, with the pages of one organisation at hand.
import { type Fields, type Page, type Person, person, signInOn, Visitor } from './visitor.ts'
import type { World } from './world.ts'

export interface Clerk {
  readonly who: Person
  readonly visitor: Visitor
  open(path: string): Promise<Page>
  /** Sends a form of a page; `action` is relative to the organisation. */
  submit(page: Page, action: string, fields?: Fields): Promise<Page>
  /** Sends whatever is given, sealed as a page of ours seals it. */
  post(path: string, fields?: Fields): Promise<Page>
}

export async function clerk(here: World, orgId: string, who?: Person): Promise<Clerk> {
  const admin = who ?? (await person(here, orgId))
  const visitor = new Visitor(here.config.authUrl)
  await signInOn(visitor, here, await visitor.open('/sign-in'), admin)
  const open = (path: string) => visitor.open(`/portal/${orgId}${path}`)
  return {
    who: admin,
    visitor,
    open,
    submit: (page, action, fields) => visitor.submit(page, `/portal/${orgId}${action}`, fields),
    async post(path, fields = {}) {
      const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec((await visitor.open('/sign-in')).text) ?? []
      const body = new URLSearchParams({ csrf })
      for (const [name, value] of Object.entries(fields))
        for (const one of [value].flat()) body.append(name, one as string)
      return visitor.open(`/portal/${orgId}${path}`, {
        method: 'POST',
        body: body.toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      })
    },
  }
}
