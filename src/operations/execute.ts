// The one way an operation is executed, whoever the caller: scopes, then input, then run, then only what was declared.
import { Clean } from 'typebox/value'
import type { Actor } from '../db/actor.ts'
import { type Database, type Queryable, TurnTimeout } from '../db/database.ts'
import { createRequestTurns } from '../fairness/request-turns.ts'
import type { Tenant } from '../fairness/tenant.ts'
import { actorFor, createContext, runStatement } from './context.ts'
import { badRequest, constraintToApiError, insufficientScope } from './errors.ts'
import { idPattern, idRule } from './fields.ts'
import { executeIdempotent, executeIdempotentSteps, type Invocation, type Outcome } from './idempotency.ts'
import { createBodyParser, createQueryParser, type InputParser, type ParsedInput } from './input.ts'
import {
  Accepted,
  Attachment,
  type Caller,
  type Context,
  type Dependencies,
  Existing,
  isStatement,
  Json,
  type Operation,
  type Statement,
  type StepContext,
  Subscription,
} from './operation.ts'
import { createStrictChecks, type StrictChecks } from './strict-checks.ts'

export interface OperationRequest {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
  /** Names a request that may be repeated: a repetition gets the stored result and is not executed again. */
  readonly idempotencyKey?: string | undefined
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
  const parsers = new Map<Operation, { query: InputParser; body: InputParser }>()
  for (const operation of operations) {
    parsers.set(operation, { query: createQueryParser(operation.query), body: createBodyParser(operation.body) })
  }
  const conflicts = operations.flatMap((operation) => operation.conflicts)
  const checks = strict ? createStrictChecks(operations) : undefined

  const turns = createRequestTurns()

  return async (request, caller) => {
    const turn = turns.enter(caller.orgId)
    if (turn) await turn
    try {
      const { operation, params } = request
      refuseUnlessAllowed(operation, caller)
      refuseMalformedIds(params)
      const parser = parsers.get(operation)!
      const query = parser.query(request.query)
      const body = operation.method === 'GET' ? emptyBody : parser.body(request.body)
      const ignored = query.ignored.length + body.ignored.length > 0 ? [...query.ignored, ...body.ignored] : noneIgnored

      const input = { params, query: query.value, body: body.value } as never
      const run = async (transaction?: Queryable): Promise<Outcome> => {
        try {
          const contextOn = (db: Queryable) => createOperationContext(db, operation, { caller, dependencies }, checks)
          const outcome = await runOperation(operation, input, contextOn, {
            database,
            tenant: caller.orgId,
            actor: actorFor(caller),
            transaction,
          })
          if (outcome instanceof Attachment) return { status: operation.status, data: '', attachment: outcome }
          if (outcome instanceof Subscription) return { status: operation.status, data: '', subscription: outcome }
          const isOther = outcome instanceof Existing || outcome instanceof Accepted
          const value = isOther ? outcome.value : outcome
          const status = outcome instanceof Existing ? 200 : outcome instanceof Accepted ? 202 : operation.status
          const data = value instanceof Json ? value.text : JSON.stringify(Clean(operation.returns, value))
          checks?.checkResult(operation, value instanceof Json ? JSON.parse(data) : value)
          return { status, data }
        } catch (error) {
          const translatedError = constraintToApiError(error, conflicts)
          checks?.checkError(operation, translatedError)
          throw translatedError
        }
      }
      if (request.idempotencyKey !== undefined) {
        const idempotent = {
          key: request.idempotencyKey,
          path: operation.path.replace(/:(\w+)/g, (_, name: string) => params[name]!),
          canonicalInput: JSON.stringify([query.value, body.value]),
        }
        const executeOnce = operation.steps ? executeIdempotentSteps : executeIdempotent
        return { ...(await executeOnce(idempotent, { caller, dependencies }, database, run)), ignored }
      }
      return { ...(await run()), ignored, replayed: false }
    } finally {
      turns.leave(caller.orgId)
    }
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
}

async function runOperation(
  operation: Operation,
  input: never,
  contextOn: (db: Queryable) => Context,
  { database, tenant, actor, transaction }: Execution,
): Promise<unknown> {
  if (operation.steps) return operation.run(input, createStepContext(contextOn, database, tenant, actor))
  if (transaction) return runOperationOn(transaction, operation, input, contextOn)
  if (operation.transaction)
    return database.transaction(tenant, (opened) => runOperationOn(opened, operation, input, contextOn), actor)
  const statement = operation.run(input, contextOn(refusingQueryable)) as Statement<unknown>
  if (operation.method === 'GET') return runStatement(database, tenant, statement)
  return statement.decode((await database.write(tenant, statement.sql, actor)) as never[])
}

/** How long a caller waits for the steps of an operation; a step that was begun by then is finished. */
const stepsTimeMs = 2_000
/** How long the first step waits for other long work of the organisation, a step of which takes half a second. */
const firstStepWaitMs = 10_000

function createStepContext(
  contextOn: (db: Queryable) => Context,
  database: Database,
  tenant: Tenant,
  actor: Actor,
): StepContext {
  const deadline = performance.now() + stepsTimeMs
  const { query: _, ...context } = contextOn(refusingQueryable)
  return {
    ...context,
    step: (work) =>
      database.longWorkStep(tenant, (transaction) => work(contextOn(transaction)), {
        maxWaitMs: firstStepWaitMs,
        actor,
      }),
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
): Promise<unknown> {
  const ctx = contextOn(transaction)
  const outcome = operation.run(input, ctx)
  return isStatement(outcome) ? ctx.query(outcome) : outcome
}
