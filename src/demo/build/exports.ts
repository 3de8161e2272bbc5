// The file that the sample shop gave its bookkeeper last.
import { type Queryable, sql } from '../../db/database.ts'
import { dayMs } from '../../domain/durations.ts'
import { newId } from '../../operations/ids.ts'
import { selectBooks } from '../../resources/exports/books.ts'
import { baseColumns, insertRows } from './rows.ts'
import type { Week } from './week.ts'

const [firstDaysAgo, lastDaysAgo] = [60, 30]

/** Once: what it held is not given out again. */
export async function addExport(transaction: Queryable, orgId: string, { now }: Week): Promise<void> {
  const known = await transaction.query(sql`select from exports where org_id = ${orgId} limit 1`)
  if (known.length > 0) return
  const day = (daysAgo: number) => new Date(now - daysAgo * dayMs).toISOString().slice(0, 10)
  const [from, to] = [day(firstDaysAgo), day(lastDaysAgo)]
  const query = { kind: 'invoices', format: 'csv', from, to, onlyNew: true } as const
  const { sql: select, decode } = selectBooks({ orgId }, query)
  const { kind, format, records: given, content } = decode((await transaction.query(select)) as never[])
  const bytesText = `\\x${Buffer.from(content).toString('hex')}` // rows are written as JSON
  const row = baseColumns(orgId, newId('exp'), now - lastDaysAgo * dayMs)
  await insertRows(transaction, 'exports', [
    { ...row, kind, format, first_day: from, last_day: to, again: false, count: given.length, content: bytesText },
  ])
  const records = given.map(({ id, number, amount }) => ({
    ...{ org_id: orgId, export_id: row.id, record_id: id, kind, again: false, number, amount },
  }))
  if (records.length > 0) await insertRows(transaction, 'exported_records', records)
}
