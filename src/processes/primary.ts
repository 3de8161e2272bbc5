// The first of several processes: it owns PostgreSQL and the port, counts for all, and sees to it that the others run.
import cluster from 'node:cluster'
import { randomBytes } from 'node:crypto'
import { isatty } from 'node:tty'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config/config.ts'
import { startupWarnings } from '../config/startup-warnings.ts'
import { keepEmbeddedPostgres } from '../db/embedded/kept.ts'
import { createProcessMetrics } from '../metrics/process-metrics.ts'
import { createMetric, type FamilySamples, joinProcesses, readFamilies, renderFamilies } from '../metrics/prometheus.ts'
import { createCounts } from './counts.ts'
import { launchProcess, type SharedParts } from './launch.ts'
import { createLog } from './log.ts'
import { connectionsNeeded, type PlannedProcess, plannedProcesses } from './plan.ts'
import type { StopReason } from './protocol.ts'
import { createSlot, type Slot } from './slot.ts'

const primaryName = 'primary'

export async function startPrimary(config: Config): Promise<void> {
  const log = createLog(config.logLevel, primaryName)
  const plan = plannedProcesses(config)
  const processMetrics = createProcessMetrics()
  const hasTerminal = isatty(0)
  const postgres = config.databaseUrl === null ? await startPostgres() : undefined
  const connection = postgres?.connection ?? { connectionString: config.databaseUrl! }
  const bucketSecret = randomBytes(32).toString('base64')
  const shared: SharedParts = { count: createCounts(), metrics: renderAll }
  let isServing = false
  let isStopping = false
  let restarting: Promise<void> | undefined

  // One process accepts connections and hands them out in turns: none is lost with a process that stops listening.
  cluster.schedulingPolicy = cluster.SCHED_RR
  cluster.setupPrimary({ exec: fileURLToPath(new URL('../main.ts', import.meta.url)), args: [] })
  const slots = plan.map(createPlannedSlot)
  process.on('SIGINT', () => (isStopping ? process.exit(1) : void stop('now'))) // asked twice: at once
  process.once('SIGTERM', () => stop('announced'))
  // A terminal that is closed ends what runs in it; whoever else sends this wants fresh processes.
  process.on('SIGHUP', () => void (hasTerminal ? stop('announced') : restartInTurn()))

  try {
    await Promise.all(slots.map((slot) => slot.start()))
  } catch (error) {
    if (isStopping) return // that is why
    await end('now')
    throw error
  }
  isServing = true
  for (const warning of startupWarnings(config)) log.warn({}, warning)
  process.stdout.write(`${await slots[0]!.greet()}\nready ${config.restOrigin}\n`)

  function startPostgres() {
    const { dataDir } = config
    const settings = { max_connections: String(connectionsNeeded(config)) }
    return keepEmbeddedPostgres({ dataDir, settings }, (message, error) =>
      log.error(error === undefined ? {} : { err: String(error) }, message),
    )
  }

  function createPlannedSlot(planned: PlannedProcess): Slot {
    return createSlot({
      name: planned.name,
      log,
      launch: () => launchProcess({ ...planned, connection, bucketSecret, isFirstStart: !isServing }, shared),
      giveUp(reason) {
        if (isStopping) return
        process.stderr.write(`${reason}. The service ends; the log says more.\n`)
        void stop('now', 1)
      },
    })
  }

  /** What each process tells of itself, and this one of itself and of them. */
  async function renderAll(): Promise<string> {
    const told = await Promise.all(slots.map(async (slot) => [slot.name, await slot.samples()] as const))
    const own = await readFamilies([
      ...processMetrics.families,
      createMetric('counter', 'jobwright_process_failures_total', 'Processes that ended by themselves, by name.', () =>
        slots.map(({ name, failures }) => ({ labels: { name }, value: failures() })),
      ),
    ])
    const byProcess = new Map<string, readonly FamilySamples[]>([[primaryName, own]])
    for (const [name, samples] of told) if (samples) byProcess.set(name, samples)
    return renderFamilies(joinProcesses(byProcess))
  }

  /** One after the other: the others serve meanwhile. Whoever asks twice has one. */
  function restartInTurn(): Promise<void> {
    restarting ??= (async () => {
      log.info({}, 'processes are replaced one after the other')
      for (const slot of slots) if (!isStopping) await slot.replace()
      log.info({}, 'all processes are replaced')
    })()
      .catch((error: Error) =>
        log.error({ reason: error.message }, 'a new process did not get ready; the old ones stay'),
      )
      .finally(() => {
        restarting = undefined
      })
    return restarting
  }

  async function stop(reason: StopReason, exitCode = 0): Promise<void> {
    if (isStopping) return
    await end(reason)
    process.exit(exitCode)
  }

  async function end(reason: StopReason): Promise<void> {
    isStopping = true
    await Promise.all(slots.map((slot) => slot.stop(reason)))
    processMetrics.close()
    await postgres?.stop()
  }
}
