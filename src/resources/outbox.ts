// Outgoing mail: written in the transaction that wants it sent, and sent by the worker after it.
import { sql } from '../db/database.ts'
import { becomes } from '../domain/signals.ts'
import { eventSource } from '../operations/event-source.ts'
import { dateTime, id, nullable, oneOf } from '../operations/fields.ts'
import { newId } from '../operations/ids.ts'
import { type Context, type Statement, type StatementContext, statement } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import type { RenderedMail } from '../rendering/mail.ts'

/** A row of the outbox. */
export interface OutboxMail {
  readonly orgId: string
  readonly id: string
  /** The document it brings; mail about one that is gone is not sent any more. */
  readonly quoteId: string | null
  readonly invoiceId: string | null
  readonly reminderId: string | null
  readonly to: string
  readonly cc: readonly string[]
  readonly replyTo: string | null
  readonly fromName: string
  readonly subject: string
  readonly encryptedBody: string
  readonly attachPdf: boolean
  /** Whether its body is for its reader alone. */
  readonly isPrivate: boolean
  /** How often its PDF could not be made. */
  readonly pdfTries: number
  readonly status: 'queued' | 'sent' | 'failed'
  readonly failureReason: string | null
  readonly attempts: number
  readonly createdAt: Date
  readonly attemptAt: Date | null
  readonly sentAt: Date | null
}

const mailFields = {
  id: id(),
  quoteId: nullable(id()),
  invoiceId: nullable(id()),
  reminderId: nullable(id()),
  to: t.String({ examples: ['amara@okafor-bakery.example'] }),
  subject: t.String({ examples: ['Quote Q-0007'] }),
  status: oneOf(['queued', 'sent', 'failed'], { examples: ['failed'] }),
  failureReason: nullable(t.String()),
  createdAt: dateTime(),
}

/** Of mail it is told that it failed, to those who may read its document. */
export const mailEvents = eventSource<StatementContext>({
  table: 'outbox',
  noun: 'mail',
  record: t.Object(mailFields, { title: 'Mail' }),
  fields: mailFields,
  read: { to: 'outbox.to_address' },
  path: '/mail',
  event: { changes: [], signals: { failed: becomes('status', 'failed') } },
  entityOf: ({ quoteId, invoiceId }) => (quoteId ? 'quotes' : invoiceId ? 'invoices' : 'organisation'),
})

export const outboxColumns = sql`org_id as "orgId", id, quote_id as "quoteId", invoice_id as "invoiceId",
  reminder_id as "reminderId", to_address as "to", cc, reply_to as "replyTo", from_name as "fromName", subject,
  sealed_body as "encryptedBody", attach_pdf as "attachPdf", is_private as "isPrivate", pdf_tries as "pdfTries", status, failure_reason as "failureReason", attempts,
  created_at as "createdAt", attempt_at as "attemptAt", sent_at as "sentAt"`

type MailBody = Pick<RenderedMail, 'text' | 'html'>

const encryptBody = ({ text, html }: MailBody, vault: Context['vault']): string =>
  vault.encrypt(JSON.stringify({ text, html }))

export const decryptBody = ({ encryptedBody }: Pick<OutboxMail, 'encryptedBody'>, vault: Context['vault']): MailBody =>
  JSON.parse(vault.decrypt(encryptedBody))

type OutgoingMail = RenderedMail &
  Pick<OutboxMail, 'to'> &
  Partial<Pick<OutboxMail, 'cc' | 'quoteId' | 'invoiceId' | 'reminderId' | 'attachPdf' | 'isPrivate'>> & {
    readonly from: { readonly name: string; readonly email: string | null }
  }

export function enqueueMail({ orgId, vault }: Context, mail: OutgoingMail): Statement<void> {
  const { from, to, cc = [], subject, quoteId = null, invoiceId = null, reminderId = null } = mail
  const { attachPdf = false, isPrivate = false } = mail
  return statement(
    sql`insert into outbox (org_id, id, quote_id, invoice_id, reminder_id, to_address, cc, reply_to, from_name, subject,
          sealed_body, attach_pdf, is_private)
        values (${orgId}, ${newId('eml')}, ${quoteId}, ${invoiceId}, ${reminderId}, ${to}, ${cc}, ${from.email},
          ${from.name}, ${subject}, ${encryptBody(mail, vault)}, ${attachPdf}, ${isPrivate})`,
    () => {},
  )
}
