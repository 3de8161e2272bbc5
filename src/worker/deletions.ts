// Goes on with the deletion of customers with many jobs, where a request did not come to its end.
import { type Database, sql } from '../db/database.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import { serializeError } from '../http/log-error.ts'
import type { Caller } from '../operations/caller.ts'
import { createContext, noDependencies } from '../operations/context.ts'
import { continueDeletion } from '../resources/customers.ts'
import { takeTurns } from './fair-turns.ts'
import { toStepFailure } from './step-failure.ts'
import type { Log } from './task.ts'

export interface DeletionRun {
  readonly finished: number
  /** Steps that failed; they are retried in a minute. */
  readonly failed: number
}

interface RunOptions {
  isStopped?(): boolean
  readonly log?: Log
}

/** Everything that is due, a few jobs at a time; several processes may do this at once. */
export async function runDeletions(database: Database, options: RunOptions = {}): Promise<DeletionRun> {
  const run = { finished: 0, failed: 0 }
  await takeTurns({
    maxConcurrent: 2, // one organisation may have to wait for its turn, which must not hold up the others
    isStopped: () => options.isStopped?.() ?? false,
    async findOrgs() {
      const rows = await database.background<{ orgId: string }>(sql`
        select distinct org_id as "orgId" from customer_deletions where due_at <= now()`)
      return rows.map(({ orgId }) => orgId)
    },
    async serve(orgId) {
      const outcome = await runStep(database, orgId, options)
      if (outcome === 'finished' || outcome === 'failed') run[outcome]++
      return outcome !== undefined
    },
  })
  return run
}

async function runStep(
  database: Database,
  orgId: string,
  { log }: RunOptions,
): Promise<'finished' | 'begun' | 'failed' | undefined> {
  let customerId: string | undefined
  try {
    return await database.longWorkStep(
      orgId,
      async (transaction) => {
        const [due] = await transaction.query<{ customerId: string }>(sql`
        select customer_id as "customerId" from customer_deletions
        where org_id = ${orgId} and due_at <= now() order by due_at limit 1 for update skip locked`)
        customerId = due?.customerId
        if (customerId === undefined) return undefined
        const ctx = createContext(transaction, callerOf(orgId), noDependencies)
        return (await continueDeletion(ctx, customerId)) ? 'finished' : 'begun'
      },
      { isAwaited: false },
    )
  } catch (error) {
    const { kind, cause } = toStepFailure(error)
    if (kind === 'notYet') return undefined
    if (customerId === undefined || kind === 'away') throw error
    log?.error({ err: serializeError(cause), orgId, customerId }, 'the deletion of a customer failed')
    await database.write(
      backgroundWork(orgId),
      sql`
      update customer_deletions set due_at = now() + interval '1 minute'
      where org_id = ${orgId} and customer_id = ${customerId} and due_at is not null`,
    )
    return 'failed'
  }
}

const callerOf = (orgId: string): Caller => ({
  orgId,
  kind: 'system',
  credentialId: 'worker',
  name: 'Jobwright',
  scopes: new Set(),
})
