// An e-invoice in UN/CEFACT's Cross Industry Invoice, as Factur-X and ZUGFeRD carry it, in the profile EN 16931.
import type { EInvoice, EInvoiceLine, Party } from './e-invoice.ts'
import type { Vat } from './vat.ts'
import { element, tag, text, type Xml, xmlDocument } from './xml.ts'

const namespaces = {
  'xmlns:rsm': 'urn:un:unece:uncefact:data:standard:CrossIndustryInvoice:100',
  'xmlns:ram': 'urn:un:unece:uncefact:data:standard:ReusableAggregateBusinessInformationEntity:100',
  'xmlns:udt': 'urn:un:unece:uncefact:data:standard:UnqualifiedDataType:100',
}
const guideline = 'urn:cen.eu:en16931:2017'
const commercialInvoice = '380'
const discountCode = '95'

export function ciiXml(invoice: EInvoice): string {
  const root = element(
    'rsm:CrossIndustryInvoice',
    [
      element('rsm:ExchangedDocumentContext', [
        element('ram:GuidelineSpecifiedDocumentContextParameter', [text('ram:ID', guideline)]),
      ]),
      element('rsm:ExchangedDocument', [
        text('ram:ID', invoice.number),
        text('ram:TypeCode', commercialInvoice),
        day('ram:IssueDateTime', invoice.issuedOn),
        element('ram:IncludedNote', [text('ram:Content', invoice.note)]),
      ]),
      element('rsm:SupplyChainTradeTransaction', [
        ...invoice.lines.map(lineXml),
        element('ram:ApplicableHeaderTradeAgreement', [
          text('ram:BuyerReference', invoice.buyerReference),
          partyXml('ram:SellerTradeParty', invoice.seller, true),
          partyXml('ram:BuyerTradeParty', invoice.buyer, false),
        ]),
        tag('ram:ApplicableHeaderTradeDelivery', ''),
        settlement(invoice),
      ]),
    ],
    namespaces,
  )
  return xmlDocument(root!)
}

const day = (name: string, isoDay: string): Xml =>
  element(name, [text('udt:DateTimeString', isoDay.replaceAll('-', ''), { format: '102' })])

const lineXml = (line: EInvoiceLine, index: number): Xml =>
  element('ram:IncludedSupplyChainTradeLineItem', [
    element('ram:AssociatedDocumentLineDocument', [text('ram:LineID', String(index + 1))]),
    element('ram:SpecifiedTradeProduct', [
      text('ram:SellerAssignedID', line.sku),
      text('ram:Name', line.name),
      text('ram:Description', line.description),
    ]),
    element('ram:SpecifiedLineTradeAgreement', [
      element('ram:NetPriceProductTradePrice', [text('ram:ChargeAmount', line.price)]),
    ]),
    element('ram:SpecifiedLineTradeDelivery', [text('ram:BilledQuantity', line.quantity, { unitCode: line.unitCode })]),
    element('ram:SpecifiedLineTradeSettlement', [
      element('ram:ApplicableTradeTax', category(line.vat)),
      element('ram:SpecifiedTradeSettlementLineMonetarySummation', [text('ram:LineTotalAmount', line.net)]),
    ]),
  ])

/** What is outside VAT has no rate (BR-O-05). */
const category = (vat: Vat): Xml[] => [
  text('ram:TypeCode', 'VAT'),
  text('ram:CategoryCode', vat.category),
  vat.category === 'O' ? null : text('ram:RateApplicablePercent', String(vat.rate)),
]

function partyXml(name: string, party: Party, isSeller: boolean): Xml {
  const { address, electronicAddress } = party
  const registration = (id: string | null, schemeID: string) =>
    element('ram:SpecifiedTaxRegistration', [text('ram:ID', id, { schemeID })])
  return element(name, [
    text('ram:ID', party.identifier),
    text('ram:Name', party.name),
    element('ram:SpecifiedLegalOrganization', [text('ram:TradingBusinessName', party.tradingName)]),
    element('ram:DefinedTradeContact', [
      isSeller ? text('ram:PersonName', party.tradingName ?? party.name) : null,
      element('ram:TelephoneUniversalCommunication', [text('ram:CompleteNumber', party.phone)]),
      element('ram:EmailURIUniversalCommunication', [text('ram:URIID', party.email)]),
    ]),
    element('ram:PostalTradeAddress', [
      text('ram:PostcodeCode', address.postCode),
      text('ram:LineOne', address.street),
      text('ram:LineTwo', address.more),
      text('ram:CityName', address.city),
      text('ram:CountryID', party.countryCode),
    ]),
    electronicAddress &&
      element('ram:URIUniversalCommunication', [
        text('ram:URIID', electronicAddress.value, { schemeID: electronicAddress.scheme }),
      ]),
    registration(party.vatId, 'VA'),
    registration(party.taxNumber, 'FC'),
  ])
}

function settlement({ account, currency, number, sums, vatSums, ...invoice }: EInvoice): Xml {
  return element('ram:ApplicableHeaderTradeSettlement', [
    text('ram:PaymentReference', number),
    text('ram:InvoiceCurrencyCode', currency),
    account &&
      element('ram:SpecifiedTradeSettlementPaymentMeans', [
        text('ram:TypeCode', account.code),
        element('ram:PayeePartyCreditorFinancialAccount', [
          text('ram:IBANID', account.iban),
          text('ram:AccountName', account.name),
        ]),
        element('ram:PayeeSpecifiedCreditorFinancialInstitution', [text('ram:BICID', account.bic)]),
      ]),
    ...vatSums.map(({ vat, taxable, tax }) =>
      element('ram:ApplicableTradeTax', [
        text('ram:CalculatedAmount', tax),
        text('ram:TypeCode', 'VAT'),
        text('ram:ExemptionReason', vat.reason),
        text('ram:BasisAmount', taxable),
        ...category(vat).slice(1),
      ]),
    ),
    ...vatSums.map(
      ({ vat, allowance }) =>
        allowance &&
        element('ram:SpecifiedTradeAllowanceCharge', [
          element('ram:ChargeIndicator', [text('udt:Indicator', 'false')]),
          text('ram:ActualAmount', allowance),
          text('ram:ReasonCode', discountCode),
          text('ram:Reason', invoice.discountReason),
          element('ram:CategoryTradeTax', category(vat)),
        ]),
    ),
    element('ram:SpecifiedTradePaymentTerms', [
      text('ram:Description', invoice.paymentTerms),
      day('ram:DueDateDateTime', invoice.dueOn),
    ]),
    element('ram:SpecifiedTradeSettlementHeaderMonetarySummation', [
      text('ram:LineTotalAmount', sums.lines),
      text('ram:AllowanceTotalAmount', sums.allowances),
      text('ram:TaxBasisTotalAmount', sums.net),
      text('ram:TaxTotalAmount', sums.tax, { currencyID: currency }),
      text('ram:GrandTotalAmount', sums.total),
      text('ram:TotalPrepaidAmount', sums.paid),
      text('ram:DuePayableAmount', sums.payable),
    ]),
  ])
}
