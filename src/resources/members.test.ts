// Members through HTTP: what callers see of the people in an organisation, and that they can change nothing.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, test } from 'node:test'
import { type Client, startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { addMember, type NewMember, removeMember, updateMember } from '../identity/members.ts'
import { createVault } from '../identity/secrets.ts'

const { organisation, client, database, config } = await startTestService()
const vault = await createVault({ ...config, secretsKey: [randomBytes(32)] })

let people = 0
const member = async ({ orgId }: Client, details: Partial<NewMember> = {}): Promise<string> => {
  const email = `person${++people}@staff.example`
  const added = await database.transaction('test', (transaction) =>
    addMember(transaction, vault, orgId, { email, firstName: 'Niamh', ...details }),
  )
  return added.id
}
const namesIn = async (shop: Client, query = ''): Promise<string[]> =>
  (await shop.get(`/members${query}`)).body.data.members.map(({ firstName }: { firstName: string }) => firstName)

describe('reading', () => {
  test('shows every field and no secret', async () => {
    const shop = await organisation()
    const id = await member(shop, { email: 'niamh@quay.example', lastName: 'Byrne', role: 'admin' })
    await database.query(sql`
      update members set phone = '+44 7700 900456', color = 4294967295 where org_id = ${shop.orgId} and id = ${id}`)
    const { status, body } = await shop.get(`/members/${id}`)
    const { createdAt, updatedAt, ...rest } = body.data
    assert.equal(status, 200)
    assert.match(createdAt + updatedAt, /Z.*Z$/)
    assert.deepEqual(rest, {
      id,
      firstName: 'Niamh',
      lastName: 'Byrne',
      email: 'niamh@quay.example',
      phone: '+44 7700 900456',
      role: 'admin',
      isActive: true,
      color: 4294967295,
    })
    assert.deepEqual((await shop.get('/members')).body.data.members, [body.data])
  })

  test('one who is in two organisations is another member in each', async () => {
    const [shop, other] = [await organisation(), await organisation()]
    const id = await member(shop, { email: 'both@quay.example' })
    const there = await member(other, { email: 'both@quay.example', firstName: 'Nia' })
    assert.deepEqual([await namesIn(shop), await namesIn(other)], [['Niamh'], ['Nia']])
    assert.equal((await other.get(`/members/${there}`)).body.data.email, 'both@quay.example')
    const { status, body } = await other.get(`/members/${id}`)
    assert.deepEqual([status, body.error], [404, 'Member not found'])
  })

  test('needs members:read', async () => {
    const shop = await organisation()
    const other = await client(shop.orgId, { scopes: ['customers:read'] })
    assert.equal((await other.get('/members')).body.code, 'insufficient_scope')
    assert.equal((await (await client(shop.orgId, { scopes: ['members:read'] })).get('/members')).status, 200)
  })
})

describe('the list', () => {
  test('goes by first name, whatever its case, from page to page and past one who left', async () => {
    const shop = await organisation()
    const ids: Record<string, string> = {}
    for (const firstName of ['zoe', 'Éamon', 'Bob', 'anna']) ids[firstName] = await member(shop, { firstName })
    assert.deepEqual(await namesIn(shop), ['anna', 'Bob', 'Éamon', 'zoe'])
    const page = (await shop.get('/members?limit=2')).body.data
    assert.deepEqual(page.pagination, { limit: 2, hasMore: true, nextCursor: ids.Bob })
    assert.deepEqual(await namesIn(shop, `?limit=2&startAfter=${ids.Bob}`), ['Éamon', 'zoe'])
    await removeMember(database, shop.orgId, ids.Bob!)
    assert.deepEqual(await namesIn(shop, `?startAfter=${ids.Bob}`), ['Éamon', 'zoe'])
    assert.equal((await shop.get('/members?startAfter=mem_none')).body.error, 'startAfter is not a known cursor')
  })

  test('can be narrowed to a role and to those who are active or not', async () => {
    const shop = await organisation()
    await member(shop, { firstName: 'Ann', role: 'manager' })
    await member(shop, { firstName: 'Bob' })
    const left = await member(shop, { firstName: 'Cat' })
    await updateMember(database, shop.orgId, left, { isActive: false })
    assert.deepEqual(await namesIn(shop), ['Ann', 'Bob', 'Cat'], 'who is inactive stays in the list')
    assert.deepEqual(await namesIn(shop, '?isActive=true'), ['Ann', 'Bob'])
    assert.deepEqual(await namesIn(shop, '?isActive=false'), ['Cat'])
    assert.deepEqual(await namesIn(shop, '?role=technician'), ['Bob', 'Cat'])
    assert.deepEqual(await namesIn(shop, '?role=technician&isActive=true'), ['Bob'])
    assert.deepEqual(await namesIn(shop, '?role=admin'), [])
  })

  test('names the parameter and the reason when it refuses', async () => {
    const shop = await organisation()
    const refusals = {
      'isActive=yes': 'isActive must be true or false',
      'role=owner': 'role must be one of admin, manager, technician',
    }
    for (const [query, reason] of Object.entries(refusals)) {
      const { status, body } = await shop.get(`/members?${query}`)
      assert.deepEqual([status, body.error], [400, reason])
    }
  })
})

test('callers cannot add, change or remove anybody', async () => {
  const shop = await organisation()
  const id = await member(shop)
  const replies = [
    await shop.post('/members', { firstName: 'Eve', email: 'eve@quay.example' }),
    await shop.put(`/members/${id}`, { role: 'admin' }),
    await shop.delete(`/members/${id}`),
  ]
  for (const { status } of replies) assert.ok([403, 404, 405].includes(status), `${status}`)
  assert.equal((await shop.get(`/members/${id}`)).body.data.role, 'technician')
  assert.equal((await namesIn(shop)).length, 1)
})
