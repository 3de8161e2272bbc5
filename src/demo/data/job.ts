// What the sample data says of a job.
import type { InvoiceSpec, LineSpec, QuoteSpec } from './billing.ts'
import type { Station, Status } from './catalogue.ts'
import type { DeviceKind } from './devices.ts'
import type { Colleague } from './staff.ts'

/** What is done about a thing: enough to do the same for anybody who owns one. */
export interface WorkSpec extends LineSpec {
  /** Null: it is not about a thing. */
  readonly thing: DeviceKind | null
  readonly asks: string
  readonly details?: string
  readonly priority?: 'low' | 'high' | 'urgent'
  readonly who?: Colleague
  readonly where?: Station
}

export interface Job extends WorkSpec {
  /** The regular's first name. */
  readonly customer: string
  /** How many days ago it was brought in; visits are arranged in the week before. */
  readonly daysAgo?: number
  readonly status?: Exclude<Status, 'Closed'>
  /** How many days later it was closed. */
  readonly closedAfter?: number
  /** An appointment in this week: the day, Monday being 0, the time, and the minutes it takes. */
  readonly visit?: readonly [number, `${number}:${number}`, number]
  readonly discount?: { readonly type: 'percent' | 'fixed'; readonly value: number; readonly reason: string }
  readonly says?: readonly MessageSpec[]
  readonly quote?: QuoteSpec
  readonly invoice?: InvoiceSpec
}

/** Who wrote what, and whether the customer reads it too. */
export type MessageSpec = readonly [Colleague, string, 'customer'?]
