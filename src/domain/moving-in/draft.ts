// A record as a file tells it, before anybody has looked whether it is there already.
import type { Kind } from './kinds.ts'

/** What is wrong with a row, and what to do about it. */
export interface Problem {
  /** As a spreadsheet counts it. */
  readonly row: number
  readonly column: string | null
  readonly value: string | null
  readonly reason: string
  readonly fix: string
}

/** What was decided without asking. */
export interface Repair {
  readonly row: number
  readonly column: string | null
  readonly value: string | null
  readonly reason: string
}

/** By what a customer is looked for. */
export interface CustomerRef {
  readonly externalId?: string | undefined
  readonly name?: string | undefined
  readonly email?: string | undefined
  readonly phone?: string | undefined
  readonly address?: string | undefined
}

export interface StatedDiscount {
  readonly value: number
  /** Else it is an amount, as far as anybody says. */
  readonly isPercent: boolean
}

export interface DraftLine {
  readonly name: string
  readonly description: string | null
  readonly quantity: number
  readonly unitPrice: number
  /** Percent, as the row states it: 0 is not taxed, undefined is not said. */
  readonly taxRate?: number | undefined
  /** What the row says its tax comes to. */
  readonly tax?: number | undefined
  /** What the row says is taken off, unless what its line comes to is without it already. */
  readonly discount?: StatedDiscount | undefined
}

/** What a quote or an invoice says besides its fields. */
export interface DraftMoney {
  readonly lines: readonly DraftLine[]
  /** What lines below zero come to. */
  readonly deduction: number
  readonly deductions?: readonly DraftLine[] | undefined
  /** What is taken off all lines. */
  readonly discount?: StatedDiscount | undefined
  /** The discounts of lines come beside that one; else they are the same one, which may be of either. */
  readonly hasOwnLineDiscounts?: boolean | undefined
  /** Nothing is said of lines: the one there is stands for all of it. */
  readonly isWhole?: boolean | undefined
  readonly subtotal?: number | undefined
  readonly taxTotal?: number | undefined
  /** The first rate that is stated: lines that state none have it. */
  readonly taxRate?: number | undefined
  readonly total?: number | undefined
  readonly balance?: number | undefined
  readonly amountPaid?: number | undefined
  /** Where a column says whether it was paid, not how much. */
  readonly isPaid?: boolean | undefined
  readonly paidAt?: string | undefined
  readonly paymentMethod?: string | undefined
  /** As the file calls it. */
  readonly currency?: string | undefined
  /** Amounts with signs or letters around the number. */
  readonly wordedAmounts?: readonly WordedAmount[] | undefined
}

interface WordedAmount {
  readonly row: number
  readonly column: string
  readonly value: string
}

export interface Draft {
  readonly kind: Kind
  /** The fields of a new record, as its operation takes them; what is missing is not there. */
  readonly values: Readonly<Record<string, unknown>>
  readonly customer?: CustomerRef | undefined
  /** The name of an inventory category. */
  readonly category?: string | undefined
  /** How the file calls the status of a job or a document. */
  readonly status?: string | undefined
  readonly money?: DraftMoney | undefined
  readonly createdAt?: string | undefined
  readonly closedAt?: string | undefined
  /** What is written on a job's timeline. */
  readonly message?: string | undefined
  /** Why the row does not count. */
  readonly skipped?: string | undefined
  readonly problems: readonly Problem[]
  readonly repairs: readonly Repair[]
}
