// Rows of one invoice that are alike in every cell.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readDraft } from './read-draft.ts'
import { recognise } from './recognise.ts'
import { settle } from './settle.ts'

const brought = (header: string, rows: readonly string[]) => {
  const cells = [header, ...rows].map((row) => row.split(','))
  const found = recognise(cells, { kind: 'invoices' })
  const { money, problems, repairs } = readDraft(
    found.source,
    { ...found, dateOrders: {}, decimalCommas: [], timeZone: 'UTC' },
    cells.slice(1).map((row, index) => ({ row: index + 2, cells: row })),
  )
  assert.deepEqual(problems, [])
  const { total, lines, notes } = settle(money!, 'GBP')
  return { total, lines: lines.length, told: repairs.map(({ row, reason }) => `${row}: ${reason}`), notes }
}

describe('rows that are alike in every cell', () => {
  const header = 'Invoice Number,Customer,Description,Quantity,Unit Price,Tax Rate,Subtotal,Tax,Total,Amount Paid'
  const pump = 'H1,Pat,Pump,1,500.00,20%,500.00,100.00,600.00,600.00'
  const once = 'it is like a row above in every cell, and its document comes to its total without it: it was taken once'
  const both = 'it is like a row above in every cell: both were taken'

  test('are one line where the total says so, and that is told', () => {
    assert.deepEqual(brought(header, [pump, ` ${pump} `]), {
      ...{ total: 600, lines: 1, told: [`3: ${once}`], notes: [] },
    })
    const mixed = ['1,Ann,100,20,132', '1,Ann,10,20,132', '1,Ann,100,20,132', '1,Ann,10,20,132']
    const done = brought('Invoice number,Customer,Unit price,Tax rate,Total', mixed)
    assert.deepEqual([done.total, done.lines, done.told], [132, 2, [`4: ${once}`, `5: ${once}`]])
    const tap = 'E1,Pat,Tap,3,33.33,20%,99.99,20.00,119.99,'
    assert.deepEqual([brought(header, [tap, tap]).total, brought(header, [tap, tap]).lines], [119.99, 1])
  })

  test('are lines that repeat where the total says so', () => {
    const two = 'H1,Pat,Pump,1,500.00,20%,1000.00,200.00,1200.00,600.00'
    assert.deepEqual(brought(header, [two, two]), { total: 1200, lines: 2, told: [], notes: [] })
    const net = brought('Invoice number,Customer,Unit price,Total', ['1,Ann,50,100', '1,Ann,50,100'])
    assert.deepEqual([net.total, net.lines, net.told], [100, 2, []])
  })

  test('are lines where nothing says more, and that is told', () => {
    const done = brought('Invoice number,Customer,Item,Unit price', ['1,Ann,Tap,10', '1,Ann,Tap,10'])
    assert.deepEqual([done.total, done.told], [20, [`3: ${both}`]])
    const paid = brought('Invoice number,Customer,Unit price,Total,Amount paid', ['1,Ann,10,10,20', '1,Ann,10,10,20'])
    assert.deepEqual([paid.total, paid.told[0]], [20, `3: ${both}`])
  })

  test('and other rows come to what was stated, or it is told', () => {
    const odd = 'H1,Pat,Pump,1,500.00,20%,,,590.00,'
    assert.deepEqual([brought(header, [odd, odd]).total, brought(header, [odd, odd]).notes.length > 0], [590, true])
    const alike = brought('Invoice number,Customer,Item,Unit price,Total', ['1,Ann,Tap,10,10', '1,Ann,Pipe,10,10'])
    assert.equal(alike.total, 20)
    assert.match(alike.told[0]!, /^2: all its rows say this/)
    assert.deepEqual(
      brought('Invoice number,Customer,Item,Unit price,Total', ['1,Ann,Tap,10,10', '1,Ann,Pipe,5,5']).told,
      [],
    )
  })

  test('without lines say their total once', () => {
    const done = brought('Invoice number,Customer,Total', ['1,Ann,119.99', '1,Ann,119.99'])
    assert.deepEqual([done.total, done.told], [119.99, []])
  })
})
