// What somebody with a foot in the door may not do to others: be them, hold them up, find out who they are.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Clerk, clerk } from '../../test/portal.ts'
import { freePort } from '../../test/programs.ts'
import { world } from '../../test/world.ts'
import { listMembers } from '../identity/members.ts'

const here = await world({ PORT: await freePort() })
const { database } = here

let count = 0
const address = () => `guest${process.pid}.${Date.now()}.${count++}@mail.example`
const shop = async () => (await here.organisation({ name: 'Harbour Repairs' })).orgId
const invite = (admin: Clerk, email: string, role = 'technician') =>
  admin.post('/members', { firstName: 'Vi', email, role })

describe('an invitation', () => {
  test('takes the addresses that the rest of the service takes, and looks at no more of one than can be an address', async () => {
    const orgId = await shop()
    const admin = await clerk(here, orgId)
    for (const email of ['a@b.example,c', 'a..b@mail.example', 'a@-.example', `a@${'.'.repeat(60_000)}@`]) {
      const refused = await invite(admin, email)
      assert.equal(refused.status, 400)
      assert.match(refused.text, /email address is not one/)
    }
    assert.equal((await listMembers(database, orgId)).length, 1)
    assert.equal((await invite(admin, address())).status, 200)
  })
})
