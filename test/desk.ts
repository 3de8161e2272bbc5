// Members at the desk, for tests: signed in without the pages that ask for it, which have tests of their own.
import { sql } from '../src/db/database.ts'
import { fillDemo } from '../src/demo/demo.ts'
import type { Role } from '../src/identity/members.ts'
import { createSession } from '../src/identity/sessions.ts'
import type { ServiceHandle, TestService } from './test-service.ts'
import { type Page, person, Visitor } from './visitor.ts'

export interface DeskVisitor {
  readonly visitor: Visitor
  readonly memberId: string
  readonly orgId: string
  /** The value of the session's cookie. */
  readonly session: string
  open(path: string): Promise<Page>
  /** Sends a form of the desk as a script does, and reads what it is told. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever is answered
  send(path: string, fields: Readonly<Record<string, string>>): Promise<{ status: number; said: any }>
}

/** Somebody who is signed in with both factors. */
export async function deskVisitor(service: ServiceHandle, orgId: string, role: Role): Promise<DeskVisitor> {
  const { memberId, email } = await person(service, orgId, role)
  const [{ id } = { id: '' }] = await service.database.query<{ id: string }>(
    sql`select id from people where email = ${email}`,
  )
  const session = await createSession(service.database, 'browser', { personId: id, hasSecondFactor: true })
  const visitor = new Visitor(service.config.authUrl)
  visitor.cookies.set('jobwright_session', { value: session, path: '/' })
  let csrf: string | undefined
  const open = (path: string) => visitor.open(`/desk/${orgId}${path}`)
  return {
    visitor,
    memberId,
    orgId,
    session,
    open,
    async send(path, fields) {
      csrf ??= /name="csrf" value="([^"]+)"/.exec((await open('/more')).text)?.[1] ?? ''
      const { status, text } = await visitor.open(`/desk/${orgId}${path}`, {
        method: 'POST',
        headers: { accept: 'application/json', 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ csrf, ...fields }).toString(),
      })
      return { status, said: text.startsWith('{') ? JSON.parse(text) : text }
    },
  }
}

/** A shop with what the demo has, and a client that may do everything. */
export async function demoShop(service: TestService) {
  const shop = await service.organisation({ name: 'Harbour Repairs' })
  await service.database.transaction('test', (transaction) => fillDemo(transaction, shop.orgId))
  return shop
}
