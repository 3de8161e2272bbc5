// Repeated requests: with an Idempotency-Key the result is stored in the transaction that does the work, and replayed.
import { createHash } from 'node:crypto'
import { type Database, type Queryable, sql } from '../db/database.ts'
import type { Attachment, Subscription } from './answers.ts'
import type { Caller } from './caller.ts'
import { actorFor } from './context.ts'
import { ApiError, badRequest, conflictCode } from './errors.ts'
import type { Dependencies } from './operation.ts'

export const idempotencyInProgress = conflictCode(
  'IDEMPOTENCY_IN_PROGRESS',
  'A request with this Idempotency-Key is still running; repeat it in a moment.',
)

/** What an operation came to, before it is sent. */
export interface Outcome {
  readonly status: number
  /** The JSON text of `data`. */
  readonly data: string
  /** The version of the record that is answered, where it is one. */
  readonly etag?: string | undefined
  /** In place of data, where the answer is a file. */
  readonly attachment?: Attachment
  /** In place of data, where the answer goes on. */
  readonly subscription?: Subscription
}

export interface Invocation {
  readonly caller: Caller
  readonly dependencies: Dependencies
}

interface IdempotentRequest {
  readonly key: string
  /** The path with its ids: a key counts for one address. */
  readonly path: string
  /** The same for every request that asks for the same. */
  readonly canonicalInput: string
}

const idempotencyKeyRegex = /^[A-Za-z0-9_-]{1,128}$/

type Replayed = Outcome & { readonly replayed: boolean }

/**
 * Work and stored result are committed together: both happened, or neither. The result is encrypted, because it may hold
 * what is shown only once.
 */
export async function executeIdempotent(
  request: IdempotentRequest,
  invocation: Invocation,
  database: Database,
  run: (transaction: Queryable) => Promise<Outcome>,
): Promise<Replayed> {
  const key = createKey(request, invocation)
  return database
    .transaction(
      invocation.caller.orgId,
      async (transaction) => {
        await key.lock(transaction)
        const earlier = await key.find(transaction)
        if (earlier) return earlier
        await transaction.query(sql`savepoint work`)
        const result = await run(transaction).catch(async (error: unknown) => {
          if (!isAnswer(error)) throw error
          await transaction.query(sql`rollback to savepoint work`)
          return error
        })
        await transaction.query(key.store(result))
        return result
      },
      actorFor(invocation.caller),
    )
    .then(toAnswer)
}

/**
 * The same for an operation in steps, which holds no transaction open: that it runs is a row of its own, until its answer
 * is stored. After a crash a repetition goes on once that row is old.
 */
export async function executeIdempotentSteps(
  request: IdempotentRequest,
  invocation: Invocation,
  database: Database,
  run: () => Promise<Outcome>,
): Promise<Replayed> {
  const key = createKey(request, invocation)
  const earlier = await database.transaction(invocation.caller.orgId, async (transaction) => {
    await key.lock(transaction)
    const found = await key.find(transaction)
    if (!found) await transaction.query(key.store(running))
    return found
  })
  if (earlier) return earlier
  const result = await run().catch(async (error: unknown) => {
    if (isAnswer(error)) return error
    await database.write(invocation.caller.orgId, key.remove)
    throw error
  })
  await database.write(invocation.caller.orgId, key.store(result))
  return toAnswer(result)
}

const running: Outcome = { status: 102, data: '' }
/** Longer than any request takes: what runs no more after that has crashed. */
const runningTime = '30 seconds'

const isAnswer = (error: unknown): error is ApiError => error instanceof ApiError && error.status < 500

function toAnswer(result: Outcome | Replayed | ApiError): Replayed {
  if (result instanceof ApiError) throw result
  return { replayed: false, ...result }
}

interface StoredAnswer {
  readonly request_hash: Buffer
  readonly status: number
  readonly body: string
  readonly is_recent: boolean
}

function createKey(
  { key, path, canonicalInput }: IdempotentRequest,
  { caller: { orgId, credentialId }, dependencies: { vault } }: Invocation,
) {
  if (!idempotencyKeyRegex.test(key)) throw badRequest('Idempotency-Key must be 1 to 128 letters, digits, _ or -')
  const hash = createHash('sha256').update(canonicalInput).digest()
  const isKey = sql`org_id = ${orgId} and credential_id = ${credentialId} and path = ${path} and key = ${key}`
  return {
    /** Until the transaction ends. */
    async lock(transaction: Queryable): Promise<void> {
      const lockKey = JSON.stringify([orgId, credentialId, path, key])
      const [claim] = await transaction.query<{ claimed: boolean }>(
        sql`select pg_try_advisory_xact_lock(hashtextextended(${lockKey}, 0)) as claimed`,
      )
      if (!claim!.claimed) throw idempotencyInProgress()
    },
    async find(transaction: Queryable): Promise<Replayed | undefined> {
      const [earlier] = await transaction.query<StoredAnswer>(
        sql`select request_hash, status, body, created_at > now() - ${runningTime}::text::interval as is_recent
            from idempotency_keys where ${isKey} and created_at > now() - interval '24 hours'`,
      )
      if (!earlier) return undefined
      if (!earlier.request_hash.equals(hash))
        throw badRequest('Idempotency-Key was used with a different body', 'IDEMPOTENCY_KEY_REUSED')
      if (earlier.status === running.status) {
        if (earlier.is_recent) throw idempotencyInProgress()
        return undefined
      }
      const body = vault.decrypt(earlier.body)
      if (earlier.status >= 400) throw toReplayedError(earlier.status, body)
      return { status: earlier.status, data: body, replayed: true }
    },
    store(result: Outcome | ApiError) {
      const body =
        result instanceof ApiError ? JSON.stringify({ message: result.message, ...result.details }) : result.data
      return sql`insert into idempotency_keys (org_id, credential_id, path, key, request_hash, status, body)
        values (${orgId}, ${credentialId}, ${path}, ${key}, ${hash}, ${result.status}, ${vault.encrypt(body)})
        on conflict (org_id, credential_id, path, key) do update
        set request_hash = excluded.request_hash, status = excluded.status, body = excluded.body,
          created_at = excluded.created_at`
    },
    remove: sql`delete from idempotency_keys where ${isKey}`,
  }
}

function toReplayedError(status: number, body: string): ApiError {
  const { message, ...details } = JSON.parse(body)
  return new ApiError(status, message, details, { 'idempotent-replayed': 'true' })
}
