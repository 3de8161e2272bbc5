// What an e-invoice is made from: an invoice with both sides, as they are stored.
import type { VatCategory } from '../code-lists.ts'
import type { Discount, PricedLine } from '../totals.ts'
import type { EInvoiceFormat } from './formats.ts'

export interface SourceAddress {
  readonly scheme: string
  readonly value: string
}

export interface SourceLine {
  readonly kind: PricedLine['kind']
  readonly name: string
  readonly description: string | null
  readonly sku: string | null
  readonly quantity: number
  readonly unitPrice: number
  /** Lines that were written before there were units have none. */
  readonly unitCode?: string
  readonly taxRateId: string | null
  readonly taxRate: { readonly name: string; readonly rate: number; readonly isInclusive: boolean } | null
}

export interface SourceOrganisation {
  readonly name: string
  readonly legalName: string | null
  readonly address: string | null
  readonly email: string | null
  readonly phone: string | null
  readonly countryCode: string | null
  readonly vatId: string | null
  readonly taxNumber: string | null
  readonly iban: string | null
  readonly bic: string | null
  readonly electronicAddress: SourceAddress | null
}

export interface SourceCustomer {
  readonly name: string | null
  readonly email: string | null
  readonly address: string | null
  readonly countryCode: string | null
  readonly vatId: string | null
  readonly electronicAddress: SourceAddress | null
  readonly buyerReference: string | null
}

export interface SourceInvoice {
  readonly status: 'draft' | 'sent' | 'void'
  readonly number: string
  /** Days where the shop is, as 2026-11-16. */
  readonly issuedOn: string
  readonly dueOn: string
  readonly currency: string
  readonly title: string | null
  readonly paymentInstructions: string | null
  readonly lines: readonly SourceLine[]
  readonly discount: (Discount & { readonly reason?: string | null }) | null
  readonly netTotal: number
  readonly taxTotal: number
  readonly total: number
  readonly amountPaid: number
  readonly organisation: SourceOrganisation
  readonly customer: SourceCustomer
  /** All that the organisation has today. */
  readonly taxRates: readonly {
    readonly id: string
    readonly vatCategory: VatCategory
    readonly exemptionReason: string | null
  }[]
}

/** A line as totals take it. */
export const pricedLine = ({ kind, quantity, unitPrice, taxRate, taxRateId }: SourceLine): PricedLine => ({
  kind,
  quantity,
  unitPrice,
  tax: taxRate && { ...taxRate, taxRateId },
})

/** What the shop is known by where it gives no VAT id. */
export const sellerIdentifier = ({ taxNumber, vatId, electronicAddress, email }: SourceOrganisation): string | null =>
  taxNumber ?? vatId ?? electronicAddress?.value ?? email

/** XRechnung's rules are those of Peppol, too, where both sides are in Germany (DE-R-001 and those after it). */
export const isGerman = ({ organisation, customer }: SourceInvoice, format: EInvoiceFormat): boolean =>
  format === 'xrechnung' || (format === 'ubl' && organisation.countryCode === 'DE' && customer.countryCode === 'DE')
