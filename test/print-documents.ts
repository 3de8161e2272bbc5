// Print documents for tests: a quote and an invoice of a small repair shop, with totals from the domain like real ones.
import { depositAmount, lineTotal, totals } from '../src/domain/totals.ts'
import type { PrintDocument, PrintLine } from '../src/rendering/print-document.ts'

type LineInput = Partial<PrintLine> & Pick<PrintLine, 'name' | 'quantity' | 'unitPrice'>

interface Overrides extends Partial<Omit<PrintDocument, 'lines' | 'organisation'>> {
  readonly lines?: readonly LineInput[]
  readonly organisation?: Partial<PrintDocument['organisation']>
  readonly discount?: { readonly type: 'percent' | 'fixed'; readonly value: number }
  readonly deposit?: { readonly type: 'percent' | 'fixed'; readonly value: number }
}

export const vat = { name: 'VAT', rate: 20, isInclusive: false }

const organisation: PrintDocument['organisation'] = {
  name: 'Harbour Street Repairs',
  email: 'hello@harbour-street.example',
  phone: '+44 20 7946 0018',
  website: 'https://harbour-street.example/',
  address: '14 Harbour Street\nBristol BS1 4RN\nUnited Kingdom',
  taxNumber: 'GB 123 4567 89',
  logoUrl: null,
  locale: 'en-GB',
  timeZone: 'Europe/London',
}

const lines: readonly LineInput[] = [
  {
    name: 'Screen replacement, 6.1-inch OLED',
    description: 'Original-quality panel, adhesive and frame seal renewed. Tested for touch, brightness and Face ID.',
    quantity: 1,
    unitPrice: 148,
    taxRate: vat,
    warrantyDays: 365,
    sku: 'SCR-61-OLED',
  },
  {
    name: 'Battery, 3,279 mAh',
    description: null,
    quantity: 1,
    unitPrice: 42.5,
    taxRate: vat,
    warrantyDays: 180,
    serialNumber: 'BX-55120-12x34',
  },
  { name: 'Workshop labour', description: 'By the hour', quantity: 1.25, unitPrice: 58, taxRate: vat },
]

export function printDocument(overrides: Overrides = {}): PrintDocument {
  const { lines: givenLines = lines, organisation: other, discount = null, deposit = null, ...rest } = overrides
  const currency = rest.currency ?? 'GBP'
  const all: PrintLine[] = givenLines.map((line) => ({
    description: null,
    sku: null,
    serialNumber: null,
    warrantyDays: null,
    taxRate: null,
    ...line,
    lineTotal: lineTotal(line, currency),
  }))
  const sums = totals(
    all.map((line) => ({ ...line, kind: 'custom', tax: line.taxRate && { taxRateId: null, ...line.taxRate } })),
    discount,
    currency,
  )
  const kind = rest.kind ?? 'quote'
  const amountPaid = rest.amountPaid ?? 0
  return {
    kind,
    number: kind === 'quote' ? 'Q-0007' : 'INV-0042',
    title: 'Phone repair',
    status: 'sent',
    organisation: { ...organisation, ...other },
    customer: { name: 'Amira Osei', email: 'amira@example.com', address: '7 Mill Lane\nBath BA1 2QQ' },
    currency,
    issuedAt: '2026-11-15T10:30:00.000Z',
    validUntil: kind === 'quote' ? '2026-12-15T23:00:00.000Z' : null,
    dueAt: kind === 'invoice' ? '2026-11-29T10:30:00.000Z' : null,
    isExpired: false,
    isOverdue: false,
    lines: all,
    subtotal: sums.subtotal,
    discountTotal: sums.discountTotal,
    discountReason: null,
    netTotal: sums.netTotal,
    taxTotal: sums.taxTotal,
    total: sums.total,
    taxes: sums.taxes.map(({ taxRateId, ...tax }) => tax),
    depositAmount: depositAmount(deposit, sums.total, currency),
    amountPaid,
    balance: sums.total - amountPaid,
    paid: kind === 'invoice' && amountPaid >= sums.total,
    depositPaid: false,
    payments: [],
    earlierPayments: { count: 0, amount: 0 },
    acceptedAt: null,
    acceptedByName: null,
    declinedAt: null,
    terms: 'Parts carry the warranty stated on the line. Uncollected items are stored free of charge for 60 days.',
    paymentInstructions:
      'Bank transfer to Harbour Street Repairs\nSort code 20-00-00, account 1234 5678\nPlease quote the number.',
    messages: [],
    ...rest,
  }
}

/** What people type, and what they should not be able to do with it. */
export const hostileTexts = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '</title></textarea></style><svg/onload=alert(1)>',
  '&lt;b&gt; &amp; &#60;',
  '<!-- --><![CDATA[x]]>',
  'javascript:alert(1)',
  'one\r\nBcc: victim@example.com\r\n\r\nbody',
  '\u202egpj.exe\u202c \u2066x\u2069 \u200f',
  'שלום world مرحبا (123)',
  '👩‍👩‍👧‍👦🏴‍☠️ 🇬🇧 ❤️ 日本語',
  'a'.repeat(500),
  'e\u0301\u0302\u0303'.repeat(40),
  '\u0000\u0007\u001b[31mred\ud800',
  '{{7*7}} <%= 7*7 %> #{7*7}',
] as const

/** The same text in every field that others write. */
export function printDocumentWithText(text: string, overrides: Overrides = {}): PrintDocument {
  const document = printDocument({
    ...overrides,
    title: text,
    organisation: {
      name: text,
      email: text,
      phone: text,
      website: text,
      address: text,
      taxNumber: text,
      ...overrides.organisation,
    },
    customer: { name: text, email: text, address: text },
    lines: [1, 2].map((quantity) => ({
      name: text,
      description: text,
      sku: text,
      serialNumber: text,
      quantity,
      unitPrice: 10,
      taxRate: { name: text, rate: 20, isInclusive: quantity === 1 },
    })),
    discount: { type: 'percent', value: 10 },
    discountReason: text,
    terms: text,
    paymentInstructions: text,
    acceptedByName: text,
    payments: [{ paidAt: '2026-11-16T09:00:00.000Z', amount: 5, paymentMethod: text }],
    messages: [{ text, at: '2026-11-16T09:00:00.000Z', from: text }],
  })
  return { ...document, number: text }
}
