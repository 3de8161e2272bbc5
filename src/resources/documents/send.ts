// Sending a document: its mail is written down with everything else and goes out when the worker comes to it, so that a
// slow or dead mail server is nobody's problem but the mail's.
import { type TSchema, Type as t } from 'typebox'
import { badRequest } from '../../api/errors.ts'
import { email, optional, text } from '../../api/fields.ts'
import { type Context, type Json, operation } from '../../api/operation.ts'
import { mailOf } from '../../documents/mail.ts'
import { queued } from '../outbox.ts'
import { linkFor, type Shareable } from './share-link.ts'
import { sheetOf } from './sheet.ts'

/** What sending means for one kind of document. */
export interface Sending {
  readonly shareable: Shareable
  readonly returns: TSchema
  /** Holds the document and refuses what cannot be sent; answers whom it goes to unless somebody else is named. */
  ready(ctx: Context, documentId: string): Promise<{ readonly customerEmail: string | null }>
  /** Marks it as sent. */
  sent(ctx: Context, documentId: string, to: string): Promise<void>
  find(ctx: Context, documentId: string): Promise<Json>
}

const mostCopies = 5

const body = t.Object(
  {
    to: optional(
      email({ examples: ['amara@okafor-bakery.example'], description: "The document's customerEmail if left out." }),
    ),
    cc: t.Optional(t.Array(email(), { maxItems: mostCopies })),
    subject: optional(text(200, { description: 'Such as "Quote Q-0007 from Harbour Repairs" if left out.' })),
    message: optional(text(5_000, { examples: ['Here is what we talked about on the phone.'] })),
    attachPdf: t.Boolean({ default: true, description: 'Whether the PDF goes along.' }),
  },
  { title: 'Send' },
)

export function sendOperation(path: '/quotes/:quoteId' | '/invoices/:invoiceId', sending: Sending) {
  const { noun } = sending.shareable
  return operation(`POST ${path}/send`, {
    name: noun === 'quote' ? 'sendQuote' : 'sendInvoice',
    summary: `Send the ${noun} to the customer by email, with the address under which it can be seen`,
    body,
    returns: sending.returns,
    async run({ params, body: { to, cc = [], subject = null, message = null, attachPdf } }, ctx) {
      const documentId = (params as Record<string, string>)[`${noun}Id`]!
      const { customerEmail } = await sending.ready(ctx, documentId)
      const recipient = to ?? customerEmail
      if (!recipient) throw badRequest('No recipient: set to or customerEmail')
      const shareUrl = await linkFor(ctx, sending.shareable, documentId)
      await sending.sent(ctx, documentId, recipient)
      const sheet = await ctx.ask(sheetOf(ctx, noun, documentId))
      const mail = mailOf(sheet, { kind: 'document', message, shareUrl, subject })
      await ctx.ask(
        queued(ctx, { ...mail, from: sheet.organisation, to: recipient, cc, [`${noun}Id`]: documentId, attachPdf }),
      )
      return sending.find(ctx, documentId)
    },
  })
}
