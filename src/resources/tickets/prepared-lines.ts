// The same lines for many jobs, as recurring schedules write them: looked up once, then inserted into each job.
import { raw, sql } from '../../db/database.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { toSnakeCase } from '../../operations/row-codec.ts'
import { completeFromCatalogue, referencesOf } from './line-copy.ts'
import { type LineFacts, selectLineFacts } from './line-facts.ts'
import { type LineBody, type LineDefinition, lineDefinitions } from './line-tables.ts'

type Kind = keyof typeof lineDefinitions

/** Lines that only need a job: what they copy is looked up. */
export interface PreparedLines {
  readonly rows: readonly { readonly kind: Kind; readonly row: object }[]
  /** Whether a rule might ask a job for a form because of them. */
  readonly mayNeedForms: boolean
}

interface NewLine {
  readonly kind: Kind
  readonly line: LineBody
}

export async function prepareLines(ctx: Context, lines: readonly NewLine[]): Promise<PreparedLines> {
  const rows: PreparedLines['rows'][number][] = []
  let mayNeedForms = false
  const known = new Map<string, LineFacts>()
  for (const { kind, line } of lines) {
    const definition = lineDefinitions[kind]
    const references = referencesOf(definition, line)
    const key = JSON.stringify([kind, references])
    const facts =
      known.get(key) ?? (await ctx.query(selectLineFacts(ctx, definition.kind, { ticketId: '', ...references })))
    known.set(key, facts)
    const { sourceId, full, computedColumns } = completeFromCatalogue(definition, line, facts)
    mayNeedForms ||= kind === 'service' && sourceId !== null && facts.hasFormRules
    const columns = Object.fromEntries(Object.entries(full).map(([field, value]) => [toSnakeCase(field), value]))
    rows.push({ kind, row: { ...columns, ...computedColumns } })
  }
  return { rows, mayNeedForms }
}

/** Writes lines to a job that is locked. Whoever calls this applies the rules of forms once all is written. */
export async function writeLines(ctx: Context, ticketId: string, { rows }: PreparedLines): Promise<void> {
  for (const kind of ['service', 'inventory'] as const) {
    const rowsOfKind = rows.filter((one) => one.kind === kind).map(({ row }) => row)
    if (rowsOfKind.length > 0) await ctx.query(insertLines(ctx, lineDefinitions[kind], ticketId, rowsOfKind))
  }
}

function insertLines(
  { orgId }: Context,
  { kind, prefix, columns }: LineDefinition,
  ticketId: string,
  rows: readonly object[],
): Statement<void> {
  const [tableName, columnList] = [raw(kind.table), raw(columns)]
  const withIds = rows.map((row) => ({ ...row, id: newId(prefix) }))
  return statement(
    sql`insert into ${tableName} (org_id, ticket_id, id, ${columnList}) select ${orgId}, ${ticketId}, id, ${columnList}
        from jsonb_populate_recordset(null::${tableName}, ${JSON.stringify(withIds)}::jsonb)`,
    () => {},
  )
}
