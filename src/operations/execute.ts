// The one way an operation is carried out, whoever asks: scopes, then input, then run, then only what was declared.
import { createHash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Clean } from 'typebox/value'
import { type Database, type Queryable, sql } from '../db/database.ts'
import { createContext, runStatement } from './context.ts'
import { ApiError, badRequest, conflict, constraintToApiError, insufficientScope } from './errors.ts'
import { idPattern, idRule } from './fields.ts'
import { createBodyParser, createQueryParser, type InputParser, type ParsedInput } from './input.ts'
import {
  Attachment,
  type Caller,
  type Dependencies,
  Existing,
  isStatement,
  Json,
  type Operation,
  type Statement,
} from './operation.ts'

export interface OperationRequest {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
  /** The caller's word that a repetition is the same request: it is answered, not carried out, again. */
  readonly idempotencyKey?: string | undefined
}

export interface OperationResult {
  readonly status: number
  /** The JSON text of `data`. */
  readonly data: string
  /** In place of data, where the answer is a file. */
  readonly attachment?: Attachment
  readonly ignored: readonly string[]
  readonly replayed: boolean
}
type Outcome = Pick<OperationResult, 'status' | 'data' | 'attachment'>

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
  const checks = strict ? createStrictChecks(operations) : undefined

  return async (request, caller) => {
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
        const outcome = await runOperation(operation, input, { caller, dependencies }, database, transaction)
        if (outcome instanceof Attachment) return { status: operation.status, data: '', attachment: outcome }
        const { value, status } =
          outcome instanceof Existing
            ? { value: outcome.value, status: 200 }
            : { value: outcome, status: operation.status }
        const data = value instanceof Json ? value.text : JSON.stringify(Clean(operation.returns, value))
        checks?.checkResult(operation, value instanceof Json ? JSON.parse(data) : value)
        return { status, data }
      } catch (error) {
        const translatedError = constraintToApiError(error)
        checks?.checkError(operation, translatedError)
        throw translatedError
      }
    }
    if (request.idempotencyKey !== undefined) {
      const canonicalInput = JSON.stringify([query.value, body.value])
      return { ...(await executeIdempotent(request, canonicalInput, { caller, dependencies }, database, run)), ignored }
    }
    return { ...(await run()), ignored, replayed: false }
  }
}

const noneIgnored: readonly string[] = []
const emptyBody: ParsedInput = { value: {}, ignored: noneIgnored }

interface Invocation {
  readonly caller: Caller
  readonly dependencies: Dependencies
}

async function runOperation(
  operation: Operation,
  input: never,
  invocation: Invocation,
  database: Database,
  transaction?: Queryable,
): Promise<unknown> {
  if (transaction) return runOperationOn(transaction, operation, input, invocation)
  if (operation.transaction)
    return database.transaction((opened) => runOperationOn(opened, operation, input, invocation))
  const statement = operation.run(
    input,
    createContext(refusingQueryable, invocation.caller, invocation.dependencies, operation.needs),
  ) as Statement<unknown>
  if (operation.method === 'GET') return runStatement(database, statement)
  return statement.decode((await database.write(statement.sql)) as never[])
}

/** An operation without a transaction is one statement; it must not run others, which would be committed without it. */
const refusingQueryable: Queryable = {
  query() {
    throw new Error('An operation that runs several statements must say `transaction: true`')
  },
}

async function runOperationOn(
  db: Queryable | Database,
  operation: Operation,
  input: never,
  { caller, dependencies }: Invocation,
): Promise<unknown> {
  const outcome = operation.run(input, createContext(db, caller, dependencies, operation.needs))
  return isStatement(outcome) ? runStatement(db, outcome) : outcome
}

const idempotencyKeyRegex = /^[A-Za-z0-9_-]{1,128}$/

/**
 * The answer is stored in the transaction that does the work: both happened, or neither. It is sealed, because it may
 * hold what is shown only once.
 */
async function executeIdempotent(
  { operation, params, idempotencyKey: key = '' }: OperationRequest,
  canonicalInput: string,
  { caller, dependencies: { vault } }: Invocation,
  database: Database,
  run: (transaction: Queryable) => Promise<Outcome>,
): Promise<Omit<OperationResult, 'ignored'>> {
  if (!idempotencyKeyRegex.test(key)) throw badRequest('Idempotency-Key must be 1 to 128 letters, digits, _ or -')
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => params[name]!)
  const hash = createHash('sha256').update(canonicalInput).digest()
  const keyCondition = sql`org_id = ${caller.orgId} and credential_id = ${caller.credentialId} and path = ${path} and key = ${key}`

  return database
    .transaction(async (transaction) => {
      const lockKey = JSON.stringify([caller.orgId, caller.credentialId, path, key])
      const [claim] = await transaction.query<{ claimed: boolean }>(
        sql`select pg_try_advisory_xact_lock(hashtextextended(${lockKey}, 0)) as claimed`,
      )
      if (!claim!.claimed) throw conflict('IDEMPOTENCY_IN_PROGRESS')
      const [earlier] = await transaction.query<{ request_hash: Buffer; status: number; body: string }>(
        sql`select request_hash, status, body from idempotency_keys
          where ${keyCondition} and created_at > now() - interval '24 hours'`,
      )
      if (earlier) {
        if (!earlier.request_hash.equals(hash)) throw badRequest('Idempotency-Key was used with a different body')
        const body = vault.decrypt(earlier.body)
        if (earlier.status >= 400) throw toReplayedError(earlier.status, body)
        return { status: earlier.status, data: body, replayed: true }
      }
      await transaction.query(sql`savepoint work`)
      const result = await run(transaction).catch(async (error: unknown) => {
        if (!(error instanceof ApiError) || error.status >= 500) throw error
        await transaction.query(sql`rollback to savepoint work`)
        return error
      })
      const storedBody =
        result instanceof ApiError ? JSON.stringify({ message: result.message, ...result.details }) : result.data
      await transaction.query(
        sql`insert into idempotency_keys (org_id, credential_id, path, key, request_hash, status, body)
          values (${caller.orgId}, ${caller.credentialId}, ${path}, ${key}, ${hash}, ${result.status}, ${vault.encrypt(storedBody)})
          on conflict (org_id, credential_id, path, key) do update
          set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body, created_at = now()`,
      )
      return result instanceof ApiError ? result : { ...result, replayed: false }
    })
    .then((answer) => {
      if (answer instanceof ApiError) throw answer
      return answer
    })
}

function toReplayedError(status: number, body: string): ApiError {
  const { message, ...details } = JSON.parse(body)
  return new ApiError(status, message, details, { 'idempotent-replayed': 'true' })
}

/** Holds operations to what they declare: their fields, all of them and no others, and their conflicts. */
function createStrictChecks(operations: readonly Operation[]) {
  const checks = new Map(operations.map((operation) => [operation, Compile(closeSchema(operation.returns))]))
  return {
    checkResult(operation: Operation, data: unknown) {
      const [failure] = checks.get(operation)!.Errors(data)
      if (failure) throw new Error(`${operation.name} answered ${failure.instancePath}: ${failure.message}`)
    },
    checkError(operation: Operation, error: unknown) {
      if (!(error instanceof ApiError) || error.status !== 409) return
      if (!operation.conflicts.some((code) => code === error.details.code)) {
        throw new Error(`${operation.name} did not declare ${error.details.code}`)
      }
    },
  }
}

function closeSchema(schema: TSchema): TSchema {
  const copy: Record<string, unknown> = { ...schema }
  if (copy.properties) {
    copy.additionalProperties = false
    copy.properties = Object.fromEntries(
      Object.entries(copy.properties as Record<string, TSchema>).map(([name, member]) => [name, closeSchema(member)]),
    )
  }
  if (copy.items) copy.items = closeSchema(copy.items as TSchema)
  return copy as TSchema
}
