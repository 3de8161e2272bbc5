// Durability: the server and PostgreSQL are killed in the middle of writes, and all that was acknowledged must be there.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../src/db/database.ts'
import type { ServerProcess } from '../test/programs.ts'
import { Fleet, type Shop } from './fleet.ts'
import { checkLedger } from './ledger.ts'
import { atLeast, atMost, info, none, type Result, type Size, type Trial } from './trial.ts'
import { waitUntil } from './wait-until.ts'
import { startWriters, type Writers } from './writers.ts'

type Fault = 'server' | 'postgres' | 'backend'

interface Plan {
  readonly faults: readonly Fault[]
  readonly writes: number
  readonly shops: number
  readonly writersEach: number
}
/** Twenty times the server, ten times PostgreSQL, and five times one of its processes, which ends all of its sessions. */
const faultSequence: readonly Fault[] = ['server', 'postgres', 'server', 'backend', 'server', 'postgres', 'server']
const plans: Readonly<Record<Size, Plan>> = {
  whole: { faults: Array(5).fill(faultSequence).flat(), writes: 50_000, shops: 8, writersEach: 4 },
  short: { faults: ['server', 'postgres'], writes: 500, shops: 2, writersEach: 4 },
}
const replaysPerFault = 50
const recoveryGoalSeconds = 5
/** Nothing goes on for ever, whatever fails. */
const waitTimeoutMs = 300_000

export const durabilityTrial: Trial = {
  name: 'durability',
  title: 'Durability',
  how:
    'While 32 writers make and change customers, jobs, messages, lines, parts, quotes, conversions, invoices and ' +
    'payments in eight organisations, the server is killed twenty times (kill -9), PostgreSQL ten times, and five times ' +
    'one of its processes at work. Afterwards every acknowledged write is looked up, numbers, timeline entries, stock and money are ' +
    'compared with each other, and creates with an Idempotency-Key are retried after each kill.',
  async run(size, log) {
    const plan = plans[size]
    await using fleet = await Fleet.start()
    const server = await fleet.startInstance()
    const shops = await Promise.all(Array.from({ length: plan.shops }, () => fleet.createShop()))
    await using writers = startWriters(server.origin, shops, plan.writersEach)
    const stats = await killRepeatedly({ fleet, server, writers, shop: shops[0]!, plan, log })
    await writers.stop()
    return [
      atLeast('writes acknowledged', plan.writes, writers.ledger.acknowledged),
      ...(await checkLedger(writers.ledger, fleet.database, log)),
      ...recoveryResults(size, stats),
    ]
  },
}

interface DurabilityRun {
  readonly fleet: Fleet
  readonly server: ServerProcess
  readonly writers: Writers
  readonly shop: Shop
  readonly plan: Plan
  log(text: string): void
}

interface FaultStats {
  replayed: number
  mismatched: number
  /** From the return of each part to the first write that succeeded. */
  readonly recoverySeconds: Record<Fault, number[]>
}

async function killRepeatedly(run: DurabilityRun): Promise<FaultStats> {
  const { writers, shop, plan, log } = run
  const { client, ledger } = writers
  const stats: FaultStats = { replayed: 0, mismatched: 0, recoverySeconds: { server: [], postgres: [], backend: [] } }
  const writesPerFault = Math.ceil(plan.writes / (plan.faults.length + 1))
  const startedAt = performance.now()
  let { server } = run
  for (const [index, fault] of plan.faults.entries()) {
    await waitUntil(
      () => ledger.acknowledged >= writesPerFault * (index + 1),
      `${writesPerFault} writes more`,
      waitTimeoutMs,
    )
    await delay(Math.random() * 300) // at any moment of a write
    const before = ledger.acknowledged
    server = await killAndRestart(fault, { ...run, server })
    const restartedAt = performance.now()
    await waitUntil(() => writers.canWrite(shop), 'a write that succeeds', waitTimeoutMs)
    stats.recoverySeconds[fault].push((performance.now() - restartedAt) / 1_000)
    const { replayed, mismatched } = await client.replay(replaysPerFault)
    stats.replayed += replayed
    stats.mismatched += mismatched
    const done = index + 1
    const remainingMs = ((performance.now() - startedAt) / done) * (plan.faults.length - done)
    log(
      `${done} of ${plan.faults.length} kills (${fault}), ${before.toLocaleString('en-GB')} writes acknowledged; ` +
        `about ${Math.round(remainingMs / 1_000)} s left`,
    )
  }
  await waitUntil(() => ledger.acknowledged >= plan.writes, 'the last writes', waitTimeoutMs)
  return stats
}

/** Comes back when what was killed has returned. */
async function killAndRestart(fault: Fault, { fleet, server }: DurabilityRun): Promise<ServerProcess> {
  if (fault === 'server') {
    server.signal('SIGKILL')
    await server.exited
    return fleet.startInstance({ PORT: String(server.port) })
  }
  if (fault === 'postgres') {
    await fleet.killPostgres()
    await fleet.startPostgres()
  } else {
    const [backend] = await fleet.database.query<{ pid: number }>(
      sql`select pid from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()
          order by state = 'active' desc, xact_start desc nulls last limit 1`,
    )
    process.kill(backend!.pid, 'SIGKILL')
  }
  return server
}

function recoveryResults(size: Size, { replayed, mismatched, recoverySeconds }: FaultStats): Result[] {
  const longest = (of: readonly number[]) => Math.max(...of)
  return [
    none('creates retried after a kill and not answered the same', mismatched, replayed.toLocaleString('en-GB')),
    size === 'whole'
      ? atMost(
          'recovery time after the restart of PostgreSQL',
          recoveryGoalSeconds,
          longest(recoverySeconds.postgres),
          's',
        )
      : info('recovery time after the restart of PostgreSQL', `${longest(recoverySeconds.postgres).toFixed(1)} s`),
    ...(size === 'whole'
      ? [
          info(
            'recovery time after the kill of a PostgreSQL process',
            `${longest(recoverySeconds.backend).toFixed(1)} s`,
          ),
        ]
      : []),
    info(
      'kills of the server, PostgreSQL, one of its processes',
      Object.values(recoverySeconds)
        .map(({ length }) => length)
        .join(', '),
    ),
  ]
}
