// A file that the bookkeeper was given: what it held, and where it can be had again.
import { invoiceFileFormats } from '../../domain/books/files.ts'
import { basePath } from '../../operations/base-path.ts'
import { day, id, oneOf } from '../../operations/fields.ts'
import { t } from '../../operations/schemas.ts'
import { table } from '../../operations/table.ts'

export const exportKinds = ['invoices', 'payments'] as const
export type ExportKind = (typeof exportKinds)[number]

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
    withdrawn: t.Array(
      t.Object({
        id: id({ examples: ['inv_01kbx5v0000000000000000000'] }),
        number: t.String({ examples: ['INV-0012'] }),
      }),
      {
        description:
          'Invoices that an earlier file held, or that were brought with their books, and that are void since: take them out of the books. Each is told once, unless `again`; 1,000 at most.',
      },
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
