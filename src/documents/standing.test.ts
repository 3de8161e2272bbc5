// Where a document stands and which figures it shows, as its reader is told.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sheetOf, vat } from '../../test/sheets.ts'
import { formatOf } from './format.ts'
import { figuresOf, headline, isAnswerable, isPayable, paymentName, standingOf, taxName } from './standing.ts'

test('every state has its name, and only an open quote can be answered', () => {
  const cases = [
    [sheetOf(), 'open', true],
    [sheetOf({ status: 'draft' }), 'draft', true],
    [sheetOf({ status: 'accepted' }), 'accepted', false],
    [sheetOf({ status: 'declined' }), 'declined', false],
    [sheetOf({ status: 'invoiced' }), 'invoiced', false],
    [sheetOf({ status: 'void' }), 'void', false],
    [sheetOf({ isExpired: true }), 'expired', false],
    [sheetOf({ isExpired: true, status: 'accepted' }), 'accepted', false],
    [sheetOf({ kind: 'invoice' }), 'due', false],
    [sheetOf({ kind: 'invoice', status: 'draft' }), 'draft', false],
    [sheetOf({ kind: 'invoice', isOverdue: true }), 'overdue', false],
    [sheetOf({ kind: 'invoice', amountPaid: 315.6 }), 'paid', false],
    [sheetOf({ kind: 'invoice', status: 'void' }), 'void', false],
  ] as const
  for (const [sheet, name, mayAnswer] of cases) {
    assert.equal(standingOf(sheet).name, name)
    assert.equal(isAnswerable(sheet), mayAnswer, name)
  }
})

test('nobody is told how to pay what is not owed', () => {
  assert.equal(isPayable(sheetOf({ kind: 'invoice' })), true)
  for (const sheet of [
    sheetOf({ kind: 'invoice', status: 'void' }),
    sheetOf({ kind: 'invoice', amountPaid: 315.6 }),
    sheetOf({ isExpired: true }),
    sheetOf({ status: 'declined' }),
  ])
    assert.equal(isPayable(sheet), false)
})

const shown = (wish: Parameters<typeof sheetOf>[0]) =>
  figuresOf(sheetOf(wish)).map(({ label, amount }) => `${label} ${amount}`)

test('the figures lead from the subtotal to what is left to pay', () => {
  assert.deepEqual(
    shown({
      kind: 'invoice',
      lines: [
        { name: 'a', quantity: 1, unitPrice: 100, taxRate: vat },
        { name: 'b', quantity: 1, unitPrice: 60, taxRate: { ...vat, isInclusive: true } },
        { name: 'c', quantity: 1, unitPrice: 50 },
      ],
      discount: { type: 'percent', value: 10 },
      discountReason: 'Regular',
      deposit: { type: 'fixed', value: 50 },
      amountPaid: 7,
    }),
    [
      'Subtotal £210.00',
      'Discount: Regular -£21.00',
      'VAT 20% on £90.00 £18.00',
      'Total £207.00',
      'Includes VAT 20% on £45.00 £9.00',
      'Deposit due first £50.00',
      'Paid -£7.00',
      'Balance due £200.00',
    ],
  )
})

test('a document of one untaxed line shows its total and nothing else', () => {
  assert.deepEqual(shown({ lines: [{ name: 'a', quantity: 1, unitPrice: 5 }] }), ['Total £5.00'])
})

test('money paid over the total is said to be in the customer’s favour', () => {
  const sheet = sheetOf({ kind: 'invoice', lines: [{ name: 'a', quantity: 1, unitPrice: 5 }], amountPaid: 8 })
  assert.deepEqual(headline(sheet), { label: 'In your favour', amount: '£3.00' })
  assert.equal(figuresOf(sheet).at(-1)?.label, 'In your favour')
})

test('a rate that stands in the tax’s name is not said twice', () => {
  const format = formatOf(sheetOf())
  assert.equal(taxName({ name: 'VAT', rate: 20 }, format), 'VAT 20%')
  assert.equal(taxName({ name: 'VAT 20%', rate: 20 }, format), 'VAT 20%')
  assert.equal(taxName({ name: 'VAT 20 %', rate: 20 }, format), 'VAT 20 %')
})

test('payment methods are named, and a refund is called one', () => {
  const paidAt = '2026-11-16T09:00:00.000Z'
  assert.equal(paymentName({ paidAt, amount: 5, paymentMethod: 'bankTransfer' }), 'Bank transfer')
  assert.equal(paymentName({ paidAt, amount: -5, paymentMethod: 'card' }), 'Refund (Card)')
  assert.equal(paymentName({ paidAt, amount: 5, paymentMethod: 'constructor' }), 'constructor')
})
