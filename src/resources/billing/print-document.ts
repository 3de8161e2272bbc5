// A quote or an invoice as its customer may see it, read in one statement.
import { raw, sql } from '../../db/database.ts'
import { notFound } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import type { PrintDocument } from '../../rendering/print-document.ts'

export type DocumentKind = 'quote' | 'invoice'

/** How many of the shop's messages a page shows; the newest stay. */
const maxMessages = 50
/** The same for payments: those before are one sum. */
const maxPayments = 100

export function selectPrintDocument(
  { orgId }: Pick<Context, 'orgId'>,
  kind: DocumentKind,
  documentId: string,
): Statement<PrintDocument> {
  return statement(
    sql`select ${kind === 'quote' ? quoteColumns : invoiceColumns(orgId)},
        document.title, document.status, document.currency, document.line_items as lines,
        document.subtotal::float8, document.discount_total::float8 as "discountTotal", document.discount ->> 'reason' as "discountReason",
        document.net_total::float8 as "netTotal", document.tax_total::float8 as "taxTotal", document.total::float8, document.taxes,
        document.deposit_amount::float8 as "depositAmount", document.terms,
        json_build_object('name', organisation.name, 'email', organisation.email, 'phone', organisation.phone,
          'website', organisation.website, 'address', organisation.address, 'taxNumber', organisation.tax_number,
          'logoUrl', organisation.logo_url, 'locale', organisation.locale, 'timeZone', organisation.time_zone) as organisation,
        json_build_object('name', document.customer_name, 'email', document.customer_email, 'address', coalesce(
          (select address from customers where org_id = ${orgId} and id = document.customer_id),
          (select address from tickets where org_id = ${orgId} and id = document.ticket_id))) as customer,
        (select coalesce(json_agg(message order by message.at), '[]') from (
          select text, created_at as at, organisation.name as from from messages
          where org_id = ${orgId} and ticket_id = document.ticket_id and visibility = 'customer' and not is_system
          order by created_at desc, id desc limit ${maxMessages}::int) message) as messages
      from ${raw(`${kind}s`)} document join organisations organisation using (org_id)
      where document.org_id = ${orgId} and document.id = ${documentId}`,
    ([row]: PrintDocumentRow[]) => {
      if (!row) throw notFound(kind)
      return { kind, ...row, ...isoMoments(row) }
    },
  )
}

const quoteColumns = sql`document.quote_number as number, document.created_at as "issuedAt", document.valid_until as "validUntil",
  null as "dueAt", (document.status in ('draft', 'sent') and coalesce(document.valid_until < now(), false)) as "isExpired",
  false as "isOverdue", document.accepted_at as "acceptedAt", document.accepted_by_name as "acceptedByName",
  document.declined_at as "declinedAt", 0 as "amountPaid", document.total::float8 as balance, false as paid,
  false as "depositPaid", '[]'::json as payments, '{"count": 0, "amount": 0}'::json as "earlierPayments", null as "paymentInstructions"`

const invoiceColumns = (orgId: string) => sql`document.invoice_number as number, document.issued_at as "issuedAt",
  null as "validUntil",
  document.due_at as "dueAt", false as "isExpired",
  (document.status = 'sent' and document.has_balance and document.due_at < now()) as "isOverdue",
  null as "acceptedAt", null as "acceptedByName", null as "declinedAt", document.amount_paid::float8 as "amountPaid",
  document.balance::float8, document.paid, document.deposit_paid as "depositPaid",
  (select coalesce(json_agg(payment order by payment."paidAt"), '[]') from (
    select paid_at as "paidAt", amount, payment_method as "paymentMethod" from payments
    where payments.org_id = ${orgId} and payments.invoice_id = document.id
    order by paid_at desc, id desc limit ${maxPayments}::int) payment) as payments,
  (select json_build_object('count', count(*), 'amount', coalesce(sum(amount), 0)) from (
    select amount from payments where payments.org_id = ${orgId} and payments.invoice_id = document.id
    order by paid_at desc, id desc offset ${maxPayments}::int) earlier) as "earlierPayments",
  document.payment_instructions as "paymentInstructions"`

type Moments = 'issuedAt' | 'validUntil' | 'dueAt' | 'acceptedAt' | 'declinedAt'
type PrintDocumentRow = Omit<PrintDocument, 'kind' | Moments> & { readonly [Moment in Moments]: Date | null }

const isoMoments = (row: PrintDocumentRow) => ({
  issuedAt: row.issuedAt!.toISOString(),
  validUntil: row.validUntil?.toISOString() ?? null,
  dueAt: row.dueAt?.toISOString() ?? null,
  acceptedAt: row.acceptedAt?.toISOString() ?? null,
  declinedAt: row.declinedAt?.toISOString() ?? null,
})
