// An import as callers see it: what was recognised, how far it is, what it came to, and what it would like to know.
import { dateOrders } from '../../domain/moving-in/dates.ts'
import { kinds, sources } from '../../domain/moving-in/kinds.ts'
import { maxColumns } from '../../domain/moving-in/limits.ts'
import { updateModes } from '../../domain/moving-in/verdict.ts'
import { isAnnounced } from '../../domain/signals.ts'
import { eventSource } from '../../operations/event-source.ts'
import { dateTime, integer, nullable, oneOf, text } from '../../operations/fields.ts'
import type { StatementContext } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { entity } from '../../operations/scopes.ts'
import { table } from '../../operations/table.ts'

const count = (description: string) => integer(0, 2_147_483_647, { examples: [0], description })

const importFile = t.Object(
  {
    name: t.String({ examples: ['clients.csv'] }),
    source: oneOf(sources, { examples: ['jobber'] }),
    kind: oneOf(kinds, { examples: ['customers'] }),
    encoding: nullable(t.String({ examples: ['utf-8'] })),
    delimiter: nullable(t.String({ examples: [','] })),
    rows: count('Rows with data.'),
    columns: t.Array(t.String(), { examples: [['First name', 'E-mail']] }),
    map: t.Unsafe<Readonly<Record<string, string | null>>>({
      type: 'object',
      additionalProperties: { type: ['string', 'null'] },
      examples: [{ 'First name': 'firstName', 'E-mail': 'email' }],
      description: 'What each column means.',
    }),
    unusedColumns: t.Array(t.String(), { examples: [[]], description: 'Nothing is taken from these.' }),
  },
  { title: 'ImportFile' },
)

const question = t.Object(
  {
    file: t.String({ examples: ['jobs.csv'] }),
    column: t.String({ examples: ['Created date'] }),
    kind: oneOf(['dateOrder'], { examples: ['dateOrder'] }),
    samples: t.Array(t.String(), { examples: [['03/04/2026']] }),
  },
  { title: 'ImportQuestion' },
)

const repair = t.Object(
  {
    file: t.String(),
    row: integer(0, 2_147_483_647, { examples: [2], description: 'The first such row.' }),
    column: nullable(t.String()),
    value: nullable(t.String()),
    reason: t.String({ examples: ['the name was split into first and last name'] }),
    count: count('In how many rows.'),
  },
  { title: 'ImportRepair' },
)

const undo = t.Object(
  {
    reversed: count('Records that went, or are as they were.'),
    kept: count('Records that stayed, because somebody has worked on them since.'),
    failed: count('Records that could not be undone.'),
    keptRecords: t.Array(t.Object({ id: t.String(), reason: t.String() }), {
      examples: [[]],
      description: 'The first thousand.',
    }),
  },
  { title: 'ImportUndo' },
)

const importMap = t.Unsafe<Readonly<Record<string, string | null>>>({
  type: 'object',
  additionalProperties: { type: ['string', 'null'], maxLength: 100 },
  maxProperties: maxColumns,
  propertyNames: { maxLength: 500 },
  examples: [{ 'Mobile no.': 'phone', Internal: null }],
  description: 'Columns by their names and the field that each is; null leaves one out.',
})

export const importOptions = t.Object(
  {
    dateOrder: t.Optional(
      nullable(
        oneOf(dateOrders, {
          examples: ['dmy'],
          description:
            'Whether 03/04 is the third of April or the fourth of March. Given with the file it is so in all columns, and what is no day then is wrong; as an answer it is of the columns that were asked about.',
        }),
      ),
    ),
    update: t.Optional(
      oneOf(updateModes, {
        examples: ['fill'],
        description:
          'What becomes of records that are there: `fill` blanks (if left out), `none` are touched, `overwrite`.',
      }),
    ),
    map: t.Optional(importMap),
  },
  { title: 'ImportOptions' },
)

export const importEntity = entity('imports', {
  title: 'Imports',
  description:
    'Files of other systems that are brought in: judged row by row, written in the background, undone within 30 days.',
  scopeObject: 'imports from other systems',
  actions: ['read', 'write'],
})

/** Side by side: looking a target up by its place copies all of them each time. */
const columnsWithTargets = `rows from (jsonb_array_elements_text(f->'columns'), jsonb_array_elements(f->'targets')) as c (name, target)`

export const imports = table({
  name: 'imports',
  noun: 'import',
  prefix: 'imp',
  writable: {},
  readOnly: {
    status: oneOf(['open', 'judging', 'asking', 'judged', 'writing', 'written', 'undone', 'failed'], {
      examples: ['judged'],
      description: '`asking`: answer the questions by judging again. `failed`: `failure` says why.',
    }),
    isDryRun: t.Boolean({ examples: [false], description: 'Whether nothing is meant to be written.' }),
    files: t.Array(importFile),
    options: t.Unsafe<object>({ type: 'object', additionalProperties: true, examples: [{ update: 'fill' }] }),
    progress: t.Object({ done: count('Rows or records.'), total: count('Of so many.') }),
    records: count('What the rows are about; created, filled, same, skipped and wrong add up to it.'),
    created: count('Records that are new.'),
    filled: count('Records that were there, and are given what they lacked.'),
    same: count('Records that were there like that.'),
    skipped: count('Records that were not to be brought.'),
    wrong: count('Records that cannot be brought; see the problems.'),
    questions: t.Array(question),
    repairs: t.Array(repair, { description: 'What was decided without asking.' }),
    undo: nullable(undo),
    failure: nullable(t.String()),
    writtenAt: nullable(dateTime({ description: 'It can be undone for 30 days from then on.' })),
  },
  read: {
    progress: `json_build_object('done', imports.done, 'total', imports.total)`,
    files: `(select coalesce(json_agg(json_build_object('name', f->'name', 'source', f->'source', 'kind', f->'kind',
        'encoding', f->'encoding', 'delimiter', f->'delimiter', 'rows', f->'rows', 'columns', f->'columns', 'map',
        (select coalesce(json_object_agg(name, target), '{}') from ${columnsWithTargets}),
        'unusedColumns', (select coalesce(json_agg(name), '[]') from ${columnsWithTargets} where target = 'null'))
        order by n), '[]')
      from jsonb_array_elements(imports.files) with ordinality as file (f, n))`,
  },
  event: 'untold',
  order: { column: 'created_at', type: 'timestamptz', direction: 'desc' },
})

export const problems = table({
  name: 'import_problems',
  listKey: 'problems',
  noun: 'import problem',
  prefix: 'prb',
  parent: { table: 'imports', column: 'import_id', noun: 'import' },
  writable: {},
  readOnly: {
    file: t.String({ examples: ['clients.csv'] }),
    row: integer(0, 2_147_483_647, { examples: [17], description: 'As a spreadsheet counts it.' }),
    column: nullable(t.String({ examples: ['Created'] })),
    value: nullable(t.String({ examples: ['31/31/2026'] })),
    reason: t.String({ examples: ['"31/31/2026" cannot be read as a day'] }),
    fix: t.String({ examples: ['write it as 2026-04-03, or leave the cell empty'] }),
  },
  read: { column: 'import_problems."column"' },
  event: 'untold',
  order: { column: 'created_at', type: 'timestamptz', direction: 'asc' },
})

const finishedFields = {
  records: t.Unsafe<Readonly<Record<string, number>>>({
    type: 'object',
    additionalProperties: { type: 'integer' },
    examples: [{ customers: 42, tickets: 118 }],
    description: 'How many records of each kind arrived.',
  }),
}

/** An import is told once, when it is over, and none of its records. */
export const importEvents = eventSource<StatementContext>({
  table: 'imports',
  noun: 'import',
  record: t.Object(finishedFields, { title: 'FinishedImport' }),
  fields: finishedFields,
  path: '/imports',
  event: { changes: [], signals: { finished: isAnnounced } },
})

export const fileName = text(200, { examples: ['clients.csv'], description: 'What the file is called in problems.' })
