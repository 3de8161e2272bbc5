// Goes on with imports: judges, writes, undoes and forgets what is due, a step of one organisation after a step of another.
import { type Database, sql } from '../db/database.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import { serializeError } from '../http/log-error.ts'
import type { Caller } from '../operations/caller.ts'
import { createContext, noDependencies } from '../operations/context.ts'
import { takeStep } from '../resources/imports/step.ts'
import { takeTurns } from './fair-turns.ts'
import { toStepFailure } from './step-failure.ts'
import type { Log } from './task.ts'

interface RunOptions {
  isStopped?(): boolean
  readonly log?: Log
}

export async function hasDueImports(database: Database): Promise<boolean> {
  return (await findDue(database)).length > 0
}

async function findDue(database: Database): Promise<string[]> {
  const rows = await database.background<{ orgId: string }>(
    sql`select distinct org_id as "orgId" from imports where due_at <= now()`,
  )
  return rows.map(({ orgId }) => orgId)
}

/** Everything that is due; several processes may do this at once. */
export async function runImports(database: Database, options: RunOptions = {}): Promise<void> {
  await takeTurns({
    maxConcurrent: 2, // one organisation may have to wait for its turn, which must not hold up the others
    isStopped: () => options.isStopped?.() ?? false,
    findOrgs: () => findDue(database),
    serve: (orgId) => runStep(database, orgId, options),
  })
}

async function runStep(database: Database, orgId: string, { log }: RunOptions): Promise<boolean> {
  try {
    return (await takeImportStep(database, orgId)) !== undefined
  } catch (error) {
    const { kind, cause } = toStepFailure(error)
    if (kind === 'notYet') return false
    if (kind === 'away') throw error
    log?.error({ err: serializeError(cause), orgId }, 'a step of an import failed')
    await database.write(
      backgroundWork(orgId),
      sql`update imports set due_at = now() + interval '1 minute'
          where org_id = ${orgId} and due_at <= now() and id = (
            select id from imports where org_id = ${orgId} and due_at <= now() order by due_at, id limit 1)`,
    )
    return false
  }
}

/** One step of one organisation, or of one import; undefined where there was none to take. */
export const takeImportStep = (database: Database, orgId: string, importId?: string): Promise<string | undefined> =>
  database.longWorkStep(orgId, (transaction) =>
    takeStep(createContext(transaction, callerOf(orgId), noDependencies), importId),
  )

/** What was judged and allowed when the import was begun is carried out; nobody else's scopes matter then. */
const callerOf = (orgId: string): Caller => ({
  orgId,
  kind: 'system',
  credentialId: 'worker',
  name: 'Import',
  scopes: new Set(),
})
