// Outgoing mail: written in the transaction that wants it sent, and sent by the worker after it.
import { sql } from '../db/database.ts'
import { newId } from '../operations/ids.ts'
import { type Context, type Statement, statement } from '../operations/operation.ts'

export interface Mail {
  readonly subject: string
  readonly text: string
  readonly html: string
}

interface OutgoingMail extends Mail {
  readonly from: { readonly name: string; readonly email: string | null }
  readonly to: string
  readonly cc?: readonly string[]
  /** The document it brings; mail about one that is gone is not sent any more. */
  readonly quoteId?: string
  readonly invoiceId?: string
  readonly reminderId?: string
  readonly attachPdf?: boolean
}

export function enqueueMail({ orgId, vault }: Context, mail: OutgoingMail): Statement<void> {
  const { from, to, cc = [], subject, quoteId = null, invoiceId = null, reminderId = null, attachPdf = false } = mail
  const body = vault.encrypt(JSON.stringify({ text: mail.text, html: mail.html }))
  return statement(
    sql`insert into outbox (org_id, id, quote_id, invoice_id, reminder_id, to_address, cc, reply_to, from_name, subject,
          sealed_body, attach_pdf)
        values (${orgId}, ${newId('eml')}, ${quoteId}, ${invoiceId}, ${reminderId}, ${to}, ${cc}, ${from.email},
          ${from.name}, ${subject}, ${body}, ${attachPdf})`,
    () => {},
  )
}
