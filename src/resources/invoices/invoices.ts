// Invoices: what is owed for the work, and how much of it has been paid.

import { sql } from '../../db/database.ts'
import { canInvoiceMove, type InvoiceStatus } from '../../domain/lifecycles.ts'
import type { TimelineEntry } from '../../domain/timeline.ts'
import type { Json } from '../../operations/answers.ts'
import { read } from '../../operations/crud.ts'
import { badRequest } from '../../operations/errors.ts'
import { newId } from '../../operations/ids.ts'
import {
  type Context,
  deletionMessage,
  operation,
  resource,
  type Statement,
  statement,
} from '../../operations/operation.ts'
import { entity } from '../../operations/scopes.ts'
import type { ColumnsOf } from '../../operations/string-case.ts'
import { buildContent, changedFields, contentColumns } from '../billing/content.ts'
import { loadDocumentFacts } from '../billing/facts.ts'
import type { BroughtDocument } from '../billing/fields.ts'
import { refuseOpenInvoiceForms } from '../billing/invoice-gate.ts'
import { listOperation } from '../billing/list.ts'
import { pdfOperation } from '../billing/pdf.ts'
import { sendOperation } from '../billing/send.ts'
import { shareLinkOperations } from '../billing/share-link.ts'
import { externalIdTaken } from '../external-ids.ts'
import { formGateInvoice } from '../forms/gate-conflicts.ts'
import { paymentAccountingManaged } from '../payments.ts'
import { addTimelineEntries } from '../tickets/timeline.ts'
import { addInvoice, refuseDueBeforeIssued } from './add-invoice.ts'
import { eInvoiceOperation } from './e-invoice.ts'
import {
  type Invoice,
  type InvoiceBody,
  invoiceBodies,
  invoiceList,
  invoices,
  lockInvoice,
  shareableInvoice,
} from './record.ts'
import { reminderOperations, reminders } from './reminders.ts'
import { sendableInvoice } from './send.ts'
import { settlementEntries } from './settlement-entries.ts'

const invoiceEntity = entity('invoices', {
  title: 'Invoices',
  description: 'What a customer owes, with reminders and a page to share.',
  scopeObject: 'invoices with their reminders and share links',
})

export default resource({ entity: invoiceEntity, tables: [invoices, reminders] }, [
  {
    ...listOperation('invoices', invoices, invoiceList),
    mcp: {
      advice: 'paid=false gives what is owed, with balance, dueAt and isOverdue; drafts and void ones are among them.',
    },
  },

  operation('POST /invoices', {
    name: 'createInvoice',
    summary: 'Create an invoice',
    mcp: { advice: 'With ticketId and no lines it takes over what stands on the job.' },
    body: invoiceBodies.createBody,
    status: 201,
    returns: invoices.record,
    conflicts: [formGateInvoice, externalIdTaken],
    transaction: true,
    run: ({ body }, ctx) => createInvoice(ctx, body),
  }),

  read('/invoices/:invoiceId', invoices),

  operation('PUT /invoices/:invoiceId', {
    name: 'updateInvoice',
    summary: 'Change an invoice, or void it',
    body: invoiceBodies.updateBody,
    returns: invoices.record,
    conflicts: [formGateInvoice, externalIdTaken],
    transaction: true,
    run: ({ params: { invoiceId }, body }, ctx) => updateInvoice(ctx, invoiceId, body),
  }),

  operation('DELETE /invoices/:invoiceId', {
    name: 'deleteInvoice',
    summary: 'Delete an invoice with its payments, reminders and share link',
    returns: deletionMessage,
    conflicts: [paymentAccountingManaged],
    transaction: true,
    async run({ params: { invoiceId } }, ctx) {
      await ctx.query(invoices.lock(ctx, invoiceId)) // nothing can be paid on an invoice that is locked
      if (await ctx.query(selectHasManagedPayments(ctx, invoiceId))) throw paymentAccountingManaged()
      return ctx.query(invoices.remove(ctx, invoiceId)) // a trigger tells its quote
    },
  }),

  {
    ...sendOperation('/invoices/:invoiceId', sendableInvoice),
    mcp: { advice: 'This sends an email to the customer: ask the user first.', isOpenWorld: true },
  },
  ...shareLinkOperations('/invoices/:invoiceId', shareableInvoice),
  pdfOperation('/invoices/:invoiceId', 'invoice'),
  eInvoiceOperation,
  ...reminderOperations,
])

export async function createInvoice(ctx: Context, body: InvoiceBody, brought?: BroughtDocument): Promise<Json> {
  const facts = await loadDocumentFacts(ctx, body)
  const content = buildContent(body, null, facts)
  await refuseOpenInvoiceForms(ctx, content.ticketId)
  const invoiceId = brought?.id ?? newId('inv')
  const { json, row: invoice } = await addInvoice(ctx, invoiceId, content, facts, { ...body, brought })
  if (content.ticketId) {
    const created: TimelineEntry = {
      event: 'invoiceCreated',
      data: { invoiceId, invoiceNumber: invoice.invoiceNumber },
    }
    await ctx.query(
      addTimelineEntries(ctx, content.ticketId, [
        created,
        ...statusEntries('draft', invoice),
        ...settlementEntries(false, invoice),
      ]),
    )
  }
  return json
}

/** What is owed, by whom, for what and until when. */
const owedFields = ['lineItems', 'discount', 'deposit', 'customerId', 'ticketId', 'issuedAt', 'dueAt'] as const

async function updateInvoice(ctx: Context, invoiceId: string, body: InvoiceBody): Promise<Json> {
  const before = await lockInvoice(ctx, invoiceId)
  const { status = before.status, issuedAt = before.issuedAt, dueAt = before.dueAt } = body
  await refuseStatusChange(ctx, before, status)
  const ifChanged = <T>(value: T, previous: T) => (value === previous ? undefined : value)
  const facts = await loadDocumentFacts(ctx, {
    customerId: ifChanged(body.customerId, before.customerId),
    ticketId: ifChanged(body.ticketId, before.ticketId),
    lineItems: body.lineItems,
  })
  const after = { ...buildContent(body, before, facts), issuedAt, dueAt }
  refuseDueBeforeIssued(issuedAt, dueAt)
  await refuseOpenInvoiceForms(ctx, before.ticketId, after.ticketId) // voiding included: the gate knows no exception
  if (before.status === 'void' && changedFields({ ...after, ...before }, after, owedFields).length > 0) {
    throw badRequest('A void invoice cannot be changed')
  }
  const change = invoices.updateColumns(ctx, invoiceId, {
    ...contentColumns(after),
    payment_instructions:
      body.paymentInstructions === undefined ? before.paymentInstructions : body.paymentInstructions,
    issued_at: issuedAt,
    due_at: dueAt,
    status,
    // A draft is in no books, wherever it was before.
    ...(status === 'draft' && { booked_elsewhere: false }),
    sent_at: before.sentAt ?? (status === 'sent' ? facts.now : null),
    voided_at: before.voidedAt ?? (status === 'void' ? facts.now : null),
  } satisfies ColumnsOf<InvoiceBody>)
  const { json, row: updated } = await ctx.query(invoices.withRow(ctx, change))
  const entries = [...statusEntries(before.status, updated), ...settlementEntries(before.paid, updated)]
  if (after.ticketId && entries.length > 0) await ctx.query(addTimelineEntries(ctx, after.ticketId, entries))
  return json
}

async function refuseStatusChange(ctx: Context, before: Invoice, to: InvoiceStatus): Promise<void> {
  if (!canInvoiceMove(before.status, to)) throw badRequest(`status cannot change from ${before.status} to ${to}`)
  if (to === 'void' && before.amountPaid !== 0) throw badRequest('Refund the payments before voiding')
  if (to === 'draft' && before.status === 'sent' && (await ctx.query(selectHasPayments(ctx, before.id)))) {
    throw badRequest('An invoice with payments cannot go back to draft')
  }
}

function statusEntries(from: InvoiceStatus, { id: invoiceId, invoiceNumber, status }: Invoice): TimelineEntry[] {
  const data = { invoiceId, invoiceNumber }
  if (from === status) return []
  if (status === 'sent') return [{ event: 'invoiceSent', data: { ...data, to: null } }]
  return status === 'void' ? [{ event: 'invoiceVoided', data }] : []
}

const selectHasPayments = ({ orgId }: Context, invoiceId: string): Statement<boolean> =>
  statement(
    sql`select exists (select from payments where org_id = ${orgId} and invoice_id = ${invoiceId}) as any`,
    ([row]: { any: boolean }[]) => row!.any,
  )

const selectHasManagedPayments = ({ orgId }: Context, invoiceId: string): Statement<boolean> =>
  statement(
    sql`select exists (select from payments where org_id = ${orgId} and invoice_id = ${invoiceId} and source <> 'manual') as any`,
    ([row]: { any: boolean }[]) => row!.any,
  )
