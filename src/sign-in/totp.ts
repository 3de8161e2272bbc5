// The second factor: codes of an authenticator app, each good once, and the lock after wrong ones.
import { Secret, TOTP } from 'otpauth'
import { type Database, type Queryable, sql } from '../db/database.ts'
import { replaceRecoveryCodes, useRecoveryCode } from '../identity/recovery-codes.ts'
import { newTotpSecret, type Vault } from '../identity/secrets.ts'
import { SessionEnded } from '../identity/sessions.ts'

export type Verdict = 'right' | 'wrong' | 'locked'

const stepSeconds = 30
/** A clock may be a step off, and people type slowly. */
const windowSteps = 1
const maxFailures = 5
const lockDuration = sql`interval '15 minutes'`

/** Nothing was entered: that is no wrong code, and does not count as one. */
export const isMissingCode = (code: string): boolean => code.trim() === ''

/** What an authenticator app shows; a recovery code is longer. */
const isAppCode = (code: string): boolean => /^\d{6}$/.test(code.replace(/\s/g, ''))

interface TotpState {
  readonly encrypted: string | null
  readonly lastStep: number
  readonly isLocked: boolean
  readonly now: number
}

/** Judges a code, or a recovery code in its place. The person's row is locked, so a code counts once however it races. */
export const verifyCode = (database: Database, vault: Vault, personId: string, code: string): Promise<Verdict> =>
  database.transaction(personId, async (transaction) => {
    const [state] = await transaction.query<TotpState>(sql`
      select totp_secret as encrypted, totp_last_step as "lastStep", coalesce(totp_locked_until > now(), false) as "isLocked",
        extract(epoch from now())::float8 as now
      from people where id = ${personId} for update`)
    if (!state || state.encrypted === null) return 'wrong'
    if (state.isLocked) return 'locked'
    const step = totpStep(vault.decrypt(state.encrypted), code, state.now)
    const isRight = step !== undefined ? step > state.lastStep : await useRecoveryCode(transaction, personId, code)
    if (isRight) {
      await transaction.query(sql`
        update people set totp_last_step = greatest(totp_last_step, ${step ?? 0}::bigint), totp_failures = 0,
          totp_failing_since = null, totp_locked_until = null where id = ${personId}`)
      return 'right'
    }
    const [after] = await transaction.query<{ locked: boolean }>(sql`
      update people set
        totp_failures = case when totp_failing_since > now() - ${lockDuration} then totp_failures + 1 else 1 end,
        totp_failing_since = case when totp_failing_since > now() - ${lockDuration} then totp_failing_since else now() end,
        totp_locked_until = case when totp_failing_since > now() - ${lockDuration} and totp_failures + 1 >= ${maxFailures}
          then now() + ${lockDuration} end
      where id = ${personId} returning totp_locked_until is not null as locked`)
    if (after?.locked) {
      await transaction.query(sql`
        update people set totp_failures = 0, totp_failing_since = null where id = ${personId}`)
    }
    return after?.locked ? 'locked' : 'wrong'
  })

/** The time step a code belongs to, if it is one of the secret's around now. */
function totpStep(secret: string, code: string, nowSeconds: number): number | undefined {
  if (!isAppCode(code)) return undefined
  const digits = code.replace(/\s/g, '')
  const totp = new TOTP({ secret: Secret.fromBase32(secret), period: stepSeconds })
  const delta = totp.validate({ token: digits, timestamp: nowSeconds * 1_000, window: windowSteps })
  return delta === null ? undefined : Math.floor(nowSeconds / stepSeconds) + delta
}

/** The secret a session is setting up; created on first use. */
export async function ensurePendingSecret(database: Queryable, vault: Vault, sessionHash: Buffer): Promise<string> {
  const [session] = await database.query<{ pending: string }>(sql`
    update sessions set pending_totp = coalesce(pending_totp, ${vault.encrypt(newTotpSecret())})
    where hash = ${sessionHash} returning pending_totp as pending`)
  if (!session) throw new SessionEnded()
  return vault.decrypt(session.pending)
}

/** Takes the pending secret into use once a code proves that the app has it; only where the person has none yet. */
export const confirmTotpSecret = (
  database: Database,
  vault: Vault,
  { personId, secret, code }: { personId: string; secret: string; code: string },
): Promise<string[] | undefined> =>
  database.transaction(personId, async (transaction) => {
    const [person] = await transaction.query<{ now: number }>(sql`
      select extract(epoch from now())::float8 as now from people
      where id = ${personId} and totp_secret is null for update`)
    const step = person && totpStep(secret, code, person.now)
    if (step === undefined) return undefined
    await transaction.query(sql`
      update people set totp_secret = ${vault.encrypt(secret)}, totp_last_step = ${step}::bigint, updated_at = now()
      where id = ${personId}`)
    return replaceRecoveryCodes(transaction, personId)
  })

/** What authenticator apps read from the picture. */
export const enrolmentUri = (secret: string, email: string): string =>
  new TOTP({ secret: Secret.fromBase32(secret), issuer: 'Jobwright', label: email, period: stepSeconds }).toString()
