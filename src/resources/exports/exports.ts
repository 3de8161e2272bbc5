// Files for the bookkeeper: looked at as often as one likes, and given out once, so that nothing is booked twice.
import { sql } from '../../db/database.ts'
import { invoiceFileFormats, paymentFileFormats } from '../../domain/books/files.ts'
import { type Attachment, fileResponse, type Json } from '../../operations/answers.ts'
import { read } from '../../operations/crud.ts'
import { notFound } from '../../operations/errors.ts'
import { oneOf } from '../../operations/fields.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, operation, resource, type Statement, statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { entity } from '../../operations/scopes.ts'
import { paging } from '../../operations/table.ts'
import { lockOrganisation } from '../organisation.ts'
import { periodQuery } from '../reports/period.ts'
import { type BooksQuery, booksFile, exportIncomplete, previewBooks, selectBooks, selectFile } from './books.ts'
import { exportKinds, exports } from './record.ts'
import { selectWithdrawn, withdrawnKind } from './withdrawn.ts'

const exportEntity = entity('exports', {
  title: 'Exports',
  description:
    'Files for the bookkeeper, in the formats of accounting programs. What was given out is remembered and left out of the next file.',
  scopeObject: 'exports',
  // They are guarded by the scopes of the records.
  actions: [],
})

const csvFile = fileResponse({ noun: 'file', mediaTypes: ['text/csv'] })
const datevNote =
  'csv is a plain list; xero, quickbooks and datev are what these programs import; journal has debits and credits.'

export default resource({ entity: exportEntity, tables: [exports] }, [
  operation('GET /exports', {
    name: 'listExports',
    summary: 'List the files that were given out, newest first',
    needs: ['invoices:read'],
    query: t.Object(paging),
    returns: exports.list,
    run: ({ query }, ctx) => exports.page(ctx, query),
  }),

  operation('POST /exports', {
    name: 'createExport',
    summary: 'Make a file for the bookkeeper, and remember what it holds',
    needs: ['invoices:write'],
    mayNeed: ['payments:read'],
    body: t.Object(
      {
        kind: oneOf(exportKinds, { default: 'invoices' }),
        format: oneOf(invoiceFileFormats, { description: datevNote }),
        ...periodQuery,
        again: t.Boolean({
          default: false,
          description: 'Whether what an earlier file held, or an import brought, goes along, too.',
        }),
      },
      { title: 'ExportCreate' },
    ),
    status: 201,
    returns: exports.record,
    conflicts: [exportIncomplete],
    transaction: true,
    run: ({ body: { again, ...query } }, ctx) => createExport(ctx, { ...query, onlyNew: !again }),
  }),

  operation('GET /exports/invoices', {
    name: 'previewInvoiceExport',
    summary: 'Look at invoices as a file for the bookkeeper, without remembering it',
    needs: ['invoices:read'],
    query: t.Object({
      format: t.Optional(oneOf(invoiceFileFormats, { default: 'csv', description: datevNote })),
      ...periodQuery,
    }),
    returns: csvFile,
    conflicts: [exportIncomplete],
    run: ({ query: { format = 'csv', ...period } }, ctx) => previewBooks(ctx, { ...period, kind: 'invoices', format }),
  }),

  operation('GET /exports/payments', {
    name: 'previewPaymentExport',
    summary: 'Look at payments as a file for the bookkeeper, without remembering it',
    needs: ['payments:read'],
    query: t.Object({ format: t.Optional(oneOf(paymentFileFormats, { default: 'csv' })), ...periodQuery }),
    returns: csvFile,
    conflicts: [exportIncomplete],
    run: ({ query: { format = 'csv', ...period } }, ctx) => previewBooks(ctx, { ...period, kind: 'payments', format }),
  }),

  { ...read('/exports/:exportId', exports), needs: ['invoices:read'] },

  operation('GET /exports/:exportId/file', {
    name: 'getExportFile',
    summary: 'Read a file that was given out, as it was',
    needs: ['invoices:read'],
    mayNeed: ['payments:read'],
    returns: csvFile,
    run({ params: { exportId } }, ctx): Statement<Attachment> {
      const { sql: query, decode } = selectFile(ctx, exportId)
      return {
        sql: query,
        decode(rows) {
          const file = decode(rows)
          if (!file) throw notFound('export')
          if (file.kind === 'payments') ctx.require('payments:read')
          return booksFile(file)
        },
      }
    },
  }),
])

/** One at a time in an organisation: what one leaves out, another has written down by then. */
export async function createExport(ctx: Context, query: BooksQuery): Promise<Json> {
  if (query.kind === 'payments') ctx.require('payments:read')
  await ctx.query(lockOrganisation(ctx))
  // Before the file: what is void by then is in none.
  const withdrawn = query.kind === 'invoices' ? await ctx.query(selectWithdrawn(ctx, query.onlyNew)) : []
  const books = await ctx.query(selectBooks(ctx, query))
  const id = newId('exp')
  const { kind, format, from, to, ids, content } = books
  const isAgain = !query.onlyNew
  const inserted = await ctx.query(
    exports.insert(
      ctx,
      {},
      {
        columns: {
          ...{ id, kind, format, first_day: from, last_day: to, again: isAgain },
          ...{ count: ids.length, content, withdrawn: JSON.stringify(withdrawn) },
        },
      },
    ),
  )
  await ctx.query(rememberRecords(ctx, id, kind, ids, isAgain))
  const withdrawnIds = withdrawn.map((invoice) => invoice.id)
  await ctx.query(rememberRecords(ctx, id, withdrawnKind, withdrawnIds, isAgain))
  return inserted
}

/** What comes again may have been in several; what comes for the first time is in one. */
const rememberRecords = (
  { orgId }: Context,
  exportId: string,
  kind: string,
  ids: readonly string[],
  isAgain: boolean,
): Statement<void> =>
  statement(
    sql`insert into exported_records (org_id, export_id, record_id, kind, again)
        select ${orgId}::text, ${exportId}::text, id, ${kind}::text, ${isAgain}::boolean from unnest(${ids}::text[]) id`,
    () => {},
  )
