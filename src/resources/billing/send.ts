// Sending a document: its mail is written down with everything else and goes out when the worker comes to it, so that a
// slow or dead mail server is nobody's problem but the mail's.
import type { TSchema } from 'typebox'
import type { Json } from '../../operations/answers.ts'
import { badRequest } from '../../operations/errors.ts'
import { email, optional, text } from '../../operations/fields.ts'
import { type Context, operation, type Statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { type RenderedMail, renderMail } from '../../rendering/mail.ts'
import { asSent, type PrintDocument } from '../../rendering/print-document.ts'
import { enqueueMail } from '../outbox.ts'
import { type DocumentKind, selectPrintDocument } from './print-document.ts'
import { ensureShareUrl, type Shareable } from './share-link.ts'

/** What sending means for one kind of document. */
export interface Sendable<Document extends { readonly customerEmail: string | null }> {
  readonly shareable: Shareable
  readonly returns: TSchema
  /** Locks the document and refuses what cannot be sent; it goes to its customer unless somebody else is named. */
  prepare(ctx: Context, documentId: string): Promise<Document>
  /** Marks the locked document as sent. */
  markSent(ctx: Context, document: Document, to: string): Promise<void>
  find(ctx: Context, documentId: string): Promise<Json>
}

const maxCopies = 5

const body = t.Object(
  {
    to: optional(
      email({ examples: ['amara@okafor-bakery.example'], description: "The document's customerEmail if left out." }),
    ),
    cc: t.Optional(t.Array(email(), { maxItems: maxCopies })),
    subject: optional(text(200, { description: 'Such as "Quote Q-0007 from Harbour Repairs" if left out.' })),
    message: optional(text(5_000, { examples: ['Here is what we talked about on the phone.'] })),
    attachPdf: t.Boolean({ default: true, description: 'Whether the PDF goes along.' }),
  },
  { title: 'Send' },
)

export function sendOperation<Document extends { readonly customerEmail: string | null }>(
  path: '/quotes/:quoteId' | '/invoices/:invoiceId',
  sendable: Sendable<Document>,
) {
  const { noun } = sendable.shareable
  return operation(`POST ${path}/send`, {
    name: noun === 'quote' ? 'sendQuote' : 'sendInvoice',
    summary: `Send the ${noun} to the customer by email, with the address under which it can be seen`,
    mcp: { isOpenWorld: true },
    body,
    returns: sendable.returns,
    transaction: true,
    async run({ params, body: { to, cc = [], subject = null, message = null, attachPdf } }, ctx) {
      const documentId = (params as Record<string, string>)[`${noun}Id`]!
      const unsent = await sendable.prepare(ctx, documentId)
      const recipient = to ?? unsent.customerEmail
      if (!recipient) throw badRequest('No recipient: set to or customerEmail')
      const shareUrl = await ensureShareUrl(ctx, sendable.shareable, documentId)
      await sendable.markSent(ctx, unsent, recipient)
      const document = await ctx.query(selectPrintDocument(ctx, noun, documentId))
      const mail = documentMail(document, { message, shareUrl, subject })
      await ctx.query(
        enqueueMail(ctx, {
          ...mail,
          from: document.organisation,
          to: recipient,
          cc,
          [`${noun}Id`]: documentId,
          attachPdf,
        }),
      )
      return sendable.find(ctx, documentId)
    },
  })
}

interface MailWords {
  readonly subject: string | null
  readonly message: string | null
  readonly shareUrl: string
}

/** One function for the mail that goes out and for the one that is shown before: nobody is sent what nobody has seen. */
const documentMail = (document: PrintDocument, words: MailWords): RenderedMail =>
  renderMail(asSent(document, new Date()), { kind: 'document', ...words })

/** The mail as it would go out now, for somebody who looks before. */
export function selectMailPreview(
  ctx: Pick<Context, 'orgId'>,
  kind: DocumentKind,
  documentId: string,
  words: MailWords,
): Statement<RenderedMail> {
  const { sql, decode } = selectPrintDocument(ctx, kind, documentId)
  return { sql, decode: (rows) => documentMail(decode(rows), words) }
}
