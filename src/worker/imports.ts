// Goes on with imports: judges, writes, undoes and forgets what is due, a step of one organisation after a step of another.
import { type Database, sql } from '../db/database.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import { serializeError } from '../http/log-error.ts'
import type { Caller } from '../operations/caller.ts'
import { createContext, noDependencies } from '../operations/context.ts'
import { postponeStep } from '../resources/imports/attempts.ts'
import { takeStep } from '../resources/imports/step.ts'
import { takeTurns } from './fair-turns.ts'
import { toStepFailure } from './step-failure.ts'
import type { Log } from './task.ts'

interface RunOptions {
  isStopped?(): boolean
  readonly log?: Log
  /** How many organisations take a step at once. */
  readonly maxConcurrent?: number
  /** Told of every step, so that somebody knows whose it was if it ends this process. */
  onStep?(step: ImportStep, is: 'begun' | 'over'): void
}

export interface ImportStep {
  readonly orgId: string
  readonly importId: string
}

export async function hasDueImports(database: Database): Promise<boolean> {
  return (await findDue(database)).length > 0
}

/** The organisations that have something due. */
export async function findDue(database: Database): Promise<string[]> {
  const rows = await database.background<{ orgId: string }>(
    sql`select distinct org_id as "orgId" from imports where due_at <= now()`,
  )
  return rows.map(({ orgId }) => orgId)
}

/** Everything that is due; several processes may do this at once. */
export async function runImports(database: Database, options: RunOptions = {}): Promise<void> {
  await takeTurns({
    maxConcurrent: options.maxConcurrent ?? 2, // one organisation may have to wait for its turn, which must not hold up the others
    isStopped: () => options.isStopped?.() ?? false,
    findOrgs: () => findDue(database),
    serve: (orgId) => runStep(database, orgId, options),
  })
}

async function runStep(database: Database, orgId: string, { log, onStep }: RunOptions): Promise<boolean> {
  let importId: string | undefined
  const onBegun = (id: string) => {
    importId = id
    onStep?.({ orgId, importId }, 'begun')
  }
  try {
    return (await takeImportStep(database, orgId, { onBegun })) !== undefined
  } catch (error) {
    const { kind, cause } = toStepFailure(error)
    if (kind === 'notYet') return false
    if (kind === 'away') throw error
    log?.error({ err: serializeError(cause), orgId, importId }, 'a step of an import failed')
    if (importId !== undefined)
      await database.write(backgroundWork(orgId), postponeStep(orgId, importId, 'the log of the service says why'))
    return false
  } finally {
    if (importId !== undefined) onStep?.({ orgId, importId }, 'over')
  }
}

/** One step of one organisation, or of one import; undefined where there was none to take. */
export const takeImportStep = (
  database: Database,
  orgId: string,
  { importId, onBegun }: { readonly importId?: string; onBegun?(importId: string): void } = {},
): Promise<string | undefined> =>
  database.longWorkStep(orgId, (transaction) =>
    takeStep(createContext(transaction, callerOf(orgId), noDependencies), importId, onBegun),
  )

/** What was judged and allowed when the import was begun is carried out; nobody else's scopes matter then. */
const callerOf = (orgId: string): Caller => ({
  orgId,
  kind: 'system',
  credentialId: 'worker',
  name: 'Import',
  scopes: new Set(),
})
