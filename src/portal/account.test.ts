// One's own account in the portal: how many recovery codes are left, and new ones for a code of the app.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { type PortalUser, signIntoPortal } from '../../test/portal.ts'
import { startTestService } from '../../test/test-service.ts'
import { type Page, resetTotp, totpCode, Visitor } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { replaceRecoveryCodes } from '../identity/recovery-codes.ts'

const here = await startTestService()
const { database } = here

const codesIn = ({ text }: Page) => [...text.matchAll(/<li>([a-z2-7-]{19})<\/li>/g)].map(([, code]) => code!)
const countIn = ({ text }: Page) => Number(/<strong>(\d+) of 10<\/strong> left/.exec(text)?.[1])
async function signInStatus({ email, password }: PortalUser['who'], totp: string): Promise<number> {
  const visitor = new Visitor(here.config.authUrl)
  return (await visitor.submit(await visitor.open('/sign-in'), '/sign-in', { email, password, totp })).status
}
async function renew(admin: PortalUser, totp?: string): Promise<Page> {
  await resetTotp(here, admin.who)
  return admin.submit(await admin.open('/account'), '/account/recovery-codes', { totp: totp ?? totpCode(admin.who) })
}

test('an admin whom the operator added has ten recovery codes, and sees how many are left', async () => {
  const { orgId } = await here.organisation()
  const admin = await signIntoPortal(here, orgId)
  assert.equal(countIn(await admin.open('/account')), 10)
  const [person] = await database.query<{ id: string }>(sql`select id from people where email = ${admin.who.email}`)
  const [first] = await replaceRecoveryCodes(database, person!.id)
  assert.equal(await signInStatus(admin.who, first!), 200)
  assert.equal(countIn(await admin.open('/account')), 9)
})

test('new ones are shown once, the old ones stop working at once, and it is written down', async () => {
  const { orgId } = await here.organisation()
  const admin = await signIntoPortal(here, orgId)
  const old = codesIn(await renew(admin))
  const fresh = codesIn(await renew(admin))
  assert.equal(new Set([...old, ...fresh]).size, 20)
  const account = await admin.open('/account')
  assert.deepEqual([countIn(account), codesIn(account)], [10, []])
  assert.equal(await signInStatus(admin.who, old[0]!), 401)
  assert.equal(await signInStatus(admin.who, fresh[0]!), 200)
  const { text } = await admin.open('/audit')
  assert.equal([...text.matchAll(/renewed the recovery codes of/g)].length, 2)
  for (const code of fresh) assert.ok(!text.includes(code))
})

test('nothing but a fresh code, or an unused recovery code, makes new ones', async () => {
  const { orgId } = await here.organisation()
  const admin = await signIntoPortal(here, orgId)
  const page = await admin.open('/account')
  const codes = codesIn(await renew(admin))
  assert.equal(codes.length, 10)
  const used = totpCode(admin.who)
  const renewed = codesIn(await admin.submit(page, '/account/recovery-codes', { totp: codes[0]! }))
  assert.equal(new Set([...codes, ...renewed]).size, 20)
  for (const totp of ['', ' ', codes[1]!, '000000', used]) {
    const refused = await admin.submit(page, '/account/recovery-codes', { totp })
    assert.equal(refused.status, 400, totp)
    assert.match(refused.text, /role="alert"/)
    assert.deepEqual(codesIn(refused), [])
  }
  assert.equal(countIn(await admin.open('/account')), 10)
  for (let index = 0; index < 5; index++) await admin.submit(page, '/account/recovery-codes', { totp: '111111' })
  assert.match((await renew(admin)).text, /Too many wrong codes; try again in 15 minutes/)
})
