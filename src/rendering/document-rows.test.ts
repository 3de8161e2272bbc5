// The amounts and labels that the reader of a document sees.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { printDocument, vat } from '../../test/print-documents.ts'
import { headlineAmount, paymentLabel, taxLabel, totalRows } from './document-rows.ts'
import { formatOf } from './format.ts'

const totalsText = (wish: Parameters<typeof printDocument>[0]) =>
  totalRows(printDocument(wish)).map(({ label, amount }) => `${label} ${amount}`)

test('the figures lead from the subtotal to what is left to pay', () => {
  assert.deepEqual(
    totalsText({
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
  assert.deepEqual(totalsText({ lines: [{ name: 'a', quantity: 1, unitPrice: 5 }] }), ['Total £5.00'])
})

test('money paid over the total is said to be in the customer’s favour', () => {
  const document = printDocument({ kind: 'invoice', lines: [{ name: 'a', quantity: 1, unitPrice: 5 }], amountPaid: 8 })
  assert.deepEqual(headlineAmount(document), { label: 'In your favour', amount: '£3.00' })
  assert.equal(totalRows(document).at(-1)?.label, 'In your favour')
})

test('a rate that stands in the tax’s name is not said twice', () => {
  const format = formatOf(printDocument())
  assert.equal(taxLabel({ name: 'VAT', rate: 20 }, format), 'VAT 20%')
  assert.equal(taxLabel({ name: 'VAT 20%', rate: 20 }, format), 'VAT 20%')
  assert.equal(taxLabel({ name: 'VAT 20 %', rate: 20 }, format), 'VAT 20 %')
})

test('payment methods are named, and a refund is called one', () => {
  const paidAt = '2026-11-16T09:00:00.000Z'
  assert.equal(paymentLabel({ paidAt, amount: 5, paymentMethod: 'bankTransfer' }), 'Bank transfer')
  assert.equal(paymentLabel({ paidAt, amount: -5, paymentMethod: 'card' }), 'Refund (Card)')
  assert.equal(paymentLabel({ paidAt, amount: 5, paymentMethod: 'constructor' }), 'constructor')
})
