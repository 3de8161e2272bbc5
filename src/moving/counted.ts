// What triggers count while records arrive: stock, money and open forms. Where it follows from the records it must come to what the
// file says; what it does to other columns is put back.

import { camel } from '../api/errors.ts'
import { type Executor, raw, sql } from '../database.ts'
import { FileError } from './lines.ts'

interface Touched {
  /** Counted from nothing while other records arrive. */
  readonly counted: readonly string[]
  /** Written by the same triggers, or unknowable from the records. */
  readonly restored: readonly string[]
}

export const touchedByTriggers: Readonly<Record<string, Touched>> = {
  inventory: { counted: [], restored: ['quantity_on_hand', 'updated_at'] },
  invoices: { counted: ['amount_paid'], restored: ['paid_at', 'updated_at'] },
  tickets: {
    counted: ['open_start_form_count', 'open_completion_form_count', 'open_invoice_form_count'],
    restored: ['updated_at'],
  },
}

const tables = Object.entries(touchedByTriggers)
const listed = (columns: readonly string[], row = '') => columns.map((column) => `${row}"${column}"`).join(', ')

/** Makes room for what the file says, by the side. */
export async function prepareCounts(transaction: Executor): Promise<void> {
  for (const [table, { counted, restored }] of tables) {
    const columns = listed(['id', ...counted, ...restored])
    await transaction.query(
      raw(`create temporary table said_of_${table} on commit drop as select ${columns} from ${table} with no data`),
    )
  }
}

/** Compares what was counted with what the file says, and puts the rest back. */
export async function settleCounts(transaction: Executor, orgId: string): Promise<void> {
  for (const [table, { counted, restored }] of tables) {
    // Nothing is known yet of how much has arrived in the table itself: without these, each would be compared with each.
    await transaction.query(raw(`create index on said_of_${table} (id)`))
    await transaction.query(raw(`analyze said_of_${table}`))
    // A file of an earlier release may not say it: then what was counted stands.
    const differs = counted.map((column) => `row."${column}" <> said."${column}"`).join(' or ')
    if (counted.length > 0) {
      const [other] = await transaction.query<{ id: string }>(sql`
        select row.id from ${raw(table)} row join ${raw(`said_of_${table}`)} said on said.id = row.id
        where row.org_id = ${orgId} and (${raw(differs)}) order by 1 limit 1`)
      if (other)
        throw new FileError(`${counted.map(camel).join(', ')} of ${other.id} in ${table} do not agree with its records`)
    }
    const back = restored.map((column) => `"${column}" = coalesce(said."${column}", row."${column}")`).join(', ')
    await transaction.query(sql`
      update ${raw(table)} row set ${raw(back)} from ${raw(`said_of_${table}`)} said
      where row.org_id = ${orgId} and said.id = row.id
        and (${raw(listed(restored, 'row.'))}) is distinct from (${raw(listed(restored, 'said.'))})`)
  }
}

/** New numbers go on after the highest there is. Quotes and invoices pass over numbers that are taken by themselves. */
export async function continueNumbers(transaction: Executor, orgId: string): Promise<void> {
  await transaction.query(sql`insert into counters (org_id) values (${orgId}) on conflict (org_id) do nothing`)
  await transaction.query(sql`
    update counters set next_ticket_number = highest + 1
    from (select max(ticket_number) as highest from tickets where org_id = ${orgId}) given
    where org_id = ${orgId} and next_ticket_number <= highest`)
}
