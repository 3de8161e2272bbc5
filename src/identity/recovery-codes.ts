// Recovery codes: each signs in once in place of a code of the authenticator app, for whoever has lost it.
import { createHash } from 'node:crypto'
import { type Queryable, sql } from '../db/database.ts'
import { newTotpSecret } from './secrets.ts'

export const recoveryCodeCount = 10

/**
 * Ten new ones; those before no longer count. They are shown once and kept as hashes. Run it in a transaction: the
 * person's row is locked first, so that of two renewals at once the later one replaces what the earlier one made.
 */
export async function replaceRecoveryCodes(database: Queryable, personId: string): Promise<string[]> {
  const codes = Array.from({ length: recoveryCodeCount }, () =>
    newTotpSecret().slice(0, 16).toLowerCase().match(/.{4}/g)!.join('-'),
  )
  await database.query(sql`select from people where id = ${personId} for update`)
  await database.query(sql`
    with gone as (delete from recovery_codes where person_id = ${personId})
    insert into recovery_codes (person_id, hash) select ${personId}, unnest(${codes.map(hashRecoveryCode)}::bytea[])`)
  return codes
}

/** Whether it was one, and unused; from now on it is used. */
export async function useRecoveryCode(database: Queryable, personId: string, code: string): Promise<boolean> {
  const used = await database.query(sql`
    update recovery_codes set used_at = now()
    where person_id = ${personId} and hash = ${hashRecoveryCode(code)} and used_at is null returning 1`)
  return used.length === 1
}

/** How many are left. */
export async function countRecoveryCodes(database: Queryable, personId: string): Promise<number> {
  const [row] = await database.query<{ count: number }>(sql`
    select count(*)::int as count from recovery_codes where person_id = ${personId} and used_at is null`)
  return row!.count
}

/** They are random enough that a plain hash protects them. */
const hashRecoveryCode = (code: string): Buffer =>
  createHash('sha256').update(code.toLowerCase().replace(/[\s-]/g, '')).digest()
