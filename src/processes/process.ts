// One of several processes: it serves requests, or does the background work, until the first process tells it to end.
import { flushCompileCache } from 'node:module'
import { setPriority } from 'node:os'
import type { Config } from '../config/config.ts'
import { Database } from '../db/database.ts'
import { type MetricFamily, readFamilies } from '../metrics/prometheus.ts'
import { type Calls, connectCalls } from './calls.ts'
import { collectAfterStart } from './collect-after-start.ts'
import { createLog } from './log.ts'
import type { PrimaryCalls, ProcessCalls, ProcessStart, StopReason } from './protocol.ts'
import { createSharedStore, type SharedStore } from './shared-store.ts'
import { describeStartError } from './start-error.ts'

/** What a process does, once it is ready. */
interface Work {
  readonly families: readonly MetricFamily[]
  /** Where it asks the first process to count. */
  readonly rateLimits?: SharedStore | undefined
  stop(reason: StopReason): Promise<void>
}

/** Requests go first where both want the same core; the lowest priority would be 19. */
const backgroundPriority = 10

export async function runProcess(config: Config): Promise<void> {
  let work: Work | undefined
  let database: Database | undefined
  let isStopping = false
  const primary = connectCalls<PrimaryCalls, ProcessCalls>(process, {
    async greet() {
      const { startupMessage } = await import('../demo/startup-message.ts')
      return startupMessage(config, database!)
    },
    samples: () => readFamilies(work!.families),
    recall: async (limit, key) => work?.rateLimits?.recall(limit, key) ?? 0,
    stop: (reason) => void stop(reason),
  })
  for (const signal of ['SIGINT', 'SIGHUP'] as const) process.on(signal, () => {}) // a terminal sends them to all of us
  process.on('SIGTERM', () => void stop('replaced'))

  try {
    const start = await primary.call('start')
    process.title = `jobwright ${start.name}`
    database = new Database(start.connection)
    work = await (start.kind === 'background' ? runBackground : runServer)(config, { start, database, primary })
    await primary.call('ready')
    flushCompileCache() // a process that is killed would keep nothing
    collectAfterStart()
  } catch (error) {
    await primary.call('failed', describeStartError(error))
    process.exit(1)
  }

  async function stop(reason: StopReason): Promise<void> {
    if (isStopping) return
    isStopping = true
    await work?.stop(reason)
    await database?.close()
    process.exit(0)
  }
}

interface ProcessParts {
  readonly start: ProcessStart
  readonly database: Database
  readonly primary: Calls<PrimaryCalls>
}

async function runBackground(config: Config, { start, database }: ProcessParts): Promise<Work> {
  setPriority(backgroundPriority) // before there are threads, which inherit it
  const { createBackground } = await import('../background.ts')
  const { families, prepare, close } = await createBackground(config, database, createLog(config.logLevel, start.name))
  await prepare()
  return { families, stop: close }
}

async function runServer(config: Config, { start, database, primary }: ProcessParts): Promise<Work> {
  const { createApp } = await import('../app.ts')
  const isCountedHere = config.rateLimitStore === 'memory'
  const rateLimits = isCountedHere
    ? createSharedStore((counts) => primary.call('count', counts), Buffer.from(start.bucketSecret, 'base64'))
    : undefined
  const { app, families, prepare, announceShutdown, close } = await createApp(
    { ...config, role: config.role.filter((role) => role !== 'worker') },
    database,
    { process: { name: start.name, rateLimits, renderMetrics: () => primary.call('metrics') } },
  )
  const listen = () => app.listen({ host: config.host, port: config.port })
  if (start.isFirstStart) await listen()
  await prepare()
  if (!start.isFirstStart) await listen()
  return {
    families,
    rateLimits,
    async stop(reason) {
      // From now on the others get what is new. Where all end there is nobody to hand it to.
      if (reason === 'replaced') app.server.maxConnections = 0
      if (reason !== 'now') await announceShutdown()
      await close()
    },
  }
}
