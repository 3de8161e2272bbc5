// Invoices: what is owed for the work, and how much of it has been paid.
import { Type as t } from 'typebox'
import { badRequest, conflict } from '../../api/errors.ts'
import { dateTime, id } from '../../api/fields.ts'
import { newId } from '../../api/ids.ts'
import {
  type Context,
  type Json,
  message,
  operation,
  resource,
  type Statement,
  statement,
} from '../../api/operation.ts'
import { read } from '../../api/plain.ts'
import { paging } from '../../api/table.ts'
import { sql } from '../../database.ts'
import { type InvoiceStatus, mayInvoiceMove } from '../../domain/lifecycles.ts'
import type { Note } from '../../domain/timeline.ts'
import { documentFacts } from '../documents/facts.ts'
import { bodies } from '../documents/fields.ts'
import { refuseOpenInvoiceForms } from '../documents/gate.ts'
import { pdfOperation } from '../documents/pdf.ts'
import { sendOperation } from '../documents/send.ts'
import { shareLinkOperations } from '../documents/share-link.ts'
import { columnsOf, contentOf, type DocumentBody, differing } from '../documents/writing.ts'
import { quoteWithoutInvoice } from '../quotes/without-invoice.ts'
import { all, changedAfter } from '../search.ts'
import { noted } from '../tickets/timeline.ts'
import { invoiceAdded, refuseDueBeforeIssued } from './adding.ts'
import { heldInvoice, type Invoice, invoiceFields, invoices, sharedInvoice } from './record.ts'
import { reminderOperations } from './reminders.ts'
import { invoiceSending } from './sending.ts'
import { settlement } from './settlement.ts'

const { create, update } = bodies(invoiceFields, 'Invoice')

export default resource('invoices', [
  operation('GET /invoices', {
    name: 'listInvoices',
    summary: 'List invoices, newest first',
    query: t.Object({
      ...paging,
      customerId: t.Optional(id()),
      ticketId: t.Optional(id()),
      paid: t.Optional(t.Boolean()),
      updatedAfter: t.Optional(dateTime({ description: 'Invoices that changed after this moment.' })),
    }),
    returns: invoices.list,
    run: ({ query: { limit, startAfter, customerId, ticketId, paid, updatedAfter } }, ctx) => ({
      ...invoices.page(
        ctx,
        { limit, startAfter },
        all(
          customerId && sql`invoices.customer_id = ${customerId}`,
          ticketId && sql`invoices.ticket_id = ${ticketId}`,
          paid === undefined ? undefined : sql`invoices.paid = ${paid}`,
          updatedAfter && changedAfter('invoices', updatedAfter),
        ),
      ),
      way: updatedAfter ? 'vary' : 'search', // they are large: a connection of their own keeps others from waiting
    }),
  }),

  operation('POST /invoices', {
    name: 'createInvoice',
    summary: 'Create an invoice',
    body: create,
    status: 201,
    returns: invoices.record,
    conflicts: ['FORM_GATE_INVOICE'],
    async run({ body }, ctx) {
      return createInvoice(ctx, body as InvoiceBody)
    },
  }),

  read('/invoices/:invoiceId', invoices),

  operation('PUT /invoices/:invoiceId', {
    name: 'updateInvoice',
    summary: 'Change an invoice, or void it',
    body: update,
    returns: invoices.record,
    conflicts: ['FORM_GATE_INVOICE'],
    async run({ params: { invoiceId }, body }, ctx) {
      return changeInvoice(ctx, invoiceId, body as InvoiceBody)
    },
  }),

  operation('DELETE /invoices/:invoiceId', {
    name: 'deleteInvoice',
    summary: 'Delete an invoice with its payments, reminders and share link',
    returns: message,
    conflicts: ['PAYMENT_ACCOUNTING_MANAGED'],
    async run({ params: { invoiceId } }, ctx) {
      await ctx.ask(invoices.lock(ctx, invoiceId)) // nothing can be paid on an invoice that is held
      if (await ctx.ask(hasManagedPayments(ctx, invoiceId))) throw conflict('PAYMENT_ACCOUNTING_MANAGED')
      await ctx.ask(quoteWithoutInvoice(ctx, invoiceId))
      return ctx.ask(invoices.remove(ctx, invoiceId))
    },
  }),

  sendOperation('/invoices/:invoiceId', invoiceSending),
  ...shareLinkOperations('/invoices/:invoiceId', sharedInvoice),
  pdfOperation('/invoices/:invoiceId', 'invoice'),
  ...reminderOperations,
])

interface InvoiceBody extends DocumentBody {
  readonly paymentInstructions?: string | null
  readonly issuedAt?: string
  readonly dueAt?: string
  readonly status?: InvoiceStatus
}

async function createInvoice(ctx: Context, body: InvoiceBody): Promise<Json> {
  const facts = await ctx.ask(documentFacts(ctx, body))
  const content = contentOf(body, null, facts)
  await refuseOpenInvoiceForms(ctx, content.ticketId)
  const invoiceId = newId('inv')
  const invoice = await invoiceAdded(ctx, invoiceId, content, facts, body)
  if (content.ticketId) {
    const after: Invoice = JSON.parse(invoice.text)
    const created: Note = { event: 'invoiceCreated', data: { invoiceId, invoiceNumber: after.invoiceNumber } }
    await ctx.ask(noted(ctx, content.ticketId, [created, ...movement('draft', after), ...settlement(false, after)]))
  }
  return invoice
}

/** What is owed, by whom, for what and until when. */
const owed = ['lineItems', 'discount', 'deposit', 'customerId', 'ticketId', 'issuedAt', 'dueAt'] as const

async function changeInvoice(ctx: Context, invoiceId: string, body: InvoiceBody): Promise<Json> {
  if (Object.keys(body).length === 0) throw badRequest('At least one updatable field is required')
  const before = await heldInvoice(ctx, invoiceId)
  const { status = before.status, issuedAt = before.issuedAt, dueAt = before.dueAt } = body
  await refuseMove(ctx, before, status)
  const changed = <T>(given: T, was: T) => (given === was ? undefined : given)
  const facts = await ctx.ask(
    documentFacts(ctx, {
      customerId: changed(body.customerId, before.customerId),
      ticketId: changed(body.ticketId, before.ticketId),
      lineItems: body.lineItems,
    }),
  )
  const after = { ...contentOf(body, before, facts), issuedAt, dueAt }
  refuseDueBeforeIssued(issuedAt, dueAt)
  if (status !== 'void') await refuseOpenInvoiceForms(ctx, before.ticketId, after.ticketId)
  if (before.status === 'void' && differing({ ...after, ...before }, after, owed).length > 0) {
    throw badRequest('A void invoice cannot be changed')
  }
  const invoice = await ctx.ask(
    invoices.keep(ctx, invoiceId, {
      ...columnsOf(after),
      payment_instructions:
        body.paymentInstructions === undefined ? before.paymentInstructions : body.paymentInstructions,
      issued_at: issuedAt,
      due_at: dueAt,
      status,
      sent_at: before.sentAt ?? (status === 'sent' ? facts.now : null),
      voided_at: before.voidedAt ?? (status === 'void' ? facts.now : null),
    }),
  )
  const written: Invoice = JSON.parse(invoice.text)
  const notes = [...movement(before.status, written), ...settlement(before.paid, written)]
  if (after.ticketId && notes.length > 0) await ctx.ask(noted(ctx, after.ticketId, notes))
  return invoice
}

async function refuseMove(ctx: Context, before: Invoice, to: InvoiceStatus): Promise<void> {
  if (!mayInvoiceMove(before.status, to)) throw badRequest(`status cannot change from ${before.status} to ${to}`)
  if (to === 'void' && before.amountPaid !== 0) throw badRequest('Refund the payments before voiding')
  if (to === 'draft' && before.status === 'sent' && (await ctx.ask(hasPayments(ctx, before.id)))) {
    throw badRequest('An invoice with payments cannot go back to draft')
  }
}

function movement(from: InvoiceStatus, { id: invoiceId, invoiceNumber, status }: Invoice): Note[] {
  const data = { invoiceId, invoiceNumber }
  if (from === status) return []
  if (status === 'sent') return [{ event: 'invoiceSent', data: { ...data, to: null } }]
  return status === 'void' ? [{ event: 'invoiceVoided', data }] : []
}

const hasPayments = ({ orgId }: Context, invoiceId: string): Statement<boolean> =>
  statement(
    sql`select exists (select from payments where org_id = ${orgId} and invoice_id = ${invoiceId}) as any`,
    ([row]: { any: boolean }[]) => row!.any,
  )

const hasManagedPayments = ({ orgId }: Context, invoiceId: string): Statement<boolean> =>
  statement(
    sql`select exists (select from payments where org_id = ${orgId} and invoice_id = ${invoiceId} and source <> 'manual') as any`,
    ([row]: { any: boolean }[]) => row!.any,
  )
