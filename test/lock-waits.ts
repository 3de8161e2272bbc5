// Whether a statement waits for a lock, on whichever machine.
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, raw, sql } from '../src/db/database.ts'

/** `pattern`: what the statement is like. */
export async function isWaitingForLock(database: Database, pattern: string): Promise<boolean> {
  const activity = (await database.isCitus()) ? 'citus_stat_activity' : 'pg_stat_activity'
  const waiting = await database.query(sql`
    select 1 from ${raw(activity)} where datname = current_database() and wait_event_type = 'Lock'
      and query ilike ${pattern} and query not like '%stat_activity%'`)
  return waiting.length > 0
}

/** Until `work` waits for a lock, or is over without. */
export async function untilWaiting(database: Database, pattern: string, work: Promise<unknown>): Promise<void> {
  let isOver = false
  const end = () => {
    isOver = true
  }
  work.then(end, end)
  while (!isOver && !(await isWaitingForLock(database, pattern))) await delay(10)
}
