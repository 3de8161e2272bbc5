// Sends the reminders whose time has come: to those who still owe something on an invoice that was sent.
import { type Database, sql, Unavailable } from '../db/database.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import type { Caller } from '../operations/caller.ts'
import { createContext } from '../operations/context.ts'
import { ApiError } from '../operations/errors.ts'
import { type Context, type Dependencies, type Statement, statement } from '../operations/operation.ts'
import { renderMail } from '../rendering/mail.ts'
import { selectPrintDocument } from '../resources/billing/print-document.ts'
import { ensureShareUrl } from '../resources/billing/share-link.ts'
import { type Invoice, lockInvoice, shareableInvoice } from '../resources/invoices/record.ts'
import { enqueueMail } from '../resources/outbox.ts'
import { addTimelineEntries } from '../resources/tickets/timeline.ts'
import { takeTurns } from './fair-turns.ts'

export interface ReminderCounts {
  readonly sent: number
  readonly skipped: number
}

interface DueReminder {
  readonly orgId: string
  readonly id: string
  readonly invoiceId: string
}

interface RemindOptions {
  /** The time to go by, if not the database's. */
  readonly now?: Date | null
  isStopped?(): boolean
  /** Hears of a reminder that could not be sent; it has failed, and the others go on. */
  onFailure?(error: unknown): void
}

export async function sendDueReminders(
  database: Database,
  dependencies: Dependencies,
  { now = null, isStopped = () => false, onFailure = () => {} }: RemindOptions = {},
): Promise<ReminderCounts> {
  const counts = { sent: 0, skipped: 0 }
  const isDue = sql`status = 'scheduled' and remind_at <= coalesce(${now}::timestamptz, now())`
  const send = async (reminder: DueReminder): Promise<keyof ReminderCounts | undefined> => {
    try {
      return await database.transaction(backgroundWork(reminder.orgId), (transaction) =>
        sendReminder(createContext(transaction, workerCaller(reminder.orgId), dependencies), reminder),
      )
    } catch (error) {
      if (error instanceof Unavailable) throw error
      onFailure(error)
      await database.background(sql`
        update reminders set status = 'failed', failure_reason = 'It could not be prepared', updated_at = now()
        where org_id = ${reminder.orgId} and id = ${reminder.id} and status = 'scheduled'`)
      return undefined
    }
  }
  await takeTurns({
    isStopped,
    async findOrgs() {
      const rows = await database.background<{ orgId: string }>(sql`
        select distinct org_id as "orgId" from reminders where ${isDue}`)
      return rows.map(({ orgId }) => orgId)
    },
    async serve(orgId) {
      const due = await database.background<DueReminder>(sql`
        select org_id as "orgId", id, invoice_id as "invoiceId" from reminders
        where org_id = ${orgId} and ${isDue} order by remind_at, id limit ${batchSize}::int`)
      for (const reminder of due) {
        if (isStopped()) return false
        const outcome = await send(reminder)
        if (outcome) counts[outcome]++
      }
      return due.length === batchSize
    },
  })
  return counts
}

/** How many one organisation sends before it is another's turn. */
const batchSize = 10

const workerCaller = (orgId: string): Caller => ({
  orgId,
  kind: 'system',
  credentialId: 'worker',
  name: 'Jobwright',
  scopes: new Set(),
})

/** The invoice is locked first, as by everybody who writes its reminders; another worker may have been here meanwhile. */
async function sendReminder(ctx: Context, { id, invoiceId }: DueReminder): Promise<keyof ReminderCounts | undefined> {
  const invoice = await lockInvoice(ctx, invoiceId).catch(ignoreNotFound)
  if (!invoice) return undefined
  const reminder = await ctx.query(lockReminder(ctx, id))
  if (!reminder) return undefined
  const to = reminder.to ?? invoice.customerEmail
  const reason = skipReason(invoice, to)
  if (reason !== null || to === null) {
    await ctx.query(markReminder(ctx, id, 'skipped', reason))
    return 'skipped'
  }
  const shareUrl = await ensureShareUrl(ctx, shareableInvoice, invoiceId)
  const document = await ctx.query(selectPrintDocument(ctx, 'invoice', invoiceId))
  const mail = renderMail(document, { kind: 'reminder', message: reminder.message, shareUrl })
  await ctx.query(
    enqueueMail(ctx, { ...mail, from: document.organisation, to, invoiceId, reminderId: id, attachPdf: true }),
  )
  await ctx.query(markReminder(ctx, id, 'sent', null))
  const { ticketId, invoiceNumber } = invoice
  if (ticketId)
    await ctx.query(
      addTimelineEntries(ctx, ticketId, [{ event: 'reminderSent', data: { invoiceId, invoiceNumber, to } }]),
    )
  return 'sent'
}

function skipReason({ status, hasBalance }: Invoice, to: string | null): string | null {
  if (status !== 'sent') return `The invoice was ${status === 'void' ? 'voided' : 'not sent'}`
  if (!hasBalance) return 'Nothing was owed any more'
  return to === null ? 'No recipient: set to or customerEmail' : null
}

/** An invoice that was deleted took its reminders along. */
function ignoreNotFound(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error
}

interface ScheduledReminder {
  readonly to: string | null
  readonly message: string | null
}

const lockReminder = ({ orgId }: Context, id: string): Statement<ScheduledReminder | undefined> =>
  statement(
    sql`select to_address as "to", message from reminders where org_id = ${orgId} and id = ${id} and status = 'scheduled'
        for update`,
    ([reminder]: ScheduledReminder[]) => reminder,
  )

const markReminder = ({ orgId }: Context, id: string, status: string, reason: string | null): Statement<void> =>
  statement(
    sql`update reminders set status = ${status}, failure_reason = ${reason}, updated_at = now(),
          sent_at = ${status === 'sent' ? sql`now()` : null}
        where org_id = ${orgId} and id = ${id}`,
    () => {},
  )
