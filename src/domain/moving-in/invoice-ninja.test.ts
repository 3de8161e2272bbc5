// Invoices of Invoice Ninja: each line with its rate, and nothing owed or paid that the file does not say.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readDraft } from './read-draft.ts'
import { recognise } from './recognise.ts'
import { resolveDocument } from './resolve-document.ts'

const brought = (header: string, rows: readonly string[]) => {
  const cells = [header, ...rows].map((row) => row.split(','))
  const found = recognise(cells)
  assert.equal(found.kind, 'invoices')
  const draft = readDraft(
    found.source,
    { ...found, dateOrders: {}, decimalCommas: [], timeZone: 'UTC' },
    cells.slice(1).map((row, index) => ({ row: index + 2, cells: row })),
  )
  assert.deepEqual(draft.problems, [])
  const { values, taxRates, payment, notes } = resolveDocument('invoices', draft, draft.money!, 'EUR')
  const { status, discount } = values as { status: string; discount?: { value: number } }
  const told = [...notes.filter((note) => !/when it was/.test(note)), ...draft.repairs.map(({ reason }) => reason)]
  return { status, taxRates, discount: discount?.value, paid: payment?.amount, told }
}

describe('an invoice of Invoice Ninja', () => {
  const header =
    'client.name,invoice.number,invoice.date,invoice.status,invoice.amount,invoice.balance,invoice.paid_to_date,invoice.discount,item.product_key,item.quantity,item.cost,item.discount,item.tax_rate1,item.tax_rate2,item.line_total'
  const before = (status: string, amount: number, balance: number, paid: number, discount = 0) =>
    `Ivy,0101,2026-01-06,${status},${amount},${balance},${paid},${discount}`

  test('keeps the rate of each line', () => {
    const paid = before('Paid', 359.95, 0, 359.95)
    const lines = ['SRV,1,200,0,23,0,200', 'FOOD,1,100,0,13.5,0,100', 'ZERO,1,0.45,0,0,0,0.45']
    assert.deepEqual(
      brought(
        header,
        lines.map((line) => `${paid},${line}`),
      ),
      { status: 'sent', taxRates: [23, 13.5, null], discount: undefined, paid: 359.95, told: [] },
    )
    assert.deepEqual(brought(header, [`${before('Sent', 112, 112, 0)},SRV,1,100,0,5,7,100`]).taxRates, [12])
  })

  test('keeps its discount before the tax', () => {
    const { taxRates, discount, paid, told } = brought(header, [
      `${before('Partial', 110.7, 60.7, 50, 10)},SRV,1,100,0,23,0,100`,
    ])
    assert.deepEqual([taxRates, discount, paid, told], [[23], 10, 50, []])
  })

  test('with a word for its discount has none', () => {
    const line = `${before('Sent', 123, 123, 0).replace(/0$/, 'SPRING')},SRV,1,100,0,23,0,100`
    assert.deepEqual(brought(header, [line]).told, [])
  })

  for (const status of ['Cancelled', 'Reversed'])
    test(`that is ${status} is void, and nobody has paid it`, () => {
      const done = brought(header, [`${before(status, 123, 0, 0)},SRV,1,100,0,23,0,100`])
      assert.deepEqual([done.status, done.paid, done.told], ['void', undefined, []])
    })

  test('is not paid because nothing is owed, where it says that nothing was paid', () => {
    assert.equal(brought(header, [`${before('Sent', 123, 0, 0)},SRV,1,100,0,23,0,100`]).paid, undefined)
  })
})
