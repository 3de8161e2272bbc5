// The way onto a cluster and life on it: distributing what there is, migrations afterwards, and what nodes do to each
// other. The service's own tests run there, too: `npm run test:citus`.
import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, describe, test } from 'node:test'
import { Database, sql } from '../src/db/database.ts'
import { CannotDistribute, distribute } from '../src/db/distribute.ts'
import { selectLayout } from '../src/db/layout.ts'
import { migrate, migrationFiles } from '../src/db/migrate.ts'
import { makeDemo } from '../src/demo/demo.ts'
import { createVault } from '../src/identity/secrets.ts'
import { postponeStep } from '../src/resources/imports/attempts.ts'
import { exportOrganisation } from '../src/transfer/export.ts'
import { citusSkipReason, createClusterDatabase, startCitusCluster, withClient } from './citus-cluster.ts'
import { commandLine, settingsFor } from './command-line.ts'
import { teller } from './events.ts'
import { createImportClient } from './import-client.ts'
import { type Client, startTestService } from './test-service.ts'

describe('a Citus cluster', { skip: citusSkipReason }, async () => {
  if (citusSkipReason) return
  const cluster = await startCitusCluster()
  after(cluster.stop)
  const ports = [cluster.coordinator, ...cluster.workers].map(({ port }) => port)
  const connection = await createClusterDatabase(ports, 'filled')
  const undistributed = new Database(connection)
  await migrate(undistributed)
  const here = await startTestService({}, {}, connection)
  const { database } = here
  after(() => undistributed.close())
  const { orgId } = await makeDemo(database, await createVault(here.config))
  const shop = await here.client(orgId)
  const addresses = ['/customers', '/tickets', '/quotes', '/invoices', '/members', '/form-submissions', '']
  const readAll = async (client: Client) =>
    JSON.stringify(await Promise.all(addresses.map(async (path) => (await client.get(path)).body.data)))
  const before = await readAll(shop)
  const doctor = async () => {
    const { json } = await commandLine(settingsFor(here))('doctor', '--json')
    return Object.fromEntries(json.checks.map((one: { name: string; status: string }) => [one.name, one.status]))
  }

  test('the doctor says that the tables are not distributed yet', async () => {
    const { Tables, Nodes } = await doctor()
    assert.deepEqual([Tables, Nodes], ['warning', 'ok'])
  })

  test('a dry run says what would be done, and does nothing', async () => {
    const { moved, tables } = await distribute(database, { isDryRun: true })
    const customers = moved.find(({ table }) => table === 'customers')
    assert.equal(customers?.placement, 'distributed')
    assert.ok(customers.rows > 20)
    assert.equal(tables.reference, 2)
    assert.ok((await selectLayout(database)).every(({ actual }) => actual === 'local'))
  })

  test('a database with data is distributed, and answers as before', async () => {
    const constraints = () =>
      database.query<{ name: string }>(sql`
        select conname as name from pg_constraint where contype = 'f' and connamespace = current_schema()::regnamespace
        order by 1`)
    const keysBefore = await constraints()
    const { moved } = await distribute(database)
    assert.ok(moved.length > 30)
    assert.ok((await selectLayout(database)).every(({ wanted, actual }) => wanted === actual))
    assert.equal(await readAll(shop), before)
    const kept = new Set((await constraints()).map(({ name }) => name))
    assert.deepEqual(
      keysBefore.map(({ name }) => name).filter((name) => !kept.has(name)),
      [
        'api_keys_org_id_fkey',
        'calendar_feeds_member_id_exists',
        'calendar_feeds_org_id_fkey',
        'grants_org_id_fkey',
        'members_person_id_fkey',
        'oauth_clients_org_id_fkey',
      ],
      'only those between the coordinator and every node are gone',
    )
  })

  test('distributing again changes nothing, and the doctor is content', async () => {
    assert.deepEqual((await distribute(database)).moved, [])
    const { Tables, Nodes, Balance, 'Two-phase commits': prepared } = await doctor()
    assert.deepEqual([Tables, Nodes, Balance, prepared], ['ok', 'ok', 'ok', 'ok'])
  })

  test('a table that a later migration added is distributed with the others, also by whoever finds nothing else to do', async () => {
    await database.query(sql`create table notes (
      org_id text not null, id text not null, customer_id text, text text, primary key (org_id, id))`)
    await database.query(sql`alter table customers add column nickname text`)
    assert.deepEqual(await migrate(database), []) // whoever added it was killed before it had its place
    const added = (await selectLayout(database)).find(({ name }) => name === 'notes')
    assert.equal(added?.actual, 'distributed')
    await database.query(sql`alter table notes add constraint notes_customer_id_parent
      foreign key (org_id, customer_id) references customers on delete cascade`)
    const [customer] = (await shop.get('/customers')).body.data.customers
    await database.query(sql`insert into notes values (${orgId}, 'n1', ${customer.id}, 'x')`)
    assert.equal((await shop.delete(`/customers/${customer.id}`)).status, 200)
    assert.deepEqual(await database.query(sql`select from notes where org_id = ${orgId}`), [])
  })

  test('a role that only owns the database migrates, distributes, and migrates again what is distributed', async () => {
    const lastBefore = '0016-webhooks.sql' // of the first version that distributes tables
    const administered = await createClusterDatabase(ports, 'upgraded')
    for (const port of ports)
      await withClient(port, 'postgres', async (client) => {
        await client.query('create role owner login')
        await client.query('alter database upgraded owner to owner')
      })
    // Made by a superuser, as some providers want it; the others are left to the migrations.
    await withClient(ports[0]!, 'upgraded', (client) => client.query('create extension pg_trgm'))
    const upgraded = new Database({ ...administered, user: 'owner' })
    after(() => upgraded.close())
    const files = await migrationFiles()
    await withClient(ports[0]!, 'upgraded', async (client) => {
      await client.query('set role owner')
      await client.query('create table migrations (name text primary key, applied_at timestamptz default now())')
      for (const file of files.filter((one) => one <= lastBefore)) {
        await client.query(await readFile(new URL(`../migrations/${file}`, import.meta.url), 'utf8'))
        await client.query('insert into migrations (name) values ($1)', [file])
      }
    })
    await distribute(upgraded)
    const later = files.filter((one) => one > lastBefore)
    assert.deepEqual(await migrate(upgraded), later)
    assert.ok((await selectLayout(upgraded)).every(({ wanted, actual }) => wanted === actual))
  })

  test('a brought invoice that nobody touched is taken back, though triggers wrote the moment of another machine', async () => {
    const client = await here.organisation()
    const { bring, work } = createImportClient(database)
    const { id } = await bring(client, {
      kind: 'invoices',
      columns: ['Invoice number', 'Customer', 'Issue date', 'Status', 'Total', 'Amount paid', 'Paid at'],
      rows: [['A-1', 'Amara', '2025-11-10', 'sent', '100', '40', '2025-11-12']],
    })
    await client.post(`/imports/${id}/undo`)
    const { undo } = await work(client, id)
    assert.deepEqual([undo.reversed, undo.kept], [1, 0])
  })

  test('an import that cannot go on is put off', async () => {
    const client = await here.organisation()
    const { id } = await createImportClient(database).bring(client, {
      kind: 'customers',
      columns: ['Name'],
      rows: [['Amara']],
    })
    await database.query(sql`update imports set due_at = now() where org_id = ${client.orgId} and id = ${id}`)
    await database.query(postponeStep(client.orgId, id, 'there is no more room'))
    const query = sql`select attempts, due_at < now() + interval '1 day' as "isSoon" from imports where org_id = ${client.orgId}`
    assert.deepEqual(await database.query(query), [{ attempts: 1, isSoon: true }])
  })

  test('an export has what there was at one moment', async () => {
    const client = await here.organisation()
    await client.post('/services', { name: 'Repair' })
    const vault = await createVault(here.config)
    const text = await database.longTransaction('read only', async (transaction) => {
      const pieces = exportOrganisation(transaction, { orgId: client.orgId, vault, onProgress() {} })
      let all = (await pieces.next()).value as string
      assert.equal((await client.post('/services', { name: 'Later' })).status, 201)
      for await (const piece of pieces) all += piece
      return all
    })
    assert.deepEqual([text.includes('"Repair"'), text.includes('"Later"')], [true, false])
  })

  test('one organisation that is locked keeps no other one waiting', async () => {
    const [locked, free] = [await here.organisation(), await here.organisation()]
    const holder = await database.connect()
    await holder.query('begin')
    await holder.query('select from organisation_locks where org_id = $1 for update', [locked.orgId])
    const waiting = locked.post('/quotes', { customerName: 'Ada' })
    assert.equal((await free.post('/quotes', { customerName: 'Ada' })).status, 201)
    assert.equal((await free.put('', { currency: 'EUR' })).status, 400)
    await holder.query('commit')
    await holder.end()
    assert.equal((await waiting).status, 201)
  })

  test('new mail is announced where the processes listen, and changed members too', async () => {
    const client = await database.connect()
    const heard: string[] = []
    client.on('notification', ({ channel }) => heard.push(channel))
    await client.query('listen outbox')
    await client.query('listen credentials_changed')
    const { id } = (await shop.post('/quotes', { customerName: 'Ada', lineItems: [{ name: 'Labour', unitPrice: 5 }] }))
      .body.data
    assert.equal((await shop.post(`/quotes/${id}/send`, { to: 'ada@example.com' })).status, 200)
    await database.query(sql`update members set is_active = false where org_id = ${orgId} and role = 'technician'`)
    await client.query('select 1')
    await client.end()
    assert.deepEqual([...new Set(heard)].sort(), ['credentials_changed', 'outbox'])
  })

  test('a rule of a distributed table is refused as on one server', async () => {
    const part = { name: 'Belt', sku: 'BELT-1' }
    assert.equal((await shop.post('/inventory', part)).status, 201)
    const { status, body } = await shop.post('/inventory', part)
    assert.deepEqual([status, body.error], [400, 'sku is already used'])
    // Rows that the coordinator collects first, of whose fate Citus tells the sentence alone.
    const nameless = sql`insert into devices (org_id, id, customer_id)
      select ${orgId}, id, 'cus_none' from json_to_recordset('[{"id":"dev_none"}]') given (id text) order by id`
    await assert.rejects(
      database.transaction(orgId, (transaction) => transaction.query(nameless)),
      { code: '23514', constraint: 'devices_name_required', table: 'devices' },
    )
  })

  test('a member who is removed is told, and leaves no reference, feed or grant behind', async () => {
    const [member] = await database.query<{ id: string; tickets: number }>(sql`
      select assigned_technician as id, count(*)::int as tickets from tickets
      where org_id = ${orgId} and assigned_technician is not null group by 1 order by 2 desc limit 1`)
    await database.query(sql`
      insert into calendar_feeds (org_id, id, member_id, token_hash) values (${orgId}, 'fed_1', ${member!.id}, '\\x01')`)
    const { email } = (await shop.get(`/members/${member!.id}`)).body.data
    const told = await teller(here, shop).told(async () => {
      const { code, stderr } = await commandLine(settingsFor(here))('member', 'remove', orgId, member!.id)
      assert.equal(code, 0, stderr)
    })
    const removal = told.find(({ recordId }) => recordId === member!.id)
    assert.deepEqual([removal?.type, removal?.previous.email], ['member.deleted', email])
    const left = await database.query(sql`
      select from tickets where org_id = ${orgId} and assigned_technician = ${member!.id}`)
    assert.deepEqual(left, [])
    assert.deepEqual(await database.query(sql`select from calendar_feeds where member_id = ${member!.id}`), [])
    const [tombstone] = await database.query<{ count: number }>(sql`
      select count(*)::int as count from tombstones where org_id = ${orgId} and collection = 'members'`)
    assert.equal(tombstone!.count, 1)
  })

  test('settings that would lose rules or moments are named before anything is done', async () => {
    const other = await createClusterDatabase(ports, 'unprepared')
    const second = new Database(other)
    await migrate(second)
    await withClient(ports[1]!, 'unprepared', (client) =>
      client.query(`set citus.enable_ddl_propagation = off; alter database unprepared set timezone = 'Europe/London'`),
    )
    await assert.rejects(distribute(second), (error: Error) => {
      assert.ok(error instanceof CannotDistribute)
      assert.match(error.message, /timezone is Europe\/London on 127\.0\.0\.1:\d+: it must be UTC/)
      return true
    })
    await second.close()
  })
})

test('a database without Citus is not distributed, and told why', async () => {
  const { database } = await startTestService()
  if (await database.isCitus()) return
  await assert.rejects(distribute(database), /The extension citus is not in this database/)
})
