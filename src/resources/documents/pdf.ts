// A quote or an invoice as a PDF.
import { unavailable } from '../../api/errors.ts'
import { Attachment, operation, pdf, type Statement, type Surroundings } from '../../api/operation.ts'
import { pdfName } from '../../documents/pdf-name.ts'
import { WorkshopAway } from '../../documents/pdf-workshop.ts'
import type { Sheet } from '../../documents/sheet.ts'
import { type DocumentKind, sheetOf } from './sheet.ts'

export const pdfOperation = (path: '/quotes/:quoteId' | '/invoices/:invoiceId', kind: DocumentKind) =>
  operation(`GET ${path}/pdf`, {
    name: kind === 'quote' ? 'getQuotePdf' : 'getInvoicePdf',
    summary: `Read the ${kind} as a PDF`,
    returns: pdf,
    run({ params }, ctx): Statement<Attachment> {
      const { sql, means } = sheetOf(ctx, kind, (params as Record<string, string>)[`${kind}Id`]!)
      return { sql, means: (rows) => attachmentOf(means(rows), ctx) }
    },
  })

export const attachmentOf = (sheet: Sheet, { pdf }: Pick<Surroundings, 'pdf'>): Attachment =>
  new Attachment(pdfName(sheet), () =>
    pdf(sheet).catch((error: unknown) => {
      throw error instanceof WorkshopAway ? unavailable() : error
    }),
  )
