// Makes a database ready for the service: waits until it is there, brings its tables up to date, and looks at its session.
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, sql, Unavailable } from './database.ts'
import { migrate } from './migrate.ts'

const retryMs = 1_000

interface Waiting {
  /** It is away, for this reason, and will be tried again. */
  waiting(cause: unknown): void
  /** Nobody needs it any more. */
  isClosing(): boolean
}

export async function prepareDatabase(database: Database, { waiting, isClosing }: Waiting): Promise<void> {
  for (;;) {
    try {
      await migrate(database)
      return await requireUtcSession(database)
    } catch (error) {
      if (!(error instanceof Unavailable) || isClosing()) throw error
      waiting(error.cause)
      await delay(retryMs)
    }
  }
}

/** Moments are read in the session's time zone. A pooler, or `options` in the address, can keep ours from PostgreSQL. */
async function requireUtcSession(database: Database): Promise<void> {
  const [session] = await database.query<{ zone: string }>(sql`select current_setting('timezone') as zone`)
  if (session!.zone === 'UTC') return
  throw new Error(
    `PostgreSQL answers in the time zone ${session!.zone} although we ask for UTC: let DATABASE_URL lead to it directly, without options, or \`alter role … set timezone to 'UTC'\`.`,
  )
}
