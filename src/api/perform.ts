// The one way an operation is carried out, whoever asks: scopes, then input, then run, then only what was declared.
import { createHash } from 'node:crypto'
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/compile'
import { Clean } from 'typebox/value'
import { type Database, type Executor, sql } from '../database.ts'
import { ask, contextOf } from './context.ts'
import { ApiError, badRequest, conflict, fromConstraint, insufficientScope } from './errors.ts'
import { idPattern, idWords } from './fields.ts'
import { bodyReader, queryReader, type Reader, type Reading } from './input.ts'
import {
  Attachment,
  type Caller,
  Existing,
  isStatement,
  Json,
  type Operation,
  type Statement,
  type Surroundings,
} from './operation.ts'

export interface Request {
  readonly operation: Operation
  readonly params: Readonly<Record<string, string>>
  readonly query: unknown
  readonly body: unknown
  /** The caller's word that a repetition is the same request: it is answered, not carried out, again. */
  readonly idempotencyKey?: string | undefined
}

export interface Answer {
  readonly status: number
  /** The JSON text of `data`. */
  readonly data: string
  /** In place of data, where the answer is a file. */
  readonly attachment?: Attachment
  readonly ignored: readonly string[]
  readonly replayed: boolean
}
type Outcome = Pick<Answer, 'status' | 'data' | 'attachment'>

export type Perform = (request: Request, caller: Caller) => Promise<Answer>

export function refuseUnlessAllowed({ needs }: Operation, caller: Caller): void {
  if (!needs.every((scope) => caller.scopes.has(scope))) throw insufficientScope(needs)
}

const idForm = new RegExp(idPattern)
export function refuseMalformedIds(params: Readonly<Record<string, string>>): void {
  for (const name in params) if (!idForm.test(params[name]!)) throw badRequest(`${name} ${idWords}`)
}

/** `strict` is for tests: an answer or a conflict that the operation did not declare is a failure of its own. */
export function performer(
  database: Database,
  operations: readonly Operation[],
  surroundings: Surroundings,
  { strict = false } = {},
): Perform {
  const readers = new Map<Operation, { query: Reader; body: Reader }>()
  for (const operation of operations) {
    readers.set(operation, { query: queryReader(operation.query), body: bodyReader(operation.body) })
  }
  const inspect = strict ? inspector(operations) : undefined

  return async (request, caller) => {
    const { operation, params } = request
    refuseUnlessAllowed(operation, caller)
    refuseMalformedIds(params)
    const read = readers.get(operation)!
    const query = read.query(request.query)
    const body = operation.method === 'GET' ? bodiless : read.body(request.body)
    const ignored = query.ignored.length + body.ignored.length > 0 ? [...query.ignored, ...body.ignored] : none

    const input = { params, query: query.value, body: body.value } as never
    const carryOut = async (transaction?: Executor): Promise<Outcome> => {
      try {
        const outcome = await outcomeOf(operation, input, { caller, surroundings }, database, transaction)
        if (outcome instanceof Attachment) return { status: operation.status, data: '', attachment: outcome }
        const { value, status } =
          outcome instanceof Existing
            ? { value: outcome.value, status: 200 }
            : { value: outcome, status: operation.status }
        const data = value instanceof Json ? value.text : JSON.stringify(Clean(operation.returns, value))
        inspect?.answer(operation, value instanceof Json ? JSON.parse(data) : value)
        return { status, data }
      } catch (error) {
        const refusal = fromConstraint(error)
        inspect?.refusal(operation, refusal)
        throw refusal
      }
    }
    if (request.idempotencyKey !== undefined) {
      const understood = JSON.stringify([query.value, body.value])
      return { ...(await once(request, understood, { caller, surroundings }, database, carryOut)), ignored }
    }
    return { ...(await carryOut()), ignored, replayed: false }
  }
}

const none: readonly string[] = []
const bodiless: Reading = { value: {}, ignored: none }

/** A write that asks several statements is an async function, and has them in one transaction. */
const isAsync = (operation: Operation) => operation.run.constructor.name === 'AsyncFunction'

interface Acting {
  readonly caller: Caller
  readonly surroundings: Surroundings
}

async function outcomeOf(
  operation: Operation,
  input: never,
  acting: Acting,
  database: Database,
  transaction?: Executor,
): Promise<unknown> {
  if (transaction || operation.method === 'GET') return runOn(transaction ?? database, operation, input, acting)
  if (isAsync(operation)) return database.transaction((opened) => runOn(opened, operation, input, acting))
  const only = operation.run(input, contextOf(outsideTransaction, acting.caller, acting.surroundings, operation.needs))
  const { sql, means } = only as Statement<unknown>
  return means((await database.write(sql)) as never[])
}

/** A write that is no async function is one statement; it must not ask others, which would be committed without it. */
const outsideTransaction: Executor = {
  query() {
    throw new Error('A write that asks several statements must be an async function')
  },
}

async function runOn(
  executor: Executor | Database,
  operation: Operation,
  input: never,
  { caller, surroundings }: Acting,
): Promise<unknown> {
  const outcome = operation.run(input, contextOf(executor, caller, surroundings, operation.needs))
  return isStatement(outcome) ? ask(executor, outcome) : outcome
}

const keyForm = /^[A-Za-z0-9_-]{1,128}$/

/**
 * The answer is stored in the transaction that does the work: both happened, or neither. It is sealed, because it may
 * hold what is shown only once.
 */
async function once(
  { operation, params, idempotencyKey: key = '' }: Request,
  understood: string,
  { caller, surroundings: { vault } }: Acting,
  database: Database,
  carryOut: (transaction: Executor) => Promise<Outcome>,
): Promise<Omit<Answer, 'ignored'>> {
  if (!keyForm.test(key)) throw badRequest('Idempotency-Key must be 1 to 128 letters, digits, _ or -')
  const path = operation.path.replace(/:(\w+)/g, (_, name: string) => params[name]!)
  const hash = createHash('sha256').update(understood).digest()
  const place = sql`org_id = ${caller.orgId} and credential_id = ${caller.credentialId} and path = ${path} and key = ${key}`

  return database
    .transaction(async (transaction) => {
      const lock = JSON.stringify([caller.orgId, caller.credentialId, path, key])
      const [claim] = await transaction.query<{ claimed: boolean }>(
        sql`select pg_try_advisory_xact_lock(hashtextextended(${lock}, 0)) as claimed`,
      )
      if (!claim!.claimed) throw conflict('IDEMPOTENCY_IN_PROGRESS')
      const [earlier] = await transaction.query<{ request_hash: Buffer; status: number; body: string }>(
        sql`select request_hash, status, body from idempotency_keys
          where ${place} and created_at > now() - interval '24 hours'`,
      )
      if (earlier) {
        if (!earlier.request_hash.equals(hash)) throw badRequest('Idempotency-Key was used with a different body')
        const body = vault.open(earlier.body)
        if (earlier.status >= 400) throw replayedRefusal(earlier.status, body)
        return { status: earlier.status, data: body, replayed: true }
      }
      await transaction.query(sql`savepoint work`)
      const result = await carryOut(transaction).catch(async (error: unknown) => {
        if (!(error instanceof ApiError) || error.status >= 500) throw error
        await transaction.query(sql`rollback to savepoint work`)
        return error
      })
      const stored =
        result instanceof ApiError ? JSON.stringify({ message: result.message, ...result.details }) : result.data
      await transaction.query(
        sql`insert into idempotency_keys (org_id, credential_id, path, key, request_hash, status, body)
          values (${caller.orgId}, ${caller.credentialId}, ${path}, ${key}, ${hash}, ${result.status}, ${vault.seal(stored)})
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

function replayedRefusal(status: number, body: string): ApiError {
  const { message, ...details } = JSON.parse(body)
  return new ApiError(status, message, details, { 'idempotent-replayed': 'true' })
}

/** Holds operations to what they declare: their fields, all of them and no others, and their conflicts. */
function inspector(operations: readonly Operation[]) {
  const checks = new Map(operations.map((operation) => [operation, Compile(closed(operation.returns))]))
  return {
    answer(operation: Operation, data: unknown) {
      const [failure] = checks.get(operation)!.Errors(data)
      if (failure) throw new Error(`${operation.name} answered ${failure.instancePath}: ${failure.message}`)
    },
    refusal(operation: Operation, error: unknown) {
      if (!(error instanceof ApiError) || error.status !== 409) return
      if (!operation.conflicts.some((code) => code === error.details.code)) {
        throw new Error(`${operation.name} did not declare ${error.details.code}`)
      }
    },
  }
}

function closed(schema: TSchema): TSchema {
  const copy: Record<string, unknown> = { ...schema }
  if (copy.properties) {
    copy.additionalProperties = false
    copy.properties = Object.fromEntries(
      Object.entries(copy.properties as Record<string, TSchema>).map(([name, member]) => [name, closed(member)]),
    )
  }
  if (copy.items) copy.items = closed(copy.items as TSchema)
  return copy as TSchema
}
