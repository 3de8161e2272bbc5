// The lock of an organisation: who waits for whom, tried with what holds it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { signIntoDesk } from '../../test/desk-user.ts'
import { isWaitingForLock } from '../../test/lock-waits.ts'
import { signIntoPortal } from '../../test/portal.ts'
import { startTestService } from '../../test/test-service.ts'
import { updateMember } from '../identity/members.ts'
import { type Queryable, sql } from './database.ts'
import { lockOrganisationFor } from './organisation-lock.ts'

const here = await startTestService()
const { database } = here

/** Does something while a transaction is open; answers what comes of it once that is committed, and whether it waited. */
async function meanwhile<T>(
  orgId: string,
  first: (transaction: Queryable) => Promise<unknown>,
  second: () => Promise<T>,
): Promise<{ readonly result: T; readonly waited: boolean }> {
  let isOver = false
  let waited = false
  const result = await database.transaction(orgId, async (transaction) => {
    await first(transaction)
    const pending = second().finally(() => {
      isOver = true
    })
    pending.catch(() => {})
    while (!isOver && !waited) {
      waited = await isWaitingForLock(database, '%organisation_locks%')
      await delay(5)
    }
    return { pending }
  })
  return { result: await result.pending, waited }
}

test('a document that is written while the currency changes is in the new one', async () => {
  const shop = await here.organisation()
  const { result, waited } = await meanwhile(
    shop.orgId,
    async (transaction) => {
      await lockOrganisationFor(transaction, shop.orgId, 'one judge')
      await transaction.query(sql`update organisations set currency = 'EUR' where org_id = ${shop.orgId}`)
    },
    () => shop.post('/quotes', { customerName: 'Ada' }),
  )
  assert.deepEqual([result.status, result.body.data.currency, waited], [201, 'EUR', true])
})

test('a currency that changes while a document is written stays', async () => {
  const shop = await here.organisation()
  const { result } = await meanwhile(
    shop.orgId,
    async (transaction) => {
      await lockOrganisationFor(transaction, shop.orgId, 'document writer')
      await transaction.query(sql`
        insert into quotes (org_id, id, quote_number, currency) values (${shop.orgId}, 'quo_1', 'Q-1', 'GBP')`)
    },
    () => shop.put('', { currency: 'EUR' }),
  )
  assert.deepEqual([result.status, result.body.error], [400, 'currency cannot change after documents exist'])
})

test('of two statuses that are deleted at once one stays', async () => {
  const shop = await here.organisation()
  await database.query(sql`delete from ticket_statuses where org_id = ${shop.orgId}`)
  const status = async (name: string) => (await shop.post('/ticket-statuses', { name })).body.data.id
  const [one, other] = [await status('Waiting'), await status('Ready')]
  const { result, waited } = await meanwhile(
    shop.orgId,
    async (transaction) => {
      await lockOrganisationFor(transaction, shop.orgId, 'one judge')
      await transaction.query(sql`delete from ticket_statuses where org_id = ${shop.orgId} and id = ${one}`)
    },
    () => shop.delete(`/ticket-statuses/${other}`),
  )
  assert.deepEqual([result.status, result.body.code, waited], [409, 'LAST_STATUS', true])
})

test('who is shut out while they send a form is shut out before it counts', async () => {
  const { orgId } = await here.organisation()
  const admin = await signIntoDesk(here, orgId)
  const other = await signIntoDesk(here, orgId)
  const { result, waited } = await meanwhile(
    orgId,
    (transaction) => updateMember(transaction, orgId, admin.who.memberId, { isActive: false }),
    () => admin.post(`/settings/members/${other.who.memberId}`, { active: 'no' }),
  )
  assert.deepEqual([result.status, waited], [403, true])
})

test('the same where the form is one for developers', async () => {
  const { orgId } = await here.organisation()
  const admin = await signIntoPortal(here, orgId)
  const { result, waited } = await meanwhile(
    orgId,
    (transaction) => updateMember(transaction, orgId, admin.who.memberId, { isActive: false }),
    () => admin.post('/apps', { name: 'Bench Helper', redirects: 'https://app.example/callback' }),
  )
  assert.deepEqual([result.status, waited], [403, true])
})

test('a member is changed only once those who act as one are done', async () => {
  const { orgId } = await here.organisation()
  const { who } = await signIntoDesk(here, orgId)
  const { result, waited } = await meanwhile(
    orgId,
    (transaction) => lockOrganisationFor(transaction, orgId, 'acting member'),
    () => database.transaction(orgId, (other) => updateMember(other, orgId, who.memberId, { role: 'manager' })),
  )
  assert.deepEqual([result.role, waited], ['manager', true])
})

test('those who act as members and those who write documents do not wait for each other', async () => {
  const shop = await here.organisation()
  const { result, waited } = await meanwhile(
    shop.orgId,
    (transaction) => lockOrganisationFor(transaction, shop.orgId, 'acting member'),
    async () => [await shop.post('/quotes', { customerName: 'Ada' }), await shop.put('', { currency: 'EUR' })],
  )
  assert.deepEqual([...result.map(({ status }) => status), waited], [201, 400, false])
})
