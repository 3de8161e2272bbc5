// The demo's events: as if the shop had used the service for the week before, not as if all had happened in one moment.
import { type Actor, actorText } from '../../db/actor.ts'
import { type Queryable, raw, sql } from '../../db/database.ts'
import { dayMs } from '../../domain/durations.ts'
import { insertRows } from './rows.ts'

interface Captured {
  readonly source: string
  readonly operation: string
  readonly recordId: string
  readonly parentId: string | null
}

const told = 7 * dayMs

/** What was captured of the demo is told at the time when its records say that they were made; what is older is not told. */
export async function tellPastWeek(transaction: Queryable, orgId: string, actor: Actor, now: Date): Promise<void> {
  const captured = await transaction.query<Captured>(sql`
    select source, operation, record_id as "recordId", parent_id as "parentId" from event_inbox
    where org_id = ${orgId} order by seq`)
  const made = captured.filter(({ operation }) => operation === 'created')
  const createdAt = new Map<string, number>()
  for (const source of new Set(made.map((one) => one.source))) {
    if (source === 'recurring_occurrences') continue // plans: they are told when something becomes of them
    const rows = await transaction.query<{ id: string; at: Date }>(sql`
      select id, created_at as at from ${raw(source)} where org_id = ${orgId}`)
    for (const { id, at } of rows) createdAt.set(`${source} ${id}`, at.getTime())
  }
  const timeOf = ({ source, recordId }: Captured) => createdAt.get(`${source} ${recordId}`) ?? 0
  const recent = made.filter((one) => timeOf(one) > now.getTime() - told)
  await transaction.query(sql`delete from event_inbox where org_id = ${orgId}`)
  await transaction.query(sql`
    update shared_event_inbox set at = ${new Date(now.getTime() - told)} where org_id = ${orgId}`)
  const rows = recent
    .toSorted((one, other) => timeOf(one) - timeOf(other)) // those of one moment stay in the order in which they were made
    .map((one) => ({
      org_id: orgId,
      at: new Date(timeOf(one)),
      source: one.source,
      operation: one.operation,
      record_id: one.recordId,
      parent_id: one.parentId,
      actor: actorText(actor),
    }))
  await insertRows(transaction, 'event_inbox', rows)
}
