// The doctor's checks of mail: where it goes, whether the mail server accepts it, and what was not delivered.
import { createTransport } from 'nodemailer'
import type { Config } from '../config/config.ts'
import { type Database, sql } from '../db/database.ts'
import { type Finding, fine, warning, wrong } from './doctor-checks.ts'

const serverTimeoutMs = 5_000
const timeouts = {
  connectionTimeout: serverTimeoutMs,
  greetingTimeout: serverTimeoutMs,
  socketTimeout: serverTimeoutMs,
}

interface OutboxCounts {
  readonly waiting: number
  readonly repeated: number
  readonly failed: number
  readonly lastReason: string | null
}

/** `database` is undefined where it is away: then nothing is known of queued mail. */
export async function mailFinding(config: Config, database: Database | undefined): Promise<Finding> {
  const place = config.smtpUrl === null ? `files in ${config.dataDir}/outbox` : new URL(config.smtpUrl).host
  if (config.smtpUrl !== null) {
    const obstacle = await findSmtpError(config.smtpUrl)
    if (obstacle !== undefined) {
      return wrong(`${place} does not take mail: ${obstacle}`, 'Correct SMTP_URL; what waits is sent by itself then.')
    }
  }
  const outbox = database && (await loadOutboxCounts(database))
  if (!outbox) return fine(place)
  const detail = `${place}; ${outbox.waiting} waiting, ${outbox.failed} failed in the last 7 days`
  if (outbox.failed + outbox.repeated === 0) return fine(detail)
  const reason = outbox.lastReason === null ? '' : `; the last reason: ${outbox.lastReason}`
  return warning(
    `${detail}${reason}`,
    '`jobwright mail list --org …` shows each; `jobwright mail flush` tries again now.',
  )
}

/** Undefined if the server greets us and takes the password, else its reason; the password is in neither. */
async function findSmtpError(url: string): Promise<string | undefined> {
  const transport = createTransport({ url, ...timeouts })
  try {
    await transport.verify()
    return undefined
  } catch (error) {
    return (error as Error).message
  } finally {
    transport.close()
  }
}

/** Before its first migration the database has no outbox. */
async function loadOutboxCounts(database: Database): Promise<OutboxCounts | undefined> {
  const [found] = await database.query<{ exists: boolean }>(sql`select to_regclass('outbox') is not null as exists`)
  if (!found!.exists) return undefined
  const [outbox] = await database.query<OutboxCounts>(sql`
    select count(*) filter (where status = 'queued')::int as waiting,
      count(*) filter (where status = 'queued' and failure_reason is not null)::int as repeated,
      count(*) filter (where status = 'failed')::int as failed,
      (array_agg(failure_reason order by tried_at desc) filter (where failure_reason is not null))[1] as "lastReason"
    from outbox where status = 'queued' or (status = 'failed' and created_at > now() - interval '7 days')`)
  return outbox
}
