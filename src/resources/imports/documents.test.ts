// Quotes and invoices over REST: they become what the file says, and what was decided is told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, createImportClient } from '../../../test/import-client.ts'
import { startTestService } from '../../../test/test-service.ts'
import { sql } from '../../db/database.ts'
import { maxUnpaged } from '../../operations/table-lists.ts'

const { database, organisation } = await startTestService()
const { begin, judge, write, work, bring, problemsOf } = createImportClient(database)

const reasonsOf = ({ repairs }: { repairs: readonly { reason: string }[] }) => repairs.map(({ reason }) => reason)

const taxed = {
  kind: 'invoices',
  columns: ['Invoice number', 'Customer', 'Date', 'Description', 'Quantity', 'Unit price', 'Tax rate', 'Line total'],
  rows: [
    ['T-7', 'Ann', '2026-01-05', 'Work', '1', '100', '20', '100'],
    ['T-7', 'Ann', '2026-01-05', 'Part', '2', '10', '5', '20'],
    ['T-7', 'Ann', '2026-01-05', 'Book', '1', '8', '0', '8'],
  ],
}

test('lines of one invoice keep the rates they have', async () => {
  const client = await organisation()
  assert.equal((await bring(client, taxed)).created, 1)
  const [invoice] = (await client.get('/invoices')).body.data.invoices
  assert.deepEqual(
    [invoice.total, invoice.taxes.map(({ rate, amount }: { rate: number; amount: number }) => [rate, amount])],
    [
      149,
      [
        [20, 20],
        [5, 1],
      ],
    ],
  )
})

test('undoing keeps the tax rates that somebody uses since, and takes back the others', async () => {
  const client = await organisation()
  const { id } = await bring(client, taxed)
  const rates = (await client.get('/tax-rates')).body.data.taxRates as { id: string; rate: number }[]
  const idOf = (rate: number) => rates.find((one) => one.rate === rate)!.id
  const line = { name: 'Work', quantity: 1, unitPrice: 10, taxRateId: idOf(20) }
  assert.equal((await client.post('/quotes', { customerName: 'Bo', lineItems: [line] })).status, 201)
  await client.put('', { accounting: { taxNames: { [idOf(5)]: '5% (VAT on Income)' } } })
  await client.post(`/imports/${id}/undo`)
  await work(client, id)
  const left = (await client.get('/tax-rates')).body.data.taxRates as { rate: number }[]
  assert.deepEqual(
    left.map(({ rate }) => rate).sort(),
    rates
      .map(({ rate }) => rate)
      .filter((rate) => rate !== 0)
      .sort(),
  )
})

interface Money {
  readonly total: number
  readonly taxTotal: number
  readonly discount: { readonly value: number } | null
  readonly taxes: readonly { readonly rate: number }[]
}
const moneyOf = ({ total, taxTotal, discount, taxes }: Money) => ({
  ...{ total, taxTotal, discount: discount?.value ?? 0 },
  rates: taxes.map(({ rate }) => rate),
})

test('an invoice with a discount has it as its own, and its tax is the stated one', async () => {
  const client = await organisation()
  const columns = ['Invoice number', 'Customer', 'Date', 'Item', 'Unit price', 'Discount', 'Tax rate', 'Tax', 'Total']
  const english = ['E-1', 'Ann', '2026-01-05', 'Tap', '100.00', '10.00', '20%', '18.00', '108.00']
  const done = await bring(client, { kind: 'invoices', columns, rows: [english] })
  assert.deepEqual([done.created, reasonsOf(done).filter((reason) => /tax|discount|total/.test(reason))], [1, []])
  const german = ['Rechnungsnummer', 'Kunde', 'Rechnungsdatum', 'Einzelpreis', 'Rabatt', 'MwSt-Satz', 'Netto', 'MwSt']
  await bring(client, {
    kind: 'invoices',
    columns: [...german, 'Brutto'],
    rows: [['R-8', 'Änne', '11.01.2026', '100,00', '10,00', '19 %', '90,00', '17,10', '107,10']],
  })
  const [first, second] = (await client.get('/invoices')).body.data.invoices.sort(
    (one: { total: number }, other: { total: number }) => one.total - other.total,
  )
  assert.deepEqual(moneyOf(first), { total: 107.1, taxTotal: 17.1, discount: 10, rates: [19] })
  assert.deepEqual(moneyOf(second), { total: 108, taxTotal: 18, discount: 10, rates: [20] })
})

test('pennies and a wrong total make up no rates of tax, and are told', async () => {
  const client = await organisation()
  const done = await bring(client, {
    kind: 'invoices',
    columns: ['Invoice number', 'Customer', 'Date', 'Item', 'Unit price', 'Tax rate', 'Tax', 'Total'],
    rows: [
      ['P-1', 'Ann', '2026-01-05', 'Tap', '33.33', '20%', '6.66', '39.99'],
      ['P-2', 'Ann', '2026-01-05', 'Tap', '100.00', '20%', '20.00', '121.00'],
    ],
  })
  assert.deepEqual(
    reasonsOf(done).filter((reason) => /what it says was kept/.test(reason)),
    [
      'the lines and their tax come to 40, the file says 39.99: what it says was kept',
      'the lines and their tax come to 120, the file says 121: what it says was kept',
    ],
  )
  const [pennies] = (await client.get('/invoices?externalId=P-1')).body.data.invoices
  assert.deepEqual(moneyOf(pennies), { total: 39.99, taxTotal: 6.66, discount: 0.01, rates: [20] })
  const [wrong] = (await client.get('/invoices?externalId=P-2')).body.data.invoices
  assert.deepEqual(moneyOf(wrong), { total: 121, taxTotal: 20, discount: 0, rates: [20] })
})

test('what was judged with one rate for all lines is written with it', async () => {
  const client = await organisation()
  const id = await begin(client, taxed)
  await judge(client, id)
  await database.query(
    sql`update import_records set plan = plan - 'taxRates' || '{"taxRate": 10}' where org_id = ${client.orgId} and import_id = ${id}`,
  )
  await write(client, id)
  assert.equal((await client.get('/invoices')).body.data.invoices[0].total, 140.8)
})

test('an invoice is wrong, and not without its tax, where there can be no more tax rates', async () => {
  const client = await organisation()
  await database.query(
    sql`insert into tax_rates (org_id, id, name, rate)
        select ${client.orgId}, 'tax_' || one, 'Rate ' || one, 30 + one / 1000.0 from generate_series(1, ${maxUnpaged}::int) one`,
  )
  const done = await bring(client, taxed)
  assert.deepEqual([done.created, done.wrong], [0, 1])
  assert.match((await problemsOf(client, done.id))[0].reason, /too many tax rates to add one of 20 %/)
})

test('two invoices with one number are wrong, and nothing of them is lost', async () => {
  const client = await organisation()
  const id = await begin(client, {
    kind: 'quotes',
    columns: ['Quote number', 'Customer', 'Date', 'Total'],
    rows: [
      ['Q-1', 'Ann', '2026-01-05', '100'],
      ['Q-1', 'Bo', '2026-01-06', '200'],
      ['Q-2', 'Ann', '2026-01-05', '100'],
    ],
  })
  assert.deepEqual(countsOf(await judge(client, id)), {
    ...{ records: 2, created: 1, filled: 0, same: 0, skipped: 0, wrong: 1 },
  })
  const problems = await problemsOf(client, id)
  assert.deepEqual(
    problems.map(({ reason, fix }: { reason: string; fix: string }) => [reason, fix]),
    ['customers', 'days', 'totals'].map((what) => [
      ...[`rows with the number Q-1 have different ${what}`, 'give each quote a number of its own'],
    ]),
  )
})

test('an amount that is written in another currency is wrong', async () => {
  const client = await organisation()
  const { currency } = (await client.get('')).body.data
  assert.equal(currency, 'GBP')
  const id = await begin(client, {
    kind: 'invoices',
    columns: ['Invoice number', 'Customer', 'Date', 'Item', 'Price', 'Total'],
    rows: [
      ['1', 'Ann', '2026-01-05', 'Tap', '10', '10.00 EUR'],
      ['2', 'Ann', '2026-01-05', 'Tap', '$10.00', '10'],
      ['3', 'Ann', '2026-01-05', 'Tap', '£10', 'GBP 10.00'],
    ],
  })
  const { created, wrong } = await judge(client, id)
  assert.deepEqual([created, wrong], [1, 2])
  assert.deepEqual(
    (await problemsOf(client, id)).map((one: Record<string, unknown>) => [one.row, one.column, one.value, one.reason]),
    [
      [2, 'Total', '10.00 EUR', "it is in EUR, and the shop's currency is GBP"],
      [3, 'Price', '$10.00', "it is in $, and the shop's currency is GBP"],
    ],
  )
})

test('a number that another invoice has here is told, and it gets one of ours', async () => {
  const client = await organisation()
  const { invoiceNumber } = (await client.post('/invoices', { customerName: 'x' })).body.data
  const sent = {
    kind: 'invoices',
    columns: ['Invoice number', 'Customer', 'Date', 'Total'],
    rows: [
      [invoiceNumber, 'Ann', '2026-01-05', '10'],
      ['OTHER-1', 'Ann', '2026-01-05', '20'],
    ],
  }
  const done = await bring(client, sent)
  assert.equal(done.created, 2)
  const words = `the number ${invoiceNumber} is taken here: it gets one of ours`
  assert.deepEqual(
    reasonsOf(done).filter((reason) => /taken here/.test(reason)),
    [words],
  )
  const { invoices } = (await client.get('/invoices')).body.data
  assert.equal(new Set(invoices.map((one: { invoiceNumber: string }) => one.invoiceNumber)).size, 3)
  assert.deepEqual(
    reasonsOf(await bring(client, sent)).filter((reason) => /taken here/.test(reason)),
    [],
    'what is the same keeps its number',
  )
})

test('an order of days that was given counts in all columns, an answer in those that were asked about', async () => {
  const client = await organisation()
  const columns = ['Invoice number', 'Customer', 'Date', 'Paid date', 'Total']
  const rows = [
    ['D-1', 'Ann', '03/04/2026', '05/06/2026', '10'],
    ['D-2', 'Ann', '25/04/2026', '05/06/2026', '10'],
  ]
  const given = await judge(client, await begin(client, { kind: 'invoices', columns, rows }), { dateOrder: 'mdy' })
  assert.deepEqual([given.created, given.wrong], [1, 1])
  const [problem] = await problemsOf(client, given.id)
  assert.deepEqual([problem.row, problem.column, problem.reason], [3, 'Date', '"25/04/2026" cannot be read as a day'])
  const id = await begin(client, { kind: 'invoices', columns, rows })
  assert.deepEqual(
    (await judge(client, id)).questions.map(({ column }: { column: string }) => column),
    ['Paid date'],
  )
  const answered = await judge(client, id, { dateOrder: 'mdy' })
  assert.deepEqual([answered.created, answered.wrong], [2, 0])
  assert.deepEqual((await judge(client, id)).created, 2, 'and looking again changes nothing')
  await write(client, id)
  const [first] = (await client.get('/invoices?externalId=D-1')).body.data.invoices
  assert.match(first.issuedAt, /^2026-04-0[23]/)
})

test('a list of payments is refused, and what to do is said', async () => {
  const client = await organisation()
  const columns = ['Payment Date', 'Invoice Number', 'Customer', 'Payment Method', 'Amount']
  const refused = await client.post('/imports', { columns })
  assert.equal(refused.status, 400)
  assert.match(refused.body.error, /list of payments.*Amount paid/)
  assert.equal((await client.post('/imports', { columns, kind: 'invoices' })).status, 201)
})

test('days below Due are asked about like others, and amounts below it are what is owed', async () => {
  const client = await organisation()
  const columns = ['Invoice number', 'Customer', 'Date', 'Due', 'Total']
  const days = [['U-1', 'Ann', '2026-01-05', '03/04/2026', '10']]
  const id = await begin(client, { kind: 'invoices', columns, rows: days })
  assert.deepEqual(
    (await judge(client, id)).questions.map(({ column }: { column: string }) => column),
    ['Due'],
  )
  await judge(client, id, { dateOrder: 'mdy' })
  await write(client, id)
  const [due] = (await client.get('/invoices?externalId=U-1')).body.data.invoices
  assert.match(due.dueAt, /^2026-03-0[34]/)
  const amounts = [
    ['U-2', 'Ann', '2026-01-05', '1.234', '2000'],
    ['U-3', 'Ann', '2026-01-05', '1,23', '3'],
  ]
  await bring(client, { kind: 'invoices', columns, rows: amounts })
  const [owed] = (await client.get('/invoices?externalId=U-2')).body.data.invoices
  assert.equal(owed.amountPaid, 766)
})

test('an invoice whose rows stand there twice is brought once, and that is told', async () => {
  const client = await organisation()
  const row = ['H1', 'Pat', '2026-04-05', 'Pump', '1', '500.00', '20%', '500.00', '100.00', '600.00', '600.00']
  const done = await bring(client, {
    columns: [
      ...['Invoice Number', 'Customer', 'Invoice Date', 'Description', 'Quantity', 'Unit Price'],
      ...['Tax Rate', 'Subtotal', 'Tax', 'Total', 'Amount Paid'],
    ],
    rows: [row, row],
  })
  assert.ok(reasonsOf(done).some((reason) => /taken once$/.test(reason)))
  const [invoice] = (await client.get('/invoices')).body.data.invoices
  assert.deepEqual([invoice.total, invoice.amountPaid], [600, 600])
})
