// A quote or an invoice as a PDF.
import { Attachment, operation, pdf, type Statement } from '../../api/operation.ts'
import { pdfName, pdfOf } from '../../documents/pdf.ts'
import type { Sheet } from '../../documents/sheet.ts'
import { type DocumentKind, sheetOf } from './sheet.ts'

export const pdfOperation = (path: '/quotes/:quoteId' | '/invoices/:invoiceId', kind: DocumentKind) =>
  operation(`GET ${path}/pdf`, {
    name: kind === 'quote' ? 'getQuotePdf' : 'getInvoicePdf',
    summary: `Read the ${kind} as a PDF`,
    returns: pdf,
    run({ params }, ctx): Statement<Attachment> {
      const { sql, means } = sheetOf(ctx, kind, (params as Record<string, string>)[`${kind}Id`]!)
      return { sql, means: (rows) => attachmentOf(means(rows)) }
    },
  })

export const attachmentOf = (sheet: Sheet): Attachment => new Attachment(pdfName(sheet), () => pdfOf(sheet))
