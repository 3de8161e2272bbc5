// An invoice as EN 16931 has it, judged before it is written: what is missing or wrong is named by its path.
import { compactIban } from '../bank-accounts.ts'
import { plainUnit } from '../code-lists.ts'
import { decimalPlaces, decimalsOf, decimalText, divideRounded, toScaled } from '../money.ts'
import { type PostalAddress, postalAddress } from './address.ts'
import { type Amounts, addsUp, amountsOf, type VatSum } from './amounts.ts'
import type { EInvoiceFormat } from './formats.ts'
import { legalIdentifier, transferCode } from './national.ts'
import { findProblems } from './problems.ts'
import type { Problem } from './reasons.ts'
import { isGerman, type SourceAddress, type SourceInvoice, type SourceLine, sellerIdentifier } from './source.ts'
import { type Vat, vatOf } from './vat.ts'

export interface Party {
  readonly name: string
  readonly tradingName: string | null
  readonly vatId: string | null
  readonly taxNumber: string | null
  /** What a buyer knows the seller by where that is not the VAT id (BR-CO-26). */
  readonly identifier: string | null
  /** In the register of companies, for countries that ask for it. */
  readonly legalIdentifier: SourceAddress | null
  readonly electronicAddress: SourceAddress | null
  readonly countryCode: string
  readonly address: PostalAddress
  readonly phone: string | null
  readonly email: string | null
}

export interface EInvoiceLine {
  readonly name: string
  readonly description: string | null
  readonly sku: string | null
  readonly quantity: string
  readonly unitCode: string
  /** Without tax, with as many decimal places as it takes. */
  readonly price: string
  readonly net: string
  readonly vat: Vat
}

/** Amounts are decimal numbers as text. */
export interface EInvoice {
  readonly format: EInvoiceFormat
  /** What is outside VAT has a rate there, too (BR-DE-14). */
  readonly isGerman: boolean
  readonly number: string
  readonly issuedOn: string
  readonly dueOn: string
  readonly currency: string
  readonly note: string | null
  readonly buyerReference: string | null
  readonly paymentTerms: string | null
  readonly discountReason: string
  readonly seller: Party
  readonly buyer: Party
  readonly account: {
    readonly code: string
    readonly iban: string
    readonly bic: string | null
    readonly name: string
  } | null
  readonly lines: readonly EInvoiceLine[]
  readonly vatSums: readonly (Omit<VatSum, 'allowance' | 'taxable' | 'tax'> & {
    readonly allowance: string | null
    readonly taxable: string
    readonly tax: string
  })[]
  readonly sums: Readonly<Record<'lines' | 'net' | 'tax' | 'total' | 'payable', string>> & {
    /** Null where there are none. */
    readonly allowances: string | null
    readonly paid: string | null
  }
}

export type Judged = { readonly eInvoice: EInvoice } | { readonly problems: readonly Problem[] }

export function judgeEInvoice(source: SourceInvoice, format: EInvoiceFormat): Judged {
  const vats = source.lines.map((line) => vatOf(line, source))
  // What does not say why it has no tax is reckoned without, so that all is told at once.
  const amounts = amountsOf(
    source,
    vats.map((vat) => vat ?? untaxed),
  )
  const problems = findProblems(source, format, vats, addsUp(amounts, source))
  return problems.length > 0 ? { problems } : { eInvoice: compose(source, format, vats as Vat[], amounts) }
}

const untaxed: Vat = { category: 'E', rate: 0, reason: null }

function compose(source: SourceInvoice, format: EInvoiceFormat, vats: readonly Vat[], amounts: Amounts): EInvoice {
  const { organisation, customer, currency } = source
  const decimals = decimalsOf(currency)
  const amount = (minor: bigint) => decimalText(minor, decimals)
  // Whoever is outside VAT has no VAT id there (BR-O-02).
  const isOutside = vats.some(({ category }) => category === 'O')
  const byEmail = (email: string | null): SourceAddress | null => (email ? { scheme: 'EM', value: email } : null)
  const legalIdOf = (trader: SourceInvoice['organisation' | 'customer']) =>
    format === 'ubl' ? legalIdentifier(trader) : null
  return {
    format,
    isGerman: isGerman(source, format),
    number: source.number,
    issuedOn: source.issuedOn,
    dueOn: source.dueOn,
    currency,
    note: source.title,
    buyerReference: customer.buyerReference,
    // A number sign begins a discount for early payment there (BR-DE-18).
    paymentTerms: source.paymentInstructions?.replaceAll('#', '') || null,
    discountReason: source.discount?.reason || 'Discount',
    seller: {
      name: organisation.legalName ?? organisation.name,
      tradingName: organisation.legalName ? organisation.name : null,
      vatId: isOutside ? null : organisation.vatId,
      taxNumber: isOutside || organisation.vatId === organisation.taxNumber ? null : organisation.taxNumber,
      // Denmark wants none that is of no register (DK-R-013).
      identifier:
        (isOutside || !organisation.vatId) && !legalIdOf(organisation) ? sellerIdentifier(organisation) : null,
      legalIdentifier: legalIdOf(organisation),
      electronicAddress: organisation.electronicAddress ?? byEmail(organisation.email),
      countryCode: organisation.countryCode!,
      address: postalAddress(organisation.address),
      phone: organisation.phone,
      email: organisation.email,
    },
    buyer: {
      name: customer.name!,
      tradingName: null,
      vatId: isOutside ? null : customer.vatId,
      taxNumber: null,
      identifier: null,
      legalIdentifier: legalIdOf(customer),
      electronicAddress: customer.electronicAddress ?? byEmail(customer.email),
      countryCode: customer.countryCode!,
      address: postalAddress(customer.address),
      phone: null,
      email: customer.email,
    },
    account: organisation.iban
      ? {
          code: transferCode(source),
          iban: compactIban(organisation.iban),
          bic: organisation.bic,
          name: organisation.legalName ?? organisation.name,
        }
      : null,
    lines: source.lines.map((line, index) => ({
      name: line.name,
      description: line.description,
      sku: line.sku,
      quantity: String(line.quantity),
      unitCode: line.unitCode ?? plainUnit,
      price: priceOf(line, amounts.lineNets[index]!, decimals),
      net: amount(amounts.lineNets[index]!),
      vat: vats[index]!,
    })),
    vatSums: amounts.vatSums.map(({ vat, allowance, taxable, tax }) => ({
      vat,
      allowance: allowance === 0n ? null : amount(allowance),
      taxable: amount(taxable),
      tax: amount(tax),
    })),
    sums: {
      lines: amount(amounts.lines),
      allowances: amounts.allowances === 0n ? null : amount(amounts.allowances),
      net: amount(amounts.net),
      tax: amount(amounts.tax),
      total: amount(amounts.total),
      paid: amounts.paid === 0n ? null : amount(amounts.paid),
      payable: amount(amounts.payable),
    },
  }
}

const pricePlaces = 10
const twoCents = 2n * 10n ** BigInt(2 * decimalPlaces - 2)

/**
 * As it was asked, where that comes to the line within two cents (Peppol's R120). Prices that hold the tax do not, nor do
 * fractions of a currency without cents.
 */
function priceOf({ quantity, unitPrice, taxRate }: SourceLine, net: bigint, decimals: number): string {
  const asked = toScaled(quantity, decimalPlaces)! * toScaled(unitPrice, decimalPlaces)!
  const difference = asked - net * 10n ** BigInt(2 * decimalPlaces - decimals)
  const isClose = difference <= twoCents && difference >= -twoCents
  return isClose && !taxRate?.isInclusive ? String(unitPrice) : quotient(net, decimals, quantity)
}

/** What one of them costs: exact enough that the largest quantity of it comes to the line's net again. */
function quotient(minor: bigint, decimals: number, quantity: number): string {
  const scaledQuantity = toScaled(quantity, decimalPlaces)!
  const scaled = divideRounded(minor * 10n ** BigInt(pricePlaces + decimalPlaces - decimals), scaledQuantity)
  return decimalText(scaled, pricePlaces).replace(/\.?0+$/, '')
}
