// Imports over REST: what callers send, what is judged, written, told and undone.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { countsOf, createImportClient } from '../../../test/import-client.ts'
import { startTestService } from '../../../test/test-service.ts'
import { raw, sql } from '../../db/database.ts'
import { noteDeadlines } from '../../worker/events.ts'
import { takeImportStep } from '../../worker/imports.ts'

const service = await startTestService()
const { database, organisation } = service
const shop = await organisation()

const { begin, work, judge, write, bring, problemsOf } = createImportClient(database)

describe('customers', () => {
  test('who are taken for somebody with another name are told by name', async () => {
    const client = await organisation()
    const there = { firstName: 'Änne', lastName: 'Müller', phone: '+44 7700 900111' }
    await client.post('/customers', there)
    await client.post('/customers', { firstName: 'Bo', lastName: 'Lind', email: 'bo@lind.example' })
    const told = async (columns: readonly string[], rows: readonly (readonly string[])[], kind = 'customers') =>
      (await judge(client, await begin(client, { columns, rows, kind }))).repairs.map(
        ({ reason }: { reason: string }) => reason,
      )
    assert.deepEqual(
      await told(
        ['First name', 'Last name', 'E-mail', 'Phone'],
        [
          ['Ann', 'Müller', '', '07700 900111'],
          ['Bea', 'Lind', 'BO@lind.example', ''],
          ['Anne', 'Muller', '', '07700 900111'],
          ['Bo', '', 'bo@lind.example', ''],
        ],
      ),
      [
        '“Ann Müller” was taken for “Änne Müller”, who has the same phone',
        '“Bea Lind” was taken for “Bo Lind”, who has the same email',
      ],
    )
    const ofJobs = await told(
      ['Job number', 'Title', 'Customer name', 'Customer phone'],
      [['7', 'Boiler', 'Ann Müller', '07700 900111']],
      'jobs',
    )
    assert.ok(ofJobs.includes('“Ann Müller” was taken for “Änne Müller”, who has the same phone'), String(ofJobs))
  })

  test('come with their contacts, are matched, and fill blanks only', async () => {
    const client = await organisation()
    const known = (await client.post('/customers', { firstName: 'Amara', email: 'AMARA@okafor.example' })).body.data
    const done = await bring(client, {
      columns: ['ID', 'First name', 'Last name', 'Company', 'E-mail', 'Phone', 'Street', 'City', 'Notes'],
      rows: [
        ['1', 'Amara', 'Okafor', '', 'amara@okafor.example', '+44 7700 900123', '12 Mill Lane', 'Leeds', ''],
        ['2', 'Bea', 'Lind', 'Lind Ltd', 'bea@lind.example; b@lind.example', '', '', '', 'vip'],
        ['3', '', '', '', '', '', '', '', 'nobody'],
        ['2', 'Bea', 'Lind', 'Lind Ltd', 'bea@lind.example', '', '', '', ''],
      ],
    })
    assert.deepEqual(countsOf(done), { records: 4, created: 1, filled: 1, same: 1, skipped: 0, wrong: 1 })
    assert.equal(done.status, 'written')
    const amara = (await client.get(`/customers/${known.id}`)).body.data
    assert.deepEqual(
      [amara.lastName, amara.email, amara.phone, amara.address, amara.externalId, amara.externalSource],
      ['Okafor', 'AMARA@okafor.example', '+44 7700 900123', '12 Mill Lane\nLeeds', '1', 'api'],
    )
    const [bea] = (await client.get('/customers?externalId=2')).body.data.customers
    assert.deepEqual(
      [bea.firstName, bea.businessName, bea.email, bea.notes],
      ['Bea', 'Lind Ltd', 'bea@lind.example', 'vip\nOther email: b@lind.example'],
    )
    const [problem] = await problemsOf(client, done.id)
    assert.deepEqual([problem.row, problem.reason], [4, 'there is no name, no business and no email'])
    const csv = await fetch(
      `${service.origin}/api/v1/organisations/${client.orgId}/imports/${done.id}/problems?format=csv`,
      {
        headers: { 'x-api-key': client.key },
      },
    )
    assert.deepEqual(
      [csv.headers.get('content-type'), (await csv.text()).split('\r\n')[1]],
      [
        'text/csv',
        '3,,,,,,,,nobody,"there is no name, no business and no email; write a name into the row, or take it out"',
      ],
    )
  })

  test('who has another id in the same system is somebody else, whatever the email; again they are the same', async () => {
    const client = await organisation()
    const sent = {
      source: 'housecall',
      columns: ['ID', 'First name', 'Email'],
      rows: [
        ['a', 'Unit 1', 'office@homes.example'],
        ['b', 'Unit 2', 'office@homes.example'],
      ],
    }
    assert.deepEqual(countsOf(await bring(client, sent)), {
      records: 2,
      created: 2,
      filled: 0,
      same: 0,
      skipped: 0,
      wrong: 0,
    })
    assert.deepEqual(countsOf(await bring(client, sent)), {
      records: 2,
      created: 0,
      filled: 0,
      same: 2,
      skipped: 0,
      wrong: 0,
    })
    const none = await bring(client, { ...sent, options: { update: 'none' } })
    assert.deepEqual([none.skipped, none.same], [2, 0])
  })

  test('an email that two have is asked about, never guessed', async () => {
    const client = await organisation()
    for (const firstName of ['Ann', 'Ben']) await client.post('/customers', { firstName, email: 'both@x.example' })
    const done = await bring(client, { columns: ['Name', 'Email'], rows: [['Cleo', 'both@x.example']] })
    assert.deepEqual([done.wrong, done.created], [1, 0])
    assert.match((await problemsOf(client, done.id))[0].reason, /^2 records that are there could be meant/)
  })

  test('overwriting writes over what is there, and a blank cell never empties a field', async () => {
    const client = await organisation()
    const { id } = (await client.post('/customers', { firstName: 'Amara', email: 'a@x.example', phone: '111' })).body
      .data
    const sent = { columns: ['First name', 'Last name', 'Email', 'Phone'], rows: [['Amy', '', 'a@x.example', '']] }
    assert.equal((await bring(client, sent)).same, 1)
    assert.equal((await bring(client, { ...sent, options: { update: 'overwrite' } })).filled, 1)
    const { firstName, phone } = (await client.get(`/customers/${id}`)).body.data
    assert.deepEqual([firstName, phone], ['Amy', '111'])
  })
})

describe('days', () => {
  const sent = {
    kind: 'jobs',
    columns: ['Job #', 'Client name', 'Title', 'Created date'],
    rows: [['1', 'Bea', 'Oven', '03/04/2026']],
  }

  test('a column that can be read both ways is asked about, and nothing is judged until it is answered', async () => {
    const client = await organisation()
    const id = await begin(client, sent)
    const asking = await judge(client, id)
    assert.deepEqual(
      [asking.status, asking.questions],
      ['asking', [{ file: 'rows', column: 'Created date', kind: 'dateOrder', samples: ['03/04/2026'] }]],
    )
    assert.equal((await client.post(`/imports/${id}/write`)).body.code, 'IMPORT_NOT_JUDGED')
    assert.equal((await judge(client, id, { dateOrder: 'mdy' })).status, 'judged')
    await write(client, id)
    const [job] = (await client.get('/tickets?externalId=1')).body.data.tickets
    assert.match(job.createdAt, /^2026-03-04/)
  })

  test('one value above 12 decides for its column', async () => {
    const client = await organisation()
    await bring(client, {
      ...sent,
      rows: [...sent.rows, ['2', 'Bea', 'Fan', '25/04/2026'], ['3', 'Bea', 'Hob', '31/31/2026']],
    })
    const { tickets } = (await client.get('/tickets?externalSource=api')).body.data
    assert.deepEqual(
      tickets.map((one: { externalId: string; createdAt: string }) => [one.externalId, one.createdAt.slice(0, 10)]),
      [
        ['2', '2026-04-24'],
        ['1', '2026-04-02'],
      ],
      'the days begin at midnight in London',
    )
  })
})

describe('what belongs together', () => {
  test('jobs and devices find their customers, closed ones are closed, notes stand on the timeline', async () => {
    const client = await organisation()
    const { id } = (
      await client.post('/customers', { firstName: 'Amara', lastName: 'Okafor', phone: '+44 7700 900123' })
    ).body.data
    await client.post('/customers', { firstName: 'Amara', lastName: 'Okafor', phone: '+44 7700 900999' })
    const done = await bring(client, {
      kind: 'jobs',
      columns: ['Job #', 'Client name', 'Client phone', 'Title', 'Status', 'Closed date', 'Notes'],
      rows: [
        ['7', 'Amara Okafor', '07700 900123', 'Oven', 'Done', '2026-03-01', 'Rang twice'],
        ['8', 'Amara Okafor', '', 'Fan', 'New', '', ''],
        ['9', 'Somebody New', '', 'Hob', 'New', '', ''],
      ],
    })
    assert.deepEqual(countsOf(done), { records: 3, created: 2, filled: 0, same: 0, skipped: 0, wrong: 1 })
    assert.match((await problemsOf(client, done.id))[0].reason, /^2 customers could be meant/)
    const [oven] = (await client.get('/tickets?externalId=7')).body.data.tickets
    assert.deepEqual([oven.customerId, oven.closedAt, oven.externalNumber], [id, '2026-03-01T00:00:00.000Z', '7'])
    const { messages } = (await client.get(`/tickets/${oven.id}/messages`)).body.data
    assert.ok(messages.some(({ text }: { text: string }) => text === 'Rang twice'))
    const [hob] = (await client.get('/tickets?externalId=9')).body.data.tickets
    assert.deepEqual([hob.customerId, hob.customerName], [null, 'Somebody New'])
  })

  test('an invoice has its lines, its total to the cent, its payment and its number; ours go on above it', async () => {
    const client = await organisation()
    await client.post('/customers', { firstName: 'Bea', email: 'bea@lind.example' })
    const done = await bring(client, {
      source: 'xero',
      columns: [
        'ContactName',
        'EmailAddress',
        'InvoiceNumber',
        'InvoiceDate',
        'DueDate',
        'Total',
        'TaxTotal',
        'InvoiceAmountDue',
        'Description',
        'Quantity',
        'UnitAmount',
        'LineAmount',
        'Status',
      ],
      rows: [
        [
          'Bea',
          'bea@lind.example',
          'INV-0041',
          '2026-01-05',
          '2026-01-19',
          '126.00',
          '21.00',
          '26.00',
          'Work',
          '1',
          '85',
          '85',
          'AUTHORISED',
        ],
        ['Bea', 'bea@lind.example', 'INV-0041', '', '', '', '', '', 'Part', '2', '10', '20', ''],
        [
          'Bea',
          'bea@lind.example',
          'odd',
          '2026-01-05',
          '2026-01-19',
          '99.99',
          '3.33',
          '0',
          'Work',
          '1',
          '85',
          '85',
          'PAID',
        ],
      ],
    })
    assert.deepEqual([done.created, done.wrong, done.records], [2, 0, 2])
    const { invoices } = (await client.get('/invoices')).body.data
    const find = (number: string) => invoices.find((one: { invoiceNumber: string }) => one.invoiceNumber === number)
    const first = find('INV-0041')
    assert.deepEqual(
      [first.total, first.taxTotal, first.balance, first.lineItems.length, first.externalSource, first.taxes[0].rate],
      [126, 21, 26, 2, 'xero', 20],
    )
    const odd = find('odd')
    assert.deepEqual([odd.total, odd.paid, odd.taxTotal, odd.lineItems.length], [99.99, true, 3.33, 2])
    assert.ok(done.repairs.some(({ reason }: { reason: string }) => reason.includes('what it says was kept')))
    const next = (await client.post('/invoices', { customerName: 'x' })).body.data
    assert.equal(next.invoiceNumber, 'INV-0042')
    const { body } = await client.get('/payments')
    assert.deepEqual(
      body.data.payments.map(({ amount, source }: { amount: number; source: string }) => [amount, source]).sort(),
      [
        [100, 'manual'],
        [99.99, 'manual'],
      ].sort(),
    )
    assert.equal(
      (
        await bring(client, {
          source: 'xero',
          kind: 'invoices',
          columns: ['InvoiceNumber', 'Total', 'UnitAmount', 'ContactName'],
          rows: [['INV-0041', '1', '1', 'Bea']],
        })
      ).same,
      1,
      'an invoice that is there stays',
    )
  })

  test('stock comes with its category, work out of a list of goods as services', async () => {
    const client = await organisation()
    const done = await bring(client, {
      columns: [
        'Item Number',
        'Name',
        'Price',
        'Price Includes Taxes',
        'Purchase Cost',
        'Quantity In Stock',
        'Item is Inventoried',
        'Barcode',
      ],
      rows: [
        ['A1', 'Display', '$99.95', 'No', '61.2', '4', 'Yes', '="0012345"'],
        ['A2', 'Labour', '80', 'No', '', '', 'No', ''],
        ['A3', 'Odd', 'call us', 'No', '', '', 'Yes', ''],
      ],
    })
    assert.equal(done.files[0].source, 'servicem8')
    assert.deepEqual(countsOf(done), { records: 3, created: 2, filled: 0, same: 0, skipped: 0, wrong: 1 })
    const [display] = (await client.get('/inventory?sku=A1')).body.data.inventory
    assert.deepEqual(
      [display.price, display.cost, display.quantityOnHand, display.barcode],
      [99.95, 61.2, 4, '0012345'],
    )
    assert.equal((await client.get('/services')).body.data.services[0].price, 80)
    const [problem] = await problemsOf(client, done.id)
    assert.deepEqual([problem.row, problem.column, problem.value], [4, 'Price', 'call us'])
    await bring(client, {
      columns: ['Name', 'SKU', 'Category'],
      rows: [
        ['Fan', 'F1', 'Phones:Fans'],
        ['Fan 2', 'F2', 'Fans'],
      ],
    })
    assert.deepEqual(
      (await client.get('/inventory-categories')).body.data.inventoryCategories.map(
        ({ name }: { name: string }) => name,
      ),
      ['Fans'],
    )
  })
})

describe('writing over what is here', () => {
  const columns = ['Job #', 'Client name', 'Title', 'Description', 'Priority', 'Status', 'Scheduled from']
  const overwrite = { kind: 'jobs', columns, options: { update: 'overwrite' } }

  test('changes the words of a job and its visit, leaves the rest and says so, and goes back', async () => {
    const client = await organisation()
    await bring(client, {
      ...{ kind: 'jobs', columns },
      rows: [['7', 'Bea', 'Oven', '', 'normal', 'New', '2027-03-01 09:00']],
    })
    const find = async () => (await client.get('/tickets?externalId=7')).body.data.tickets[0]
    const before = await find()
    const again = [['7', 'Somebody Else', 'Oven and hob', 'Both are cold', 'urgent', 'Done', '2027-04-01 09:00']]
    const filled = await bring(client, { kind: 'jobs', columns, rows: again })
    assert.equal(filled.filled, 1)
    assert.deepEqual(
      [(await find()).serviceRequired, (await find()).description],
      ['Oven', 'Both are cold'],
      'blanks alone',
    )
    const done = await bring(client, { ...overwrite, rows: again })
    assert.deepEqual(countsOf(done), { records: 1, created: 0, filled: 1, same: 0, skipped: 0, wrong: 0 })
    const after = await find()
    assert.deepEqual([after.serviceRequired, after.priority], ['Oven and hob', 'urgent'])
    for (const field of ['status', 'scheduledFrom', 'scheduledTo', 'customerName', 'closedAt'])
      assert.equal(after[field], before[field], field)
    assert.ok(done.repairs.some(({ reason }: { reason: string }) => /status, times and customer stay/.test(reason)))
    const { title } = (await client.get(`/calendar-events/${before.calendarEventId}`)).body.data
    assert.match(title, /Oven and hob/, 'its visit is called after it')
    await client.put(`/tickets/${before.id}`, { priority: 'low' })
    await client.post(`/imports/${done.id}/undo`)
    const { undo } = await work(client, done.id)
    assert.deepEqual([undo.kept, undo.keptRecords[0].reason], [1, 'priority changed since'])
    assert.deepEqual([(await find()).serviceRequired, (await find()).priority], ['Oven', 'low'])
  })

  test('never changes a document: it is skipped, and said why', async () => {
    const client = await organisation()
    const sent = { kind: 'invoices', columns: ['Invoice number', 'Customer', 'Total'] }
    await bring(client, { ...sent, rows: [['77', 'Bea', '120']] })
    const rows = [['77', 'Bea', '999']]
    assert.equal((await bring(client, { ...sent, rows })).same, 1)
    const done = await bring(client, { ...sent, rows, options: { update: 'overwrite' } })
    assert.deepEqual([done.skipped, done.filled, done.wrong], [1, 0, 0])
    assert.ok(
      done.repairs.some(({ reason }: { reason: string }) => /invoices that are here are not written over/.test(reason)),
    )
    assert.equal((await client.get('/invoices')).body.data.invoices[0].total, 120)
  })
})

describe('undoing', () => {
  test('takes back what nobody touched, keeps what somebody did, and fills back', async () => {
    const client = await organisation()
    const known = (await client.post('/customers', { firstName: 'Amara', email: 'a@x.example' })).body.data
    const done = await bring(client, {
      columns: ['ID', 'First name', 'Email', 'Phone'],
      rows: [
        ['1', 'Amara', 'a@x.example', '111 222 333'],
        ['2', 'Bea', 'b@x.example', ''],
        ['3', 'Cleo', 'c@x.example', ''],
        ['4', 'Dan', 'd@x.example', ''],
      ],
    })
    const idOf = async (externalId: string) =>
      (await client.get(`/customers?externalId=${externalId}`)).body.data.customers[0].id
    const [cleo, dan] = [await idOf('3'), await idOf('4')]
    await client.put(`/customers/${cleo}`, { notes: 'called back' })
    await client.post('/tickets', { customerId: dan })
    assert.equal((await client.post(`/imports/${done.id}/undo`)).status, 200)
    assert.equal((await client.post(`/imports/${done.id}/undo`)).body.code, 'IMPORT_NOT_WRITTEN')
    const undone = await work(client, done.id)
    assert.deepEqual([undone.status, undone.undo.reversed, undone.undo.kept, undone.undo.failed], ['undone', 2, 2, 0])
    assert.deepEqual(
      undone.undo.keptRecords.map(({ id, reason }: { id: string; reason: string }) => [id, reason]).sort(),
      [
        [cleo, 'it was changed since'],
        [dan, 'newer records refer to it'],
      ].sort(),
    )
    const { phone, externalId } = (await client.get(`/customers/${known.id}`)).body.data
    assert.deepEqual([phone, externalId], [null, null])
    assert.equal((await client.get('/customers')).body.data.customers.length, 3)
    assert.equal((await client.post(`/imports/${done.id}/undo`)).body.code, 'IMPORT_NOT_WRITTEN')
  })

  test('is over after thirty days', async () => {
    const client = await organisation()
    const { id } = await bring(client, { columns: ['Name', 'Email'], rows: [['Bea', 'b@x.example']] })
    await database.query(
      sql`update imports set written_at = now() - interval '31 days' where org_id = ${client.orgId} and id = ${id}`,
    )
    assert.equal((await client.post(`/imports/${id}/undo`)).body.code, 'IMPORT_TOO_OLD')
    await database.query(sql`update imports set due_at = now() where org_id = ${client.orgId} and id = ${id}`)
    while ((await takeImportStep(database, client.orgId, { importId: id })) !== undefined);
    assert.equal((await client.get(`/imports/${id}`)).status, 404, 'and it is forgotten, rows and all')
    const [left] = await database.query<{ count: number }>(
      sql`select count(*)::int as count from import_rows where org_id = ${client.orgId}`,
    )
    assert.equal(left!.count, 0)
    assert.equal((await client.get('/customers')).body.data.customers.length, 1)
  })
})

describe('what does not go as it was judged', () => {
  const sent = {
    source: 'paper',
    columns: ['ID', 'Name'],
    rows: [
      ['1', 'Ann'],
      ['2', 'Ben'],
      ['3', 'Cleo'],
    ],
  }

  test('a record that is refused while it is written is wrong, and the others are written', async () => {
    const client = await organisation()
    const id = await begin(client, sent)
    assert.equal((await judge(client, id)).created, 3)
    await client.post('/customers', { firstName: 'Somebody', externalId: '2', externalSource: 'paper' })
    const done = await write(client, id)
    assert.deepEqual(countsOf(done), { records: 3, created: 2, filled: 0, same: 0, skipped: 0, wrong: 1 })
    const [problem] = await problemsOf(client, id)
    assert.deepEqual([problem.row, /externalId/.test(problem.reason)], [3, true])
    assert.equal((await client.get('/customers')).body.data.customers.length, 3)
  })

  test('where the rows do not add up it is said, and nothing is called done', async () => {
    const client = await organisation()
    const id = await begin(client, sent)
    await database.query(sql`update imports set row_count = 4 where org_id = ${client.orgId} and id = ${id}`)
    const { status, failure } = await judge(client, id)
    assert.equal(status, 'failed')
    assert.match(failure, /4 rows came, 3 were judged/)
  })
})

describe('who may', () => {
  test('bring what they may write, and nobody sees the imports of another organisation', async () => {
    const scopes = ['imports:write', 'customers:write'] as const
    const few = await service.client(shop.orgId, { scopes: [...scopes] })
    const jobs = await few.post('/imports', { kind: 'jobs', columns: ['Job #', 'Title'] })
    assert.deepEqual([jobs.status, jobs.body.requiredScopes], [403, ['imports:write', 'tickets:write']])
    const { id } = (await few.post('/imports', { columns: ['Name', 'Email'] })).body.data
    const other = await organisation()
    assert.equal((await other.get(`/imports/${id}`)).status, 404)
    assert.deepEqual((await other.get('/imports')).body.data.imports, [])
    const bare = await service.client(shop.orgId, { scopes: ['imports:write'] })
    assert.equal((await bare.post(`/imports/${id}/judge`)).status, 403)
  })

  test('undo only what they may delete, or brought themselves', async () => {
    const client = await organisation()
    const { id } = await bring(client, { columns: ['Name', 'Email'], rows: [['Bea', 'b@x.example']] })
    const writer = await service.client(client.orgId, { scopes: ['imports:write', 'customers:write'] })
    const refused = await writer.post(`/imports/${id}/undo`)
    assert.deepEqual([refused.status, refused.body.requiredScopes], [403, ['imports:write', 'customers:delete']])
    assert.equal((await work(client, id)).status, 'written')
    const deleter = await service.client(client.orgId, {
      scopes: ['imports:write', 'customers:write', 'customers:delete'],
    })
    assert.equal((await deleter.post(`/imports/${id}/undo`)).status, 200)
    assert.equal((await work(client, id)).status, 'undone')
    const own = await bring(writer, { columns: ['Name', 'Email'], rows: [['Cid', 'c@x.example']] })
    assert.equal((await writer.post(`/imports/${own.id}/undo`)).status, 200, 'what one brought oneself')
  })

  test('a file that nobody can read is refused with what to do', async () => {
    const { status, body } = await shop.post('/imports', { columns: ['Foo', 'Bar'] })
    assert.equal(status, 400)
    assert.match(body.error, /say what it holds \(kind\)/)
    const map = await shop.post('/imports', {
      kind: 'customers',
      columns: ['Foo', 'Name'],
      options: { map: { Foo: 'shoeSize' } },
    })
    assert.match(map.body.error, /"shoeSize", which customers do not have/)
    const twice = await shop.post('/imports', {
      kind: 'customers',
      columns: ['Foo', 'Bar'],
      options: { map: { Foo: 'firstName', Bar: 'firstName' } },
    })
    assert.match(twice.body.error, /Two columns are to be firstName/)
  })
})

test('nothing is told of the records, one event of the import, and nobody is mailed', async () => {
  const client = await organisation()
  const before = await database.query(sql`select 1 from outbox where org_id = ${client.orgId}`)
  // Whoever numbers, also for other test files, moves what tells of the new shop from the one to the other.
  for (const inbox of ['shared_event_inbox', 'event_inbox'])
    await database.query(sql`delete from ${raw(inbox)} where org_id = ${client.orgId}`)
  const { id } = await bring(client, {
    kind: 'invoices',
    columns: ['Invoice number', 'Customer', 'Email', 'Total', 'Due date', 'Status'],
    rows: [['77', 'Bea', 'bea@lind.example', '120', '2025-01-31', 'Sent']],
  })
  await noteDeadlines(database)
  const captured = await database.query<{ source: string; operation: string; recordId: string; columns: object }>(
    sql`select source, operation, record_id as "recordId", columns from event_inbox where org_id = ${client.orgId}`,
  )
  assert.deepEqual(captured, [
    {
      source: 'imports',
      operation: 'signal',
      recordId: id,
      columns: { name: 'finished', data: { records: { invoices: 1 } } },
    },
  ])
  assert.equal((await database.query(sql`select 1 from outbox where org_id = ${client.orgId}`)).length, before.length)
})
