// The service put together from its parts: settings and a database in, an HTTP server that can be opened and closed out.
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { unavailable } from './api/errors.ts'
import { guard } from './api/guard.ts'
import { limitsFrom } from './api/limits.ts'
import { performer } from './api/perform.ts'
import type { Config } from './config.ts'
import { type Database, sql, Unavailable } from './database.ts'
import { workshop } from './documents/pdf-workshop.ts'
import { figures } from './figures.ts'
import { credentialStore } from './identity/credentials.ts'
import { introspectionOver } from './identity/introspection.ts'
import { vaultFrom } from './identity/secrets.ts'
import { findToken } from './identity/tokens.ts'
import { answers, written } from './metrics.ts'
import { migrate } from './migrations.ts'
import type { Outside } from './oauth/outside.ts'
import { audiencesOf } from './oauth/resources.ts'
import { calendarFeed } from './portal/calendar-feed.ts'
import { sharePages } from './portal/share.ts'
import { processFigures } from './process-figures.ts'
import { guidance } from './resources/guidance.ts'
import { operations } from './resources/index.ts'
import { type Ending, server } from './server.ts'
import type { Role } from './setting-values.ts'
import { startWorker } from './worker/worker.ts'

export interface Service {
  readonly app: FastifyInstance
  /** Brings the tables up to date; until then every request is answered 503. Waits for a database that is away. */
  prepare(): Promise<void>
  /** Says that it is not ready and serves on, until nobody comes any more or it takes too long. */
  announceEnd(): Promise<void>
  /** Lets requests in flight finish, then ends. */
  close(): Promise<void>
}

/**
 * A proxy that asks every second learns within this time that it must send requests elsewhere. Closed any sooner, the
 * connections that it keeps would break under requests that are on their way. Without traffic there is nothing to wait for.
 */
const noticeMs = 4_000
const quietMs = 500
/** How long a request in flight may take once the service ends. With the notice it stays under ten seconds. */
const drainMs = 5_000
/** How soon a connection kept alive is let go once its last answer is out. */
const releaseMs = 100
const retryMs = 1_000

export interface Options {
  /** While testing: an operation that answers more than it declares fails. */
  readonly strict?: boolean
  /** The network beyond us; the real one unless a test brings its own. */
  readonly outside?: Outside
}

export async function service(config: Config, database: Database, options: Options = {}): Promise<Service> {
  const { strict = false, outside } = options
  const limits = limitsFrom(config)
  const does = (role: Role) => config.role.includes(role)
  const vault = await vaultFrom(config)
  const pdfs = workshop()
  const surroundings = { restOrigin: config.restOrigin, vault, pdf: pdfs.make }
  const credentials = credentialStore(database, {
    introspect: does('auth') ? (hash) => findToken(database, hash) : introspectionOver(config),
    audiences: audiencesOf(config),
  })
  const admit = guard(credentials, limits, config)
  const answered = answers('jobwright_request', 'Requests that were answered')
  const toolCalls = answers('jobwright_tool_call', 'Operations that agents called as tools')
  const ofProcess = processFigures()
  let prepared = false
  let closing = false
  const ending: Ending = { isNear: false, lastArrival: 0 }
  let worker: ReturnType<typeof startWorker> | undefined

  const isReady = async () => {
    if (!prepared) return false
    return database.query(sql`select 1`).then(limits.isReady, () => false)
  }

  const app = await server({
    config,
    operations,
    guidance,
    database,
    limits,
    vault,
    outside,
    ending,
    isPrepared: () => prepared,
    perform: performer(database, operations, surroundings, { strict }),
    admit: async (arrival) => {
      if (!prepared) throw unavailable()
      return admit(arrival)
    },
    async pages(pages) {
      pages.addHook('onRequest', async () => {
        if (!prepared) throw unavailable()
      })
      await pages.register(sharePages, { ...surroundings, database, limits })
      await pages.register(calendarFeed, { database, limits })
    },
    isReady,
    answered,
    toolCalls,
    metrics: () => written(families),
  })
  const families = [
    ...ofProcess.families,
    ...figures({
      database,
      limits,
      pdfs,
      answered,
      toolCalls,
      isReady,
      connections: () => promisify(app.server.getConnections.bind(app.server))(),
      worker: () => worker?.figures(),
    }),
  ]

  return {
    app,
    async prepare() {
      for (;;) {
        try {
          await migrate(database)
          await refuseForeignClock(database)
          prepared = true
          if (config.role.includes('worker')) worker = startWorker(config, database, surroundings, app.log)
          return
        } catch (error) {
          if (!(error instanceof Unavailable) || closing) throw error
          app.log.warn({ err: error.cause }, 'waiting for the database')
          await delay(retryMs)
        }
      }
    },
    async announceEnd() {
      const begun = performance.now()
      ending.isNear = true
      ending.lastArrival = begun
      const goesOn = (now: number) => now - ending.lastArrival < quietMs && now - begun < noticeMs
      while (goesOn(performance.now())) await delay(50)
    },
    async close() {
      closing = true
      const cut = setTimeout(() => app.server.closeAllConnections(), drainMs)
      const release = setInterval(() => app.server.closeIdleConnections(), releaseMs)
      await Promise.all([app.close(), worker?.close()])
      clearTimeout(cut)
      clearInterval(release)
      await pdfs.close()
      await credentials.close()
      await limits.close()
      ofProcess.close()
    },
  }
}

/** Moments are read in the session's time zone. A pooler, or `options` in the address, can keep ours from PostgreSQL. */
async function refuseForeignClock(database: Database): Promise<void> {
  const [session] = await database.query<{ zone: string }>(sql`select current_setting('timezone') as zone`)
  if (session!.zone === 'UTC') return
  throw new Error(
    `PostgreSQL answers in the time zone ${session!.zone} although we ask for UTC: let DATABASE_URL lead to it directly, without options, or \`alter role … set timezone to 'UTC'\`.`,
  )
}
