// Imports: files of other systems, row by row. A program sends columns and rows, has them judged, looks, has them written.
import { kinds } from '../../domain/moving-in/kinds.ts'
import { maxColumns } from '../../domain/moving-in/limits.ts'
import { read } from '../../operations/crud.ts'
import { integer, oneOf, text } from '../../operations/fields.ts'
import { type Context, operation, resource } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { paging } from '../../operations/table.ts'
import { longestExternal } from '../external-ids.ts'
import { fileName, importEntity, importEvents, importOptions, imports, problems } from './record.ts'
import {
  addRows,
  chosenOptions,
  importIsStale,
  importIsTrial,
  importMustWait,
  importNotJudged,
  importNotOpen,
  importNotWritten,
  importTooOld,
  insertImport,
  neededScopes,
  recogniseColumns,
  requireScopes,
  stagedFile,
  startJudging,
  startUndoing,
  startWriting,
  undoScopes,
} from './stage.ts'
import { type ImportOptions, lockImport, type StagedFile } from './staged.ts'
import { wrongRows } from './wrong-rows.ts'

const longestCell = 100_000
const cell = t.Unsafe<string | number | boolean | null>({
  type: ['string', 'number', 'boolean', 'null'],
  maxLength: longestCell,
})
const maxRowsAtOnce = 5_000

const find = (ctx: Context, importId: string) => ctx.query(imports.find(ctx, importId))

export default resource({ entity: importEntity, tables: [imports, problems], told: [importEvents] }, [
  operation('GET /imports', {
    name: 'listImports',
    summary: 'List imports, newest first; each is kept for 30 days',
    query: t.Object(paging),
    returns: imports.list,
    run: ({ query }, ctx) => ({ ...imports.page(ctx, query), connection: 'slow' }),
  }),

  operation('POST /imports', {
    name: 'createImport',
    summary: 'Begin an import: the columns of a file, and what they mean',
    mayNeed: neededScopes,
    body: t.Object(
      {
        source: t.Optional(
          text(longestExternal, {
            examples: ['jobber'],
            description: 'The system it is from; found out by the columns if left out. It becomes externalSource.',
          }),
        ),
        kind: t.Optional(
          oneOf(kinds, { examples: ['customers'], description: 'Found out by the columns if left out.' }),
        ),
        columns: t.Array(t.String({ maxLength: 500 }), {
          minItems: 1,
          maxItems: maxColumns,
          examples: [['First name', 'E-mail']],
          description: 'The names of the columns, in the order of the cells.',
        }),
        name: t.Optional(fileName),
        options: t.Optional(importOptions),
      },
      { title: 'ImportCreate' },
    ),
    status: 201,
    returns: imports.record,
    transaction: true,
    async run({ body: { source, kind, columns, name = 'rows', options: sent = {} } }, ctx) {
      const options = chosenOptions(sent as ImportOptions)
      const found = recogniseColumns([columns], { source, kind, map: options.map })
      const file = stagedFile({ name }, found, source, 'api')
      requireScopes(ctx, [file])
      return find(ctx, await ctx.query(insertImport(ctx, { files: [file], options })))
    },
  }),

  read('/imports/:importId', imports),

  operation('POST /imports/:importId/rows', {
    name: 'addImportRows',
    summary: 'Send rows of an import, in chunks under 1 MB',
    mayNeed: neededScopes,
    body: t.Object(
      {
        rows: t.Array(t.Array(cell, { maxItems: maxColumns }), {
          minItems: 1,
          maxItems: maxRowsAtOnce,
          examples: [[['Amara', 'amara@okafor-bakery.example']]],
        }),
      },
      { title: 'ImportRows' },
    ),
    returns: imports.record,
    conflicts: [importNotOpen],
    transaction: true,
    async run({ params: { importId }, body: { rows } }, ctx) {
      const staged = await ctx.query(lockImport(ctx, importId))
      const before = (staged.files[0] as StagedFile & { lastRow?: number }).lastRow ?? 1
      const numbered = rows.map(
        (cells, index) => [before + 1 + index, cells.map((one) => (one === null ? '' : String(one)))] as const,
      )
      const files = [{ ...staged.files[0]!, lastRow: before + rows.length }]
      await addRows(ctx, { ...staged, files }, 0, numbered)
      return find(ctx, importId)
    },
  }),

  operation('POST /imports/:importId/judge', {
    name: 'judgeImport',
    summary: 'Have each record judged: what would be created, filled, skipped, and what is wrong; answers at once',
    mayNeed: neededScopes,
    body: t.Object({ options: t.Optional(importOptions) }, { title: 'ImportJudgement' }),
    returns: imports.record,
    conflicts: [importNotOpen],
    transaction: true,
    async run({ params: { importId }, body: { options = {} } }, ctx) {
      await startJudging(ctx, importId, chosenOptions(options as ImportOptions))
      return find(ctx, importId)
    },
  }),

  operation('POST /imports/:importId/write', {
    name: 'writeImport',
    summary: 'Write what was judged, in the background; answers at once',
    mayNeed: neededScopes,
    returns: imports.record,
    conflicts: [importNotJudged, importIsTrial, importIsStale],
    transaction: true,
    async run({ params: { importId } }, ctx) {
      await startWriting(ctx, importId)
      return find(ctx, importId)
    },
  }),

  operation('POST /imports/:importId/undo', {
    name: 'undoImport',
    summary: 'Take back what an import wrote and nobody has worked on since, in the background; answers at once',
    mayNeed: undoScopes,
    returns: imports.record,
    conflicts: [importNotWritten, importTooOld, importMustWait],
    transaction: true,
    async run({ params: { importId } }, ctx) {
      await startUndoing(ctx, importId)
      return find(ctx, importId)
    },
  }),

  operation('GET /imports/:importId/problems', {
    name: 'listImportProblems',
    summary: 'List what is wrong, row by row; as csv the rows themselves, to be mended and brought again',
    query: t.Object({
      ...paging,
      format: t.Optional(
        oneOf(['json', 'csv'], { description: '`csv` gives the rows in their own columns, and the reason.' }),
      ),
      file: t.Optional(
        integer(0, 1_000, {
          description:
            'With `csv`: of which file, by its place in `files` from 0 on; needed where several have wrong rows.',
        }),
      ),
    }),
    returns: problems.list,
    orFile: { parameter: 'format', noun: 'table', mediaTypes: ['text/csv'] },
    run: ({ params: { importId }, query: { format, file, ...page } }, ctx) =>
      format === 'csv' ? wrongRows(ctx, importId, file) : problems.page(ctx, page, { parentId: importId }),
  }),
])
