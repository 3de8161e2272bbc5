// What a file does not say well: brought so that nothing is lost, and nothing is taken for what it is not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countsOf, createImportClient } from '../../../test/import-client.ts'
import { startTestService } from '../../../test/test-service.ts'

const { database, organisation } = await startTestService()
const { begin, judge, bring, problemsOf } = createImportClient(database)

const reasonsOf = ({ repairs }: { repairs: readonly { reason: string }[] }) => repairs.map(({ reason }) => reason)

test('of two rows with one email the second stands in the notes, once', async () => {
  const client = await organisation()
  const sent = {
    columns: ['Name', 'Email', 'Phone'],
    rows: [
      ['Ann Lind', 'office@lind.example', '07700 900111'],
      ['Bo Lind', 'office@lind.example', '07700 900222'],
      ['Bo Lind', 'office@lind.example', '07700 900222'],
    ],
  }
  const first = await bring(client, sent)
  assert.deepEqual(countsOf(first), { records: 3, created: 1, filled: 1, same: 1, skipped: 0, wrong: 0 })
  assert.ok(reasonsOf(first).includes('“Bo Lind” was taken for “Ann Lind”, who has the same email'))
  const [ann] = (await client.get('/customers')).body.data.customers
  assert.deepEqual([ann.phone, ann.notes], ['07700 900111', 'Also: Bo Lind, office@lind.example, 07700 900222'])
  assert.equal((await bring(client, sent)).same, 3)
})

test('a payment without a day is of the day of its invoice, and that is said', async () => {
  const client = await organisation()
  const done = await bring(client, {
    kind: 'invoices',
    columns: ['Invoice number', 'Customer name', 'Invoice date', 'Total', 'Amount paid', 'Paid date'],
    rows: [
      ['R-1', 'Ann', '2025-03-31', '100', '100', ''],
      ['R-2', 'Ann', '2025-03-31', '100', '100', '2025-04-15'],
      ['R-3', 'Ann', '2025-03-31', '100', '0', ''],
    ],
  })
  assert.equal(done.created, 3)
  const { invoices } = (await client.get('/invoices')).body.data
  const { payments } = (await client.get('/payments')).body.data
  const issuedAt = Date.parse(invoices[0].issuedAt)
  const daysLater = payments.map(({ paidAt }: { paidAt: string }) => (Date.parse(paidAt) - issuedAt) / 86_400_000)
  assert.deepEqual(daysLater.map(Math.round).sort(), [0, 15])
  const said = done.repairs.find(({ reason }: { reason: string }) => /when it was paid/.test(reason))
  assert.equal(said.count, 1)
})

test('of what is wrong nothing is said to have been decided', async () => {
  const client = await organisation()
  const id = await begin(client, {
    kind: 'invoices',
    columns: ['Invoice number', 'Customer name', 'Invoice date', 'Total'],
    rows: [['R-1', 'Ann', '2025-03-40', '100']],
  })
  const judged = await judge(client, id)
  assert.equal(judged.wrong, 1)
  assert.deepEqual(judged.repairs, [])
})

test('an amount in another currency is wrong, one in the own is not', async () => {
  const client = await organisation()
  const { currency } = (await client.get('')).body.data
  const foreign = currency === 'CHF' ? 'SEK' : 'CHF'
  const id = await begin(client, {
    kind: 'invoices',
    columns: ['Invoice number', 'Customer name', 'Invoice date', 'Total', 'Currency'],
    rows: [
      ['R-1', 'Ann', '2025-03-31', '100', foreign],
      ['R-2', 'Ann', '2025-03-31', '100', currency.toLowerCase()],
      ['R-3', 'Ann', '2025-03-31', '100', ''],
    ],
  })
  const { created, wrong } = await judge(client, id)
  assert.deepEqual([created, wrong], [2, 1])
  const [problem] = await problemsOf(client, id)
  assert.deepEqual(
    [problem.row, problem.column, problem.value, problem.reason],
    [2, 'Currency', foreign, `it is in ${foreign}, and the shop's currency is ${currency}`],
  )
})

test('a line without a number belongs to the invoice above, unless it begins another one', async () => {
  const client = await organisation()
  const id = await begin(client, {
    kind: 'invoices',
    columns: ['Invoice number', 'Customer name', 'Invoice date', 'Item', 'Line total'],
    rows: [
      ['R-1', 'Ann', '2025-03-31', 'Tap', '10'],
      ['', '', '', 'Pipe', '20'],
      ['', 'Bo', '2025-03-30', 'Fan', '40'],
    ],
  })
  const { records, created, wrong } = await judge(client, id)
  assert.deepEqual([records, created, wrong], [2, 1, 1])
  const [problem] = await problemsOf(client, id)
  assert.deepEqual([problem.row, problem.reason], [4, 'there is no invoice number'])
})

test('a quote or an invoice of nobody is wrong before it is written', async () => {
  const client = await organisation()
  for (const [kind, number] of [
    ['quotes', 'Quote number'],
    ['invoices', 'Invoice number'],
  ] as const) {
    const id = await begin(client, { kind, columns: [number, 'Total'], rows: [['7', '100']] })
    assert.equal((await judge(client, id)).wrong, 1)
    assert.equal((await problemsOf(client, id))[0].reason, 'it does not say whose it is')
  }
})
