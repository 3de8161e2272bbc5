// Files for the bookkeeper: looked at as often as one likes, and given out once, so that nothing is booked twice.
import { type Sql, sql } from '../../db/database.ts'
import { invoiceFileFormats, paymentFileFormats } from '../../domain/books/files.ts'
import { type Attachment, fileResponse, type Json } from '../../operations/answers.ts'
import { notFound } from '../../operations/errors.ts'
import { oneOf } from '../../operations/fields.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, operation, resource, type Statement, statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { entity } from '../../operations/scopes.ts'
import { paging } from '../../operations/table.ts'
import { lockOrganisation } from '../organisation.ts'
import { periodQuery } from '../reports/period.ts'
import { selectTakenOut, takeBookChanges } from './book-changes.ts'
import { type BooksQuery, booksFile, exportIncomplete, previewBooks, selectBooks, selectFile } from './books.ts'
import { selectEarlier } from './earlier.ts'
import { type ExportKind, exportKinds, exports } from './record.ts'

const exportEntity = entity('exports', {
  title: 'Exports',
  description:
    'Files for the bookkeeper, in the formats of accounting programs. What was given out is remembered and left out of the next file.',
  scopeObject: 'exports',
  // They are guarded by the scopes of the records.
  actions: [],
})

const csvFile = fileResponse({ noun: 'file', mediaTypes: ['text/csv'] })
const onlyNew = t.Boolean({
  default: false,
  description:
    'Whether it holds only what `POST {org}/exports` would give out; else everything of these days, also what is booked already.',
})
const datevNote =
  'csv is a plain list; xero, quickbooks and datev are what these programs import; journal has debits and credits.'

export default resource({ entity: exportEntity, tables: [exports] }, [
  operation('GET /exports', {
    name: 'listExports',
    summary: 'List the files that were given out, newest first; those of payments only with `payments:read`',
    needs: ['invoices:read'],
    query: t.Object(paging),
    returns: exports.list,
    run: ({ query }, ctx) => exports.page(ctx, query, { where: readableKinds(ctx) }),
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
      onlyNew: t.Optional(onlyNew),
    }),
    returns: csvFile,
    conflicts: [exportIncomplete],
    run: ({ query: { format = 'csv', onlyNew = false, ...period } }, ctx) =>
      previewBooks(ctx, { ...period, kind: 'invoices', format, onlyNew }),
  }),

  operation('GET /exports/payments', {
    name: 'previewPaymentExport',
    summary: 'Look at payments as a file for the bookkeeper, without remembering it',
    needs: ['payments:read'],
    query: t.Object({
      format: t.Optional(oneOf(paymentFileFormats, { default: 'csv' })),
      ...periodQuery,
      onlyNew: t.Optional(onlyNew),
    }),
    returns: csvFile,
    conflicts: [exportIncomplete],
    run: ({ query: { format = 'csv', onlyNew = false, ...period } }, ctx) =>
      previewBooks(ctx, { ...period, kind: 'payments', format, onlyNew }),
  }),

  operation('GET /exports/:exportId', {
    name: 'getExport',
    summary: 'Read an export',
    needs: ['invoices:read'],
    mayNeed: ['payments:read'],
    returns: exports.record,
    run({ params: { exportId } }, ctx): Statement<Json> {
      const { decode, ...found } = exports.withRow(ctx, exports.find(ctx, exportId))
      return {
        ...found,
        decode(rows: never[]) {
          const { json, row } = decode(rows)
          if (row.kind === 'payments') ctx.require('payments:read')
          return json
        },
      }
    },
  }),

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

/** What an export of payments tells beside its file is as good as the payments. */
const readableKinds = ({ caller }: Context): Sql | undefined =>
  caller.scopes.has('payments:read') ? undefined : sql`exports.kind <> 'payments'`

/** One at a time in an organisation: what one leaves out, another has written down by then. */
export async function createExport(ctx: Context, query: BooksQuery): Promise<Json> {
  if (query.kind === 'payments') ctx.require('payments:read')
  await ctx.query(lockOrganisation(ctx))
  const isAgain = !query.onlyNew
  const takenOut = isAgain ? await ctx.query(selectTakenOut(ctx, query.kind)) : []
  // Before the file, which gives out anew what was gone and came back.
  const { withdrawn, changed } = await takeBookChanges(ctx, query.kind)
  const earlier = await ctx.query(selectEarlier(ctx, query))
  const { kind, format, from, to, records, content } = await ctx.query(selectBooks(ctx, query))
  const id = newId('exp')
  const told = {
    withdrawn: JSON.stringify([...withdrawn, ...takenOut]),
    changed: JSON.stringify(changed),
    earlier: earlier && JSON.stringify(earlier),
  }
  const inserted = await ctx.query(
    exports.insert(
      ctx,
      {},
      {
        columns: {
          ...{ id, kind, format, first_day: from, last_day: to, again: isAgain },
          ...{ count: records.length, content, ...told },
        },
      },
    ),
  )
  await ctx.query(rememberRecords(ctx, { id, kind, isAgain }, records))
  const givenIds = new Set(records.map((record) => record.id))
  const gone = withdrawn.filter((record) => !givenIds.has(record.id))
  await ctx.query(rememberRecords(ctx, { id, kind, isAgain, takenOutAt: sql`now()` }, gone))
  return inserted
}

interface Given {
  readonly id: string
  readonly kind: ExportKind
  readonly isAgain: boolean
  /** Of those that it tells to take out. */
  readonly takenOutAt?: Sql
}

/** What comes again may have been in several; what comes for the first time is in one. */
const rememberRecords = (
  { orgId }: Context,
  { id, kind, isAgain, takenOutAt = sql`null` }: Given,
  records: readonly object[],
): Statement<void> =>
  statement(
    sql`insert into exported_records (org_id, export_id, record_id, kind, again, number, amount, taken_out_at)
        select ${orgId}::text, ${id}::text, record.id, ${kind}::text, ${isAgain}::boolean, record.number, record.amount,
          ${takenOutAt}::timestamptz
        from jsonb_to_recordset(${JSON.stringify(records)}::jsonb) as record (id text, number text, amount numeric)`,
    () => {},
  )
