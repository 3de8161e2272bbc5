// The rules of Peppol BIS Billing 3.0 (release 3.0.21) for sellers in single countries, in words of our own. Each is broken in an
// invoice between two traders of its country. Those of Germany are in `xrechnung.ts`; invoices of Greek sellers are not written.
import {
  buyerOf,
  countryOf,
  type Element,
  find,
  hasText,
  type NeverWritten,
  type Rule,
  sellerOf,
  textOf,
  vatIdOf,
} from './rule.ts'
import { germanRules } from './xrechnung.ts'

export interface NationalRule extends Rule {
  readonly country: string
}

const isFrom = (invoice: Element, country: string) => countryOf(sellerOf(invoice)) === country
const isWithin = (invoice: Element, country: string) =>
  isFrom(invoice, country) && countryOf(buyerOf(invoice)) === country
const has = (party: Element, ...parts: string[]) => parts.every((part) => hasText(party, `PostalAddress/${part}`))
const legalId = (party: Element) => find(party, 'PartyLegalEntity/CompanyID')[0]
const meansCodes = (invoice: Element) => find(invoice, 'PaymentMeansCode').map(({ text }) => text)
const buyersPart = (part: string) => new RegExp(`(<cac:AccountingCustomerParty>.*?)<cbc:${part}>.*?</cbc:${part}>`)
const sellersPart = (part: string) => new RegExp(`()<cbc:${part}>.*?</cbc:${part}>`)
const sellersLegalId = /()<cbc:CompanyID schemeID="[^"]*">[^<]*<\/cbc:CompanyID>/
const buyersLegalId = /(<cac:AccountingCustomerParty>.*?)<cbc:CompanyID schemeID="[^"]*">[^<]*<\/cbc:CompanyID>/

/** A rule is asked where its country is concerned, and looks at one of the two. */
const ruleOf =
  (isConcerned: (invoice: Element, country: string) => boolean, partyOf: (invoice: Element) => Element) =>
  (
    id: string,
    means: string,
    holds: (party: Element, invoice: Element) => boolean,
    broken: Rule['broken'],
  ): NationalRule => {
    const country = id.slice(0, 2)
    return {
      id,
      country,
      means,
      holds: (invoice) => !isConcerned(invoice, country) || holds(partyOf(invoice), invoice),
      broken,
    }
  }
const ofSeller = ruleOf(isFrom, sellerOf)
/** Where both are there. */
const ofBoth = ruleOf(isWithin, buyerOf)

const isNorwegian = (value: string) =>
  /^\d{9}$/.test(value) &&
  (11 - ([3, 2, 7, 6, 5, 4, 3, 2].reduce((sum, weight, place) => sum + weight * Number(value[place]), 0) % 11)) % 11 ===
    Number(value[8])

export const nationalRules: readonly NationalRule[] = [
  ofSeller(
    'NO-R-001',
    'a Norwegian VAT id is NO, a number with its check digit, and MVA',
    (seller) => {
      const id = vatIdOf(seller)
      return !id.startsWith('NO') || (/^NO\d{9}MVA$/.test(id) && isNorwegian(id.slice(2, 11)))
    },
    [/<cbc:CompanyID>NO974760673MVA</, '<cbc:CompanyID>NO974760674MVA<'],
  ),
  ofSeller('DK-R-002', 'the CVR number is given', (seller) => legalId(seller) !== undefined, [sellersLegalId, '$1']),
  ofSeller('DK-R-014', 'it is said to be one', (seller) => legalId(seller)?.attributes.schemeID === '0184', [
    /<cbc:CompanyID schemeID="0184"/,
    '<cbc:CompanyID schemeID="0198"',
  ]),
  ofBoth('DK-R-017', 'that of the buyer, too', (buyer) => (legalId(buyer)?.attributes.schemeID ?? '0184') === '0184', [
    /(<cac:AccountingCustomerParty>.*?<cbc:CompanyID schemeID=)"0184"/,
    '$1"0198"',
  ]),
  ofBoth(
    'DK-R-005',
    'it is paid in a way that is known there',
    (_, invoice) => meansCodes(invoice).every((code) => /^(1|10|31|42|48|49|50|58|59|93|97)$/.test(code)),
    [/<cbc:PaymentMeansCode>31/, '<cbc:PaymentMeansCode>30'],
  ),
  ofBoth(
    'DK-R-006',
    'a transfer names account and bank',
    (_, invoice) =>
      !meansCodes(invoice).includes('31') ||
      (hasText(invoice, 'PayeeFinancialAccount/ID') && hasText(invoice, 'FinancialInstitutionBranch/ID')),
    [/<cac:FinancialInstitutionBranch>.*<\/cac:FinancialInstitutionBranch>/, ''],
  ),
  ofBoth(
    'DK-R-013',
    'whoever has another number says of which register',
    (_, invoice) => find(invoice, 'PartyIdentification/ID').every(({ attributes }) => Boolean(attributes.schemeID)),
    [/(<cac:PostalAddress>)/, '<cac:PartyIdentification><cbc:ID>1</cbc:ID></cac:PartyIdentification>$1'],
  ),
  ofSeller(
    'IT-R-001',
    'a tax number has 11 to 16 letters and digits',
    (seller) =>
      find(seller, 'PartyTaxScheme')
        .filter((scheme) => textOf(scheme, 'TaxScheme/ID') !== 'VAT')
        .every((scheme) => /^[A-Z0-9]{11,16}$/.test(textOf(scheme, 'CompanyID'))),
    [
      /(<cac:PartyTaxScheme>)/,
      '$1<cbc:CompanyID>12</cbc:CompanyID><cac:TaxScheme><cbc:ID>FC</cbc:ID></cac:TaxScheme></cac:PartyTaxScheme>$1',
    ],
  ),
  ofSeller('IT-R-002', 'the street', (seller) => has(seller, 'StreetName'), [sellersPart('StreetName'), '$1']),
  ofSeller('IT-R-003', 'the city', (seller) => has(seller, 'CityName'), [sellersPart('CityName'), '$1']),
  ofSeller('IT-R-004', 'the post code', (seller) => has(seller, 'PostalZone'), [sellersPart('PostalZone'), '$1']),
  ofSeller(
    'SE-R-001, SE-R-002',
    'a Swedish VAT id has twelve digits',
    (seller) => !vatIdOf(seller).startsWith('SE') || /^SE\d{12}$/.test(vatIdOf(seller)),
    [/<cbc:CompanyID>SE556036079301</, '<cbc:CompanyID>SE5560360793<'],
  ),
  ofSeller(
    'SE-R-003, SE-R-004, SE-R-005, SE-R-013',
    'no entry of a register is given',
    (seller) => legalId(seller) === undefined,
    [/(<\/cbc:RegistrationName>)/, '$1<cbc:CompanyID>1</cbc:CompanyID>'],
  ),
  ofSeller(
    'SE-R-006',
    'only 25, 12 and 6 percent are charged',
    (seller, invoice) =>
      !vatIdOf(seller).startsWith('SE') ||
      [...find(invoice, 'TaxCategory'), ...find(invoice, 'ClassifiedTaxCategory')].every(
        (one) => textOf(one, 'ID') !== 'S' || /^(25|12|6)$/.test(textOf(one, 'Percent')),
      ),
    [/<cbc:Percent>25</, '<cbc:Percent>20<'],
  ),
  ofBoth(
    'SE-R-012',
    'a transfer has the code that is known there',
    (_, invoice) => !meansCodes(invoice).includes('31'),
    [/<cbc:PaymentMeansCode>\d+/, '<cbc:PaymentMeansCode>31'],
  ),
  ofSeller(
    'IS-R-001',
    'it is an invoice or a credit note',
    (_, invoice) => /^38[01]$/.test(textOf(invoice, 'InvoiceTypeCode')),
    [/<cbc:InvoiceTypeCode>380/, '<cbc:InvoiceTypeCode>386'],
  ),
  ofSeller('IS-R-002', 'the kennitala is given', (seller) => legalId(seller)?.attributes.schemeID === '0196', [
    sellersLegalId,
    '$1',
  ]),
  ofSeller('IS-R-003', 'street and post code', (seller) => has(seller, 'StreetName', 'PostalZone'), [
    sellersPart('StreetName'),
    '$1',
  ]),
  ofBoth('IS-R-004', 'the kennitala of the buyer is given', (buyer) => legalId(buyer)?.attributes.schemeID === '0196', [
    buyersLegalId,
    '$1',
  ]),
  ofBoth('IS-R-005', 'street and post code of the buyer', (buyer) => has(buyer, 'StreetName', 'PostalZone'), [
    buyersPart('PostalZone'),
    '$1',
  ]),
  ofSeller('NL-R-002', 'street, city and post code', (seller) => has(seller, 'StreetName', 'CityName', 'PostalZone'), [
    sellersPart('CityName'),
    '$1',
  ]),
  ofSeller('NL-R-003, NL-R-005', 'no entry of a register is given', (seller) => legalId(seller) === undefined, [
    /(<\/cbc:RegistrationName>)/,
    '$1<cbc:CompanyID>1</cbc:CompanyID>',
  ]),
  ofBoth(
    'NL-R-004',
    'street, city and post code of the buyer',
    (buyer) => has(buyer, 'StreetName', 'CityName', 'PostalZone'),
    [buyersPart('StreetName'), '$1'],
  ),
  ofSeller(
    'NL-R-007',
    'it says how to pay what is due',
    (_, invoice) => Number(textOf(invoice, 'PayableAmount')) <= 0 || find(invoice, 'PaymentMeans').length > 0,
    [/<cac:PaymentMeans>.*<\/cac:PaymentMeans>/, ''],
  ),
  ofSeller(
    'NL-R-008',
    'it is paid in a way that is known there',
    (_, invoice) => meansCodes(invoice).every((code) => /^(30|48|49|57|58|59)$/.test(code)),
    [/<cbc:PaymentMeansCode>\d+/, '<cbc:PaymentMeansCode>31'],
  ),
  ...germanRules.map(
    ({ id, holds, ...rule }): NationalRule => ({
      ...rule,
      id: id.replace(/BR-DE-(\d+)/g, (_, number: string) => `DE-R-${number.padStart(3, '0')}`),
      country: 'DE',
      holds: (invoice) => !isWithin(invoice, 'DE') || holds(invoice),
    }),
  ),
]

/** NO-R-002 warns where the word «Foretaksregisteret» is missing, which only some companies must write: it is not written. */
export const neverOfCountries: readonly NeverWritten[] = [
  { ids: 'DK-R-003: classes of goods', path: 'CommodityClassification' },
  { ids: 'DK-R-004: Danish duties', path: 'AllowanceChargeReasonCode', value: 'ZZZ' },
  { ids: 'DK-R-007: direct debit', path: 'PaymentMandate' },
  { ids: 'DK-R-008, DK-R-009, SE-R-011: giro', path: 'PaymentMeansCode', value: '50' },
  { ids: 'DK-R-010, DK-R-011: payment cards of Denmark', path: 'PaymentMeansCode', value: '93' },
  { ids: 'DK-R-016, NL-R-001: credit notes', path: 'CreditNoteTypeCode' },
  { ids: 'SE-R-007, SE-R-010: plusgiro', path: 'FinancialInstitutionBranch/ID', value: 'SE:PLUSGIRO' },
  { ids: 'SE-R-008, SE-R-009: bankgiro', path: 'FinancialInstitutionBranch/ID', value: 'SE:BANKGIRO' },
  { ids: 'SE-R-011: giro', path: 'PaymentMeansCode', value: '56' },
  { ids: 'IS-R-006: claims', path: 'PaymentMeansCode', value: '9' },
  { ids: 'IS-R-007: transfers within Iceland', path: 'PaymentMeansCode', value: '42' },
  { ids: 'IS-R-008 to IS-R-010: a second day of payment', path: 'AdditionalDocumentReference' },
  { ids: 'NL-R-006: representatives', path: 'TaxRepresentativeParty' },
  { ids: 'NL-R-009: lines of orders', path: 'OrderLineReference' },
]
