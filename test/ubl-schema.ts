// The schema of UBL 2.1 as far as our invoices go, for libxml2: the order of elements, how many of each there may be, and what
// stands in those without children. The schema itself is 3 MB, and in no package that could be installed. What its elements
// hold that are not written by us is left out where it has children of its own: whoever writes it describes it here first.
import { XmlBufferInputProvider, XmlDocument, XsdValidator, xmlRegisterInputProvider } from 'libxml2-wasm'

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** One at most of each; `!` is exactly one, `+` one or more, `*` any number. */
const invoice =
  words(`UBLVersionID CustomizationID ProfileID ProfileExecutionID ID! CopyIndicator UUID IssueDate! IssueTime DueDate
  InvoiceTypeCode Note* TaxPointDate DocumentCurrencyCode TaxCurrencyCode PricingCurrencyCode PaymentCurrencyCode
  PaymentAlternativeCurrencyCode AccountingCostCode AccountingCost LineCountNumeric BuyerReference AccountingSupplierParty!
  AccountingCustomerParty! PaymentMeans* PaymentTerms* AllowanceCharge* TaxTotal* LegalMonetaryTotal! InvoiceLine+`)
const financialAccount = words(
  'ID Name AliasName AccountTypeCode AccountFormatCode CurrencyCode PaymentNote* FinancialInstitutionBranch Country',
)
const taxCategory = words(
  `ID Name Percent BaseUnitMeasure PerUnitAmount TaxExemptionReasonCode TaxExemptionReason* TierRange TierRatePercent TaxScheme!`,
)
const aggregates: Readonly<Record<string, readonly string[]>> = {
  AccountingSupplierParty: words('CustomerAssignedAccountID AdditionalAccountID* DataSendingCapability Party'),
  AccountingCustomerParty: words('CustomerAssignedAccountID SupplierAssignedAccountID AdditionalAccountID* Party'),
  Party:
    words(`MarkCareIndicator MarkAttentionIndicator WebsiteURI LogoReferenceID EndpointID IndustryClassificationCode
    PartyIdentification* PartyName* PostalAddress PartyTaxScheme* PartyLegalEntity* Contact`),
  PartyIdentification: words('ID!'),
  PartyName: words('Name!'),
  PostalAddress:
    words(`ID AddressTypeCode AddressFormatCode Postbox Floor Room StreetName AdditionalStreetName BlockName
    BuildingName BuildingNumber InhouseMail Department MarkAttention MarkCare PlotIdentification CitySubdivisionName CityName
    PostalZone CountrySubentity CountrySubentityCode Region District TimezoneOffset Country`),
  Country: words('IdentificationCode Name'),
  PartyTaxScheme: words('RegistrationName CompanyID TaxLevelCode ExemptionReasonCode ExemptionReason* TaxScheme!'),
  TaxScheme: words('ID Name TaxTypeCode CurrencyCode'),
  PartyLegalEntity: words(`RegistrationName CompanyID RegistrationDate RegistrationExpirationDate CompanyLegalFormCode
    CompanyLegalForm SoleProprietorshipIndicator CompanyLiquidationStatusCode CorporateStockAmount FullyPaidSharesIndicator`),
  Contact: words('ID Name Telephone Telefax ElectronicMail Note*'),
  PaymentMeans: words(`ID PaymentMeansCode! PaymentDueDate PaymentChannelCode InstructionID InstructionNote* PaymentID*
    PayeeFinancialAccount`),
  PayeeFinancialAccount: financialAccount,
  FinancialInstitutionBranch: words('ID Name'),
  PaymentTerms:
    words(`ID PaymentMeansID* PrepaidPaymentReferenceID Note* ReferenceEventCode SettlementDiscountPercent PenaltySurchargePercent
    PaymentPercent Amount SettlementDiscountAmount PenaltyAmount PaymentTermsDetailsURI PaymentDueDate InstallmentDueDate
    InvoicingPartyReference`),
  AllowanceCharge: words(`ID ChargeIndicator! AllowanceChargeReasonCode AllowanceChargeReason* MultiplierFactorNumeric
    PrepaidIndicator SequenceNumeric Amount! BaseAmount AccountingCostCode AccountingCost PerUnitAmount TaxCategory* TaxTotal
    PaymentMeans*`),
  TaxTotal: words('TaxAmount! RoundingAmount TaxEvidenceIndicator TaxIncludedIndicator TaxSubtotal*'),
  TaxSubtotal:
    words(`TaxableAmount TaxAmount! CalculationSequenceNumeric TransactionCurrencyTaxAmount Percent BaseUnitMeasure
    PerUnitAmount TierRange TierRatePercent TaxCategory!`),
  TaxCategory: taxCategory,
  ClassifiedTaxCategory: taxCategory,
  LegalMonetaryTotal:
    words(`LineExtensionAmount TaxExclusiveAmount TaxInclusiveAmount AllowanceTotalAmount ChargeTotalAmount
    PrepaidAmount PayableRoundingAmount PayableAmount! PayableAlternativeAmount`),
  InvoiceLine:
    words(`ID! UUID Note* InvoicedQuantity LineExtensionAmount! TaxPointDate AccountingCostCode AccountingCost
    PaymentPurposeCode FreeOfChargeIndicator PaymentTerms* AllowanceCharge* TaxTotal* Item! Price`),
  Item: words(`Description* PackQuantity PackSizeNumeric CatalogueIndicator Name HazardousRiskIndicator AdditionalInformation*
    Keyword* BrandName* ModelName* SellersItemIdentification ClassifiedTaxCategory*`),
  SellersItemIdentification: words('ID! ExtendedID BarcodeSymbologyID'),
  Price: words(
    'PriceAmount! BaseQuantity PriceChangeReason* PriceTypeCode PriceType OrderableUnitFactorRate AllowanceCharge*',
  ),
}

/** What stands in an element without children, by the end of its name: the first that fits. Empty ones are of no use to anybody. */
const values: readonly (readonly [name: RegExp, type: string, attribute?: string, use?: 'required' | 'optional'])[] = [
  [/Amount$/, 'xs:decimal', 'currencyID', 'required'],
  [/Measure$/, 'xs:decimal', 'unitCode', 'required'],
  [/Quantity$/, 'xs:decimal', 'unitCode', 'optional'],
  [/(Percent|Numeric|Rate)$/, 'xs:decimal'],
  [/Date$/, 'xs:date'],
  [/Time$/, 'xs:time'],
  [/Indicator$/, 'xs:boolean'],
  [/(ID|URI)$/, 'filled', 'schemeID', 'optional'],
  [/^/, 'filled'],
]

const ofUbl = (name: string) => `urn:oasis:names:specification:ubl:schema:xsd:${name}-2`
const namespaces = {
  inv: ofUbl('Invoice'),
  cac: ofUbl('CommonAggregateComponents'),
  cbc: ofUbl('CommonBasicComponents'),
}
type Namespace = keyof typeof namespaces
const addressOf = (namespace: Namespace) => `ubl/${namespace}.xsd`

function schema(target: Namespace, content: string): string {
  const known = Object.entries(namespaces).map(([prefix, name]) => ` xmlns:${prefix}="${name}"`)
  const imports = (['cac', 'cbc'] as const)
    .filter((one) => one !== target)
    .map((one) => `<xs:import namespace="${namespaces[one]}" schemaLocation="${one}.xsd"/>`)
  return `<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"${known.join('')} xmlns="${namespaces[target]}"
    targetNamespace="${namespaces[target]}" elementFormDefault="qualified">${imports.join('')}${content}</xs:schema>`
}

const occurrences = { '': '0 1', '!': '1 1', '+': '1 unbounded', '*': '0 unbounded' } as const

function aggregate(name: string, children: readonly string[]): string {
  const sequence = children.map((word) => {
    const [, child = '', mark = ''] = /^(\w+)([!+*]?)$/.exec(word)!
    const [min, max] = occurrences[mark as keyof typeof occurrences].split(' ')
    const prefix = child in aggregates ? 'cac' : 'cbc'
    return `<xs:element ref="${prefix}:${child}" minOccurs="${min}" maxOccurs="${max}"/>`
  })
  return `<xs:element name="${name}"><xs:complexType><xs:sequence>${sequence.join('')}</xs:sequence></xs:complexType></xs:element>`
}

function basic(name: string): string {
  const [, type, attribute, use] = values.find(([pattern]) => pattern.test(name))!
  const attributes = attribute ? `<xs:attribute name="${attribute}" type="xs:normalizedString" use="${use}"/>` : ''
  return `<xs:element name="${name}"><xs:complexType><xs:simpleContent><xs:extension base="${type}">${attributes}</xs:extension>
    </xs:simpleContent></xs:complexType></xs:element>`
}

const filled = `<xs:simpleType name="filled"><xs:restriction base="xs:string"><xs:pattern value="[\\s\\S]*\\S[\\s\\S]*"/>
  </xs:restriction></xs:simpleType>`

/** Of invoices. It is for as long as the process lives. */
export function ublValidator(): XsdValidator {
  const all = [...new Set([invoice, ...Object.values(aggregates)].flat().map((word) => word.replace(/\W$/, '')))]
  const schemas: Record<Namespace, string> = {
    inv: schema('inv', aggregate('Invoice', invoice)),
    cac: schema(
      'cac',
      Object.entries(aggregates)
        .map(([name, children]) => aggregate(name, children))
        .join(''),
    ),
    cbc: schema(
      'cbc',
      filled +
        all
          .filter((name) => !(name in aggregates))
          .map(basic)
          .join(''),
    ),
  }
  const files = Object.entries(schemas).map(([namespace, text]) => [
    addressOf(namespace as Namespace),
    Buffer.from(text),
  ])
  xmlRegisterInputProvider(new XmlBufferInputProvider(Object.fromEntries(files)))
  return XsdValidator.fromDoc(XmlDocument.fromString(schemas.inv, { url: addressOf('inv') }))
}
