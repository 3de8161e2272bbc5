// A quote or an invoice as a PDF.
import { Attachment, fileResponse } from '../../operations/answers.ts'
import { unavailable } from '../../operations/errors.ts'
import { type Context, operation, type Statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { pdfFileName } from '../../rendering/pdf/pdf-file-name.ts'
import { PdfUnavailable } from '../../rendering/pdf/pdf-renderer.ts'
import { asSent, type PrintDocument } from '../../rendering/print-document.ts'
import { type DocumentKind, selectPrintDocument } from './print-document.ts'

const pdfType = 'application/pdf'

export const pdfOperation = (path: '/quotes/:quoteId' | '/invoices/:invoiceId', kind: DocumentKind) =>
  operation(`GET ${path}/pdf`, {
    name: kind === 'quote' ? 'getQuotePdf' : 'getInvoicePdf',
    summary: `Read the ${kind} as a PDF`,
    query: t.Object({
      preview: t.Boolean({
        default: false,
        description: 'Whether a draft is shown as its customer will have it, without the stamp of a draft.',
      }),
    }),
    returns: fileResponse({ noun: 'PDF', mediaTypes: [pdfType] }),
    run({ params, query: { preview } }, ctx): Statement<Attachment> {
      const { sql, decode } = selectPrintDocument(ctx, kind, (params as Record<string, string>)[`${kind}Id`]!)
      const shown = (document: PrintDocument) => (preview ? asSent(document, new Date()) : document)
      return { sql, decode: (rows) => pdfAttachment(shown(decode(rows)), ctx) }
    },
  })

export const pdfAttachment = (document: PrintDocument, { pdf, orgId }: Pick<Context, 'pdf' | 'orgId'>): Attachment =>
  new Attachment(pdfFileName(document), pdfType, () =>
    pdf(document, { orgId }).catch((error: unknown) => {
      throw error instanceof PdfUnavailable ? unavailable() : error
    }),
  )
