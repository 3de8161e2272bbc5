// The columns that triggers write during an import: stock, money and open forms. What follows from the records must
// equal what the file says; what the triggers do to other columns is put back.
import { type Queryable, raw, sql } from '../db/database.ts'
import { toCamelCase } from '../operations/string-case.ts'
import { FileError } from './file-format.ts'

interface TriggerColumns {
  /** Counted from zero while other records are inserted. */
  readonly computedByTrigger: readonly string[]
  /** Written by the same triggers, or unknowable from the records. */
  readonly restored: readonly string[]
}

export const triggerColumns: Readonly<Record<string, TriggerColumns>> = {
  inventory: { computedByTrigger: [], restored: ['quantity_on_hand', 'updated_at'] },
  invoices: { computedByTrigger: ['amount_paid'], restored: ['paid_at', 'updated_at'] },
  tickets: {
    computedByTrigger: ['open_start_form_count', 'open_completion_form_count', 'open_invoice_form_count'],
    restored: ['updated_at'],
  },
}

const tables = Object.entries(triggerColumns)
const columnList = (columns: readonly string[], row = '') => columns.map((column) => `${row}"${column}"`).join(', ')

/** Temporary tables for what the file says these columns come to. */
export async function createExpectedTables(transaction: Queryable): Promise<void> {
  for (const [table, { computedByTrigger, restored }] of tables) {
    const columns = columnList(['id', ...computedByTrigger, ...restored])
    await transaction.query(
      raw(`create temporary table expected_${table} on commit drop as select ${columns} from ${table} with no data`),
    )
  }
}

/** Compares what was counted with what the file says, and puts the rest back. */
export async function verifyTriggerColumns(transaction: Queryable, orgId: string): Promise<void> {
  for (const [table, { computedByTrigger, restored }] of tables) {
    // The planner has no statistics of the table itself yet: without these, each row would be compared with each.
    await transaction.query(raw(`create index on expected_${table} (id)`))
    await transaction.query(raw(`analyze expected_${table}`))
    // A file of an earlier release may not say it: then what was counted stands.
    const differs = computedByTrigger.map((column) => `row."${column}" <> expected."${column}"`).join(' or ')
    if (computedByTrigger.length > 0) {
      const [mismatch] = await transaction.query<{ id: string }>(sql`
        select row.id from ${raw(table)} row join ${raw(`expected_${table}`)} expected on expected.id = row.id
        where row.org_id = ${orgId} and (${raw(differs)}) order by 1 limit 1`)
      if (mismatch)
        throw new FileError(
          `${computedByTrigger.map(toCamelCase).join(', ')} of ${mismatch.id} in ${table} do not agree with its records`,
        )
    }
    const assignments = restored
      .map((column) => `"${column}" = coalesce(expected."${column}", row."${column}")`)
      .join(', ')
    await transaction.query(sql`
      update ${raw(table)} row set ${raw(assignments)} from ${raw(`expected_${table}`)} expected
      where row.org_id = ${orgId} and expected.id = row.id
        and (${raw(columnList(restored, 'row.'))}) is distinct from (${raw(columnList(restored, 'expected.'))})`)
  }
}

/** New numbers go on after the highest there is, and the organisation can be locked. Quotes and invoices pass over numbers that are taken by themselves. */
export async function completeOrganisation(transaction: Queryable, orgId: string): Promise<void> {
  await transaction.query(sql`insert into counters (org_id) values (${orgId}) on conflict (org_id) do nothing`)
  await transaction.query(sql`insert into organisation_locks (org_id) values (${orgId})`)
  await transaction.query(sql`
    update counters set next_ticket_number = highest + 1
    from (select max(ticket_number) as highest from tickets where org_id = ${orgId}) given
    where org_id = ${orgId} and next_ticket_number <= highest`)
}
