// What it costs a writer that changes are told: the same creates on one server, told and numbered meanwhile, captured and
// numbered afterwards, and not told at all, alternately.
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { ServerProcess } from '../test/programs.ts'
import type { Organisation } from './data.ts'
import { type MeasurementPlan, measureAlternating, overHttp } from './rounds.ts'
import { ours } from './targets.ts'
import { requestSpecs } from './workloads.ts'

/** Creates a second. */
export interface CaptureMeasurement {
  /** The worker of the same server numbers them meanwhile. */
  readonly told: number
  /** What the writer's own transaction pays: the trigger. */
  readonly captured: number
  readonly untold: number
}

const ways = ['told', 'captured', 'untold'] as const

export async function measureCapture(
  connection: pg.ClientConfig,
  server: ServerProcess,
  organisations: readonly Organisation[],
  plan: MeasurementPlan,
  requestCount: number,
): Promise<CaptureMeasurement> {
  const client = new pg.Client({ ...connection, statement_timeout: 120_000 })
  const holder = new pg.Client(connection)
  await Promise.all([client.connect(), holder.connect()])
  try {
    const specs = requestSpecs('create', organisations, requestCount)
    const running = ways.map((name) => overHttp({ target: { ...ours, name }, server }))
    const measurements = await measureAlternating(running, specs, plan, async (name) => {
      await holder.query('rollback')
      // What one round has left is not the next one's.
      while ((await client.query('select from event_inbox limit 1')).rowCount !== 0) await delay(100)
      await client.query(`alter table customers ${name === 'untold' ? 'disable' : 'enable'} trigger changes_told`)
      await client.query('checkpoint')
      // Whoever numbers passes over a counter that somebody else holds.
      if (name === 'captured') await holder.query('begin; select from event_counters for update')
    })
    await holder.query('rollback')
    await client.query('alter table customers enable trigger changes_told')
    const throughput = (name: (typeof ways)[number]) => measurements.get(name)!.throughput
    return { told: throughput('told'), captured: throughput('captured'), untold: throughput('untold') }
  } finally {
    await Promise.all([client.end(), holder.end()])
  }
}
