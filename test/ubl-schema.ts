// What the schema of UBL 2.1 says of those elements that our invoices hold: the order of their children, how many of each there
// may be, and what stands in those without children. The schema itself is 3 MB, and in no package that could be installed.
import type { Element } from './e-invoice-rules/rule.ts'

const words = (text: string): readonly string[] => text.trim().split(/\s+/)

/** One at most of each; `!` is exactly one, `+` one or more, `*` any number. */
const children: Readonly<Record<string, readonly string[]>> = {
  Invoice:
    words(`UBLExtensions UBLVersionID CustomizationID ProfileID ProfileExecutionID ID! CopyIndicator UUID IssueDate! IssueTime
    DueDate InvoiceTypeCode Note* TaxPointDate DocumentCurrencyCode TaxCurrencyCode PricingCurrencyCode PaymentCurrencyCode
    PaymentAlternativeCurrencyCode AccountingCostCode AccountingCost LineCountNumeric BuyerReference InvoicePeriod* OrderReference
    BillingReference* DespatchDocumentReference* ReceiptDocumentReference* StatementDocumentReference* OriginatorDocumentReference*
    ContractDocumentReference* AdditionalDocumentReference* ProjectReference* Signature* AccountingSupplierParty!
    AccountingCustomerParty! PayeeParty BuyerCustomerParty SellerSupplierParty TaxRepresentativeParty Delivery* DeliveryTerms
    PaymentMeans* PaymentTerms* PrepaidPayment* AllowanceCharge* TaxExchangeRate PricingExchangeRate PaymentExchangeRate
    PaymentAlternativeExchangeRate TaxTotal* WithholdingTaxTotal* LegalMonetaryTotal! InvoiceLine+`),
  Party:
    words(`MarkCareIndicator MarkAttentionIndicator WebsiteURI LogoReferenceID EndpointID IndustryClassificationCode
    PartyIdentification* PartyName* Language PostalAddress PhysicalLocation PartyTaxScheme* PartyLegalEntity* Contact Person*
    AgentParty ServiceProviderParty* PowerOfAttorney* FinancialAccount`),
  PostalAddress:
    words(`ID AddressTypeCode AddressFormatCode Postbox Floor Room StreetName AdditionalStreetName BlockName
    BuildingName BuildingNumber InhouseMail Department MarkAttention MarkCare PlotIdentification CitySubdivisionName CityName
    PostalZone CountrySubentity CountrySubentityCode Region District TimezoneOffset AddressLine* Country LocationCoordinate*`),
  PartyTaxScheme: words(
    'RegistrationName CompanyID TaxLevelCode ExemptionReasonCode ExemptionReason* RegistrationAddress TaxScheme!',
  ),
  Contact: words('ID Name Telephone Telefax ElectronicMail Note* OtherCommunication*'),
  PaymentMeans:
    words(`ID PaymentMeansCode! PaymentDueDate PaymentChannelCode InstructionID InstructionNote* PaymentID* CardAccount
    PayerFinancialAccount PayeeFinancialAccount CreditAccount PaymentMandate TradeFinancing`),
  PayeeFinancialAccount: words(`ID Name AliasName AccountTypeCode AccountFormatCode CurrencyCode PaymentNote*
    FinancialInstitutionBranch Country`),
  AllowanceCharge: words(`ID ChargeIndicator! AllowanceChargeReasonCode AllowanceChargeReason* MultiplierFactorNumeric
    PrepaidIndicator SequenceNumeric Amount! BaseAmount AccountingCostCode AccountingCost PerUnitAmount TaxCategory* TaxTotal
    PaymentMeans*`),
  TaxTotal: words('TaxAmount! RoundingAmount TaxEvidenceIndicator TaxIncludedIndicator TaxSubtotal*'),
  TaxSubtotal:
    words(`TaxableAmount TaxAmount! CalculationSequenceNumeric TransactionCurrencyTaxAmount Percent BaseUnitMeasure
    PerUnitAmount TierRange TierRatePercent TaxCategory!`),
  TaxCategory: words(`ID Name Percent BaseUnitMeasure PerUnitAmount TaxExemptionReasonCode TaxExemptionReason* TierRange
    TierRatePercent TaxScheme!`),
  ClassifiedTaxCategory: words('ID Name Percent TaxExemptionReasonCode TaxExemptionReason* TaxScheme!'),
  LegalMonetaryTotal:
    words(`LineExtensionAmount TaxExclusiveAmount TaxInclusiveAmount AllowanceTotalAmount ChargeTotalAmount
    PrepaidAmount PayableRoundingAmount PayableAmount! PayableAlternativeAmount`),
  InvoiceLine:
    words(`ID! UUID Note* InvoicedQuantity LineExtensionAmount! TaxPointDate AccountingCostCode AccountingCost
    PaymentPurposeCode FreeOfChargeIndicator InvoicePeriod* OrderLineReference* DespatchLineReference* ReceiptLineReference*
    BillingReference* DocumentReference* PricingReference OriginatorParty Delivery* PaymentTerms* AllowanceCharge* TaxTotal*
    WithholdingTaxTotal* Item! Price DeliveryTerms SubInvoiceLine* ItemPriceExtension`),
  Item: words(`Description* PackQuantity PackSizeNumeric CatalogueIndicator Name HazardousRiskIndicator AdditionalInformation*
    Keyword* BrandName* ModelName* BuyersItemIdentification SellersItemIdentification ManufacturersItemIdentification*
    StandardItemIdentification CatalogueItemIdentification CatalogueDocumentReference ItemSpecificationDocumentReference*
    OriginCountry CommodityClassification* TransactionConditions* HazardousItem* ClassifiedTaxCategory* AdditionalItemProperty*`),
  Price: words('PriceAmount! BaseQuantity PriceChangeReason* PriceTypeCode PriceType OrderableUnitFactorRate'),
  AccountingSupplierParty: words('CustomerAssignedAccountID AdditionalAccountID* DataSendingCapability Party'),
  AccountingCustomerParty: words('CustomerAssignedAccountID SupplierAssignedAccountID AdditionalAccountID* Party'),
  PartyIdentification: words('ID!'),
  PartyName: words('Name!'),
  PartyLegalEntity: words('RegistrationName CompanyID RegistrationDate'),
  Country: words('IdentificationCode Name'),
  TaxScheme: words('ID Name TaxTypeCode CurrencyCode'),
  PaymentTerms: words('ID PaymentMeansID* PrepaidPaymentReferenceID Note*'),
  FinancialInstitutionBranch: words('ID Name'),
  SellersItemIdentification: words('ID! ExtendedID BarcodeSymbologyID'),
}

const decimal = /^[+-]?(\d+(\.\d*)?|\.\d+)$/
const day = /^\d{4}-(0\d|1[0-2])-([0-2]\d|3[01])$/

/** What stands in an element without children, and the attributes that it must have; what else is a text takes anything. */
const values: readonly (readonly [name: RegExp, value: RegExp, attributes: readonly string[]])[] = [
  [/Amount$/, decimal, ['currencyID']],
  [/^(Percent|.*Numeric)$/, decimal, []],
  [/Quantity$/, decimal, []],
  [/Date$/, day, []],
  [/Indicator$/, /^(true|false|0|1)$/, []],
  [/Code$/, /^\S+$/, []],
]
const knownAttributes: readonly (readonly [name: RegExp, attributes: readonly string[]])[] = [
  [/Amount$/, ['currencyID']],
  [/Quantity$/, ['unitCode']],
  [/ID$/, ['schemeID']],
]

/** What the schema would say against an element and all that it holds. */
export function schemaProblems(element: Element): string[] {
  const { name, text, attributes, children: held } = element
  const own = held.length > 0 ? orderProblems(element) : valueProblems(name, text, Object.keys(attributes))
  return [...own, ...held.flatMap(schemaProblems)]
}

function orderProblems({ name, children: held }: Element): string[] {
  const known = children[name]
  if (!known) return [`${name} has children`]
  const names = known.map((word) => word.replace(/[!+*]$/, ''))
  const places = held.map((child) => names.indexOf(child.name))
  const strangers = held.filter((_, index) => places[index] === -1).map((child) => `${name} holds ${child.name}`)
  const isInOrder = places.every((place, index) => index === 0 || place >= places[index - 1]!)
  const counts = known.flatMap((word, place) => {
    const count = places.filter((one) => one === place).length
    const isRight = /\*$/.test(word) || (/\+$/.test(word) ? count > 0 : /!$/.test(word) ? count === 1 : count <= 1)
    return isRight ? [] : [`${name} holds ${count} of ${word}`]
  })
  return [...strangers, ...counts, ...(isInOrder ? [] : [`${name}: ${held.map((child) => child.name).join(' ')}`])]
}

function valueProblems(name: string, text: string, given: readonly string[]): string[] {
  const [, value = /\S/, required = []] = values.find(([pattern]) => pattern.test(name)) ?? []
  const [, allowed = []] = knownAttributes.find(([pattern]) => pattern.test(name)) ?? []
  return [
    ...(value.test(text) ? [] : [`${name} is ${text}`]),
    ...required.filter((attribute) => !given.includes(attribute)).map((attribute) => `${name} lacks ${attribute}`),
    ...given.filter((attribute) => !allowed.includes(attribute)).map((attribute) => `${name} has ${attribute}`),
  ]
}
