// E-invoices before the rules that Peppol and XRechnung publish: each is kept by every invoice, and noticed where it is broken.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { nationalRules, neverOfCountries } from '../../../test/e-invoice-rules/national.ts'
import { generalRules, identifierRules, neverInPeppol, peppolRules } from '../../../test/e-invoice-rules/peppol.ts'
import { type Element, find, type NeverWritten, type Rule, treeOf } from '../../../test/e-invoice-rules/rule.ts'
import { neverInXrechnung, xrechnungRules } from '../../../test/e-invoice-rules/xrechnung.ts'
import { between, traders } from '../../../test/e-invoice-traders.ts'
import { anySource, sourceInvoice, sourceLine } from '../../../test/e-invoices.ts'
import { type EInvoice, judgeEInvoice } from './e-invoice.ts'
import { peppolAddressReason } from './reasons.ts'
import type { SourceAddress, SourceInvoice } from './source.ts'
import { ublXml } from './ubl.ts'

const xmlOf = (source: SourceInvoice, format: EInvoice['format']): string => {
  const judged = judgeEInvoice(source, format)
  assert.ok('eInvoice' in judged, JSON.stringify(judged))
  return ublXml(judged.eInvoice)
}
const missing = (source: SourceInvoice, format: EInvoice['format'] = 'ubl') => {
  const judged = judgeEInvoice(source, format)
  return 'problems' in judged ? judged.problems.map(({ field }) => field) : []
}
const isPeppolAddress = (address: SourceAddress) => peppolAddressReason(address) === false
const withRate = (rate: number) => sourceLine({ taxRate: { name: 'VAT', rate, isInclusive: false } })
/** With a discount, something paid, and all that rules are about. */
const example = (trade: readonly [string, string] = ['DE', 'BE']) =>
  sourceInvoice({
    ...between(sourceInvoice(), trade),
    lines: [withRate(25)],
    discount: { type: 'fixed', value: 10 },
    currency: trade[0] === 'DK' ? 'DKK' : 'EUR',
    paymentInstructions: '#SKONTO#TAGE=14#',
    amountPaid: 20,
  })

const failing = (rules: readonly Rule[], invoice: Element): string[] =>
  rules.filter(({ holds }) => !holds(invoice)).map(({ id, means }) => `${id}: ${means}`)
const written = (nevers: readonly NeverWritten[], invoice: Element): string[] =>
  nevers
    .filter(({ path, value }) => find(invoice, path).some(({ text }) => value === undefined || text === value))
    .map(({ ids }) => ids)

const groups: readonly [name: string, rules: readonly Rule[], xmlFor: (rule: Rule) => string][] = [
  ['Peppol', peppolRules, () => xmlOf(example(), 'ubl')],
  [
    'Peppol in single countries',
    nationalRules,
    (rule) => {
      const { country } = rule as (typeof nationalRules)[number]
      return xmlOf(example([country, country]), 'ubl')
    },
  ],
  ['XRechnung', xrechnungRules, () => xmlOf(example(), 'xrechnung')],
]
for (const [name, rules, xmlFor] of groups)
  describe(`the rules of ${name}`, () => {
    for (const rule of rules)
      test(`${rule.id}: ${rule.means}`, () => {
        const xml = xmlFor(rule)
        const broken = xml.replace(...rule.broken)
        assert.notEqual(broken, xml, 'nothing was broken')
        assert.deepEqual([rule.holds(treeOf(xml)), rule.holds(treeOf(broken))], [true, false])
      })
  })

test('every invoice in UBL keeps the rules of Peppol', () => {
  fc.assert(
    fc.property(anySource, (source) => {
      const invoice = treeOf(xmlOf(source, 'ubl'))
      assert.deepEqual(failing([...peppolRules, ...nationalRules], invoice), [])
      assert.deepEqual(written([...neverInPeppol, ...neverOfCountries], invoice), [])
    }),
    { numRuns: 100, endOnFailure: true },
  )
})

test('every XRechnung keeps its rules, and those of Peppol that it shares', () => {
  fc.assert(
    fc.property(anySource, (source) => {
      const invoice = treeOf(xmlOf(source, 'xrechnung'))
      assert.deepEqual(failing([...generalRules, ...xrechnungRules], invoice), [])
      assert.deepEqual(written([...neverInPeppol, ...neverInXrechnung], invoice), [])
    }),
    { numRuns: 100, endOnFailure: true },
  )
})

test('an electronic address is taken for Peppol exactly where its rules would take it', () => {
  const rules = peppolRules.filter(({ id }) => id === 'CL008').concat(identifierRules)
  const isAllowed = (schemeID: string, text: string) =>
    failing(rules, { name: 'EndpointID', text, attributes: { schemeID }, children: [] }).length === 0
  const digits = (length: number) => fc.array(fc.integer({ min: 0, max: 9 }), { minLength: length, maxLength: length })
  const lengths: Readonly<Record<string, number>> = {
    '0088': 13,
    '0192': 9,
    '0208': 10,
    '0007': 10,
    '0151': 11,
    '0096': 10,
  }
  for (const [scheme, length] of Object.entries(lengths)) {
    let taken = 0
    fc.assert(
      fc.property(digits(length), (some) => {
        // Belgian numbers begin with 0 or 1.
        const value = (scheme === '0208' ? [some[0]! % 2, ...some.slice(1)] : some).join('')
        assert.equal(isPeppolAddress({ scheme, value }), isAllowed(scheme, value), `${scheme}:${value}`)
        if (isPeppolAddress({ scheme, value })) taken++
      }),
      { numRuns: 2_000 },
    )
    assert.ok(taken > 0, scheme)
  }
  const single = [
    ...['0088:7300010000001', '0088:730001000000', '0184:12345678', '0184:DK12345678', '0184:DK123', '0198:DK12345678'],
    ...['0198:12345678', '0106:12345678', '0106:1234', '0190:12345678901234567890', '9944:NL123456789B01', '9944:NL1'],
    ...['0201:ABC123', '0201:ABC', '0210:RSSMRA85T10A562S', '0210:12345678901', '0210:1', '0211:IT12345670017'],
    ...['0211:IT12345670018', '9930:DE123456789', 'EM:a@b.example', '0037:1', '0202:1', '0225:1', '0196:4802692679'],
  ]
  for (const address of single) {
    const [scheme = '', value = ''] = address.split(':')
    assert.equal(isPeppolAddress({ scheme, value }), isAllowed(scheme, value), address)
  }
})

describe('what would be refused is named', () => {
  const changed = (trade: readonly [string, string], change: (source: SourceInvoice) => object): SourceInvoice => {
    const source = example(trade)
    return { ...source, ...change(source) }
  }
  const seller = (fields: object) => (source: SourceInvoice) => ({
    organisation: { ...source.organisation, ...fields },
  })
  const buyer = (fields: object) => (source: SourceInvoice) => ({ customer: { ...source.customer, ...fields } })
  const cases: readonly [
    rule: string,
    trade: readonly [string, string],
    (source: SourceInvoice) => object,
    path: string,
  ][] = [
    [
      'R043',
      ['DE', 'BE'],
      buyer({ electronicAddress: { scheme: '0208', value: '0123456789' } }),
      'customer.electronicAddress',
    ],
    [
      'CL008',
      ['DE', 'BE'],
      seller({ electronicAddress: { scheme: 'EM', value: 'a@b.example' } }),
      'organisation.electronicAddress',
    ],
    ['CL007', ['BE', 'BE'], () => ({ currency: 'BGN' }), 'organisation.currency'],
    ['R056-2', ['BE', 'NL'], buyer({ vatId: 'NL123456789' }), 'customer.vatId'],
    ['DE-R-001', ['DE', 'DE'], seller({ iban: null }), 'organisation.iban'],
    ['DE-R-006', ['DE', 'DE'], seller({ phone: null }), 'organisation.phone'],
    ['DE-R-009', ['DE', 'DE'], buyer({ address: 'Somewhere' }), 'customer.address'],
    ['DE-R-027', ['DE', 'DE'], seller({ phone: 'ask 12' }), 'organisation.phone'],
    ['DE-R-028', ['DE', 'DE'], seller({ email: 'jürgen@straße.example' }), 'organisation.email'],
    [
      'DK-R-002',
      ['DK', 'DK'],
      seller({ vatId: null, taxNumber: '1', electronicAddress: { scheme: '0088', value: '7300010000001' } }),
      'organisation.electronicAddress',
    ],
    ['DK-R-006', ['DK', 'DK'], seller({ bic: null }), 'organisation.bic'],
    ['GR-R-001', ['BE', 'BE'], seller({ countryCode: 'GR' }), 'organisation.countryCode'],
    [
      'IS-R-002',
      ['IS', 'BE'],
      seller({ electronicAddress: { scheme: '0088', value: '7300010000001' } }),
      'organisation.electronicAddress',
    ],
    [
      'IS-R-004',
      ['IS', 'IS'],
      buyer({ electronicAddress: { scheme: '0088', value: '7300010000001' } }),
      'customer.electronicAddress',
    ],
    ['IS-R-005', ['IS', 'IS'], buyer({ address: 'Reykjavík' }), 'customer.address'],
    ['IT-R-001', ['IT', 'BE'], seller({ vatId: null, taxNumber: '22/123' }), 'organisation.taxNumber'],
    ['IT-R-003', ['IT', 'BE'], seller({ address: 'Via Roma 1' }), 'organisation.address'],
    ['NL-R-002', ['NL', 'BE'], seller({ address: 'Damrak 1' }), 'organisation.address'],
    ['NL-R-004', ['NL', 'NL'], buyer({ address: null }), 'customer.address'],
    ['NL-R-007', ['NL', 'BE'], seller({ iban: null }), 'organisation.iban'],
    ['NO-R-001', ['NO', 'BE'], seller({ vatId: 'NO974760674MVA' }), 'organisation.vatId'],
    ['SE-R-001', ['SE', 'BE'], seller({ vatId: 'SE5560360793' }), 'organisation.vatId'],
    [
      'SE-R-006',
      ['SE', 'BE'],
      () => ({ ...sourceInvoice({ lines: [withRate(20)] }), ...between(sourceInvoice(), ['SE', 'BE']) }),
      'lineItems[0].taxRateId',
    ],
  ]
  for (const [rule, trade, change, path] of cases)
    test(`${rule}: ${path}`, () => {
      assert.deepEqual([missing(example(trade)), missing(changed(trade, change))], [[], [path]])
    })

  test('nobody else is asked for it', () => {
    for (const country of Object.keys(traders)) assert.deepEqual(missing(example([country, 'FR'])), [], country)
    const { organisation } = example(['NL', 'BE'])
    const paid = { ...example(['NL', 'BE']), organisation: { ...organisation, iban: null } }
    assert.deepEqual(missing({ ...paid, amountPaid: paid.total }), [])
    for (const format of ['factur-x', 'xrechnung'] as const)
      assert.deepEqual(missing(changed(['BE', 'BE'], seller({ countryCode: 'GR' })), format), [], format)
  })
})

test('R120: a price of one hour is a price of one hour', () => {
  const hours = sourceLine({ quantity: 1.5, unitPrice: 80, unitCode: 'HUR' })
  const xml = xmlOf(sourceInvoice({ lines: [hours] }), 'ubl')
  assert.match(xml, /<cbc:InvoicedQuantity unitCode="HUR">1\.5<.*<cbc:PriceAmount currencyID="EUR">80</)
})
