// The rules of Peppol BIS Billing 3.0 (release 3.0.21) for all countries that concern our invoices, in words of our own.
import {
  buyerOf,
  childrenOf,
  descendants,
  type Element,
  find,
  type NeverWritten,
  type Rule,
  sellerOf,
  textOf,
  vatIdOf,
} from './rule.ts'

const words = (text: string): ReadonlySet<string> => new Set(text.trim().split(/\s+/))

const allowanceReasons = words('41 42 60 62 63 64 65 66 67 68 70 71 88 95 100 102 103 104 105')
const invoiceTypes = words(
  '71 80 82 84 102 218 219 326 331 380 382 383 384 386 388 393 395 553 575 623 780 817 870 875 876 877',
)
const schemes =
  words(`0002 0007 0009 0060 0088 0096 0097 0106 0130 0135 0142 0151 0158 0183 0184 0188 0190 0191 0192 0195
  0196 0198 0199 0200 0201 0204 0208 0209 0210 0211 0216 0218 0221 0225 0230 0235 0240 0242 0244 0245 0246 0248 9910 9913
  9914 9915 9918 9919 9920 9922 9923 9924 9925 9926 9927 9928 9929 9930 9931 9932 9933 9934 9935 9936 9937 9938 9939 9940
  9941 9942 9943 9944 9945 9946 9947 9948 9949 9950 9951 9952 9953 9957 9959`)
const noCurrencies = words('ANG BGN CUC HRK SLL STD VEF ZWL')
const amounts =
  words(`Amount PriceAmount TaxAmount TaxableAmount LineExtensionAmount TaxExclusiveAmount TaxInclusiveAmount
  AllowanceTotalAmount ChargeTotalAmount PrepaidAmount PayableRoundingAmount PayableAmount`)

const amountsOf = (invoice: Element) => descendants(invoice).filter(({ name }) => amounts.has(name))
const isDay = (text: string) =>
  /^\d{4}-\d\d-\d\d$/.test(text) && new Date(`${text}T00:00:00Z`).toISOString().startsWith(text)

/** Quantity times price is the line, within two cents. */
const isLineOfItsPrice = (line: Element): boolean => {
  const number = (path: string) => Number(textOf(line, path))
  const product = number('InvoicedQuantity') * number('Price/PriceAmount')
  return Math.abs(product - number('InvoiceLine/LineExtensionAmount')) <= 0.02 + 1e-9
}

/** Asked of XRechnung, too. */
export const generalRules: readonly Rule[] = [
  {
    id: 'R001',
    means: 'the business process is named',
    holds: (invoice) => childrenOf(invoice, 'ProfileID').length === 1,
    broken: [/<cbc:ProfileID>.*?<\/cbc:ProfileID>/, ''],
  },
  {
    id: 'R002',
    means: 'there is one note at most',
    holds: (invoice) => childrenOf(invoice, 'Note').length <= 1,
    broken: [/(<cbc:Note>Deck oven<\/cbc:Note>)/, '$1$1'],
  },
  {
    id: 'R003',
    means: 'the buyer finds a reference',
    holds: (invoice) =>
      childrenOf(invoice, 'BuyerReference').length > 0 || find(invoice, 'OrderReference/ID').length > 0,
    broken: [/<cbc:BuyerReference>.*?<\/cbc:BuyerReference>/, ''],
  },
  {
    id: 'R007',
    means: 'the business process is one of Peppol',
    holds: (invoice) => /^urn:fdc:peppol\.eu:2017:poacc:billing:\d\d:1\.0$/.test(textOf(invoice, 'ProfileID')),
    broken: [/billing:01:1\.0/, 'billing:1:1.0'],
  },
  {
    id: 'R008',
    means: 'no element is empty',
    holds: (invoice) => descendants(invoice).every(({ children, text }) => children.length > 0 || text.trim() !== ''),
    broken: [/(<cbc:CityName>).*?</, '$1<'],
  },
  {
    id: 'R010',
    means: 'the buyer has an electronic address',
    holds: (invoice) => childrenOf(buyerOf(invoice), 'EndpointID').length === 1,
    broken: [/(<cac:AccountingCustomerParty><cac:Party>)<cbc:EndpointID.*?<\/cbc:EndpointID>/, '$1'],
  },
  {
    id: 'R020',
    means: 'the seller has an electronic address',
    holds: (invoice) => childrenOf(sellerOf(invoice), 'EndpointID').length === 1,
    broken: [/(<cac:AccountingSupplierParty><cac:Party>)<cbc:EndpointID.*?<\/cbc:EndpointID>/, '$1'],
  },
  {
    id: 'R043',
    means: 'an allowance says that it is no charge',
    holds: (invoice) =>
      find(invoice, 'AllowanceCharge/ChargeIndicator').every(({ text }) => /^(true|false)$/.test(text)),
    broken: [/<cbc:ChargeIndicator>false/, '<cbc:ChargeIndicator>0'],
  },
  {
    id: 'R051',
    means: 'all amounts are in the currency of the invoice',
    holds: (invoice) =>
      amountsOf(invoice).every(({ attributes }) => attributes.currencyID === textOf(invoice, 'DocumentCurrencyCode')),
    broken: [/(<cbc:PrepaidAmount currencyID=)"EUR"/, '$1"SEK"'],
  },
  {
    id: 'R053',
    means: 'there is one breakdown of the tax',
    holds: (invoice) =>
      childrenOf(invoice, 'TaxTotal').filter((one) => find(one, 'TaxSubtotal').length > 0).length === 1,
    broken: [/(<cac:TaxTotal>.*<\/cac:TaxTotal>)/, '$1$1'],
  },
  {
    id: 'R054',
    means: 'there is no tax without a breakdown where there is one currency',
    holds: (invoice) => childrenOf(invoice, 'TaxTotal').every((one) => find(one, 'TaxSubtotal').length > 0),
    broken: [/(<cac:TaxTotal>)/, '<cac:TaxTotal><cbc:TaxAmount currencyID="EUR">1</cbc:TaxAmount></cac:TaxTotal>$1'],
  },
  {
    id: 'R120',
    means: 'quantity times price is the line, within two cents',
    holds: (invoice) => childrenOf(invoice, 'InvoiceLine').every(isLineOfItsPrice),
    broken: [/(<cbc:PriceAmount currencyID="EUR">)100</, '$1100.03<'],
  },
  {
    id: 'CL002, CL003',
    means: 'the reason of an allowance or a charge is a code of its list',
    // No code of charges is a number.
    holds: (invoice) =>
      find(invoice, 'AllowanceCharge').every(
        (one) =>
          textOf(one, 'ChargeIndicator') === 'false' && allowanceReasons.has(textOf(one, 'AllowanceChargeReasonCode')),
      ),
    broken: [/<cbc:ChargeIndicator>false/, '<cbc:ChargeIndicator>true'],
  },
  {
    id: 'CL007',
    means: 'the currency exists today',
    holds: (invoice) =>
      amountsOf(invoice).every(
        ({ attributes: { currencyID = '' } }) => /^[A-Z]{3}$/.test(currencyID) && !noCurrencies.has(currencyID),
      ),
    broken: [/"EUR"/, '"BGN"'],
  },
  {
    id: 'F001',
    means: 'days are written 2026-11-16',
    holds: (invoice) =>
      ['IssueDate', 'DueDate'].flatMap((name) => find(invoice, name)).every(({ text }) => isDay(text)),
    broken: [/<cbc:DueDate>\d{4}-\d\d-\d\d/, '<cbc:DueDate>2026-02-30'],
  },
]

const sumOf = (value: string, weightAt: (place: number) => number) =>
  [...value].reduce((sum, digit, place) => sum + Number(digit) * weightAt(place), 0)
/** As it is published: the digits before the last, from the right, by 3 and 1. */
const isGln = (value: string) => {
  const body = [...value.slice(0, -1)].toReversed().join('')
  return (
    /^\d{13}$/.test(value) &&
    (10 - (sumOf(body, (place) => 1 + ((place + 1) % 2) * 2) % 10)) % 10 === Number(value.at(-1))
  )
}
const isNorwegian = (value: string) => {
  const body = [...value.slice(0, -1)].toReversed().join('')
  return (
    /^\d{9}$/.test(value) &&
    Number(value) > 0 &&
    (11 - (sumOf(body, (place) => (place % 6) + 2) % 11)) % 11 === Number(value.at(-1))
  )
}
const isBelgian = (value: string) =>
  /^[01]\d{9}$/.test(value) && Number(value.slice(8)) === 97 - (Number(value.slice(0, 8)) % 97)
const isLuhn = (value: string) => {
  const doubled = [0, 2, 4, 6, 8, 1, 3, 5, 7, 9]
  return (
    [...value]
      .toReversed()
      .reduce((sum, digit, place) => sum + (place % 2 ? doubled[Number(digit)]! : Number(digit)), 0) %
      10 ===
    0
  )
}
const isAustralian = (value: string) =>
  /^\d{11}$/.test(value) && (sumOf(value, (place) => (place === 0 ? 10 : 2 * place - 1)) - 10) % 89 === 0

/** Of electronic addresses and of entries in registers. */
const numbersOf = (invoice: Element, scheme: string) =>
  [
    ...find(invoice, 'EndpointID'),
    ...find(invoice, 'PartyIdentification/ID'),
    ...find(invoice, 'PartyLegalEntity/CompanyID'),
  ].filter(({ attributes }) => attributes.schemeID === scheme)
const identifier = (
  id: string,
  scheme: string,
  means: string,
  wrong: string,
  isRight: (value: string) => boolean,
): Rule => ({
  id: `PEPPOL-COMMON-${id}`,
  means: `${scheme}: ${means}`,
  holds: (invoice) => numbersOf(invoice, scheme).every(({ text }) => isRight(text.trim())),
  broken: [/<cbc:EndpointID schemeID="[^"]*">[^<]*</, `<cbc:EndpointID schemeID="${scheme}">${wrong}<`],
})

export const identifierRules: readonly Rule[] = [
  identifier('R040', '0088', 'a GLN with its check digit', '7300010000002', isGln),
  identifier('R041', '0192', 'a Norwegian number with its check digit', '974760674', isNorwegian),
  identifier('R042', '0184', 'a Danish CVR number', 'DK1234567', (value) => /^(DK)?\d{8}$/.test(value)),
  identifier('R043', '0208', 'a Belgian number with its check digits', '0123456789', isBelgian),
  identifier('R044', '0201', 'six letters and digits', 'ABC12', (value) => /^[a-z0-9]{6}$/i.test(value)),
  identifier('R045', '0210', 'an Italian tax code', '123', (value) =>
    /^(\d{11}|[a-z]{6}\d\d[a-z]\d\d...\d[a-z])$/i.test(value),
  ),
  identifier(
    'R047',
    '0211',
    'an Italian VAT number with its check digit',
    'IT12345670018',
    (value) => !/^IT/i.test(value) || (/^IT\d{11}$/i.test(value) && isLuhn(value.slice(2))),
  ),
  identifier(
    'R049',
    '0007',
    'a Swedish number with its check digit',
    '5560360794',
    (value) => /^\d{10}$/.test(value) && isLuhn(value),
  ),
  identifier('R050', '0151', 'an Australian number with its check digits', '51824753557', isAustralian),
  identifier('R052', '0096', 'ten digits', '123456789', (value) => /^\d{10}$/.test(value)),
  identifier('R053', '0198', 'DK and eight digits', '12345678', (value) => /^DK\d{8}$/.test(value)),
  identifier('R054', '0106', 'eight digits', '1234567', (value) => /^\d{8}$/.test(value)),
  identifier('R055', '0190', 'twenty digits', '1234567890', (value) => /^\d{20}$/.test(value)),
  identifier('R056-1', '9944', 'a Dutch VAT number', 'NL123456789', (value) => /^NL\d{9}B\d\d$/.test(value)),
]

export const peppolRules: readonly Rule[] = [
  ...generalRules,
  {
    id: 'R004',
    means: 'the specification is that of Peppol',
    holds: (invoice) =>
      /^urn:cen\.eu:en16931:2017#compliant#urn:fdc:peppol\.eu:2017:poacc:billing:3\.0/.test(
        textOf(invoice, 'CustomizationID'),
      ),
    broken: [/poacc:billing:3\.0/, 'poacc:billing:2.0'],
  },
  {
    id: 'P0100',
    means: 'the type of the document is one of the process',
    holds: (invoice) => invoiceTypes.has(textOf(invoice, 'InvoiceTypeCode')),
    broken: [/<cbc:InvoiceTypeCode>380/, '<cbc:InvoiceTypeCode>381'],
  },
  {
    id: 'CL008',
    means: 'electronic addresses are of schemes that Peppol delivers to',
    holds: (invoice) => find(invoice, 'EndpointID').every(({ attributes }) => schemes.has(attributes.schemeID ?? '')),
    broken: [/<cbc:EndpointID schemeID="[^"]*"/, '<cbc:EndpointID schemeID="EM"'],
  },
  {
    id: 'PEPPOL-COMMON-R056-2',
    means: 'a VAT id of the Netherlands has its form',
    holds: (invoice) =>
      [sellerOf(invoice), buyerOf(invoice)]
        .map(vatIdOf)
        .every((id) => !id.startsWith('NL') || /^NL\d{9}B\d\d$/.test(id)),
    broken: [/<cbc:CompanyID>DE123456789</, '<cbc:CompanyID>NL123456789<'],
  },
  ...identifierRules,
]

export const neverInPeppol: readonly NeverWritten[] = [
  { ids: 'R005, R055: a second currency for the tax', path: 'TaxCurrencyCode' },
  { ids: 'R040, R041: a percentage of an allowance', path: 'AllowanceCharge/MultiplierFactorNumeric' },
  { ids: 'R040, R042: what an allowance is a percentage of', path: 'AllowanceCharge/BaseAmount' },
  { ids: 'R044, R046: an allowance on a price', path: 'Price/AllowanceCharge' },
  { ids: 'R061: direct debit', path: 'PaymentMandate' },
  { ids: 'R061: direct debit', path: 'PaymentMeansCode', value: '49' },
  { ids: 'R080, P0101: credit notes', path: 'CreditNoteTypeCode' },
  { ids: 'R100, R101: documents of a line', path: 'InvoiceLine/DocumentReference' },
  { ids: 'R110, R111, CL006: periods', path: 'InvoicePeriod' },
  { ids: 'R121, R130: prices of several', path: 'BaseQuantity' },
  { ids: 'CL001: attachments', path: 'EmbeddedDocumentBinaryObject' },
  { ids: 'P0104 to P0111: codes of exemptions', path: 'TaxExemptionReasonCode' },
]
