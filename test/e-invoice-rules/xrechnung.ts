// The rules of XRechnung 3.0 (validation rules 2.6.0) that concern our invoices, in words of our own. Peppol asks the same of
// those in UBL between two Germans, under DE-R-001 and so on.
import { isIban } from '../../src/domain/bank-accounts.ts'
import {
  buyerOf,
  childrenOf,
  type Element,
  find,
  hasText,
  type NeverWritten,
  type Rule,
  sellerOf,
  textOf,
} from './rule.ts'

const transfers = (invoice: Element) =>
  find(invoice, 'PaymentMeans').filter((one) => /^(30|58)$/.test(textOf(one, 'PaymentMeansCode')))
const skonto = /^#SKONTO#TAGE=\d+#PROZENT=\d+\.\d\d(#BASISBETRAG=-?\d+\.\d\d)?#$/
const email =
  /^[a-z0-9!#$%&"*+/=?^_`{|}~-]+(\.[a-z0-9!#$%&"*+/=?^_`{|}~-]+)*@([a-z0-9]([a-z0-9-]*[a-z0-9])?\.)+[a-z0-9]([a-z0-9-]*[a-z0-9])?$/i
const withPart = (
  id: string,
  means: string,
  partyOf: (invoice: Element) => Element,
  path: string,
  broken: RegExp,
): Rule => ({
  id,
  means,
  holds: (invoice) => hasText(partyOf(invoice), path),
  broken: [broken, '$1'],
})

export const germanRules: readonly Rule[] = [
  {
    id: 'BR-DE-1',
    means: 'it says how to pay',
    holds: (invoice) => find(invoice, 'PaymentMeans').length > 0,
    broken: [/<cac:PaymentMeans>.*<\/cac:PaymentMeans>/, ''],
  },
  withPart('BR-DE-2', 'the seller can be asked', sellerOf, 'Contact', /()<cac:Contact>.*?<\/cac:Contact>/),
  withPart(
    'BR-DE-3',
    'the city of the seller',
    sellerOf,
    'PostalAddress/CityName',
    /()<cbc:CityName>.*?<\/cbc:CityName>/,
  ),
  withPart(
    'BR-DE-4',
    'the post code of the seller',
    sellerOf,
    'PostalAddress/PostalZone',
    /()<cbc:PostalZone>.*?<\/cbc:PostalZone>/,
  ),
  withPart('BR-DE-5', 'whom to ask', sellerOf, 'Contact/Name', /(<cac:Contact>)<cbc:Name>.*?<\/cbc:Name>/),
  withPart('BR-DE-6', 'their phone number', sellerOf, 'Contact/Telephone', /()<cbc:Telephone>.*?<\/cbc:Telephone>/),
  withPart(
    'BR-DE-7',
    'their email address',
    sellerOf,
    'Contact/ElectronicMail',
    /()<cbc:ElectronicMail>.*?<\/cbc:ElectronicMail>/,
  ),
  withPart(
    'BR-DE-8',
    'the city of the buyer',
    buyerOf,
    'PostalAddress/CityName',
    /(<cac:AccountingCustomerParty>.*?)<cbc:CityName>.*?<\/cbc:CityName>/,
  ),
  withPart(
    'BR-DE-9',
    'the post code of the buyer',
    buyerOf,
    'PostalAddress/PostalZone',
    /(<cac:AccountingCustomerParty>.*?)<cbc:PostalZone>.*?<\/cbc:PostalZone>/,
  ),
  {
    id: 'BR-DE-14',
    means: 'each part of the breakdown has a rate, also outside VAT',
    holds: (invoice) => find(invoice, 'TaxSubtotal/TaxCategory').every((one) => hasText(one, 'Percent')),
    broken: [/(<cac:TaxSubtotal>.*?)<cbc:Percent>.*?<\/cbc:Percent>/, '$1'],
  },
  {
    id: 'BR-DE-15',
    means: 'the buyer finds a reference',
    holds: (invoice) => hasText(invoice, 'BuyerReference'),
    broken: [/<cbc:BuyerReference>.*?<\/cbc:BuyerReference>/, ''],
  },
  {
    id: 'BR-DE-16',
    means: 'a seller within VAT has a tax number',
    holds: (invoice) =>
      find(invoice, 'ClassifiedTaxCategory/ID').every(({ text }) => text === 'O') ||
      hasText(sellerOf(invoice), 'PartyTaxScheme/CompanyID'),
    broken: [/<cac:PartyTaxScheme>.*?<\/cac:PartyTaxScheme>/, ''],
  },
  {
    id: 'BR-DE-17',
    means: 'the type of the document is one of a list',
    holds: (invoice) => /^(326|380|381|384|389|875|876|877)$/.test(textOf(invoice, 'InvoiceTypeCode')),
    broken: [/<cbc:InvoiceTypeCode>380/, '<cbc:InvoiceTypeCode>386'],
  },
  {
    id: 'BR-DE-18',
    means: 'a number sign begins a discount for early payment, and nothing else',
    holds: (invoice) =>
      find(invoice, 'PaymentTerms/Note').every(({ text }) =>
        text.split(/\r?\n/).every((line) => !line.trim().startsWith('#') || skonto.test(line.trim())),
      ),
    broken: [/(<cac:PaymentTerms><cbc:Note>)/, '$1#SKONTO#TAGE=14#'],
  },
  {
    id: 'BR-DE-19',
    means: 'a transfer within SEPA goes to an IBAN',
    holds: (invoice) =>
      transfers(invoice).every(
        (one) => textOf(one, 'PaymentMeansCode') === '30' || isIban(textOf(one, 'PayeeFinancialAccount/ID')),
      ),
    broken: [/<cbc:ID>DE89370400440532013000</, '<cbc:ID>DE89370400440532013001<'],
  },
  {
    id: 'BR-DE-23-a, BR-DE-23-b',
    means: 'a transfer has an account, and no card or mandate',
    holds: (invoice) =>
      transfers(invoice).every(
        (one) =>
          childrenOf(one, 'PayeeFinancialAccount').length === 1 &&
          find(one, 'CardAccount').length + find(one, 'PaymentMandate').length === 0,
      ),
    broken: [/<cac:PayeeFinancialAccount>.*<\/cac:PayeeFinancialAccount>/, '<cac:CardAccount>1</cac:CardAccount>'],
  },
  {
    id: 'BR-DE-27',
    means: 'the phone number has three digits at least',
    holds: (invoice) => textOf(sellerOf(invoice), 'Contact/Telephone').replace(/\D/g, '').length >= 3,
    broken: [/<cbc:Telephone>.*?</, '<cbc:Telephone>ask 12<'],
  },
  {
    id: 'BR-DE-28',
    means: 'the email address is a plain one',
    holds: (invoice) => email.test(textOf(sellerOf(invoice), 'Contact/ElectronicMail')),
    broken: [/<cbc:ElectronicMail>.*?</, '<cbc:ElectronicMail>a@b<'],
  },
]

export const xrechnungRules: readonly Rule[] = [
  ...germanRules,
  {
    id: 'BR-DE-21',
    means: 'the specification is that of XRechnung',
    holds: (invoice) =>
      textOf(invoice, 'CustomizationID') === 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
    broken: [/xrechnung_3\.0/, 'xrechnung_2.0'],
  },
  {
    id: 'BR-TMP-6',
    means: 'days are written 2026-11-16',
    holds: (invoice) =>
      ['IssueDate', 'DueDate']
        .flatMap((name) => find(invoice, name))
        .every(({ text }) => /^\d{4}-\d\d-\d\d$/.test(text)),
    broken: [/<cbc:IssueDate>\d{4}-/, '<cbc:IssueDate>26-'],
  },
]

/** BR-DE-TMP-32, which only informs, is not met: our invoices know no day of delivery. BR-DE-12, -13 and -29 do not exist. */
export const neverInXrechnung: readonly NeverWritten[] = [
  { ids: 'BR-DE-10, BR-DE-11: another place of delivery', path: 'DeliveryLocation' },
  { ids: 'BR-DE-20, BR-DE-25-a, BR-DE-25-b: direct debit', path: 'PaymentMeansCode', value: '59' },
  { ids: 'BR-DE-30, BR-DE-31: direct debit', path: 'PaymentMandate' },
  { ids: 'BR-DE-22, BR-TMP-2: attachments', path: 'AdditionalDocumentReference' },
  { ids: 'BR-DE-24-a, BR-DE-24-b: cards', path: 'CardAccount' },
  { ids: 'BR-DE-26: corrections', path: 'InvoiceTypeCode', value: '384' },
  { ids: 'BR-DEX-02, BR-DEX-03: lines within lines, of the extension', path: 'SubInvoiceLine' },
  { ids: 'BR-DEX-09 to BR-DEX-14: payments of third parties, of the extension', path: 'PrepaidPayment' },
  { ids: 'BR-DE-CVD-01 to -06: clean vehicles', path: 'CommodityClassification' },
]
