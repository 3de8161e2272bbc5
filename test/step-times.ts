// How long the steps of work that changes many jobs took, and how long it rested between them, as PostgreSQL saw it.
import type { Database } from '../src/db/database.ts'
import { sql } from '../src/db/database.ts'

interface StepTimes {
  readonly tookMs: number
  readonly restedMs: number
}

/** Of all steps but the last, while somebody reads all the time. */
export async function watchSteps(
  database: Database,
  orgId: string,
  work: () => Promise<unknown>,
): Promise<StepTimes[]> {
  await database.query(sql`create table if not exists step_times (org_id text, began timestamptz, ended timestamptz)`)
  await database.query(sql`
    create or replace function record_step() returns trigger language plpgsql as
    $$ begin insert into step_times values (coalesce(new.org_id, old.org_id), now(), clock_timestamp()); return null; end $$`)
  // Deferred: it runs when the transaction commits.
  await database.query(sql`
    create constraint trigger record_step after insert or delete on tickets deferrable initially deferred
    for each row execute function record_step()`)
  try {
    let isReading = true
    // Always somebody else: on a busy machine one who reads so much may have to take turns.
    const reading = (async () => {
      for (let n = 0; isReading; n++) await database.read(`reader ${n}`, sql`select 1`)
    })()
    await work().finally(() => (isReading = false))
    await reading
    return await database.query<StepTimes>(sql`
      with steps as (
        select began, max(ended) as ended, lead(began) over (order by began) as next
        from step_times where org_id = ${orgId} group by began)
      select extract(epoch from ended - began)::float8 * 1000 as "tookMs",
        extract(epoch from next - ended)::float8 * 1000 as "restedMs"
      from steps where next is not null order by began`)
  } finally {
    await database.query(sql`drop trigger record_step on tickets`)
  }
}

/** Three times as long as the step took, half a second at most; a timer may be a moment early. */
export const hasRestedLong = ({ tookMs, restedMs }: StepTimes): boolean => restedMs >= Math.min(2.8 * tookMs, 490)
