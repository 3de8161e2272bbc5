// The one way an operation is executed, whoever the caller: scopes, then input, then run, then only what was declared.
import type { Actor } from '../db/actor.ts'
import { type Database, type Queryable, TurnTimeout } from '../db/database.ts'
import { createRequestTurns } from '../fairness/request-turns.ts'
import type { Tenant } from '../fairness/tenant.ts'
import { Accepted, Attachment, Existing, Json, Subscription } from './answers.ts'
import type { Caller } from './caller.ts'
import { actorFor, createContext, runStatement } from './context.ts'
import { badRequest, constraintToApiError, insufficientScope } from './errors.ts'
import { idPattern, idRule } from './fields.ts'
import { executeIdempotent, executeIdempotentSteps, type Invocation, type Outcome } from './idempotency.ts'
import { createBodyParser, createQueryParser, type InputParser, type ParsedInput } from './input.ts'
import {
  type Context,
  type Dependencies,
  isStatement,
  type Operation,
  type Statement,
  type StepContext,
} from './operation.ts'
import { createStrictChecks, type StrictChecks } from './strict-checks.ts'
import { answerText, createVersions, parseIfMatch, refuseOtherVersion, tagOf } from './versions.ts'

export interface OperationRequest {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
  /** Names a request that may be repeated: a repetition gets the stored result and is not executed again. */
  readonly idempotencyKey?: string | undefined
  /** As the header: a change or a deletion is refused unless the record still has one of these ETags. */
  readonly ifMatch?: string | undefined
  /** An open one that all of it runs in, so that it is committed together with what a page writes besides. */
  readonly transaction?: Queryable | undefined
}

export interface OperationResult extends Outcome {
  readonly ignored: readonly string[]
  readonly replayed: boolean
}

export type Execute = (request: OperationRequest, caller: Caller) => Promise<OperationResult>

export function refuseUnlessAllowed({ needs }: Operation, caller: Caller): void {
  if (!needs.every((scope) => caller.scopes.has(scope))) throw insufficientScope(needs)
}

const idRegex = new RegExp(idPattern)
export function refuseMalformedIds(params: Readonly<Record<string, string>>): void {
  for (const name in params) if (!idRegex.test(params[name]!)) throw badRequest(`${name} ${idRule}`)
}

/** `strict` is for tests: an answer or a conflict that the operation did not declare is a failure of its own. */
export function createExecute(
  database: Database,
  operations: readonly Operation[],
  dependencies: Dependencies,
  { strict = false } = {},
): Execute {
  const { isVersioned, readBefore } = createVersions(operations)
  const parsers = new Map<Operation, { query: InputParser; body: InputParser; isVersioned: boolean }>()
  for (const operation of operations) {
    const [query, body] = [createQueryParser(operation.query), createBodyParser(operation.body)]
    parsers.set(operation, { query, body, isVersioned: isVersioned(operation) })
  }
  const conflicts = operations.flatMap((operation) => operation.conflicts)
  const checks = strict ? createStrictChecks(operations) : undefined

  const turns = createRequestTurns()

  return async (request, caller) => {
    // Whoever has opened a transaction waits for no turn: those who are under way may wait for its locks.
    const turn = request.transaction ? undefined : turns.enter(caller.orgId, caller.credentialId)
    if (turn) await turn
    const beganAt = performance.now()
    try {
      const { operation, params } = request
      refuseUnlessAllowed(operation, caller)
      refuseMalformedIds(params)
      const parser = parsers.get(operation)!
      const query = parser.query(request.query)
      const body = operation.method === 'GET' ? emptyBody : parser.body(request.body)
      const ignored = query.ignored.length + body.ignored.length > 0 ? [...query.ignored, ...body.ignored] : noneIgnored

      const input = { params, query: query.value, body: body.value } as never
      const precondition = request.ifMatch === undefined ? undefined : createPrecondition(request, request.ifMatch)
      const run = async (transaction = request.transaction): Promise<Outcome> => {
        try {
          const contextOn = (db: Queryable) => createOperationContext(db, operation, { caller, dependencies }, checks)
          const outcome = await runOperation(operation, input, contextOn, {
            database,
            tenant: caller.orgId,
            actor: actorFor(caller),
            transaction,
            precondition: precondition && ((db) => precondition(contextOn(db))),
          })
          if (outcome instanceof Attachment) return { status: operation.status, data: '', attachment: outcome }
          if (outcome instanceof Subscription) return { status: operation.status, data: '', subscription: outcome }
          const isOther = outcome instanceof Existing || outcome instanceof Accepted
          const value = isOther ? outcome.value : outcome
          const status = outcome instanceof Existing ? 200 : outcome instanceof Accepted ? 202 : operation.status
          const data = answerText(operation, value)
          checks?.checkResult(operation, value instanceof Json ? JSON.parse(data) : value)
          return parser.isVersioned ? { status, data, etag: tagOf(value, data) } : { status, data }
        } catch (error) {
          const translatedError = constraintToApiError(error, conflicts)
          checks?.checkError(operation, translatedError)
          throw translatedError
        }
      }
      if (request.idempotencyKey !== undefined) {
        if (request.transaction) throw new Error('A request within a transaction cannot be repeated by a key')
        const idempotent = {
          key: request.idempotencyKey,
          path: operation.path.replace(/:(\w+)/g, (_, name: string) => params[name]!),
          canonicalInput: JSON.stringify([query.value, body.value]),
        }
        const executeOnce = operation.steps ? executeIdempotentSteps : executeIdempotent
        const result = await executeOnce(idempotent, { caller, dependencies }, database, run)
        const etag = result.etag ?? (parser.isVersioned ? tagOf(undefined, result.data) : undefined)
        return { ...result, etag, ignored }
      }
      return { ...(await run()), ignored, replayed: false }
    } finally {
      if (!request.transaction) turns.leave(caller.orgId, beganAt)
    }
  }

  /** Judged by the record as it is read without any parameter, whatever the change is. */
  function createPrecondition({ operation, params }: OperationRequest, ifMatch: string) {
    const read = readBefore(operation)
    if (!read?.lock) throw new Error(`${operation.name} changes no record that If-Match could name`)
    const tags = parseIfMatch(ifMatch)
    const input = { params, query: parsers.get(read)!.query({}).value, body: emptyBody.value } as never
    return (ctx: Context) => refuseOtherVersion(tags, read, input, ctx)
  }
}

const noneIgnored: readonly string[] = []
const emptyBody: ParsedInput = { value: {}, ignored: noneIgnored }

function createOperationContext(
  db: Queryable,
  operation: Operation,
  { caller, dependencies }: Invocation,
  checks: StrictChecks | undefined,
): Context {
  const context = createContext(db, caller, dependencies, operation.needs)
  if (!checks) return context
  return {
    ...context,
    require(scope) {
      checks.checkRequiredScope(operation, scope)
      context.require(scope)
    },
  }
}

interface Execution {
  readonly database: Database
  readonly tenant: Tenant
  readonly actor: Actor
  /** One that somebody else has opened. */
  readonly transaction: Queryable | undefined
  /** Refuses unless what was expected is still so. */
  readonly precondition: ((transaction: Queryable) => Promise<void>) | undefined
}

async function runOperation(
  operation: Operation,
  input: never,
  contextOn: (db: Queryable) => Context,
  execution: Execution,
): Promise<unknown> {
  const { database, tenant, actor, transaction, precondition } = execution
  if (operation.steps && transaction) throw new Error(`${operation.name} runs in steps, not within a transaction`)
  if (operation.steps) return operation.run(input, createStepContext(contextOn, execution))
  const runOn = (opened: Queryable) => runOperationOn(opened, operation, input, contextOn, precondition)
  if (transaction) return runOn(transaction)
  if (operation.transaction || precondition) return database.transaction(tenant, runOn, actor)
  const statement = operation.run(input, contextOn(refusingQueryable)) as Statement<unknown>
  if (operation.method === 'GET') return runStatement(database, tenant, statement)
  if (statement.first) return database.transaction(tenant, (opened) => runStatement(opened, tenant, statement), actor)
  return statement.decode((await database.write(tenant, statement.sql, actor)) as never[])
}

/** How long a caller waits for the steps of an operation; a step that was begun by then is finished. */
const stepsTimeMs = 2_000
/** How long the first step waits for other long work of the organisation, a step of which takes half a second. */
const firstStepWaitMs = 10_000

function createStepContext(
  contextOn: (db: Queryable) => Context,
  { database, tenant, actor, precondition }: Execution,
): StepContext {
  const deadline = performance.now() + stepsTimeMs
  const { query: _, ...context } = contextOn(refusingQueryable)
  let isBegun = false
  return {
    ...context,
    step(work) {
      // What was expected is judged by the first step, in its transaction; the others go on with what that one began.
      const judge = isBegun ? undefined : precondition
      isBegun = true
      const workOn = async (transaction: Queryable) => {
        if (judge) await judge(transaction)
        return work(contextOn(transaction))
      }
      return database.longWorkStep(tenant, workOn, { maxWaitMs: firstStepWaitMs, actor })
    },
    async stepInTime(work) {
      if (performance.now() >= deadline) return undefined
      try {
        return await database.longWorkStep(tenant, (transaction) => work(contextOn(transaction)), { actor })
      } catch (error) {
        if (error instanceof TurnTimeout) return undefined // the worker has its turns, too
        throw error
      }
    },
  }
}

/** An operation without a transaction is one statement; it must not run others, which would be committed without it. */
const refusingQueryable: Queryable = {
  query() {
    throw new Error('An operation that runs several statements must say `transaction: true`')
  },
}

async function runOperationOn(
  transaction: Queryable,
  operation: Operation,
  input: never,
  contextOn: (db: Queryable) => Context,
  precondition: Execution['precondition'],
): Promise<unknown> {
  if (precondition) await precondition(transaction)
  const ctx = contextOn(transaction)
  const outcome = operation.run(input, ctx)
  return isStatement(outcome) ? ctx.query(outcome) : outcome
}
