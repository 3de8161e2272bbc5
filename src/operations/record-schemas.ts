// The fields of a record in the forms they are needed in: as it answers, as a new one takes them, as a change does.
import type { Static, TObject, TProperties, TSchema } from 'typebox'
import { t } from './schemas.ts'

export const pagination = t.Object(
  {
    limit: t.Integer(),
    hasMore: t.Boolean(),
    nextCursor: t.Unsafe<string | null>({ type: ['string', 'null'] }),
  },
  { title: 'Pagination' },
)

/** As a record answers them: every field is there. */
export const recordSchema = (fields: TProperties, title: string): TObject =>
  t.Object(mapFields(fields, bareSchema), { title })

/** A record as code sees it: every field is there, as it is answered. */
export type Row<Writable extends TProperties, ReadOnlyFields extends TProperties> = Readonly<
  { id: string; createdAt: string; updatedAt: string } & Required<
    Omit<Static<TObject<Writable>>, keyof ReadOnlyFields> & Static<TObject<ReadOnlyFields>>
  >
>
/** The row of a table: `RowOf<typeof invoices>`. */
export type RowOf<T extends { decodeRow: (ctx: never) => (rows: never[]) => unknown }> = ReturnType<
  ReturnType<T['decodeRow']>
>

/** As a new record takes them: a field with a default may be left out. */
export const createFields = <Fields extends TProperties>(fields: Fields): Fields =>
  mapFields(fields, (field) => ('default' in field ? t.Optional(field) : field))

/** As a body may send them back: named, and ignored. */
export const asReadOnly = (fields: TProperties): TProperties =>
  mapFields(fields, (field) => t.Optional(t.Unsafe({ ...bareSchema(field), readOnly: true })))

/** As a change takes them: any may be left out, and defaults, which belong to creation, do not apply. */
export const updateFields = <Fields extends TProperties>(fields: Fields): Fields =>
  mapFields(fields, (field) => t.Optional(bareSchema(field)))

/** The body of a change, which has to change something. */
export const updateSchema = <Fields extends TProperties>(fields: Fields, title: string) =>
  t.Object(updateFields(fields), { title, minProperties: 1 })

/** Of two fields of a body that mean the same in two ways. Both are named twice, because linters look for what is required. */
export const notTogether = (one: string, other: string) => ({
  not: { required: [one, other], properties: { [one]: {}, [other]: {} } },
})

/** The JSON Schema of a field alone: neither optional nor with a default. */
const bareSchema = ({ default: _, ...schema }: TSchema & { default?: unknown }): TSchema => t.Unsafe(schema)

const mapFields = <Fields extends TProperties>(fields: Fields, transform: (field: TSchema) => TSchema): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, transform(field)])) as Fields
