// People who are signed in: in a browser, or as a program that holds an identity token. Each is a row that can be ended.
import { type Queryable, sql } from '../db/database.ts'
import { tellAccessChanged } from './access-changed.ts'
import { hashSecret } from './key-format.ts'
import { isWellFormedToken, newToken } from './tokens.ts'

export interface Session {
  readonly personId: string
  readonly email: string
  /** Whether it has seen a code. */
  readonly hasSecondFactor: boolean
  /** Whether it has seen one within the last twelve hours. */
  readonly hasRecentCode: boolean
  /** Whether the person has an authenticator app set up. */
  readonly isEnrolled: boolean
  /** Whether the person wished to stay signed in on this browser. */
  readonly isRemembered: boolean
  readonly ageSeconds: number
}

const lifeSeconds = { browser: 12 * 3_600, identity: 15 * 60 } as const
export const rememberedSeconds = 30 * 24 * 3_600
/** How long after a code the developer pages open, however long the session lives. */
const codeLife = sql`interval '12 hours'`
/** Enough to tell browsers apart, and no place to store anything. */
const maxUserAgentLength = 300

export type SessionKind = keyof typeof lifeSeconds
/** It ended, or got a new value, between one look and the next. */
export class SessionEnded extends Error {
  constructor() {
    super('The session has ended')
  }
}

export const identityLifeSeconds = lifeSeconds.identity

interface NewSession {
  readonly personId: string
  readonly hasSecondFactor?: boolean
  readonly isRemembered?: boolean
  readonly userAgent?: string | undefined
}

/** Returns the value for the browser or the program; only its hash is stored. */
export async function createSession(
  database: Queryable,
  kind: SessionKind,
  { personId, hasSecondFactor = false, isRemembered = false, userAgent }: NewSession,
): Promise<string> {
  const token = newToken()
  const seconds = isRemembered ? rememberedSeconds : lifeSeconds[kind]
  const browser = userAgent?.replaceAll('\0', '').slice(0, maxUserAgentLength).toWellFormed() ?? null
  await database.query(sql`
    insert into sessions (hash, person_id, kind, second_factor_at, is_remembered, user_agent, expires_at)
    values (${hashSecret(token)}, ${personId}, ${kind}, case when ${hasSecondFactor} then now() end, ${isRemembered},
      ${browser}, now() + ${seconds}::float8 * interval '1 second')`)
  return token
}

/** Of `sessions` joined with `people`. */
export const sessionColumns = sql`people.id as "personId", people.email,
  sessions.second_factor_at is not null as "hasSecondFactor",
  coalesce(sessions.second_factor_at > now() - ${codeLife}, false) as "hasRecentCode",
  people.totp_secret is not null as "isEnrolled", sessions.is_remembered as "isRemembered",
  extract(epoch from now() - sessions.signed_in_at)::float8 as "ageSeconds"`

/** A session ends with its time, or when the person is no active member of any organisation. */
export async function findSession(
  database: Queryable,
  kind: SessionKind,
  token: string | undefined,
): Promise<Session | undefined> {
  if (token === undefined || !isWellFormedToken(token)) return undefined
  const [session] = await database.query<Session>(sql`
    select ${sessionColumns}
    from sessions join people on people.id = person_id
    where hash = ${hashSecret(token)} and kind = ${kind} and expires_at > now()
      and exists (select from members where members.person_id = sessions.person_id and is_active)`)
  return session
}

export interface RenewedSession {
  readonly token: string
  /** How long the browser keeps it; undefined: until it is closed. */
  readonly cookieSeconds: number | undefined
}

/**
 * A session that has seen a code gets a new value, so that one seen before cannot ride along. It is remembered from now
 * on if the person wishes so; one that is, stays so, no longer than it was.
 */
export async function confirmSession(
  database: Queryable,
  token: string,
  { isRemembered = false } = {},
): Promise<RenewedSession> {
  const fresh = newToken()
  const [renewed] = await database.query<{ isRemembered: boolean; secondsLeft: number }>(sql`
    update sessions set hash = ${hashSecret(fresh)}, pending_totp = null, second_factor_at = now(),
      is_remembered = is_remembered or ${isRemembered},
      expires_at = case when ${isRemembered} and not is_remembered
        then signed_in_at + ${rememberedSeconds}::float8 * interval '1 second' else expires_at end
    where hash = ${hashSecret(token)} and expires_at > now()
    returning is_remembered as "isRemembered", extract(epoch from expires_at - now())::float8 as "secondsLeft"`)
  if (!renewed) throw new SessionEnded()
  return { token: fresh, cookieSeconds: renewed.isRemembered ? Math.floor(renewed.secondsLeft) : undefined }
}

export async function endSession(database: Queryable, token: string): Promise<void> {
  const [ended] = await database.query<{ personId: string }>(
    sql`delete from sessions where hash = ${hashSecret(token)} returning person_id as "personId"`,
  )
  if (ended) await tellAccessChanged(database, ended.personId)
}
