// What every report is: one statement on the connection for slow reads, figures as JSON or as CSV, and for no technician.
import type { TObject, TProperties } from 'typebox'
import type { Sql } from '../../db/database.ts'
import { type CsvCell, csvText } from '../../domain/csv.ts'
import { decimalPlaces, fromScaled, toScaled } from '../../domain/money.ts'
import { Attachment } from '../../operations/answers.ts'
import { ApiError } from '../../operations/errors.ts'
import { oneOf } from '../../operations/fields.ts'
import { type Context, operation, type Statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import type { Scope } from '../../operations/scopes.ts'
import { capitalise, toCamelCase } from '../../operations/string-case.ts'

const csvFile = { noun: 'rows as a table', mediaTypes: ['text/csv'], parameter: 'format' } as const

const formatQuery = {
  format: t.Optional(oneOf(['json', 'csv'], { default: 'json', description: '`csv` answers the rows as a table.' })),
}

/** The rows, and what they come to: one total, or one for each currency; and what is said beside them. */
export interface Figures {
  readonly rows: readonly object[]
  readonly totals: readonly object[]
  readonly [about: string]: unknown
}

interface ReportDefinition<Query, Row> {
  /** As it stands in the path. */
  readonly name: string
  readonly summary: string
  /** When an agent should use it. */
  readonly advice: string
  /** The read scopes of the records that are summed. */
  readonly needs: readonly Scope[]
  readonly query: TProperties
  /** What it says beside its rows and totals. */
  readonly about?: TProperties
  readonly row: TObject
  readonly total: TObject
  /** Answers exactly one row. */
  select(orgId: string, query: Query): Sql
  /** Makes figures of that row, or refuses. */
  figures(row: Row, query: Query): Figures
  /** The header and lines of the table, where they are not the fields of the rows. */
  table?(figures: Figures): readonly (readonly CsvCell[])[]
}

export function report<Query extends object, Row>(definition: ReportDefinition<Query, Row>) {
  const { name, summary, advice, needs, query, about = {}, row, total } = definition
  const title = `${capitalise(toCamelCase(name))}Report`
  const table = definition.table ?? (({ rows }: Figures) => tableOf(Object.keys(row.properties), rows))
  return operation(`GET /reports/${name}`, {
    name: `get${title}`,
    summary,
    mcp: { advice },
    needs,
    query: t.Object({ ...query, ...formatQuery }) as TObject,
    returns: t.Object({ ...about, rows: t.Array(row), totals: t.Array(total) }, { title }),
    orFile: csvFile,
    run(input, ctx): Statement<unknown> {
      refuseTechnicians(ctx)
      const { format } = input.query as { readonly format?: string }
      const asked = input.query as unknown as Query
      return {
        sql: definition.select(ctx.orgId, asked),
        // Others are not delayed, and who asks for many waits for their turn.
        connection: 'slow',
        decode([found]: Row[]) {
          const figures = definition.figures(found!, asked)
          if (format !== 'csv') return figures
          return new Attachment(`${name}.csv`, 'text/csv; charset=utf-8', async () =>
            Buffer.from(csvText(table(figures))),
          )
        },
      }
    },
  })
}

/** They may read every job, but what the shop comes to is for those who run it. No key and no app is held to this. */
function refuseTechnicians({ caller }: Pick<Context, 'caller'>): void {
  if (caller.onlyJobsOf === undefined) return
  throw new ApiError(403, 'Reports are for managers and admins; ask one of them for the figures', {
    code: 'report_not_allowed',
  })
}

const tableOf = (fields: readonly string[], rows: readonly object[]): (readonly CsvCell[])[] => [
  fields,
  ...rows.map((row) => fields.map((field) => (row as Readonly<Record<string, CsvCell>>)[field]!)),
]

/** Sums of money and quantities are exact: they are counted in their smallest part. */
export const sumOf = (values: readonly number[]): number =>
  fromScaled(
    values.reduce((sum, value) => sum + toScaled(value, decimalPlaces)!, 0n),
    decimalPlaces,
  )

/** Each group has a row for every currency that the period knows; the shop's own where it knows none. */
export function byGroupAndCurrency<Row extends { readonly start: string; readonly currency: string }>(
  starts: readonly string[],
  found: readonly Row[],
  shopCurrency: string,
  nothing: Omit<Row, 'start' | 'currency'>,
): Row[] {
  const currencies = [...new Set(found.map(({ currency }) => currency))].sort()
  if (currencies.length === 0) currencies.push(shopCurrency)
  const byKey = new Map(found.map((row) => [`${row.start} ${row.currency}`, row]))
  return starts.flatMap((start) =>
    currencies.map(
      (currency) => byKey.get(`${start} ${currency}`) ?? ({ start, currency, ...nothing } as unknown as Row),
    ),
  )
}

/** One total for each currency, of these fields. */
export const totalsByCurrency = <const Field extends string>(
  rows: readonly (Readonly<Record<Field, number>> & { readonly currency: string })[],
  fields: readonly Field[],
): (Readonly<Record<Field, number>> & { readonly currency: string })[] =>
  [...Map.groupBy(rows, ({ currency }) => currency)].map(([currency, some]) => {
    const sums = Object.fromEntries(fields.map((field) => [field, sumOf(some.map((row) => row[field]))]))
    return { currency, ...(sums as Record<Field, number>) }
  })
