// People who are signed in: in a browser, or as a program that holds an identity token. Each is a row that can be ended.
import { type Queryable, sql } from '../db/database.ts'
import { hashSecret } from './key-format.ts'
import { isWellFormedToken, newToken } from './tokens.ts'

export interface Session {
  readonly personId: string
  readonly email: string
  readonly hasSecondFactor: boolean
  /** Whether the person has an authenticator app set up. */
  readonly isEnrolled: boolean
  readonly ageSeconds: number
}

const lifeSeconds = { browser: 12 * 3_600, identity: 15 * 60 } as const
export type SessionKind = keyof typeof lifeSeconds
/** It ended, or got a new value, between one look and the next. */
export class SessionEnded extends Error {
  constructor() {
    super('The session has ended')
  }
}

export const identityLifeSeconds = lifeSeconds.identity

/** Returns the value for the browser or the program; only its hash is stored. */
export async function createSession(
  database: Queryable,
  kind: SessionKind,
  personId: string,
  hasSecondFactor: boolean,
): Promise<string> {
  const token = newToken()
  await database.query(sql`
    insert into sessions (hash, person_id, kind, second_factor_at, expires_at)
    values (${hashSecret(token)}, ${personId}, ${kind}, case when ${hasSecondFactor} then now() end,
      now() + ${lifeSeconds[kind]}::float8 * interval '1 second')`)
  return token
}

/** A session ends with its time, or when the person is no active member of any organisation. */
export async function findSession(
  database: Queryable,
  kind: SessionKind,
  token: string | undefined,
): Promise<Session | undefined> {
  if (token === undefined || !isWellFormedToken(token)) return undefined
  const [session] = await database.query<Session>(sql`
    select person_id as "personId", email, second_factor_at is not null as "hasSecondFactor",
      totp_secret is not null as "isEnrolled", extract(epoch from now() - signed_in_at)::float8 as "ageSeconds"
    from sessions join people on people.id = person_id
    where hash = ${hashSecret(token)} and kind = ${kind} and expires_at > now()
      and exists (select from members where members.person_id = sessions.person_id and is_active)`)
  return session
}

/** A session whose standing changes gets a new value, so that one seen before cannot ride along. */
export async function renewSession(database: Queryable, token: string, hasSecondFactor: boolean): Promise<string> {
  const fresh = newToken()
  const renewed = await database.query(sql`
    update sessions set hash = ${hashSecret(fresh)}, pending_totp = null,
      second_factor_at = case when ${hasSecondFactor} then now() end
    where hash = ${hashSecret(token)} and expires_at > now() returning 1`)
  if (renewed.length === 0) throw new SessionEnded()
  return fresh
}

export const endSession = (database: Queryable, token: string): Promise<unknown> =>
  database.query(sql`delete from sessions where hash = ${hashSecret(token)}`)
