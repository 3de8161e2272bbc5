// What was captured of tables that are on every machine, moved to where it is numbered.
import { type Database, sql } from '../db/database.ts'
import { backgroundWork } from '../fairness/tenant.ts'

/** Nearly always there is nothing: organisations and members seldom change. */
export async function moveSharedChanges(database: Database): Promise<void> {
  const rows = await database.background<{ orgId: string }>(
    sql`select distinct org_id as "orgId" from shared_event_inbox`,
  )
  await Promise.all(rows.map(({ orgId }) => moveChangesOf(database, orgId)))
}

const moveChangesOf = (database: Database, orgId: string): Promise<void> =>
  database.transaction(backgroundWork(orgId), async (transaction) => {
    const changes = await transaction.query<{ change: string }>(
      sql`delete from shared_event_inbox where org_id = ${orgId} returning to_jsonb(shared_event_inbox)::text as change`,
    )
    if (changes.length === 0) return // somebody else was faster
    await transaction.query(sql`
      insert into event_inbox (org_id, seq, at, source, operation, record_id, parent_id, columns, actor)
      overriding system value
      select ${orgId}, seq, at, source, operation, record_id, parent_id, columns, actor
      from jsonb_to_recordset(${`[${changes.map(({ change }) => change).join()}]`}::jsonb) as change (
        seq bigint, at timestamptz, source text, operation text, record_id text, parent_id text, columns jsonb, actor text)`)
  })
