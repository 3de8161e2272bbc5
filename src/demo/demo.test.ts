// The sample data is what the service itself would have accepted, and the same every time.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { emptyDatabase, settingsFor } from '../../test/command-line.ts'
import { type Client, world } from '../../test/world.ts'
import { readConfig } from '../config.ts'
import { type Connection, Database } from '../database.ts'
import { listKeys } from '../identity/keys.ts'
import { vaultFrom } from '../identity/secrets.ts'
import { migrate } from '../migrations.ts'
import { fillDemo, hasOrganisations, makeDemo } from './demo.ts'
import { greeting } from './greeting.ts'

const here = await world()
const vault = await vaultFrom(readConfig(settingsFor(here)))
const demo = await makeDemo(here.database, vault)
const shop = await here.client(demo.orgId)

type Json = Record<string, string | null>
interface Shown {
  readonly customer: Json
  readonly devices: Json[]
}

describe('the demo', () => {
  it('is a shop with an admin and a key that may do everything until it expires', async () => {
    const call = { headers: { 'x-api-key': demo.key } }
    const path = `/api/v1/organisations/${demo.orgId}`
    const { data } = (await here.request('GET', path, call)).body
    assert.equal(data.name, 'Harbour Repairs')
    for (const field of ['email', 'phone', 'website', 'address', 'taxNumber', 'documentTerms', 'paymentInstructions']) {
      assert.ok(data[field], field)
    }
    const key = (await listKeys(here.database, demo.orgId)).find(({ prefix }) => demo.key.startsWith(prefix))
    assert.deepEqual([key!.scopes, key!.status], [['full'], 'active'])
    assert.ok(Math.abs(key!.expiresAt!.getTime() - Date.now() - 90 * 86_400_000) < 60_000)
    assert.match(demo.admin.email, /\.example$/)
    assert.match(demo.admin.password, /^[a-z2-7]{24}$/)
    assert.match(demo.admin.totpSecret, /^[A-Z2-7]{32}$/)
  })

  it('has customers of all sorts, with what they own', async () => {
    const shown = await everything(shop)
    const all = JSON.stringify(shown)
    assert.equal(shown.length, 24)
    for (const special of ['Chloé', "O'Rourke", 'Café Lucía', 'Hotel, Restaurant and Conference Rooms', 'Boiler']) {
      assert.ok(all.includes(special), special)
    }
    assert.ok(shown.some(({ devices }) => devices.length === 0))
    assert.ok(shown.some(({ devices }) => devices.length === 4))
  })

  it('belongs to nobody: phone numbers and domains are those set aside for fiction', async () => {
    for (const { customer } of await everything(await filled(100))) {
      assert.match(customer.phone ?? '07700 900000', /^(07700 900|020 7946 0)\d{3}$/)
      assert.match(customer.email ?? 'a@b.example', /^[a-z0-9.-]+@[a-z0-9.-]+\.example$/)
    }
  })

  it('can be written back through the API unchanged', async () => {
    const { data } = (await shop.get('')).body
    assert.equal((await shop.put('', data)).status, 200)
    const bigger = await filled(60)
    for (const { customer, devices } of await everything(bigger)) {
      await writeBack(bigger, `/customers/${customer.id}`, customer)
      for (const device of devices) await writeBack(bigger, `/customers/${customer.id}/devices/${device.id}`, device)
    }
  })

  it('is the same every time', async () => {
    const lasting = (shown: Shown[]) =>
      shown.map(({ customer, devices }) => [customer, ...devices].map((record) => ({ ...record, ...passing })))
    const passing = { id: '', customerId: '', createdAt: '', updatedAt: '' }
    const [one, two] = [await everything(await filled(30)), await everything(await filled(30))]
    assert.deepEqual(lasting(one), lasting(two))
  })

  it('grows by other people when it is asked for again', async () => {
    const client = await filled(30)
    const added = await here.database.transaction((transaction) => fillDemo(transaction, client.orgId, 10))
    assert.equal(added.customers, 10)
    const emails = (await everything(client)).map(({ customer }) => customer.email).filter(Boolean)
    assert.equal(new Set(emails).size, emails.length)
  })

  it('is made for a database without organisations only', async () => {
    const connection = { ...here.connection, database: await emptyDatabase(here) } as Connection
    const database = new Database(connection)
    await migrate(database)
    assert.equal(await hasOrganisations(database), false)
    await makeDemo(database, vault)
    assert.equal(await hasOrganisations(database), true)
    await database.close()
  })
})

describe('the greeting', () => {
  it('has a curl line that works as it stands', async () => {
    const text = greeting({ ...here.config, restOrigin: here.origin }, demo)
    const [, key, address] = /^curl -H "X-API-Key: (\S+)" (\S+)$/m.exec(text)!
    const response = await fetch(address!, { headers: { 'x-api-key': key! } })
    assert.equal(response.status, 200)
    assert.equal(((await response.json()) as { data: { customers: unknown[] } }).data.customers.length, 24)
  })

  it('names the addresses and fits a terminal, but for lines that are there to be copied', () => {
    const text = greeting(here.config, demo)
    assert.ok(text.includes(`${here.config.restOrigin}/api/v1\n`))
    assert.ok(text.includes(`${here.config.restOrigin}/docs\n`))
    assert.match(text, /^npm run -s jobwright -- key create --org org_\w+ --scopes read$/m)
    for (const line of text.split('\n')) if (!line.startsWith('curl')) assert.ok(line.length <= 90, line)
  })

  it('holds no key on later starts', () => {
    const text = greeting(here.config)
    assert.ok(text.includes('/docs'))
    assert.ok(!text.includes('sk_live_'))
  })
})

async function filled(size: number): Promise<Client> {
  const client = await here.organisation()
  await here.database.transaction((transaction) => fillDemo(transaction, client.orgId, size))
  return client
}

async function everything(client: Client): Promise<Shown[]> {
  const { customers } = (await client.get('/customers?limit=100')).body.data
  return Promise.all(
    customers.map(async (customer: Json) => ({
      customer,
      devices: (await client.get(`/customers/${customer.id}/devices`)).body.data.devices,
    })),
  )
}

async function writeBack(client: Client, path: string, record: Json): Promise<void> {
  const { status, body } = await client.put(path, record)
  assert.equal(status, 200, JSON.stringify([record, body]))
  assert.deepEqual({ ...body.data, updatedAt: '' }, { ...record, updatedAt: '' })
}
