// A file that the bookkeeper was given: what it held, and where it can be had again.
import { invoiceFileFormats } from '../../domain/books/files.ts'
import { basePath } from '../../operations/base-path.ts'
import { day, id, nullable, oneOf } from '../../operations/fields.ts'
import { t } from '../../operations/schemas.ts'
import { table } from '../../operations/table.ts'

export const exportKinds = ['invoices', 'payments'] as const
export type ExportKind = (typeof exportKinds)[number]

const named = {
  id: id({ examples: ['inv_01kbx5v0000000000000000000'] }),
  number: t.String({ examples: ['INV-0012'], description: 'Of the invoice; of a payment that of its invoice.' }),
}
const amount = (example: number, description: string) => t.Number({ decimals: 4, examples: [example], description })

const dayText = (column: string) => `to_char(exports.${column}, 'YYYY-MM-DD')`

export const exports = table({
  name: 'exports',
  noun: 'export',
  prefix: 'exp',
  writable: {},
  readOnly: {
    kind: oneOf(exportKinds, { examples: ['invoices'] }),
    format: oneOf(invoiceFileFormats, { examples: ['xero'] }),
    from: day({ examples: ['2026-11-01'] }),
    to: day({ examples: ['2026-11-30'] }),
    again: t.Boolean({ examples: [false], description: 'Whether it holds what earlier ones held.' }),
    count: t.Integer({ examples: [42], description: 'How many records it holds.' }),
    withdrawn: t.Array(t.Object(named), {
      description:
        'Invoices or payments that an earlier file held, or that were brought with their books, and that are void, deleted or went back to draft since: take them out of the books. One that was sent again since is in the file anew. Each is told once, unless `again`; 1,000 at most.',
    }),
    changed: t.Array(
      t.Object({
        ...named,
        before: amount(100, 'As the books have it.'),
        after: amount(999, 'As it is now.'),
        currency: t.String({ examples: ['GBP'] }),
      }),
      {
        description:
          'Those that the books hold with another amount: the total of an invoice, the amount of a payment. Each is told once.',
      },
    ),
    earlier: nullable(
      t.Object(
        {
          count: t.Integer({ examples: [2] }),
          from: day({ examples: ['2026-10-20'], description: 'The first day on which one was issued, or paid.' }),
        },
        {
          description:
            'Of invoices: those that were issued before `from`, sent within a year and since the first file of invoices, and were in none. Of payments: those that were paid before `from`, and recorded, or their invoice sent, within a year and since the first file of payments, and were in none. Make one for those days. Null where there are none.',
        },
      ),
    ),
    fileUrl: t.String({
      examples: ['https://jobs.harbour-repairs.example/api/v1/organisations/org_…/exports/exp_…/file'],
      description: 'Where the file is read, with the same credential.',
    }),
  },
  read: { from: dayText('first_day'), to: dayText('last_day'), fileUrl: 'exports.id' },
  transform: {
    fileUrl: (_, { restOrigin, orgId }, id) => `${restOrigin}${basePath}/organisations/${orgId}/exports/${id}/file`,
  },
  event: 'untold',
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
})
