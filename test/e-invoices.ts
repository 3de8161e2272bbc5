// Invoices with all that an e-invoice needs, as they can be: worked examples are made from one, property tests from many.
import fc from 'fast-check'
import type { VatCategory } from '../src/domain/code-lists.ts'
import { unitCodes } from '../src/domain/code-lists.ts'
import { pricedLine, type SourceInvoice, type SourceLine } from '../src/domain/e-invoice/source.ts'
import { decimalsOf } from '../src/domain/money.ts'
import { totals } from '../src/domain/totals.ts'
import { between, traders } from './e-invoice-traders.ts'

export const sourceLine = (line: Partial<SourceLine> = {}): SourceLine => ({
  kind: 'service',
  name: 'Deck oven repair',
  description: null,
  sku: null,
  quantity: 1,
  unitPrice: 100,
  unitCode: 'C62',
  taxRateId: 'tax_standard',
  taxRate: { name: 'VAT', rate: 20, isInclusive: false },
  ...line,
})

/** Its totals are what its lines come to. */
export function sourceInvoice(invoice: Partial<SourceInvoice> = {}): SourceInvoice {
  const { lines = [sourceLine()], discount = null, currency = 'EUR' } = invoice
  const { netTotal, taxTotal, total } = totals(lines.map(pricedLine), discount, currency)
  return {
    status: 'sent',
    number: 'INV-0042',
    issuedOn: '2026-11-16',
    dueOn: '2026-11-30',
    title: 'Deck oven',
    paymentInstructions: 'Within 14 days',
    netTotal,
    taxTotal,
    total,
    amountPaid: 0,
    taxRates: [
      { id: 'tax_standard', vatCategory: 'S', exemptionReason: null },
      ...(['Z', 'E', 'AE', 'O'] as const).map((vatCategory) => ({
        id: `tax_${vatCategory}`,
        vatCategory,
        exemptionReason: vatCategory === 'Z' ? null : `Because of ${vatCategory}`,
      })),
    ],
    organisation: {
      name: 'Harbour Repairs',
      legalName: 'Harbour Repairs & Söhne GmbH',
      address: '3 Hafenstraße\n20457 Hamburg',
      email: 'hello@harbour.example',
      phone: '+49 40 123456',
      countryCode: 'DE',
      vatId: 'DE123456789',
      taxNumber: null,
      iban: 'DE89 3704 0044 0532 0130 00',
      bic: 'COBADEFFXXX',
      electronicAddress: { scheme: '9930', value: 'DE123456789' },
      ...invoice.organisation,
    },
    customer: {
      name: 'Okafor Bakery',
      email: 'amara@okafor.example',
      address: '12 Mill Lane\n1000 Brussels',
      countryCode: 'BE',
      vatId: 'BE0123456749',
      electronicAddress: { scheme: '0208', value: '0123456749' },
      buyerReference: '04011000-12345-03',
      ...invoice.customer,
    },
    ...invoice,
    lines,
    discount,
    currency,
  }
}

const untaxed = (category: VatCategory): Pick<SourceLine, 'taxRate' | 'taxRateId'> => ({
  taxRateId: `tax_${category}`,
  taxRate: { name: 'None', rate: 0, isInclusive: false },
})

const fourPlaces = (most: number) => fc.integer({ min: 0, max: most * 10_000 }).map((whole) => whole / 10_000)
const anyTax = fc.oneof(
  fc
    .record({
      name: fc.constantFrom('VAT', 'Reduced'),
      rate: fc.constantFrom(20, 19, 7, 21, 5.5, 14.975, 2.1),
      isInclusive: fc.boolean(),
    })
    .map((taxRate) => ({ taxRateId: 'tax_standard', taxRate })),
  fc.constantFrom(untaxed('Z'), untaxed('E'), untaxed('AE')),
)
const anyText = fc.constantFrom('Work', 'Schloß & Schlüssel', '<b>"Bold"</b>', '店の修理', 'a\nb', "O'Neill ]]>")
const anyLine: fc.Arbitrary<SourceLine> = fc
  .tuple(
    fc.record({
      kind: fc.constantFrom('service', 'inventory', 'custom'),
      name: anyText,
      description: fc.option(anyText),
      sku: fc.option(fc.constantFrom('FP5', 'A&B')),
      quantity: fourPlaces(500).filter((quantity) => quantity > 0),
      unitPrice: fourPlaces(5_000),
      unitCode: fc.constantFrom(...unitCodes),
    }),
    anyTax,
  )
  .map(([line, tax]) => ({ ...line, ...tax }))
const anyDiscount = fc.option(
  fc.oneof(
    fourPlaces(100).map((value) => ({ type: 'percent' as const, value })),
    fc
      .integer({ min: 0, max: 100_000 })
      .map((value) => ({ type: 'fixed' as const, value, reason: 'Regular & friend' })),
  ),
)
const outsideLine = anyLine.map((line) => ({ ...line, ...untaxed('O') }))
const linesOf = (line: fc.Arbitrary<SourceLine>) => fc.array(line, { minLength: 1, maxLength: 6 })

const anyCountry = fc.constantFrom(...Object.keys(traders))
const anyTrade = fc.oneof(
  anyCountry.map((country): readonly [string, string] => [country, country]),
  fc.tuple(anyCountry, anyCountry),
)

/**
 * Prices with and without tax, every category, discounts, deposits, overpayments and refunds, currencies with and without
 * cents, within and between the countries that have rules of their own.
 */
export const anySource: fc.Arbitrary<SourceInvoice> = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: linesOf(anyLine) }, { weight: 1, arbitrary: linesOf(outsideLine) }),
    anyDiscount,
    fc.constantFrom('EUR', 'EUR', 'GBP', 'JPY', 'SEK', 'DKK', 'ISK'),
    fc.constantFrom(0, 0.3, 1, 1.2, -0.1),
    fc.boolean(),
    anyTrade,
  )
  .map(([given, discount, currency, paidPart, hasVatId, trade]) => {
    const lines = given.map((line) => soldIn(line, currency, trade[0]))
    const invoice = sourceInvoice({ lines, discount, currency, ...between(sourceInvoice(), trade) })
    const { organisation } = invoice
    const scale = 10 ** decimalsOf(currency)
    return {
      ...invoice,
      amountPaid: Math.round(invoice.total * paidPart * scale) / scale || 0,
      organisation: hasVatId
        ? organisation
        : { ...organisation, vatId: null, taxNumber: '12345670017', legalName: null, iban: 'GB82WEST12345698765432' },
    }
  })

/** Without cents only one rounding for each rate stays within what BR-CO-17 allows; and Swedes know three rates. */
function soldIn({ taxRate, ...line }: SourceLine, currency: string, country: string): SourceLine {
  if (!taxRate || taxRate.rate === 0) return { ...line, taxRate }
  const rate = country === 'SE' ? [25, 12, 6][Math.floor(taxRate.rate) % 3]! : taxRate.rate
  const isWhole = decimalsOf(currency) === 0
  return { ...line, taxRate: isWhole ? { name: 'VAT', rate, isInclusive: false } : { ...taxRate, rate } }
}
