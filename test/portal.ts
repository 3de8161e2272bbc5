// Somebody at the portal, for tests: signed in with both factors, with the pages of one organisation at hand.
import type { TestService } from './test-service.ts'
import { type Fields, type Page, type Person, person, signInOn, Visitor } from './visitor.ts'

export interface PortalUser {
  readonly who: Person
  readonly visitor: Visitor
  open(path: string): Promise<Page>
  /** Sends a form of a page; `action` is relative to the organisation. */
  submit(page: Page, action: string, fields?: Fields): Promise<Page>
  /** Sends whatever is given, with a valid CSRF token. */
  post(path: string, fields?: Fields): Promise<Page>
}

export async function signIntoPortal(service: TestService, orgId: string, who?: Person): Promise<PortalUser> {
  const admin = who ?? (await person(service, orgId))
  const visitor = new Visitor(service.config.authUrl)
  await signInOn(visitor, service, await visitor.open('/sign-in'), admin)
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
