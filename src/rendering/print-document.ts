// What a customer may see of a quote or an invoice: one value, decided by others, from which page, PDF and mail are made.

/** Notes have no place here: they are internal everywhere. Nothing about money is computed from it, only written down. */
export interface PrintDocument {
  readonly kind: 'quote' | 'invoice'
  readonly number: string
  readonly title: string | null
  readonly status: 'draft' | 'sent' | 'accepted' | 'declined' | 'invoiced' | 'void'
  readonly organisation: PrintOrganisation
  readonly customer: { readonly name: string | null; readonly email: string | null; readonly address: string | null }
  readonly currency: string
  /** A quote's creation. */
  readonly issuedAt: string
  /** Quotes only. */
  readonly validUntil: string | null
  /** Invoices only. */
  readonly dueAt: string | null
  readonly isExpired: boolean
  readonly isOverdue: boolean
  readonly lines: readonly PrintLine[]
  readonly subtotal: number
  readonly discountTotal: number
  readonly discountReason: string | null
  readonly netTotal: number
  readonly taxTotal: number
  readonly total: number
  readonly taxes: readonly PrintTax[]
  readonly depositAmount: number
  /** Of a quote: nothing paid, the total open. */
  readonly amountPaid: number
  readonly balance: number
  readonly paid: boolean
  readonly depositPaid: boolean
  /** The newest, oldest first. */
  readonly payments: readonly { readonly paidAt: string; readonly amount: number; readonly paymentMethod: string }[]
  /** Those before the ones that are shown. */
  readonly earlierPayments: { readonly count: number; readonly amount: number }
  readonly acceptedAt: string | null
  readonly acceptedByName: string | null
  readonly declinedAt: string | null
  readonly terms: string | null
  readonly paymentInstructions: string | null
  /** The messages of the job that are meant for the customer, oldest first. */
  readonly messages: readonly { readonly text: string; readonly at: string; readonly from: string }[]
}

export interface PrintOrganisation {
  readonly name: string
  readonly email: string | null
  readonly phone: string | null
  readonly website: string | null
  readonly address: string | null
  readonly taxNumber: string | null
  readonly logoUrl: string | null
  readonly locale: string
  readonly timeZone: string
}

export interface PrintLine {
  readonly name: string
  readonly description: string | null
  readonly sku: string | null
  readonly serialNumber: string | null
  readonly warrantyDays: number | null
  readonly quantity: number
  readonly unitPrice: number
  readonly lineTotal: number
  readonly taxRate: { readonly name: string; readonly rate: number; readonly isInclusive: boolean } | null
}

export interface PrintTax {
  readonly name: string
  /** Percent. */
  readonly rate: number
  readonly isInclusive: boolean
  readonly taxable: number
  readonly amount: number
}

/**
 * As its customer will have it: sending makes a draft a sent one, which is late if it was due before, and paid if there is
 * nothing to pay.
 */
export function asSent(document: PrintDocument, now: Date): PrintDocument {
  const { kind, status, balance, dueAt, paid, total } = document
  if (status !== 'draft') return document
  if (kind === 'quote') return { ...document, status: 'sent' }
  const isOverdue = balance > 0 && dueAt !== null && Date.parse(dueAt) < now.getTime()
  return { ...document, status: 'sent', isOverdue, paid: paid || total <= 0 }
}
