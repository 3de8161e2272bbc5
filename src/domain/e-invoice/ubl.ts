// An e-invoice in UBL 2.1, as Peppol BIS Billing 3.0 and XRechnung have it.
import type { EInvoice, EInvoiceLine, Party } from './e-invoice.ts'
import type { Vat } from './vat.ts'
import { element, tag, text, type Xml, xmlDocument } from './xml.ts'

const customizations = {
  ubl: 'urn:cen.eu:en16931:2017#compliant#urn:fdc:peppol.eu:2017:poacc:billing:3.0',
  xrechnung: 'urn:cen.eu:en16931:2017#compliant#urn:xeinkauf.de:kosit:xrechnung_3.0',
} as const
const profile = 'urn:fdc:peppol.eu:2017:poacc:billing:01:1.0'
const commercialInvoice = '380'
const discountCode = '95'

const namespaces = {
  xmlns: 'urn:oasis:names:specification:ubl:schema:xsd:Invoice-2',
  'xmlns:cac': 'urn:oasis:names:specification:ubl:schema:xsd:CommonAggregateComponents-2',
  'xmlns:cbc': 'urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2',
}

export function ublXml(invoice: EInvoice): string {
  const { currency, sums } = invoice
  const amount = (name: string, value: string | null) => text(name, value, { currencyID: currency })
  const root = element(
    'Invoice',
    [
      text('cbc:CustomizationID', customizations[invoice.format === 'xrechnung' ? 'xrechnung' : 'ubl']),
      text('cbc:ProfileID', profile),
      text('cbc:ID', invoice.number),
      text('cbc:IssueDate', invoice.issuedOn),
      text('cbc:DueDate', invoice.dueOn),
      text('cbc:InvoiceTypeCode', commercialInvoice),
      text('cbc:Note', invoice.note),
      text('cbc:DocumentCurrencyCode', currency),
      text('cbc:BuyerReference', invoice.buyerReference),
      element('cac:AccountingSupplierParty', [partyXml(invoice.seller, true)]),
      element('cac:AccountingCustomerParty', [partyXml(invoice.buyer, false)]),
      paymentMeans(invoice),
      element('cac:PaymentTerms', [text('cbc:Note', invoice.paymentTerms)]),
      ...invoice.vatSums.map(
        ({ vat, allowance }) =>
          allowance &&
          element('cac:AllowanceCharge', [
            text('cbc:ChargeIndicator', 'false'),
            text('cbc:AllowanceChargeReasonCode', discountCode),
            text('cbc:AllowanceChargeReason', invoice.discountReason),
            amount('cbc:Amount', allowance),
            category('cac:TaxCategory', vat),
          ]),
      ),
      element('cac:TaxTotal', [
        amount('cbc:TaxAmount', sums.tax),
        ...invoice.vatSums.map(({ vat, taxable, tax }) =>
          element('cac:TaxSubtotal', [
            amount('cbc:TaxableAmount', taxable),
            amount('cbc:TaxAmount', tax),
            category('cac:TaxCategory', vat, { reason: vat.reason, hasRate: invoice.isGerman }),
          ]),
        ),
      ]),
      element('cac:LegalMonetaryTotal', [
        amount('cbc:LineExtensionAmount', sums.lines),
        amount('cbc:TaxExclusiveAmount', sums.net),
        amount('cbc:TaxInclusiveAmount', sums.total),
        amount('cbc:AllowanceTotalAmount', sums.allowances),
        amount('cbc:PrepaidAmount', sums.paid),
        amount('cbc:PayableAmount', sums.payable),
      ]),
      ...invoice.lines.map((line, index) => lineXml(line, index, amount)),
    ],
    namespaces,
  )
  return xmlDocument(root!)
}

function partyXml(party: Party, isSeller: boolean): Xml {
  const { address, electronicAddress, legalIdentifier } = party
  const vatScheme = (id: string | null, scheme: string) =>
    id === null ? null : element('cac:PartyTaxScheme', [text('cbc:CompanyID', id), taxScheme(scheme)])
  return element('cac:Party', [
    electronicAddress && text('cbc:EndpointID', electronicAddress.value, { schemeID: electronicAddress.scheme }),
    element('cac:PartyIdentification', [text('cbc:ID', party.identifier)]),
    element('cac:PartyName', [text('cbc:Name', party.tradingName)]),
    element('cac:PostalAddress', [
      text('cbc:StreetName', address.street),
      text('cbc:AdditionalStreetName', address.more),
      text('cbc:CityName', address.city),
      text('cbc:PostalZone', address.postCode),
      element('cac:Country', [text('cbc:IdentificationCode', party.countryCode)]),
    ]),
    vatScheme(party.vatId, 'VAT'),
    vatScheme(party.taxNumber, 'FC'),
    element('cac:PartyLegalEntity', [
      text('cbc:RegistrationName', party.name),
      legalIdentifier && text('cbc:CompanyID', legalIdentifier.value, { schemeID: legalIdentifier.scheme }),
    ]),
    element('cac:Contact', [
      isSeller ? text('cbc:Name', party.tradingName ?? party.name) : null,
      text('cbc:Telephone', party.phone),
      text('cbc:ElectronicMail', party.email),
    ]),
  ])
}

function paymentMeans({ account, number }: EInvoice): Xml {
  if (!account) return null
  return element('cac:PaymentMeans', [
    text('cbc:PaymentMeansCode', account.code),
    text('cbc:PaymentID', number),
    element('cac:PayeeFinancialAccount', [
      text('cbc:ID', account.iban),
      text('cbc:Name', account.name),
      element('cac:FinancialInstitutionBranch', [text('cbc:ID', account.bic)]),
    ]),
  ])
}

interface CategoryDetails {
  readonly reason?: string | null
  readonly hasRate?: boolean
}

const taxScheme = (id: string) => element('cac:TaxScheme', [text('cbc:ID', id)])

/** What is outside VAT has no rate (BR-O-05). */
const category = (name: string, vat: Vat, { reason = null, hasRate = false }: CategoryDetails = {}): Xml =>
  element(name, [
    text('cbc:ID', vat.category),
    vat.category === 'O' && !hasRate ? null : text('cbc:Percent', String(vat.rate)),
    text('cbc:TaxExemptionReason', reason),
    taxScheme('VAT'),
  ])

const lineXml = (line: EInvoiceLine, index: number, amount: (name: string, value: string) => Xml): Xml =>
  element('cac:InvoiceLine', [
    text('cbc:ID', String(index + 1)),
    tag('cbc:InvoicedQuantity', line.quantity, { unitCode: line.unitCode }),
    amount('cbc:LineExtensionAmount', line.net),
    element('cac:Item', [
      text('cbc:Description', line.description),
      text('cbc:Name', line.name),
      element('cac:SellersItemIdentification', [text('cbc:ID', line.sku)]),
      category('cac:ClassifiedTaxCategory', line.vat),
    ]),
    element('cac:Price', [amount('cbc:PriceAmount', line.price)]),
  ])
