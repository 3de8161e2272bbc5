// Sends the reminders whose time has come: to those who still owe something on an invoice that was sent.
import { contextOf } from '../api/context.ts'
import { ApiError } from '../api/errors.ts'
import { type Caller, type Context, type Statement, type Surroundings, statement } from '../api/operation.ts'
import { type Database, sql, Unavailable } from '../database.ts'
import { mailOf } from '../documents/mail.ts'
import { linkFor } from '../resources/documents/share-link.ts'
import { sheetOf } from '../resources/documents/sheet.ts'
import { heldInvoice, type Invoice, sharedInvoice } from '../resources/invoices/record.ts'
import { queued } from '../resources/outbox.ts'
import { noted } from '../resources/tickets/timeline.ts'

export interface Reminded {
  readonly sent: number
  readonly skipped: number
}

interface Due {
  readonly orgId: string
  readonly id: string
  readonly invoiceId: string
}

interface Wish {
  /** The time to go by, if not the database's. */
  readonly now?: Date | null
  isStopped?(): boolean
  /** Hears of a reminder that could not be sent; it has failed, and the others go on. */
  onFailure?(error: unknown): void
}

export async function remind(
  database: Database,
  surroundings: Surroundings,
  { now = null, isStopped = () => false, onFailure = () => {} }: Wish = {},
): Promise<Reminded> {
  const count = { sent: 0, skipped: 0 }
  for (;;) {
    const due = await database.query<Due>(sql`
      select org_id as "orgId", id, invoice_id as "invoiceId" from reminders
      where status = 'scheduled' and remind_at <= coalesce(${now}::timestamptz, now()) order by remind_at, id limit 100`)
    if (due.length === 0) return count
    for (const reminder of due) {
      if (isStopped()) return count
      const work = database.transaction((transaction) =>
        settled(contextOf(transaction, worker(reminder.orgId), surroundings), reminder),
      )
      const outcome = await work.catch(async (error: unknown) => {
        if (error instanceof Unavailable) throw error
        onFailure(error)
        await database.query(sql`
          update reminders set status = 'failed', failure_reason = 'It could not be prepared', updated_at = now()
          where org_id = ${reminder.orgId} and id = ${reminder.id} and status = 'scheduled'`)
        return undefined
      })
      if (outcome) count[outcome]++
    }
  }
}

const worker = (orgId: string): Caller => ({ orgId, credentialId: 'worker', name: 'Jobwright', scopes: new Set() })

/** The invoice is held first, as by everybody who writes its reminders; another worker may have been here meanwhile. */
async function settled(ctx: Context, { id, invoiceId }: Due): Promise<keyof Reminded | undefined> {
  const invoice = await heldInvoice(ctx, invoiceId).catch(gone)
  if (!invoice) return undefined
  const reminder = await ctx.ask(heldReminder(ctx, id))
  if (!reminder) return undefined
  const to = reminder.to ?? invoice.customerEmail
  const reason = reasonNotTo(invoice, to)
  if (reason !== null || to === null) {
    await ctx.ask(marked(ctx, id, 'skipped', reason))
    return 'skipped'
  }
  const shareUrl = await linkFor(ctx, sharedInvoice, invoiceId)
  const sheet = await ctx.ask(sheetOf(ctx, 'invoice', invoiceId))
  const mail = mailOf(sheet, { kind: 'reminder', message: reminder.message, shareUrl })
  await ctx.ask(queued(ctx, { ...mail, from: sheet.organisation, to, invoiceId, reminderId: id, attachPdf: true }))
  await ctx.ask(marked(ctx, id, 'sent', null))
  const { ticketId, invoiceNumber } = invoice
  if (ticketId) await ctx.ask(noted(ctx, ticketId, [{ event: 'reminderSent', data: { invoiceId, invoiceNumber, to } }]))
  return 'sent'
}

function reasonNotTo({ status, hasBalance }: Invoice, to: string | null): string | null {
  if (status !== 'sent') return `The invoice was ${status === 'void' ? 'voided' : 'not sent'}`
  if (!hasBalance) return 'Nothing was owed any more'
  return to === null ? 'No recipient: set to or customerEmail' : null
}

/** An invoice that was deleted took its reminders along. */
function gone(error: unknown): undefined {
  if (!(error instanceof ApiError) || error.status !== 404) throw error
}

interface Scheduled {
  readonly to: string | null
  readonly message: string | null
}

const heldReminder = ({ orgId }: Context, id: string): Statement<Scheduled | undefined> =>
  statement(
    sql`select to_address as "to", message from reminders where org_id = ${orgId} and id = ${id} and status = 'scheduled'
        for update`,
    ([reminder]: Scheduled[]) => reminder,
  )

const marked = ({ orgId }: Context, id: string, status: string, reason: string | null): Statement<void> =>
  statement(
    sql`update reminders set status = ${status}, failure_reason = ${reason}, updated_at = now(),
          sent_at = case when ${status} = 'sent' then now() end
        where org_id = ${orgId} and id = ${id}`,
    () => {},
  )
