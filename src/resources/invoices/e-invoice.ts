// An invoice as an e-invoice: read with both sides in one statement, judged, and written as XML or into its PDF.
import { type Sql, sql } from '../../db/database.ts'
import { ciiXml } from '../../domain/e-invoice/cii.ts'
import { judgeEInvoice } from '../../domain/e-invoice/e-invoice.ts'
import { type EInvoiceFormat, eInvoiceFormats } from '../../domain/e-invoice/formats.ts'
import type { Problem } from '../../domain/e-invoice/reasons.ts'
import type { SourceInvoice } from '../../domain/e-invoice/source.ts'
import { ublXml } from '../../domain/e-invoice/ubl.ts'
import { Attachment, fileResponse } from '../../operations/answers.ts'
import { conflictCode, unavailable } from '../../operations/errors.ts'
import { oneOf } from '../../operations/fields.ts'
import { type Context, operation, type Statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { pdfFileName } from '../../rendering/pdf/pdf-file-name.ts'
import { PdfUnavailable } from '../../rendering/pdf/pdf-renderer.ts'
import type { PrintDocument } from '../../rendering/print-document.ts'
import { selectPrintDocument } from '../billing/print-document.ts'

const eInvoiceIncomplete = conflictCode(
  'E_INVOICE_INCOMPLETE',
  'Whoever reads the e-invoice would refuse it: what data.missing names is not there, or is wrong as data.problems says. Correct it on the organisation, the customer or the lines, and ask again.',
  t.Object({
    missing: t.Array(t.String(), { examples: [['organisation.countryCode', 'customer.buyerReference']] }),
    problems: t.Array(
      t.Object({
        field: t.String({ examples: ['organisation.phone'] }),
        reason: t.String({
          description: 'Why, in words that follow the name of the field.',
          examples: ['has fewer than three digits'],
        }),
      }),
    ),
  }),
)
const invoiceIsDraft = conflictCode(
  'INVOICE_IS_DRAFT',
  'A draft is no invoice yet; send it, or set its status to sent.',
)
const invoiceIsVoid = conflictCode('INVOICE_IS_VOID', 'The invoice is void; write a new one.')

const defaultFormat: EInvoiceFormat = 'ubl'
const xmlType = 'application/xml'
const pdfType = 'application/pdf'

export const eInvoiceOperation = operation('GET /invoices/:invoiceId/e-invoice', {
  name: 'getEInvoice',
  summary: 'Read the invoice as an e-invoice of EN 16931',
  query: t.Object({
    format: t.Optional(
      oneOf(eInvoiceFormats, {
        default: defaultFormat,
        description:
          '`ubl` is Peppol BIS Billing 3.0, `xrechnung` its German form; `factur-x` is a PDF with the e-invoice inside.',
      }),
    ),
  }),
  returns: fileResponse({ noun: 'e-invoice', mediaTypes: [xmlType, pdfType] }),
  conflicts: [eInvoiceIncomplete, invoiceIsDraft, invoiceIsVoid],
  run({ params: { invoiceId }, query: { format = defaultFormat } }, ctx): Statement<Attachment> {
    const { sql: query, decode } = selectEInvoice(ctx, invoiceId)
    return { sql: query, decode: (rows) => eInvoiceFile(decode(rows), format, ctx) }
  },
})

export interface EInvoiceFacts {
  readonly document: PrintDocument
  readonly source: SourceInvoice
  /** What the organisation wants to go along with mail. */
  readonly mailFormat: EInvoiceFormat | null
}

/** The document as its customer sees it, and what the e-invoice needs besides. */
export function selectEInvoice({ orgId }: Pick<Context, 'orgId'>, invoiceId: string): Statement<EInvoiceFacts> {
  const print = selectPrintDocument({ orgId }, 'invoice', invoiceId)
  return {
    sql: sql`select printed.*, facts.source, facts."mailFormat"
      from (${print.sql as Sql}) printed cross join (${selectSource(orgId, invoiceId)}) facts`,
    decode(rows: { source: SourceInvoice; mailFormat: EInvoiceFormat | null }[]) {
      const { source, mailFormat, ...document } = print.decode(rows as never[]) as EInvoiceFacts['document'] &
        (typeof rows)[number]
      return { document, source, mailFormat }
    },
  }
}

const selectSource = (orgId: string, invoiceId: string): Sql => sql`
  select json_build_object('status', invoice.status, 'number', invoice.invoice_number,
    'issuedOn', to_char(invoice.issued_at at time zone shop.time_zone, 'YYYY-MM-DD'),
    'dueOn', to_char(invoice.due_at at time zone shop.time_zone, 'YYYY-MM-DD'),
    'currency', invoice.currency, 'title', invoice.title, 'paymentInstructions', invoice.payment_instructions,
    'lines', invoice.line_items, 'discount', invoice.discount, 'netTotal', invoice.net_total,
    'taxTotal', invoice.tax_total, 'total', invoice.total, 'amountPaid', invoice.amount_paid,
    'organisation', json_build_object('name', shop.name, 'legalName', shop.legal_name, 'address', shop.address,
      'email', shop.email, 'phone', shop.phone, 'countryCode', shop.country_code, 'vatId', shop.vat_id,
      'taxNumber', shop.tax_number, 'iban', shop.iban, 'bic', shop.bic, 'electronicAddress', shop.electronic_address),
    'customer', json_build_object('name', invoice.customer_name, 'email', invoice.customer_email,
      'address', coalesce(customer.address,
        (select address from tickets where org_id = ${orgId} and id = invoice.ticket_id)),
      'countryCode', customer.country_code, 'vatId', customer.vat_id,
      'electronicAddress', customer.electronic_address, 'buyerReference', customer.buyer_reference),
    'taxRates', (select coalesce(json_agg(json_build_object('id', id,
        'vatCategory', coalesce(vat_category, case when rate > 0 then 'S' else 'Z' end),
        'exemptionReason', exemption_reason)), '[]') from tax_rates where org_id = ${orgId})) as source,
    shop.e_invoice_format as "mailFormat"
  from invoices invoice join organisations shop on shop.org_id = ${orgId}
    left join customers customer on customer.org_id = ${orgId} and customer.id = invoice.customer_id
  where invoice.org_id = ${orgId} and invoice.id = ${invoiceId}`

export type WrittenEInvoice =
  | { readonly xml: string }
  | { readonly refusal: 'draft' | 'void' }
  | { readonly problems: readonly Problem[] }

export function writeEInvoice(source: SourceInvoice, format: EInvoiceFormat): WrittenEInvoice {
  if (source.status !== 'sent') return { refusal: source.status }
  const judged = judgeEInvoice(source, format)
  if ('problems' in judged) return judged
  return { xml: format === 'factur-x' ? ciiXml(judged.eInvoice) : ublXml(judged.eInvoice) }
}

export const xmlFileName = (document: Pick<PrintDocument, 'number' | 'kind'>): string =>
  pdfFileName(document).replace(/pdf$/, 'xml')

function eInvoiceFile(
  { document, source }: EInvoiceFacts,
  format: EInvoiceFormat,
  { pdf, orgId }: Pick<Context, 'pdf' | 'orgId'>,
): Attachment {
  const written = writeEInvoice(source, format)
  if ('refusal' in written) throw written.refusal === 'draft' ? invoiceIsDraft() : invoiceIsVoid()
  if ('problems' in written) {
    const { problems } = written
    throw eInvoiceIncomplete({ missing: problems.map(({ field }) => field), problems: [...problems] })
  }
  const { xml } = written
  if (format !== 'factur-x') {
    return new Attachment(xmlFileName(document), `${xmlType}; charset=utf-8`, async () => Buffer.from(xml))
  }
  return new Attachment(pdfFileName(document), pdfType, () =>
    pdf(document, { orgId, facturX: xml }).catch((error: unknown) => {
      throw error instanceof PdfUnavailable ? unavailable() : error
    }),
  )
}
