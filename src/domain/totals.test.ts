// Totals by worked examples, and by what must hold for any document.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { toScaled } from './money.ts'
import { type Discount, depositAmount, lineTotal, type PricedLine, type Tax, type Totals, totals } from './totals.ts'

const at = (rate: number, isInclusive = false, name = 'VAT'): Tax => ({ taxRateId: null, name, rate, isInclusive })
const line = (quantity: number, unitPrice: number, tax: Tax | null): PricedLine => ({
  kind: 'service',
  quantity,
  unitPrice,
  tax,
})
const percent = (value: number): Discount => ({ type: 'percent', value })
const fixed = (value: number): Discount => ({ type: 'fixed', value })

type Example = [
  name: string,
  lines: PricedLine[],
  discount: Discount | null,
  currency: string,
  sums: [number, number, number, number, number],
]
const examples: Example[] = [
  ['two lines at one rate', [line(1, 80, at(20)), line(2, 12.5, at(20))], null, 'GBP', [105, 0, 105, 21, 126]],
  [
    'an inclusive price keeps its last penny',
    [line(1, 99.99, at(20, true))],
    null,
    'GBP',
    [99.99, 0, 83.32, 16.67, 99.99],
  ],
  [
    'a discount is split over the rates',
    [line(1, 100, at(20)), line(1, 60, at(20, true)), line(1, 50, null)],
    percent(10),
    'GBP',
    [210, 21, 180, 27, 207],
  ],
  ['a fixed discount is capped', [line(1, 30, at(20))], fixed(45), 'GBP', [30, 30, 0, 0, 0]],
  [
    'the left-over penny goes to the higher rate',
    [line(1, 10, at(20)), line(1, 10, at(5)), line(1, 10, null)],
    fixed(10),
    'GBP',
    [30, 10, 20, 1.66, 21.66],
  ],
  ['tax is on what remains', [line(1, 8500, at(19))], fixed(7500), 'EUR', [8500, 7500, 1000, 190, 1190]],
  [
    'tax is rounded once for a rate, not for each line',
    [line(1, 55.55, at(23)), line(1, 11.11, at(23))],
    null,
    'EUR',
    [66.66, 0, 66.66, 15.33, 81.99],
  ],
  ['a rate with three decimal places', [line(1, 300, at(14.975))], null, 'CAD', [300, 0, 300, 44.93, 344.93]],
  [
    'everything off leaves nothing, not a penny less',
    [line(2.25, 64.22, null)],
    percent(100),
    'EUR',
    [144.5, 144.5, 0, 0, 0],
  ],
  ['a price with four decimal places', [line(3, 0.3333, at(20))], null, 'GBP', [1, 0, 1, 0.2, 1.2]],
  ['half a cent is rounded up', [line(1, 138.66, at(19))], null, 'EUR', [138.66, 0, 138.66, 26.35, 165.01]],
  [
    'an inclusive total does not move',
    [line(1, 340, at(19, true)), line(1, 13.9, at(19, true))],
    null,
    'EUR',
    [353.9, 0, 297.39, 56.51, 353.9],
  ],
  ['a currency without decimal places', [line(3, 333.5, at(10))], null, 'JPY', [1001, 0, 1001, 100, 1101]],
  ['a currency with three', [line(1, 1.2345, at(5))], null, 'KWD', [1.235, 0, 1.235, 0.062, 1.297]],
  ['no lines are nothing, whatever the discount', [], percent(50), 'GBP', [0, 0, 0, 0, 0]],
]

describe('worked examples', () => {
  for (const [name, lines, discount, currency, expected] of examples) {
    test(name, () => assert.deepEqual(sums(totals(lines, discount, currency)), expected))
  }

  test('a rate of nothing has its row, and equal rates with different names have two', () => {
    const { taxes } = totals(
      [line(1, 10, at(0, false, 'Zero')), line(1, 10, at(5, false, 'A')), line(1, 10, at(5, false, 'B'))],
      null,
      'GBP',
    )
    assert.deepEqual(
      taxes.map(({ name, taxable, amount }) => [name, taxable, amount]),
      [
        ['A', 10, 0.5],
        ['B', 10, 0.5],
        ['Zero', 10, 0],
      ],
    )
  })

  test('a deposit is a part of the total, or a sum capped by it', () => {
    assert.deepEqual(
      [depositAmount(percent(30), 120, 'GBP'), depositAmount(fixed(500), 120, 'GBP'), depositAmount(null, 120, 'GBP')],
      [36, 120, 0],
    )
  })

  test('services and parts are counted apart as well', () => {
    const lines: PricedLine[] = [
      line(1, 10, null),
      { ...line(2, 5, null), kind: 'inventory' },
      { ...line(1, 1, null), kind: 'custom' },
    ]
    const { serviceSubtotal, inventorySubtotal, subtotal } = totals(lines, null, 'GBP')
    assert.deepEqual([serviceSubtotal, inventorySubtotal, subtotal], [10, 10, 21])
  })
})

describe('for any document', () => {
  const fourPlaces = (most: number) => fc.integer({ min: 0, max: most * 10_000 }).map((whole) => whole / 10_000)
  const anyTax = fc.record({
    taxRateId: fc.constant(null),
    name: fc.constantFrom('VAT', 'Reduced', 'City'),
    rate: fourPlaces(100),
    isInclusive: fc.boolean(),
  })
  const anyLine: fc.Arbitrary<PricedLine> = fc.record({
    kind: fc.constantFrom('service', 'inventory', 'custom'),
    quantity: fourPlaces(1_000).filter((quantity) => quantity > 0),
    unitPrice: fourPlaces(10_000),
    tax: fc.option(anyTax),
  })
  const anyCurrency = fc.constantFrom('GBP', 'JPY', 'KWD')
  const anyDiscount = fc.option(
    fc.oneof(fourPlaces(100).map(percent), fc.integer({ min: 0, max: 1_000_000 }).map(fixed)),
  )
  const anyLines = fc.array(anyLine, { maxLength: 12 })
  const minor = (amount: number, currency: string) => toScaled(amount, { GBP: 2, JPY: 0, KWD: 3 }[currency]!)!
  const holds = (check: (t: Totals, lines: PricedLine[], discount: Discount | null, currency: string) => void) =>
    fc.assert(
      fc.property(anyLines, anyDiscount, anyCurrency, (lines, discount, currency) =>
        check(totals(lines, discount, currency), lines, discount, currency),
      ),
      { numRuns: 500 },
    )

  test('the parts add up to the penny', () => {
    holds((t, lines, _, currency) => {
      const in_ = (amount: number) => minor(amount, currency)
      assert.equal(in_(t.total), in_(t.netTotal) + in_(t.taxTotal))
      assert.equal(
        t.taxes.reduce((sum, tax) => sum + in_(tax.amount), 0n),
        in_(t.taxTotal),
      )
      assert.equal(
        lines.reduce((sum, one) => sum + in_(lineTotal(one, currency)), 0n),
        in_(t.subtotal),
      )
    })
  })

  test('nothing is negative', () => {
    holds((t) => assert.ok([t.subtotal, t.discountTotal, t.netTotal, t.taxTotal, t.total].every((sum) => sum >= 0)))
  })

  test('inclusive prices never move the total', () => {
    holds((_, lines, discount, currency) => {
      const inclusive = lines.map((one) => (one.tax ? { ...one, tax: { ...one.tax, isInclusive: true } } : one))
      const t = totals(inclusive, discount, currency)
      assert.equal(minor(t.total, currency), minor(t.subtotal, currency) - minor(t.discountTotal, currency))
    })
  })

  test('the order of the lines changes nothing', () => {
    holds((t, lines, discount, currency) => assert.deepEqual(totals(lines.toReversed(), discount, currency), t))
  })
})

function sums({ subtotal, discountTotal, netTotal, taxTotal, total }: Totals) {
  return [subtotal, discountTotal, netTotal, taxTotal, total]
}
