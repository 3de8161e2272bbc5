// Putting many rows into a table at once.
import { type Queryable, type Row, raw, sql } from '../../db/database.ts'

export const baseColumns = (orgId: string, id: string, createdAt: number, updatedAt = createdAt) => ({
  org_id: orgId,
  id,
  created_at: new Date(createdAt),
  updated_at: new Date(updatedAt),
})

/** Rows name their columns themselves; many go in one statement, and each statement stays short of its time limit. */
export async function insertRows(transaction: Queryable, table: string, rows: readonly Row[]): Promise<void> {
  const columns = raw(Object.keys(rows[0] ?? {}).join(', '))
  for (let start = 0; start < rows.length; start += 1_000) {
    await transaction.query(sql`
      insert into ${raw(table)} (${columns}) select ${columns}
      from json_populate_recordset(null::${raw(table)}, ${JSON.stringify(rows.slice(start, start + 1_000))}::json)`)
  }
  // The next tables refer to this one, and with the plan for an empty table each reference would search all of it.
  if (rows.length >= 1_000) await transaction.query(sql`analyze ${raw(table)}`)
}

/** Changes those columns of many rows at once. */
export async function updateRows(
  transaction: Queryable,
  orgId: string,
  table: string,
  columns: readonly string[],
  rows: readonly Row[],
): Promise<void> {
  const changes = raw(columns.map((column) => `${column} = amended.${column}`).join(', '))
  for (let start = 0; start < rows.length; start += 1_000) {
    const some = JSON.stringify(rows.slice(start, start + 1_000))
    await transaction.query(sql`
      update ${raw(table)} kept set ${changes}
      from json_populate_recordset(null::${raw(table)}, ${some}::json) amended
      where kept.org_id = ${orgId} and kept.id = amended.id`)
  }
}
