// What a record is called in another system: the three fields of everything that can be brought in or kept in step by a
// program, the filters that find it by them, and the refusal of a second record with the same name.
import type { Sql } from '../db/database.ts'
import { raw, sql } from '../db/database.ts'
import { conflictCode } from '../operations/errors.ts'
import { optional, text } from '../operations/fields.ts'
import { filter } from './filters.ts'

export const longestExternal = 120
const externalId = text(longestExternal, { examples: ['4711'], description: 'Its id elsewhere.' })
const externalSource = text(longestExternal, {
  examples: ['jobber'],
  description: 'Which system.',
})

export const externalFields = {
  externalId: optional(externalId),
  externalSource: optional(externalSource),
  externalNumber: optional(text(longestExternal, { examples: ['1042'], description: 'Its number there.' })),
}

/** Columns of those fields, for what writes its columns itself. */
export const externalColumns = (values: {
  readonly externalId?: string | null | undefined
  readonly externalSource?: string | null | undefined
  readonly externalNumber?: string | null | undefined
}) => ({
  external_id: values.externalId ?? null,
  external_source: values.externalSource ?? null,
  external_number: values.externalNumber ?? null,
})

const is = (table: string, column: string, value: string): Sql => sql`${raw(`${table}.${column}`)} = ${value}`

export const externalFilters = (table: string) => ({
  externalId: filter(text(longestExternal, { examples: ['4711'], description: 'Its id elsewhere.' }), (value) =>
    is(table, 'external_id', value),
  ),
  externalSource: filter(text(longestExternal, { examples: ['jobber'], description: 'Which system.' }), (value) =>
    is(table, 'external_source', value),
  ),
})

export const externalIdTaken = conflictCode(
  'EXTERNAL_ID_TAKEN',
  'Another record of this kind has this externalId of this externalSource; change that one, or use another id.',
)
