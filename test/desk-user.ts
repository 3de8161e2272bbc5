// Somebody at the desk, for tests: signed in, with the pages of one organisation at hand.
import { sql } from '../src/db/database.ts'
import type { Role } from '../src/domain/roles.ts'
import { createVault, newTotpSecret } from '../src/identity/secrets.ts'
import type { TestService } from './test-service.ts'
import { type Fields, type Page, type Person, person, signInOn, Visitor } from './visitor.ts'

export interface DeskUser {
  readonly who: Person
  readonly visitor: Visitor
  open(path: string): Promise<Page>
  /** Sends a form of a page with its own fields and those given; `action` is relative to the organisation. */
  submit(page: Page, action: string, fields?: Fields): Promise<Page>
  /** Sends whatever is given, with a valid CSRF token. */
  post(path: string, fields?: Fields): Promise<Page>
  /** The same as a script sends it, which is told the answer in JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever they are answered
  act(path: string, fields?: Fields): Promise<{ status: number; said: any }>
}

export async function signIntoDesk(
  service: TestService,
  orgId: string,
  role: Role = 'admin',
  known?: Person,
): Promise<DeskUser> {
  const who = known ?? (await enrolled(service, await person(service, orgId, role)))
  const visitor = new Visitor(service.config.authUrl)
  await signInOn(visitor, service, await visitor.open('/sign-in'), who)
  const open = (path: string) => visitor.open(`/desk/${orgId}${path}`)
  const send = async (path: string, fields: Fields, accept: string) => {
    const [, csrf = ''] = /name="csrf" value="([^"]*)"/.exec((await visitor.open('/sign-in')).text) ?? []
    const body = new URLSearchParams({ csrf })
    for (const [name, value] of Object.entries(fields))
      for (const one of [value].flat()) body.append(name, one as string)
    return visitor.open(`/desk/${orgId}${path}`, {
      method: 'POST',
      body: body.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept },
    })
  }
  return {
    who,
    visitor,
    open,
    submit: (page, action, fields) => visitor.submit(page, `/desk/${orgId}${action}`, fields),
    post: (path, fields = {}) => send(path, fields, 'text/html'),
    async act(path, fields = {}) {
      const { status, text } = await send(path, fields, 'application/json')
      return { status, said: JSON.parse(text) }
    },
  }
}

/** With an authenticator app, which managers are asked for as well. */
async function enrolled({ config, database }: TestService, who: Person): Promise<Person> {
  if (who.totpSecret !== '') return who
  const totpSecret = newTotpSecret()
  const encrypted = (await createVault(config)).encrypt(totpSecret)
  await database.query(sql`update people set totp_secret = ${encrypted} where email = ${who.email}`)
  return { ...who, totpSecret }
}
