// The service put together from its parts: settings and a database in, an HTTP server that can be opened and closed out.
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import type { Config } from './config/config.ts'
import type { Role } from './config/setting-values.ts'
import { type Database, sql, Unavailable } from './db/database.ts'
import { migrate } from './db/migrate.ts'
import { createEventStreams } from './events/streams.ts'
import { allowCrossOrigin } from './http/cors.ts'
import { createRateLimits } from './http/rate-limits.ts'
import { createDestinations, type Network } from './http/safe-fetch.ts'
import { createServer, type Shutdown } from './http/server.ts'
import { createCredentialStore } from './identity/credentials.ts'
import { createHttpIntrospect } from './identity/introspection.ts'
import { createVault } from './identity/secrets.ts'
import { findToken } from './identity/tokens.ts'
import { mcp } from './mcp/endpoint.ts'
import { withCallMetrics } from './mcp/tool-call-metrics.ts'
import { createMetrics } from './metrics/metrics.ts'
import { createProcessMetrics } from './metrics/process-metrics.ts'
import { createCallMetrics, renderMetrics } from './metrics/prometheus.ts'
import { authorizationServer } from './oauth/authorization-server.ts'
import { restMetadata } from './oauth/metadata.ts'
import { acceptedAudiences } from './oauth/resource-indicators.ts'
import { basePath } from './operations/base-path.ts'
import { unavailable } from './operations/errors.ts'
import { createExecute } from './operations/execute.ts'
import { portalRedirect } from './portal/redirect.ts'
import { calendarFeed } from './public/calendar-feed.ts'
import { sharePages } from './public/share-page.ts'
import { createPdfQueue } from './rendering/pdf/pdf-queue.ts'
import { eventCatalogue, operations, resources, scopeCatalogue } from './resources/index.ts'
import { guidance } from './resources/mcp-guidance.ts'
import { docs } from './rest/docs.ts'
import { type Authenticate, createAuthenticate, createCheckCaller } from './rest/guard.ts'
import { createOpenApi } from './rest/openapi/openapi.ts'
import { rest } from './rest/routes.ts'
import { createWebhookRules } from './webhooks/rules.ts'
import { startWorker } from './worker/worker.ts'

export interface App {
  readonly app: FastifyInstance
  /** Brings the tables up to date; until then every request is answered 503. Waits for a database that is away. */
  prepare(): Promise<void>
  /** Says that it is not ready and serves on, until nobody comes any more or it takes too long. */
  announceShutdown(): Promise<void>
  /** Lets requests in flight finish, then ends. */
  close(): Promise<void>
}

/**
 * A proxy that checks health every second learns within this time that it must send requests elsewhere. Closed any
 * sooner, the connections that it keeps would break under requests on their way. Without traffic there is no need to wait.
 */
const shutdownAnnouncementMs = 4_000
const idleMs = 500
/** How long a request in flight may take once the service shuts down. With the announcement it stays under ten seconds. */
const drainTimeoutMs = 5_000
/** How soon a connection kept alive is let go once its last answer is out. */
const closeIdleEveryMs = 100
const databaseRetryMs = 1_000

export interface AppOptions {
  /** While testing: an operation that answers more than it declares fails. */
  readonly strict?: boolean
  /** The network beyond us; the real one unless a test brings its own. */
  readonly network?: Network
}

export async function createApp(config: Config, database: Database, options: AppOptions = {}): Promise<App> {
  const { strict = false, network } = options
  const limits = createRateLimits(config)
  const hasRole = (role: Role) => config.role.includes(role)
  const vault = await createVault(config)
  const pdfs = createPdfQueue()
  const destinations = createDestinations(config.webhookPrivateNetworks, network)
  const webhookRules = createWebhookRules(destinations, eventCatalogue)
  const dependencies = { restOrigin: config.restOrigin, vault, pdf: pdfs.render, webhookRules }
  const credentials = createCredentialStore(database, {
    introspect: hasRole('auth') ? (hash) => findToken(database, hash) : createHttpIntrospect(config),
    audiences: acceptedAudiences(config),
    expandScopes: scopeCatalogue.expand,
  })
  const authenticate = createAuthenticate(credentials, limits, config)
  const streams = createEventStreams(database)
  const requestMetrics = createCallMetrics('jobwright_request', 'Requests that were answered')
  const toolCallMetrics = createCallMetrics('jobwright_tool_call', 'Operations that agents called as tools')
  const processMetrics = createProcessMetrics()
  let isPrepared = false
  let isClosing = false
  const shutdown: Shutdown = { isAnnounced: false, lastRequestAt: 0 }
  let worker: ReturnType<typeof startWorker> | undefined

  const isReady = async () => {
    if (!isPrepared) return false
    return database.query(sql`select 1`).then(limits.isReady, () => false)
  }

  const app = await createServer({
    config,
    isReady,
    requestMetrics,
    renderMetrics: () => renderMetrics(families),
    shutdown,
  })
  await mountSurfaces()
  const families = [
    ...processMetrics.families,
    ...createMetrics({
      database,
      limits,
      pdfs,
      requestMetrics,
      toolCallMetrics,
      isReady,
      connections: () => promisify(app.server.getConnections.bind(app.server))(),
      streams,
      worker: () => worker?.metrics(),
    }),
  ]

  async function mountSurfaces(): Promise<void> {
    const execute = createExecute(database, operations, dependencies, { strict })
    const authenticateWhenPrepared: Authenticate = async (presented) => {
      if (!isPrepared) throw unavailable()
      return authenticate(presented)
    }
    const shared = { config, operations, guidance, database, limits, vault, network, scopeCatalogue, webhookRules }
    const surface = { ...shared, execute, authenticate: authenticateWhenPrepared, isPrepared: () => isPrepared }
    if (hasRole('auth')) await app.register(authorizationServer, surface)
    else if (config.authUrl !== config.restOrigin) await app.register(portalRedirect, { config })
    if (hasRole('rest')) {
      await app.register(docs, { document: createOpenApi(resources, scopeCatalogue, config) })
      await app.register(restMetadata, surface)
      await app.register(async (pages) => {
        pages.addHook('onRequest', async () => {
          if (!isPrepared) throw unavailable()
        })
        await pages.register(sharePages, { ...dependencies, database, limits })
        await pages.register(calendarFeed, { database, limits })
      })
    }
    await app.register(async (api) => {
      await allowCrossOrigin(api, config)
      if (hasRole('rest'))
        await api.register(rest, { prefix: basePath, ...surface, streams, checkCaller: createCheckCaller(credentials) })
      if (hasRole('auth')) await api.register(mcp, { ...surface, execute: withCallMetrics(execute, toolCallMetrics) })
    })
  }

  return {
    app,
    async prepare() {
      for (;;) {
        try {
          await migrate(database)
          await requireUtcSession(database)
          isPrepared = true
          if (config.role.includes('worker'))
            if (config.role.includes('worker'))
              worker = startWorker({ config, database, dependencies, destinations, eventCatalogue, log: app.log })
          return
        } catch (error) {
          if (!(error instanceof Unavailable) || isClosing) throw error
          app.log.warn({ err: error.cause }, 'waiting for the database')
          await delay(databaseRetryMs)
        }
      }
    },
    async announceShutdown() {
      const startedAt = performance.now()
      shutdown.isAnnounced = true
      shutdown.lastRequestAt = startedAt
      const shouldWait = (now: number) =>
        now - shutdown.lastRequestAt < idleMs && now - startedAt < shutdownAnnouncementMs
      while (shouldWait(performance.now())) await delay(50)
    },
    async close() {
      isClosing = true
      const forceClose = setTimeout(() => app.server.closeAllConnections(), drainTimeoutMs)
      const closeIdle = setInterval(() => app.server.closeIdleConnections(), closeIdleEveryMs)
      await streams.close()
      await Promise.all([app.close(), worker?.close()])
      clearTimeout(forceClose)
      clearInterval(closeIdle)
      await pdfs.close()
      await credentials.close()
      await limits.close()
      processMetrics.close()
    },
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
