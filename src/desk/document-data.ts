// What the page of a quote or an invoice shows: the record as callers read it, and what stands around it.
import { raw, sql } from '../db/database.ts'
import type { Discount, TaxTotal } from '../domain/totals.ts'
import { notFound } from '../operations/errors.ts'
import type { LineItem } from '../resources/billing/line-items.ts'
import type { DocumentKind } from './document-marks.ts'
import type { DeskRequest } from './router.ts'

/** What the operations on both kinds are called. */
export const operationsOf = {
  quote: {
    read: 'getQuote',
    update: 'updateQuote',
    remove: 'deleteQuote',
    send: 'sendQuote',
    pdf: 'getQuotePdf',
    share: 'createQuoteShareLink',
    unshare: 'removeQuoteShareLink',
  },
  invoice: {
    read: 'getInvoice',
    update: 'updateInvoice',
    remove: 'deleteInvoice',
    send: 'sendInvoice',
    pdf: 'getInvoicePdf',
    share: 'createInvoiceShareLink',
    unshare: 'removeInvoiceShareLink',
  },
} as const

export type Offset = Discount & { readonly reason: string | null }

/** As `getQuote` and `getInvoice` answer it; what only one of them has is undefined in the other. */
export interface DocumentRecord {
  readonly id: string
  readonly quoteNumber?: string
  readonly invoiceNumber?: string
  readonly customerId: string | null
  readonly ticketId: string | null
  readonly customerName: string | null
  readonly customerEmail: string | null
  readonly title: string | null
  readonly notes: string | null
  readonly terms: string | null
  readonly paymentInstructions?: string | null
  readonly lineItems: readonly LineItem[]
  readonly discount: Offset | null
  readonly deposit: Offset | null
  readonly currency: string
  readonly subtotal: number
  readonly discountTotal: number
  readonly taxes: readonly TaxTotal[]
  readonly total: number
  readonly depositAmount: number
  readonly depositPaid?: boolean
  readonly status: 'draft' | 'sent' | 'accepted' | 'declined' | 'invoiced' | 'void'
  readonly createdAt: string
  readonly sentAt: string | null
  readonly viewedAt: string | null
  readonly shareLink: {
    readonly url: string | null
    readonly viewCount: number
    readonly lastViewedAt: string | null
  } | null
  readonly delivery: {
    readonly to: string
    readonly status: 'queued' | 'sent' | 'failed'
    readonly failureReason: string | null
  } | null
  readonly validUntil?: string | null
  readonly isExpired?: boolean
  readonly acceptedAt?: string | null
  readonly acceptedByName?: string | null
  readonly declinedAt?: string | null
  readonly declineReason?: string | null
  readonly invoiceId?: string | null
  readonly quoteId?: string | null
  readonly issuedAt?: string
  readonly dueAt?: string
  readonly paid?: boolean
  readonly paidAt?: string | null
  readonly voidedAt?: string | null
  readonly isOverdue?: boolean
  readonly amountPaid?: number
  readonly balance?: number
}

export interface TaxRate {
  readonly id: string
  readonly name: string
  readonly rate: number
  readonly isDefault: boolean
}

export interface Payment {
  readonly id: string
  readonly amount: number
  readonly method: string
  readonly notes: string | null
  readonly at: string
  readonly isManaged: boolean
}

export interface Reminder {
  readonly id: string
  readonly at: string
  readonly status: 'scheduled' | 'sent' | 'skipped' | 'failed'
  readonly failureReason: string | null
}

interface Around {
  readonly taxRates: readonly TaxRate[]
  readonly job: { readonly id: string; readonly number: number; readonly title: string } | null
  readonly customer: { readonly id: string; readonly name: string; readonly phone: string | null } | null
  /** The invoice of a quote, the quote of an invoice. */
  readonly other: { readonly id: string; readonly number: string } | null
  readonly payments: readonly Payment[]
  readonly reminders: readonly Reminder[]
}

export interface DocumentPage extends Around {
  readonly kind: DocumentKind
  readonly record: DocumentRecord
  readonly number: string
  /** The ETag of the record. */
  readonly version: string | undefined
}

export const numberOf = ({ quoteNumber, invoiceNumber }: DocumentRecord): string => quoteNumber ?? invoiceNumber!

export const paramsOf = (kind: DocumentKind, id: string): Readonly<Record<string, string>> => ({ [`${kind}Id`]: id })

const maxListed = 100

export async function loadDocument(request: DeskRequest, kind: DocumentKind): Promise<DocumentPage> {
  const { orgId, database, params } = request
  const id = params.id!
  const [{ data: record, version }, [around]] = await Promise.all([
    request.readRecord<DocumentRecord>(operationsOf[kind].read, paramsOf(kind, id)),
    database.read<Around>(orgId, selectAround(orgId, kind, id)),
  ])
  return { kind, record, number: numberOf(record), version, ...around! }
}

function selectAround(orgId: string, kind: DocumentKind, id: string) {
  const own =
    kind === 'quote'
      ? sql`(select json_build_object('id', id, 'number', invoice_number) from invoices
          where org_id = ${orgId} and id = document.invoice_id) as other, '[]'::json as payments, '[]'::json as reminders`
      : sql`(select json_build_object('id', id, 'number', quote_number) from quotes
          where org_id = ${orgId} and id = document.quote_id) as other,
        (select coalesce(json_agg(one), '[]') from (
          select id, amount::float8 as amount, payment_method as method, notes, paid_at as at, source <> 'manual' as "isManaged"
          from payments where org_id = ${orgId} and invoice_id = ${id} order by created_at desc, id desc limit ${maxListed}::int) one) as payments,
        (select coalesce(json_agg(one), '[]') from (
          select id, remind_at as at, status, failure_reason as "failureReason" from reminders
          where org_id = ${orgId} and invoice_id = ${id} order by remind_at, id limit ${maxListed}::int) one) as reminders`
  return sql`
    select ${own},
      (select coalesce(json_agg(json_build_object('id', id, 'name', name, 'rate', rate::float8, 'isDefault', default_enabled)
        order by sort_name, id), '[]') from tax_rates where org_id = ${orgId}) as "taxRates",
      (select json_build_object('id', id, 'number', ticket_number, 'title', coalesce(service_required, 'Job without a title'))
        from tickets where org_id = ${orgId} and id = document.ticket_id) as job,
      (select json_build_object('id', id, 'name', coalesce(business_name, concat_ws(' ', first_name, last_name)), 'phone', phone)
        from customers where org_id = ${orgId} and id = document.customer_id) as customer
    from ${raw(`${kind}s`)} document where document.org_id = ${orgId} and document.id = ${id}`
}

/** The id of the document that has this number. */
export async function findByNumber({ orgId, database, params }: DeskRequest, kind: DocumentKind): Promise<string> {
  const [found] = await database.read<{ id: string }>(
    orgId,
    sql`select id from ${raw(`${kind}s`)} where org_id = ${orgId} and ${raw(`${kind}_number`)} = ${params.id!}`,
  )
  if (!found) throw notFound(kind)
  return found.id
}

/** Whoever has the address sees what it says: then every change is seen, and is made with a button of its own. */
export const isWithCustomer = ({ record: { status, shareLink } }: DocumentPage): boolean =>
  status !== 'draft' || shareLink !== null

/** What was answered, invoiced or voided says what it said then. */
export const isLocked = ({ record: { status } }: DocumentPage): boolean => status !== 'draft' && status !== 'sent'

/** What nobody outside the shop has seen leaves no gap. */
export const isDeletable = (page: DocumentPage): boolean => !isWithCustomer(page)
