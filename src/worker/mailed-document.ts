// The document that a mail brings, with the e-invoice that goes along where the shop wants it.
import type { Context, Statement } from '../operations/operation.ts'
import type { PrintDocument } from '../rendering/print-document.ts'
import { selectPrintDocument } from '../resources/billing/print-document.ts'
import { type EInvoiceFacts, selectEInvoice, writeEInvoice, xmlFileName } from '../resources/invoices/e-invoice.ts'
import type { OutboxMail } from '../resources/outbox.ts'

export interface MailedDocument {
  readonly document: PrintDocument
  /** The e-invoice that its PDF carries. */
  readonly facturX?: string
  /** What goes along beside the PDF. */
  readonly files: readonly { readonly filename: string; readonly content: string; readonly contentType: string }[]
  /** What the delivery says of it, where the e-invoice could not be written. */
  readonly note: string | null
}

/** A shop that filled in nothing lacks a dozen fields: the first few tell where to look. */
const maxNoteLength = 300

type Owner = Pick<Context, 'orgId'>

/** As it is now. Undefined for mail that brings none. */
export function selectMailedDocument({
  orgId,
  quoteId,
  invoiceId,
  reminderId,
}: OutboxMail): Statement<MailedDocument> | undefined {
  const owner: Owner = { orgId }
  if (quoteId) return without(selectPrintDocument(owner, 'quote', quoteId))
  if (!invoiceId) return undefined
  // Who is reminded has it already.
  if (reminderId) return without(selectPrintDocument(owner, 'invoice', invoiceId))
  const { sql, decode } = selectEInvoice(owner, invoiceId)
  return { sql, decode: (rows) => withEInvoice(decode(rows)) }
}

const without = ({ sql, decode }: Statement<PrintDocument>): Statement<MailedDocument> => ({
  sql,
  decode: (rows) => ({ document: decode(rows), files: [], note: null }),
})

function withEInvoice({ document, source, mailFormat }: EInvoiceFacts): MailedDocument {
  if (!mailFormat) return { document, files: [], note: null }
  const written = writeEInvoice(source, mailFormat)
  if ('refusal' in written) return { document, files: [], note: `Sent without an e-invoice: it is ${written.refusal}` }
  if ('problems' in written) {
    const reasons = written.problems.map(({ field, reason }) => `${field} ${reason}`).join('; ')
    return { document, files: [], note: `Sent without its e-invoice: ${reasons}`.slice(0, maxNoteLength) }
  }
  if (mailFormat === 'factur-x') return { document, facturX: written.xml, files: [], note: null }
  const file = { filename: xmlFileName(document), content: written.xml, contentType: 'application/xml; charset=utf-8' }
  return { document, files: [file], note: null }
}
