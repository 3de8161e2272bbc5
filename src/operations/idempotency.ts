// Repeated requests: with an Idempotency-Key the result is stored in the transaction that does the work, and replayed.
import { createHash } from 'node:crypto'
import { type Database, type Queryable, sql } from '../db/database.ts'
import { ApiError, badRequest, conflictCode } from './errors.ts'
import type { Attachment, Caller, Dependencies } from './operation.ts'

export const idempotencyInProgress = conflictCode(
  'IDEMPOTENCY_IN_PROGRESS',
  'A request with this Idempotency-Key is still running; repeat it in a moment.',
)

/** What an operation came to, before it is sent. */
export interface Outcome {
  readonly status: number
  /** The JSON text of `data`. */
  readonly data: string
  /** In place of data, where the answer is a file. */
  readonly attachment?: Attachment
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

/**
 * Work and stored result are committed together: both happened, or neither. The result is encrypted, because it may hold
 * what is shown only once.
 */
export async function executeIdempotent(
  { key, path, canonicalInput }: IdempotentRequest,
  { caller, dependencies: { vault } }: Invocation,
  database: Database,
  run: (transaction: Queryable) => Promise<Outcome>,
): Promise<Outcome & { readonly replayed: boolean }> {
  if (!idempotencyKeyRegex.test(key)) throw badRequest('Idempotency-Key must be 1 to 128 letters, digits, _ or -')
  const hash = createHash('sha256').update(canonicalInput).digest()
  const keyCondition = sql`org_id = ${caller.orgId} and credential_id = ${caller.credentialId} and path = ${path} and key = ${key}`

  return database
    .transaction(caller.orgId, async (transaction) => {
      const lockKey = JSON.stringify([caller.orgId, caller.credentialId, path, key])
      const [claim] = await transaction.query<{ claimed: boolean }>(
        sql`select pg_try_advisory_xact_lock(hashtextextended(${lockKey}, 0)) as claimed`,
      )
      if (!claim!.claimed) throw idempotencyInProgress()
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
