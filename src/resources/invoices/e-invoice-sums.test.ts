// Whatever is sold, taken off, paid and given back: the e-invoice comes to what the invoice says, to the last cent.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Element, find, textOf, treeOf } from '../../../test/e-invoice-rules/rule.ts'
import { traders } from '../../../test/e-invoice-traders.ts'
import { type Client, startTestService } from '../../../test/test-service.ts'

const { organisation, origin } = await startTestService()

const made = async (shop: Client, path: string, body: object) => {
  const { status, body: answer } = await shop.post(path, body)
  assert.equal(status, 201, JSON.stringify(answer))
  return answer.data
}

interface Rate {
  readonly name: string
  readonly rate: number
  readonly isInclusive?: boolean
  readonly vatCategory?: string
  readonly exemptionReason?: string
}
const rates: readonly Rate[] = [
  { name: 'Standard', rate: 21 },
  { name: 'Included', rate: 21, isInclusive: true },
  { name: 'Odd', rate: 5.5, isInclusive: true },
  { name: 'Low', rate: 6 },
  { name: 'Exempt', rate: 0, vatCategory: 'E', exemptionReason: 'Training' },
]

/** Without cents, one rounding of each rate is what BR-CO-17 allows. */
async function shopWith(currency: string) {
  const shop = await organisation({ name: 'Harbour Repairs' })
  const { iban, bic, ...buyer } = traders.BE!
  assert.equal((await shop.put('', { ...buyer, iban, bic, currency })).status, 200)
  const customer = await made(shop, '/customers', { firstName: 'Amara', buyerReference: 'PO 7', ...buyer })
  const own = currency === 'JPY' ? rates.filter(({ isInclusive }) => !isInclusive) : rates
  const taxes: string[] = []
  for (const rate of own) taxes.push((await made(shop, '/tax-rates', rate)).id)
  return { shop, customerId: customer.id as string, taxes }
}
const shops = { EUR: await shopWith('EUR'), JPY: await shopWith('JPY'), KWD: await shopWith('KWD') }

const fourPlaces = (most: number) => fc.integer({ min: 1, max: most * 10_000 }).map((whole) => whole / 10_000)
const line = fc.record({ quantity: fourPlaces(40), unitPrice: fourPlaces(900), tax: fc.nat(9) })
const reduction = fc.option(
  fc.oneof(
    fourPlaces(100).map((value) => ({ type: 'percent', value })),
    fc.integer({ min: 1, max: 5_000 }).map((value) => ({ type: 'fixed', value })),
  ),
)
const sale = fc.record({
  currency: fc.constantFrom('EUR', 'EUR', 'EUR', 'JPY', 'KWD'),
  lines: fc.array(line, { minLength: 1, maxLength: 4 }),
  discount: reduction,
  deposit: reduction,
  /** Parts of the total, in percent; below zero they are given back. */
  payments: fc.array(fc.constantFrom(10, 30, 60, 100, -5, -30), { maxLength: 3 }),
})

test('for any sale', async () => {
  await fc.assert(
    fc.asyncProperty(sale, async ({ currency, lines, discount, deposit, payments }) => {
      const { shop, customerId, taxes } = shops[currency as keyof typeof shops]
      const lineItems = lines.map(({ tax, ...sold }) => ({
        ...sold,
        name: 'Work',
        taxRateId: taxes[tax % taxes.length],
      }))
      const body = { customerId, lineItems, discount, deposit, status: 'sent' }
      const { id, total } = await made(shop, '/invoices', body)
      for (const part of payments) {
        const amount = Math.round(total * part) / 100
        if (amount !== 0)
          await made(shop, '/payments', {
            invoiceId: id,
            amount: currency === 'JPY' ? Math.round(amount) || 1 : amount,
          })
      }
      const invoice = (await shop.get(`/invoices/${id}`)).body.data
      const path = `/api/v1/organisations/${shop.orgId}/invoices/${id}/e-invoice?format=ubl`
      const answer = await fetch(origin + path, { headers: { 'x-api-key': shop.key } })
      const text = await answer.text()
      if (currency === 'KWD') {
        assert.deepEqual([answer.status, JSON.parse(text).data.missing], [409, ['organisation.currency']])
        return
      }
      assert.equal(answer.status, 200, text)
      assertSameSums(treeOf(text), invoice)
    }),
    { numRuns: 20, endOnFailure: true },
  )
})

interface Sums {
  readonly netTotal: number
  readonly taxTotal: number
  readonly total: number
  readonly amountPaid: number
  readonly balance: number
  readonly taxes: readonly { readonly rate: number; readonly taxable: number; readonly amount: number }[]
}

function assertSameSums(xml: Element, invoice: Sums): void {
  const number = (path: string, root = xml) => Number(textOf(root, path) || 0)
  assert.deepEqual(
    {
      netTotal: number('LegalMonetaryTotal/TaxExclusiveAmount'),
      taxTotal: number('TaxTotal/TaxAmount'),
      total: number('LegalMonetaryTotal/TaxInclusiveAmount'),
      amountPaid: number('LegalMonetaryTotal/PrepaidAmount'),
      balance: number('LegalMonetaryTotal/PayableAmount'),
    },
    Object.fromEntries(
      (['netTotal', 'taxTotal', 'total', 'amountPaid', 'balance'] as const).map((key) => [key, invoice[key]]),
    ),
  )
  // One part of the breakdown for each rate, whatever its name, and whether prices hold it or not.
  const rounded = (amount: number) => Math.round(amount * 1_000) / 1_000
  const stated = Map.groupBy(invoice.taxes, ({ rate }) => rate)
  const expected = [...stated].map(([rate, some]) => [
    rate,
    rounded(some.reduce((sum, { taxable }) => sum + taxable, 0)),
    rounded(some.reduce((sum, { amount }) => sum + amount, 0)),
  ])
  const parts = find(xml, 'TaxSubtotal').map((part) => [
    number('TaxCategory/Percent', part),
    number('TaxSubtotal/TaxableAmount', part),
    number('TaxSubtotal/TaxAmount', part),
  ])
  const inOrder = (some: readonly (readonly number[])[]) => some.toSorted(([a], [b]) => a! - b!)
  assert.deepEqual(inOrder(parts), inOrder(expected))
}
