// The answer to an authorization request: there is one.
import { type Queryable, sql } from '../db/database.ts'
import { hashSecret } from '../identity/key-format.ts'

/**
 * Answers a request once: sent again by the same person, the answer is the grant there is. Somebody else who signed in
 * meanwhile decides for themselves. Run it in a transaction.
 */
export async function answerOnce(
  database: Queryable,
  { requestId, personId }: { requestId: string; personId: string },
  decide: () => Promise<string | undefined>,
): Promise<string | undefined> {
  const hash = hashSecret(requestId)
  const [request] = await database.query<{ grant_id: string | null }>(
    sql`select grant_id from authorization_requests where hash = ${hash} and expires_at > now() for update`,
  )
  if (!request) {
    const { errors } = await import('oidc-provider')
    throw new errors.SessionNotFound('the request was answered already')
  }
  const [granted] = await database.query<{ id: string }>(
    sql`select id from grants where id = ${request.grant_id} and person_id = ${personId} and revoked_at is null`,
  )
  if (granted) return granted.id
  const id = await decide()
  if (id !== undefined) {
    await database.query(sql`update authorization_requests set grant_id = ${id} where hash = ${hash}`)
  }
  return id
}
