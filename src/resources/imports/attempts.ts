// An import whose next step cannot be taken: tried again later and later, and given up with a reason, so that it keeps
// neither the shop's other imports nor whoever waits for it.
import { type Sql, sql } from '../../db/database.ts'
import { keptFor, untilForgotten } from './account.ts'

const maxAttempts = 5

/** At once, then after 1, 3 and 7 minutes. Whatever an import changes about itself begins anew. Citus takes no time within `case`. */
export const postponeStep = (orgId: string, importId: string, reason: string): Sql => sql`
  update imports set updated_at = now(), attempts = attempts + 1,
    due_at = now() + case when ${isOver} then ${keptFor} else interval '1 minute' * (2 ^ least(attempts, 10) - 1) end,
    phase = case when ${isOver} then ${untilForgotten.phase} else phase end,
    status = case when ${isOver} then 'failed' else status end,
    failure = case when ${isOver} then ${`It was tried ${maxAttempts} times and could not go on: ${reason}.`} else failure end
  where org_id = ${orgId} and id = ${importId} and due_at <= now()`

/** What cannot be forgotten today has not failed for that. */
const isOver = sql`phase <> 'forgetting' and attempts + 1 >= ${maxAttempts}::int`
