// Many documents by chance: what is written comes to the stated total, and where the statements agree it is what they say.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { totals } from '../totals.ts'
import type { DraftMoney } from './draft.ts'
import { settle } from './settle.ts'

/** Numbers by chance, the same in each run. */
function createChance(seed: number) {
  let state = seed
  const next = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
  return { below: (count: number) => Math.floor(next() * count), isOnceIn: (count: number) => next() < 1 / count }
}
type Chance = ReturnType<typeof createChance>

const round = (value: number) => Math.round(value * 100) / 100
const addUp = (
  lines: DraftMoney['lines'],
  rates: readonly (number | null | undefined)[],
  discount: { type: 'fixed' | 'percent'; value: number } | null,
) =>
  totals(
    lines.map(({ quantity, unitPrice }, index) => {
      const rate = rates[index]
      return {
        ...{ kind: 'custom', quantity, unitPrice },
        tax: rate ? { taxRateId: null, name: '', rate, isInclusive: false } : null,
      }
    }),
    discount,
    'GBP',
  )

/** As another system may state it: lines with rates, a discount, what the tax and all of it come to. */
function invent(chance: Chance) {
  const pool = [0, 5, 7, 8.25, 19, 20]
  const lines = Array.from({ length: 1 + chance.below(4) }, () => ({
    name: 'Work',
    description: null,
    quantity: 1 + chance.below(3),
    unitPrice: (100 + chance.below(50_000)) / 100,
    taxRate: pool[chance.below(pool.length)],
  }))
  const isPercent = chance.isOnceIn(2)
  // Less than a tenth of the smallest document, so that each can have it.
  const value = isPercent ? 1 + chance.below(30) : (1 + chance.below(10)) / 100
  const discount = chance.isOnceIn(2) ? { value, isPercent } : undefined
  const sums = addUp(
    lines,
    lines.map(({ taxRate }) => taxRate),
    discount ? { type: isPercent ? 'percent' : 'fixed', value } : null,
  )
  return { lines, discount, sums }
}

const settleAndAddUp = (money: DraftMoney) => {
  const settled = settle(money, 'GBP')
  const { lines, taxRates, discount } = settled
  const written = addUp(lines, taxRates, discount === undefined ? null : { type: 'fixed', value: discount })
  assert.equal(written.total, settled.total, 'what is written is what was judged')
  return { settled, written }
}
const ratesOf = ({ lines }: ReturnType<typeof invent>) => lines.map(({ taxRate }) => taxRate || null)

test('documents whose statements agree are written as they are', () => {
  const chance = createChance(7)
  for (let count = 0; count < 1_500; count++) {
    const document = invent(chance)
    const { lines, discount, sums } = document
    const stated = chance.isOnceIn(3)
      ? { total: sums.total }
      : { taxTotal: sums.taxTotal, total: sums.total, ...(chance.isOnceIn(2) && { subtotal: sums.netTotal }) }
    const money: DraftMoney = { lines, deduction: 0, discount, ...stated }
    const { settled, written } = settleAndAddUp(money)
    assert.deepEqual(
      [written.total, written.taxTotal, settled.taxRates, written.discountTotal, settled.notes],
      [sums.total, sums.taxTotal, ratesOf(document), sums.discountTotal, []],
      JSON.stringify(money),
    )
  }
})

test('a discount that nobody states leaves the tax and the total as they are stated', () => {
  const chance = createChance(11)
  for (let count = 0; count < 500; count++) {
    const { lines, sums } = invent(chance)
    const money: DraftMoney = { lines, deduction: 0, taxTotal: sums.taxTotal, total: sums.total }
    const { written } = settleAndAddUp(money)
    const most = (lines.length + 0.5) / 100
    assert.equal(written.total, sums.total, JSON.stringify(money))
    assert.ok(Math.abs(written.taxTotal - sums.taxTotal) <= most, JSON.stringify(money))
  }
})

test('pennies and wrong totals leave the rates, and are said', () => {
  const chance = createChance(13)
  for (let count = 0; count < 1_500; count++) {
    const document = invent(chance)
    const { lines, discount, sums } = document
    if (sums.taxTotal === 0) continue
    const pennies = (chance.isOnceIn(2) ? 1 : -1) / 100
    const isTaxOff = chance.isOnceIn(2) && sums.taxTotal > 0.5
    const isTotalOff = !isTaxOff && chance.isOnceIn(2)
    const money: DraftMoney = {
      ...{ lines, deduction: 0, discount },
      taxTotal: round(sums.taxTotal + (isTaxOff ? pennies : 0)),
      total: round(sums.total + (isTotalOff ? 1 : pennies)),
    }
    const { settled, written } = settleAndAddUp(money)
    const said = JSON.stringify(money)
    assert.equal(written.total, money.total, said)
    assert.deepEqual(settled.taxRates.slice(0, lines.length), ratesOf(document), said)
    assert.ok(settled.notes.length > 0, said)
    // A discount of 30 % is spread over a line of 1.00 as well: the others have 0.30 less of it, taxed at 20 %.
    assert.ok(Math.abs(written.taxTotal - sums.taxTotal) <= 0.1, said)
  }
})

test('whatever a document says, it comes to its total', () => {
  const chance = createChance(17)
  for (let count = 0; count < 1_500; count++) {
    const { lines, discount } = invent(chance)
    const amount = () => chance.below(60_000) / 100
    const money: DraftMoney = {
      lines: chance.isOnceIn(2) ? lines : lines.map((line) => ({ ...line, taxRate: undefined })),
      deduction: 0,
      discount,
      ...(chance.isOnceIn(2) && { taxTotal: amount() }),
      ...(chance.isOnceIn(2) && { subtotal: amount() }),
      total: amount(),
    }
    const { written } = settleAndAddUp(money)
    assert.equal(written.total, money.total, JSON.stringify(money))
  }
})

test('what has more lines than a document can have is not reckoned', () => {
  const line = { name: 'Work', description: null, quantity: 1, unitPrice: 1, taxRate: 20 }
  const { lines, taxRates, total } = settle({ lines: Array(201).fill(line), deduction: 0, total: 5 }, 'GBP')
  assert.deepEqual([lines.length, taxRates, total], [201, [], 5])
})
