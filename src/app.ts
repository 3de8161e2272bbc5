// The service put together from its parts: settings and a database in, an HTTP server that can be opened and closed out.
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import type { FastifyInstance } from 'fastify'
import { keyMarks } from './backup/key-mark.ts'
import { cards } from './cards/cards.ts'
import type { Config } from './config/config.ts'
import type { Role } from './config/setting-values.ts'
import { type Database, sql } from './db/database.ts'
import { prepareDatabase } from './db/prepare.ts'
import { openDependencies } from './dependencies.ts'
import { createEventStreams } from './events/streams.ts'
import { allowCrossOrigin } from './http/cors.ts'
import { openRateLimitStore, type RateLimitStore } from './http/rate-limit-store.ts'
import { createRateLimits } from './http/rate-limits.ts'
import type { Network } from './http/safe-fetch.ts'
import { createServer, type Shutdown } from './http/server.ts'
import { createCredentialStore } from './identity/credentials.ts'
import { createHttpIntrospect } from './identity/introspection.ts'
import { createVault } from './identity/secrets.ts'
import { findToken } from './identity/tokens.ts'
import { mcp } from './mcp/endpoint.ts'
import { withCallMetrics } from './mcp/tool-call-metrics.ts'
import { backgroundMetrics, servingMetrics } from './metrics/metrics.ts'
import { createProcessMetrics } from './metrics/process-metrics.ts'
import { createCallMetrics, type MetricFamily, renderMetrics } from './metrics/prometheus.ts'
import { authorizationServer } from './oauth/authorization-server.ts'
import { restMetadata } from './oauth/metadata.ts'
import { acceptedAudiences } from './oauth/resource-indicators.ts'
import { basePath } from './operations/base-path.ts'
import { unavailable } from './operations/errors.ts'
import { createExecute } from './operations/execute.ts'
import { portalRedirect } from './portal/redirect.ts'
import { calendarFeed } from './public/calendar-feed.ts'
import { sharePages } from './public/share-page.ts'
import { eventCatalogue, operations, resources, scopeCatalogue } from './resources/index.ts'
import { guidance } from './resources/mcp-guidance.ts'
import { docs } from './rest/docs.ts'
import { type Authenticate, createAuthenticate, createCheckCaller } from './rest/guard.ts'
import { createOpenApi } from './rest/openapi/openapi.ts'
import { rest } from './rest/routes.ts'
import type { startWorker } from './worker/worker.ts'

export interface App {
  readonly app: FastifyInstance
  /** What this process tells of itself. */
  readonly families: readonly MetricFamily[]
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

export interface AppOptions {
  /** While testing: an operation that answers more than it declares fails. */
  readonly strict?: boolean
  /** The network beyond us; the real one unless a test brings its own. */
  readonly network?: Network
  /** Where it is one of several processes of this machine. */
  readonly process?: ProcessOptions
}

interface ProcessOptions {
  /** By which its lines in the log are told from those of the others. */
  readonly name: string
  /** Where all of them count, unless that is Redis. */
  readonly rateLimits: RateLimitStore | undefined
  /** Those of all of them, as text. */
  renderMetrics(): Promise<string>
}

export async function createApp(config: Config, database: Database, options: AppOptions = {}): Promise<App> {
  const { strict = false, network } = options
  const limits = createRateLimits(config, options.process?.rateLimits ?? (await openRateLimitStore(config)))
  const hasRole = (role: Role) => config.role.includes(role)
  const vault = await createVault(config)
  const { dependencies, destinations, pdfs } = openDependencies(config, database, vault, network)
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
    renderMetrics: options.process?.renderMetrics ?? (() => renderMetrics(families)),
    shutdown,
    processName: options.process?.name,
  })
  await mountSurfaces()
  const families = [
    ...processMetrics.families,
    ...servingMetrics({
      limits,
      requestMetrics,
      toolCallMetrics,
      isReady,
      connections: () => promisify(app.server.getConnections.bind(app.server))(),
      streams,
    }),
    ...backgroundMetrics({ database, pdfs, worker: () => worker?.metrics() }),
  ]

  async function mountSurfaces(): Promise<void> {
    const execute = createExecute(database, operations, dependencies, { strict })
    const authenticateWhenPrepared: Authenticate = async (presented) => {
      if (!isPrepared) throw unavailable()
      return authenticate(presented)
    }
    const { webhookRules } = dependencies
    const shared = { config, operations, guidance, database, limits, vault, network, scopeCatalogue, webhookRules }
    const surface = { ...shared, execute, authenticate: authenticateWhenPrepared, isPrepared: () => isPrepared }
    const following = { streams, checkCaller: createCheckCaller(credentials) }
    if (hasRole('auth')) await app.register(authorizationServer, surface)
    else if (config.authUrl !== config.restOrigin) await app.register(portalRedirect, { config })
    if (hasRole('rest')) {
      await app.register(docs, { createDocument: () => createOpenApi(resources, scopeCatalogue, config) })
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
      if (hasRole('rest')) await api.register(rest, { prefix: basePath, ...surface, ...following })
      if (hasRole('auth'))
        await api.register(mcp, { ...surface, ...following, cards, execute: withCallMetrics(execute, toolCallMetrics) })
    })
  }

  return {
    app,
    families,
    async prepare() {
      await prepareDatabase(database, {
        waiting: (err) => app.log.warn({ err }, 'waiting for the database'),
        isClosing: () => isClosing,
      })
      isPrepared = true
      if (!hasRole('worker')) return
      const { startWorker } = await import('./worker/worker.ts') // processes that only serve do without it
      if (isClosing) return
      const keyMark = keyMarks(vault)[0]!
      worker = startWorker({ config, database, dependencies, destinations, eventCatalogue, keyMark, log: app.log })
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
      limits.close()
      processMetrics.close()
    },
  }
}
