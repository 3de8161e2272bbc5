// Discounts and contradictions of brought quotes and invoices: what was stated of the tax stays a tax, to the cent.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { totals } from '../totals.ts'
import type { Kind } from './kinds.ts'
import { readDraft } from './read-draft.ts'
import { recognise } from './recognise.ts'
import { type Settled, settle } from './settle.ts'

/** What is written, as our own documents add it up. */
const writtenTotals = ({ lines, taxRates, discount }: Settled) =>
  totals(
    lines.map(({ quantity, unitPrice }, index) => {
      const rate = taxRates[index]
      return {
        kind: 'custom',
        quantity,
        unitPrice,
        tax: rate ? { taxRateId: null, name: '', rate, isInclusive: false } : null,
      }
    }),
    discount === undefined ? null : { type: 'fixed', value: discount },
    'GBP',
  )

const bring = (header: string, rows: readonly string[], kind: Kind = 'invoices') => {
  const cells = [header, ...rows].map((row) => row.split(','))
  const found = recognise(cells, { kind })
  const { problems, money } = readDraft(
    found.source,
    { ...found, dateOrders: {}, decimalCommas: [], timeZone: 'UTC' },
    cells.slice(1).map((row, index) => ({ row: index + 2, cells: row })),
  )
  assert.deepEqual(problems, [])
  const settled = settle(money!, 'GBP')
  const { total, taxTotal } = writtenTotals(settled)
  assert.equal(settled.total, total, 'what was judged is what is written')
  const { taxRates, discount, notes, lines } = settled
  return { total, taxTotal, taxRates, discount, notes, lines }
}
const amounts = ({ total, taxTotal, taxRates, discount, notes }: ReturnType<typeof bring>) => [
  ...[total, taxTotal, taxRates, discount, notes],
]

describe('a discount', () => {
  const header = 'Invoice number,Customer,Quantity,Unit price,Discount,Tax rate,Tax,Total'
  const targetOf = (name: string, kind: Kind = 'invoices') =>
    recognise([['Number', 'Customer', name]], { kind }).targets[2]

  test('is known by its names, and in quotes', () => {
    for (const name of ['Discount', 'Discount ($)', 'Discount Amount', 'Discount (%)', 'Rabatt', 'Rabatt %', 'Remise'])
      assert.deepEqual([targetOf(name), targetOf(name, 'quotes')], ['discount', 'discount'], name)
    assert.deepEqual([targetOf('invoice.discount'), targetOf('item.discount')], ['discount', 'lineDiscount'])
    const mapped = recognise([['Number', 'Customer', 'Off']], { kind: 'invoices', map: { Off: 'discount' } })
    assert.equal(mapped.targets[2], 'discount')
  })

  test('is that of the document, and its lines keep their rate', () => {
    assert.deepEqual(amounts(bring(header, ['1,Ann,1,100.00,10.00,20%,18.00,108.00'])), [108, 18, [20], 10, []])
    assert.deepEqual(amounts(bring(header, ['1,Ann,1,100.00,-10.00,20%,18.00,108.00'])), [108, 18, [20], 10, []])
    const repeated = ['1,Ann,1,60,20,20%,16,96', '1,Ann,1,40,20,20%,16,96']
    assert.deepEqual(amounts(bring(header, repeated)), [96, 16, [20, 20], 20, []], 'each row says it of the whole')
    const each = ['1,Ann,1,60,20,20%,8,72', '1,Ann,1,40,20,20%,4,72']
    assert.deepEqual(amounts(bring(header, each)), [72, 12, [20, 20], undefined, []], 'each row says it of its line')
  })

  test('is percent where the cell or the column says so, or where only that comes to the total', () => {
    assert.deepEqual(amounts(bring(header, ['1,Ann,1,200,10%,20%,36,216'])), [216, 36, [20], 20, []])
    const column = header.replace('Discount', 'Discount (%)')
    assert.deepEqual(amounts(bring(column, ['1,Ann,1,200,10,20%,36,216'])), [216, 36, [20], 20, []])
    const [total, taxTotal, , discount, notes] = amounts(bring(header, ['1,Ann,1,200,10,20%,36,216']))
    assert.deepEqual([total, taxTotal, discount], [216, 36, 20])
    assert.deepEqual(notes, ['its discount was taken as percent, as its total says'])
  })

  test('without a stated total is taken off before the tax', () => {
    const short = 'Invoice number,Customer,Unit price,Discount,Tax rate'
    assert.deepEqual(amounts(bring(short, ['1,Ann,100,10,20'])), [108, 18, [20], 10, []])
    const before = 'Invoice number,Customer,Unit price,Discount,Tax rate,Tax,Subtotal'
    assert.deepEqual(amounts(bring(before, ['1,Ann,100,10,20,18,100'])), [108, 18, [20], 10, []])
    assert.deepEqual(amounts(bring(before, ['1,Ann,100,10,20,18,90'])), [108, 18, [20], 10, []])
  })

  test('is spread over several rates as ours are', () => {
    const rows = ['1,Ann,1,100,10%,20,18.00,198.00', '1,Ann,2,50,10%,0,0.00,198.00']
    assert.deepEqual(amounts(bring(header, rows)), [198, 18, [20, null], 20, []])
  })

  test('of Jobber and Housecall Pro leaves the tax a tax', () => {
    const jobber = bring(
      'Invoice #,Client name,Pre-tax total ($),Tax (%),Tax amount ($),Total ($),Discount ($),Balance ($)',
      ['502,Ann,1200.50,8.0,92.04,1242.54,50.00,942.54'],
    )
    assert.deepEqual(amounts(jobber), [1242.54, 92.04, [8], 50, []])
    const housecall = bring('Invoice Number,Customer,Subtotal,Discount,Tax,Total', ['1,Ann,1000,100,74.25,974.25'])
    assert.deepEqual([housecall.total, housecall.taxTotal, housecall.discount], [974.25, 74.25, 100])
    assert.deepEqual(housecall.notes, ['its tax was taken as one rate of 8.25 %'])
  })

  test('of Invoice Ninja is that of the invoice, and lines have theirs', () => {
    const ninja =
      'client.name,invoice.number,invoice.amount,invoice.discount,item.quantity,item.cost,item.discount,item.tax_rate1,item.line_total'
    const rows = ['Ann,0101,166.05,10,1,100,0,23,100', 'Ann,0101,166.05,10,1,100,50,23,50']
    const [total, taxTotal, taxRates, discount] = amounts(bring(ninja, rows))
    assert.deepEqual([total, taxTotal, taxRates, discount], [166.05, 31.05, [23, 23], 15], '10 % of 100 and 50')
  })

  test('that a line has in what it comes to is not taken off again', () => {
    const xero =
      'ContactName,InvoiceNumber,InvoiceDate,Total,TaxTotal,Quantity,UnitAmount,Discount,LineAmount,TaxAmount'
    const rows = ['Ann,1,2026-01-05,1080,180,3,333.3333,10.00,900.00,180']
    assert.deepEqual(amounts(bring(xero, rows)), [1080, 180, [20], undefined, []])
    const ours = 'Invoice number,Customer,Quantity,Unit price,Item discount,Line total,Tax rate'
    assert.deepEqual(amounts(bring(ours, ['1,Ann,2,50,10,90,20'])), [108, 18, [20], undefined, []])
  })

  test('of a line is taken off that line', () => {
    const ours = 'Invoice number,Customer,Quantity,Unit price,Item discount,Tax rate'
    const done = bring(ours, ['1,Ann,2,50,10,20', '1,Ann,1,100,,5'])
    assert.deepEqual(amounts(done), [213, 23, [20, 5], undefined, []])
    assert.deepEqual([done.lines[0]!.unitPrice, done.lines[0]!.description], [90, '2 × 50 less 10'])
    const differing = bring(header, ['1,Ann,1,100,10,20,,207.75', '1,Ann,1,100,5,5,,207.75'])
    assert.deepEqual(amounts(differing), [207.75, 22.75, [20, 5], undefined, []])
    const open = bring(header, ['1,Ann,1,100,10,20,,', '1,Ann,1,100,5,5,,'])
    assert.deepEqual(amounts(open), amounts(differing), 'also where no total says so')
    const both = bring('Invoice number,Customer,Unit price,Item discount,Discount,Tax rate,Total', [
      '1,Ann,100,10,9,20,97.2',
    ])
    assert.deepEqual(amounts(both), [97.2, 16.2, [20], 9, []])
  })

  test('that is in the amounts already is left out, and that is said', () => {
    const whole = 'Invoice number,Customer,Subtotal,Discount,Tax rate,Tax,Total'
    assert.deepEqual(amounts(bring(whole, ['1,Ann,90,10,19%,17.10,107.10'])), [
      ...[107.1, 17.1, [19], undefined],
      ['its discount was left out: with it, its amounts do not come to its total'],
    ])
  })

  test('that nobody states is found by the tax and the total', () => {
    const said = ['its amounts come to a discount of 10: that was taken']
    const short = 'Invoice number,Customer,Unit price,Tax rate,Tax,Total'
    assert.deepEqual(amounts(bring(short, ['1,Ann,100,20,18,108'])), [108, 18, [20], 10, said])
    const byNet = 'Invoice number,Customer,Unit price,Subtotal,Tax,Total'
    assert.deepEqual(amounts(bring(byNet, ['1,Ann,100,90,18,108'])), [108, 18, [20], 10, said])
  })
})

describe('a total that its lines do not come to', () => {
  const header = 'Invoice number,Customer,Unit price,Tax rate,Tax,Total'

  test('leaves the rates and the tax, and the difference is a line without tax', () => {
    const more = bring(header, ['1,Ann,100,20,20,121', '1,Ann,,,,'])
    assert.deepEqual(amounts(more), [
      ...[121, 20, [20, null], undefined],
      ['the lines and their tax come to 120, the file says 121: what it says was kept'],
    ])
    assert.equal(more.lines[1]!.name, 'Difference to the stated total')
    assert.deepEqual(bring(header, ['1,Ann,100,20,,121']).taxTotal, 20)
    assert.deepEqual(bring('Invoice number,Customer,Unit price,Tax,Total', ['1,Ann,100,20,121']).taxTotal, 20)
  })

  test('and is below them leaves the rates: a discount takes off some of the tax', () => {
    assert.deepEqual(amounts(bring(header, ['1,Ann,100,20,20,119'])), [
      ...[119, 19.83, [20], 0.83],
      ['the lines and their tax come to 120, the file says 119: what it says was kept'],
    ])
  })

  test('beside a discount leaves both', () => {
    const done = bring(header.replace('Tax rate', 'Discount,Tax rate'), ['1,Ann,100,10,20,18,120'])
    assert.deepEqual([done.total, done.discount, done.taxRates], [120, 10, [20, null]])
  })

  test('is that of prices with tax, where the file says the tax', () => {
    const said = ['its prices hold the tax: they were taken without it']
    assert.deepEqual(amounts(bring(header, ['1,Ann,120,20,20,120'])), [120, 20, [20], undefined, said])
    const odd = bring(header, ['1,Ann,99.99,20,16.67,99.99'])
    assert.deepEqual([odd.total, odd.taxRates[0]], [99.99, 20])
  })
})

test('a tax that stands in the first row beside the total is of all lines', () => {
  const header = 'Invoice number,Customer,Item,Unit price,Tax,Total'
  assert.deepEqual(amounts(bring(header, ['1,Ann,A,100,80,480', '1,,B,300,,'])), [480, 80, [20, 20], undefined, []])
  assert.deepEqual(
    bring(header, ['1,Ann,A,100,20,420', '1,Ann,B,300,,420']).taxRates,
    [20, null],
    'the total is in each row',
  )
  assert.deepEqual(bring(header, ['1,Ann,A,100,20,420', '1,Ann,B,300,0,']).taxRates, [20, null], 'so is the tax')
})

describe('a tax that is off by pennies', () => {
  const header = 'Invoice number,Customer,Quantity,Unit price,Tax rate,Tax,Total'
  test('leaves the stated rate, and that is said', () => {
    const third = bring(header, ['1,Ann,1,33.33,20%,6.66,39.99'])
    assert.deepEqual(amounts(third), [
      ...[39.99, 6.66, [20, null], 0.01],
      ['the lines and their tax come to 40, the file says 39.99: what it says was kept'],
    ])
    assert.deepEqual(amounts(bring(header, ['1,Ann,2,50.00,20%,19.99,119.99'])), [
      ...[119.99, 20, [20], 0.01],
      ['the lines and their tax come to 120, the file says 119.99: what it says was kept'],
    ])
    const more = bring(header, ['1,Ann,1,100,20%,20.01,120.01'])
    assert.deepEqual([more.total, more.taxTotal, more.taxRates], [120.01, 20, [20, null]])
    assert.deepEqual(bring(header, ['1,Ann,1,100,20%,19.95,119.95']).taxRates, [20])
  })

  test('of the whole leaves it, too', () => {
    const jobber = 'Invoice #,Client name,Pre-tax total ($),Tax (%),Tax amount ($),Total ($),Balance ($)'
    const done = bring(jobber, ['5,Ann,33.33,20,6.66,39.99,0'])
    assert.deepEqual([done.total, done.taxTotal, done.taxRates], [39.99, 6.66, [20, null]])
  })

  test('and has no rate is taken as the odd one that it comes to, and that is said', () => {
    const done = bring('Invoice number,Customer,Unit price,Tax,Total', ['1,Ann,33.33,6.66,39.99'])
    assert.deepEqual([done.taxRates, done.notes], [[19.98], ['its tax was taken as one rate of 19.98 %']])
  })

  test('but a tax that its rate is far from counts, and that is said', () => {
    const done = bring(header, ['1,Ann,1,100,20%,15,115'])
    assert.deepEqual(amounts(done), [
      ...[115, 15, [15], undefined],
      ['the file says a rate of 20 %, but its tax comes to 15 %: its tax was kept'],
    ])
    const neither = bring(header, ['1,Ann,1,100,20%,15,117'])
    assert.deepEqual([neither.total, neither.taxTotal, neither.taxRates], [117, 15, [15, null]])
  })
})
