// A shop that moves is the same shop on the other server: in its file, in every answer, and in what it does next.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { commandLine, settingsFor } from '../../test/command-line.ts'
import { numberAll, readFeed, testSequencer } from '../../test/events.ts'
import { createSecondDatabase } from '../../test/test-database.ts'
import { type Client, startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { makeDemo } from '../demo/demo.ts'
import { audit } from '../identity/audit.ts'
import { createVault } from '../identity/secrets.ts'
import { fileKindOf } from '../operations/answers.ts'
import { idsIn, type Operation } from '../operations/operation.ts'
import { operations } from '../resources/index.ts'

const folder = mkdtempSync(join(tmpdir(), 'jobwright-moving-'))
after(() => rmSync(folder, { recursive: true, force: true }))
const at = { REST_ORIGIN: 'http://127.0.0.1:3999' }
const here = await startTestService(at)
const second = await createSecondDatabase(here)
const otherKey = Buffer.alloc(32, 9).toString('base64')
const there = await startTestService({ ...at, SECRETS_KEY: otherKey }, {}, second)
const ours = commandLine({ ...settingsFor(here), SECRETS_KEY: here.config.secretsKey![0]!.toString('base64') })
const theirs = commandLine({ ...settingsFor(there), SECRETS_KEY: otherKey })

const waiting = 'eml_waiting'
const invitation = 'eml_invitation'
const { orgId } = await makeDemo(here.database, await createVault(here.config))
const shop = await here.client(orgId)
await addMoreRecords()
const files = { first: join(folder, 'first.jsonl'), second: join(folder, 'second.jsonl') }
const exportResult = await ours('export', '--org', orgId, files.first, '--json')
const importResult = await theirs('import', files.first, '--json')

test('a file holds records of every kind that the service keeps for an organisation', () => {
  assert.equal(exportResult.code, 0, exportResult.stderr)
  assert.equal(exportResult.json.organisation, orgId)
  const none = Object.entries(exportResult.json.records).filter(([, count]) => count === 0)
  assert.deepEqual(none, [])
})

test('a shop that arrived is written out again with the same bytes, but for the first line, its part of the checksum and the line about the arrival', async () => {
  assert.equal(importResult.code, 0, importResult.stderr)
  assert.deepEqual(importResult.json.records, exportResult.json.records)
  assert.equal((await theirs('export', '--org', orgId, files.second)).code, 0)
  const [first, second] = [files.first, files.second].map((file) => readFileSync(file, 'utf8').split('\n'))
  const isArrival = (line: string) => line.includes('"action":"organisation.imported"')
  assert.equal(second!.filter(isArrival).length, 1)
  const withoutArrival = second!.filter((line) => !isArrival(line))
  assert.equal(withoutArrival.slice(1, -2).join('\n'), first!.slice(1, -2).join('\n'))
  const [before, after] = [first!, second!].map((lines) => JSON.parse(lines.at(-2)!).records)
  assert.deepEqual(after, { ...before, auditLog: before.auditLog + 1 })
})

test('the arrival is one event', async () => {
  const captured = await there.database.query<{ source: string; columns: { name: string; data: object } }>(
    sql`select source, columns from event_inbox where org_id = ${orgId}`,
  )
  const arrived = Object.fromEntries(
    Object.entries(importResult.json.records as Record<string, number>).filter(([, count]) => count > 0),
  )
  const columns = { name: 'finished', data: { records: arrived } }
  assert.deepEqual(captured, [{ source: 'imports', columns }])
  const other = await there.client(orgId)
  await numberAll(await testSequencer(there), orgId)
  const [event, ...more] = await readFeed(other)
  assert.deepEqual(
    [more, event!.type, event!.data.records, event!.actor.kind],
    [[], 'import.finished', arrived, 'operator'],
  )
})

const records = Map.groupBy(
  readFileSync(files.first, 'utf8')
    .split('\n')
    .slice(1, -2)
    .map((line) => JSON.parse(line)),
  ({ kind }) => kind as string,
)

/** Events, webhooks and imports stay behind: what was told on a server, whom it tells, and what was brought to it. */
const isMoved = ({ method, returns, entity }: Operation) =>
  method === 'GET' && !fileKindOf(returns) && !['events', 'webhooks', 'imports'].includes(entity.name)

for (const operation of operations.filter(isMoved)) {
  test(`GET ${operation.path} answers the same on both servers`, async () => {
    const other = await there.client(orgId)
    for (const path of addresses(operation)) {
      for (let cursor = ''; ; ) {
        const [mine, moved] = await Promise.all([shop.get(path + cursor), other.get(path + cursor)])
        assert.equal(mine.status, 200, path)
        assert.deepEqual(moved.body, mine.body, path)
        if (!mine.body.data?.pagination?.nextCursor) break
        cursor = `${path.includes('?') ? '&' : '?'}startAfter=${mine.body.data.pagination.nextCursor}`
      }
    }
  })
}

test('photos of forms have the same bytes on both servers', async () => {
  const other = await there.client(orgId)
  const photos = records.get('formPhotos')!.map(({ record }) => record)
  assert.ok(photos.length > 0)
  for (const { submissionId, id } of photos) {
    const path = `/api/v1/organisations/${orgId}/form-submissions/${submissionId}/photos/${id}`
    const [mine, moved] = await Promise.all(
      [
        { origin: here.origin, key: shop.key },
        { origin: there.origin, key: other.key },
      ].map(async ({ origin, key }) => {
        const answer = await fetch(origin + path, { headers: { 'x-api-key': key } })
        return [answer.status, answer.headers.get('content-type'), await answer.text()]
      }),
    )
    assert.equal(mine![0], 200)
    assert.deepEqual(moved, mine)
  }
})

test('a link that a customer was sent leads to its document on the new server too', async () => {
  const { token } = records.get('shareLinks')![0]!.record
  for (const { origin } of [here, there]) assert.equal((await fetch(`${origin}/s/${token}`)).status, 200)
})

test('numbers go on where they were', async () => {
  const other = await there.client(orgId)
  const numbers = async (client: Client) => {
    const { ticketNumber } = (await client.post('/tickets', { customerName: 'Next' })).body.data
    const { quoteNumber } = (await client.post('/quotes', { customerName: 'Next' })).body.data
    const { invoiceNumber } = (await client.post('/invoices', { customerName: 'Next' })).body.data
    return [ticketNumber, quoteNumber, invoiceNumber]
  }
  const [mine, moved] = [await numbers(shop), await numbers(other)]
  assert.ok(mine.every(Boolean))
  assert.deepEqual(moved, mine)
})

test('no key, password or second factor goes along, nor mail that waits to be sent', async () => {
  const text = readFileSync(files.first, 'utf8')
  const [secrets] = await here.database.query<{ password: string; totp: string; key: string }>(sql`
    select people.password_hash as password, totp_secret as totp, prefix as key from people
    join members on person_id = people.id join api_keys on api_keys.org_id = members.org_id
    where members.org_id = ${orgId} and role = 'admin' limit 1`)
  for (const secret of [...Object.values(secrets!), waiting, invitation])
    assert.ok(secret && !text.includes(secret), secret)
  const withOldKey = await there.request('GET', `/api/v1/organisations/${orgId}`, {
    headers: { 'x-api-key': shop.key },
  })
  assert.equal(withOldKey.status, 401)
})

test('an admin is given a way in, as the import says', async () => {
  const [admin] = importResult.json.admins
  assert.deepEqual([admin.canSignIn, importResult.json.admins.length], [false, 1])
  const { json } = await theirs('member', 'reset', orgId, admin.id, '--json')
  const signedIn = await there.request('POST', '/identity/token', {
    body: { email: admin.email, password: json.password },
  })
  assert.equal(signedIn.status, 200)
})

test('the same shop does not arrive twice', async () => {
  const again = await theirs('import', files.first)
  assert.equal(again.code, 1)
  assert.match(again.stderr, /is on this server already; nothing was changed/)
})

/** The kind of record that each id in a path names. */
const kindFor = ({ path }: Operation, id: string) => {
  if (id === 'lineId') return path.includes('/services') ? 'serviceLines' : 'inventoryLines'
  if (id === 'categoryId') return path.includes('/asset-') ? 'assetCategories' : 'inventoryCategories'
  const others: Readonly<Record<string, string>> = {
    itemId: 'inventory',
    correctionId: 'stockCorrections',
    eventId: 'calendarEvents',
    statusId: 'ticketStatuses',
    scheduleId: 'recurringSchedules',
    index: 'recurringOccurrences',
    presetId: 'recurringPresets',
    templateId: 'formTemplates',
    ruleId: 'formRules',
    submissionId: 'formSubmissions',
    photoId: 'formPhotos',
  }
  return others[id] ?? `${id.replace(/Id$/, '')}s`
}

function addresses(operation: Operation): string[] {
  if (operation.path === '/') return ['']
  if (operation.path === '/customers/lookup')
    return [`/customers/lookup?email=${records.get('customers')!.find(({ record }) => record.email)!.record.email}`]
  const last = idsIn(operation.path).at(-1)
  if (!last) return [operation.path]
  return records
    .get(kindFor(operation, last))!
    .slice(-30)
    .map(({ record }) =>
      operation.path.replace(/:(\w+)/g, (_, id: string) =>
        String(id === last ? (record.id ?? record[id]) : record[id]),
      ),
    )
}

/** What a demo does not have. */
async function addMoreRecords(): Promise<void> {
  const { customers } = (await shop.get('/customers')).body.data
  assert.equal((await shop.delete(`/customers/${customers[0].id}`)).status, 200)
  await here.database.query(sql`
    insert into customer_deletions (org_id, customer_id, done, total, finished_at, due_at)
    select org_id, id, 60, 60, now(), null from customers where org_id = ${orgId}`)
  const open = (await shop.get('/quotes?accepted=false')).body.data.quotes
  const invoice = (await shop.get('/invoices?paid=false')).body.data.invoices[0]
  await shop.post(`/quotes/${open[0].id}/send`, { to: 'amara@okafor-bakery.example', message: 'As discussed' })
  await shop.post(`/invoices/${invoice.id}/send`, { to: 'amara@okafor-bakery.example' })
  await here.database.query(sql`
    update outbox set status = 'sent', sent_at = now(), attempt_at = null where org_id = ${orgId}`)
  await here.database.query(sql`
    insert into outbox (org_id, id, to_address, from_name, subject, sealed_body)
    select org_id, ${waiting}, to_address, from_name, subject, sealed_body from outbox where org_id = ${orgId} limit 1`)
  await here.database.query(sql`
    insert into outbox (org_id, id, to_address, from_name, subject, sealed_body, status, is_private)
    select org_id, ${invitation}, to_address, from_name, subject, sealed_body, 'sent', true from outbox
    where org_id = ${orgId} limit 1`)
  await here.database.query(sql`
    insert into quote_answers (org_id, quote_id, signature, address_hash) values (${orgId}, ${open[1].id}, 'Amara', 'hash')`)
  // What the next file for the bookkeeper tells.
  const sold = { customerName: 'Amara', status: 'sent', lineItems: [{ name: 'Oven', unitPrice: 100 }] }
  const { id: soldId } = (await shop.post('/invoices', sold)).body.data
  assert.equal((await shop.put(`/invoices/${soldId}`, { status: 'void' })).status, 200)
  const { tickets } = (await shop.get('/tickets')).body.data
  assert.equal(
    (await shop.put(`/tickets/${tickets[0].id}/signature`, { signature: 'Amara', signedByName: 'Amara' })).status,
    200,
  )
  await audit(
    here.database,
    orgId,
    { id: null, name: 'Ann' },
    { action: 'key.created', subject: 'key_1', detail: { name: 'Shop' } },
  )
}
