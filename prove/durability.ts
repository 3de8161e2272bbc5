// Durability: the server and PostgreSQL are killed in the middle of writes, and all that was acknowledged must be there.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../src/database.ts'
import type { Served } from '../test/programs.ts'
import { type Asking, asking as askingAt } from './asking.ts'
import { Fleet, type Shop } from './fleet.ts'
import { halfDone, type Ledger, lostFrom, newLedger } from './ledger.ts'
import { atLeast, atMost, type Figure, none, type Size, type Trial, told } from './trial.ts'
import { writeAway } from './writers.ts'

type Fault = 'server' | 'postgres' | 'backend'

interface Plan {
  readonly faults: readonly Fault[]
  readonly writes: number
  readonly shops: number
  readonly writersEach: number
}
/** Twenty times the server, ten times PostgreSQL, and five times one of its processes, which ends all of its sessions. */
const seventh: readonly Fault[] = ['server', 'postgres', 'server', 'backend', 'server', 'postgres', 'server']
const plans: Readonly<Record<Size, Plan>> = {
  whole: { faults: Array(5).fill(seventh).flat(), writes: 50_000, shops: 8, writersEach: 4 },
  short: { faults: ['server', 'postgres'], writes: 500, shops: 2, writersEach: 4 },
}
const repeatedEach = 50
const returnGoalSeconds = 5
/** Nothing goes on for ever, whatever fails. */
const waitLimitMs = 300_000

export const durability: Trial = {
  name: 'durability',
  title: 'Durability',
  how:
    'While 32 writers make and change customers, jobs, messages, lines, parts, quotes, conversions, invoices and ' +
    'payments in eight organisations, the server is killed twenty times (kill -9), PostgreSQL ten times, and five times ' +
    'one of its processes at work. Afterwards every acknowledged write is looked up, numbers, notes, stock and money are ' +
    'compared with each other, and creates with an Idempotency-Key are repeated after each kill.',
  async run(size, say) {
    const plan = plans[size]
    await using fleet = await Fleet.start()
    const server = await fleet.instance()
    const shops = await Promise.all(Array.from({ length: plan.shops }, () => fleet.shop()))
    const ledger = newLedger()
    const asking = askingAt(server.origin, ledger)
    const writing = writeAway(asking, shops, plan.writersEach, ledger)
    writing.catch(() => {}) // heard below
    try {
      const told = await killedUnder({ fleet, server, asking, ledger, shop: shops[0]!, plan, say })
      asking.stop()
      await writing
      return [...(await kept(fleet, ledger, plan, say)), ...figures(size, told)]
    } finally {
      asking.stop()
      await writing.catch(() => {})
    }
  },
}

interface Scene {
  readonly fleet: Fleet
  readonly server: Served
  readonly asking: Asking
  readonly ledger: Ledger
  readonly shop: Shop
  readonly plan: Plan
  say(text: string): void
}

interface Rounds {
  repeated: number
  otherwise: number
  /** From the return of each part to the first write that succeeded. */
  readonly returns: Record<Fault, number[]>
}

async function killedUnder(scene: Scene): Promise<Rounds> {
  const { asking, ledger, plan, say } = scene
  const rounds: Rounds = { repeated: 0, otherwise: 0, returns: { server: [], postgres: [], backend: [] } }
  const each = Math.ceil(plan.writes / (plan.faults.length + 1))
  const startedAt = performance.now()
  let { server } = scene
  for (const [index, fault] of plan.faults.entries()) {
    await until(() => ledger.acknowledged >= each * (index + 1), `${each} writes more`)
    await delay(Math.random() * 300) // at any moment of a write
    const before = ledger.acknowledged
    server = await killed(fault, { ...scene, server })
    const backAt = performance.now()
    await until(() => isServed(scene), 'a write that succeeds')
    rounds.returns[fault].push((performance.now() - backAt) / 1_000)
    const { repeated, otherwise } = await asking.repeat(repeatedEach)
    rounds.repeated += repeated
    rounds.otherwise += otherwise
    const done = index + 1
    const left = ((performance.now() - startedAt) / done) * (plan.faults.length - done)
    say(
      `${done} of ${plan.faults.length} kills (${fault}), ${before.toLocaleString('en-GB')} writes acknowledged; ` +
        `about ${Math.round(left / 1_000)} s left`,
    )
  }
  await until(() => ledger.acknowledged >= plan.writes, 'the last writes')
  return rounds
}

/** Comes back when what was killed has returned. */
async function killed(fault: Fault, { fleet, server }: Scene): Promise<Served> {
  if (fault === 'server') {
    server.signal('SIGKILL')
    await server.ended
    return fleet.instance({ PORT: String(server.port) })
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

const isServed = async ({ asking, shop }: Scene) =>
  (await asking.write(shop, 'POST', '/customers', { firstName: 'Amara', notes: randomUUID() })) !== undefined

async function until(holds: () => boolean | Promise<boolean>, what: string): Promise<void> {
  const deadline = performance.now() + waitLimitMs
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`Waited ${waitLimitMs / 1_000} s in vain for ${what}`)
    await delay(20)
  }
}

async function kept(fleet: Fleet, ledger: Ledger, { writes }: Plan, say: Scene['say']): Promise<Figure[]> {
  say(`looking up ${ledger.entries.length.toLocaleString('en-GB')} records`)
  const lost = await lostFrom(ledger, fleet.database)
  const half = await halfDone(fleet.database)
  const mostSaid = 10
  for (const text of [...lost.slice(0, mostSaid), ...half.words, ...ledger.wrong.slice(0, mostSaid)]) say(text)
  return [
    atLeast('writes acknowledged', writes, ledger.acknowledged),
    none(
      'acknowledged writes lost or changed',
      lost.length,
      `${ledger.entries.length.toLocaleString('en-GB')} records`,
    ),
    none('writes half done, or done twice', half.count),
    none('answers that are neither success nor 503', ledger.wrong.length),
  ]
}

function figures(size: Size, { repeated, otherwise, returns }: Rounds): Figure[] {
  const seconds = (of: readonly number[]) => Math.max(...of)
  return [
    none('creates repeated after a kill and not answered the same', otherwise, repeated.toLocaleString('en-GB')),
    size === 'whole'
      ? atMost('serving again after the return of PostgreSQL', returnGoalSeconds, seconds(returns.postgres), 's')
      : told('serving again after the return of PostgreSQL', `${seconds(returns.postgres).toFixed(1)} s`),
    ...(size === 'whole'
      ? [told('serving again after the kill of a PostgreSQL process', `${seconds(returns.backend).toFixed(1)} s`)]
      : []),
    told(
      'kills of the server, PostgreSQL, one of its processes',
      Object.values(returns)
        .map(({ length }) => length)
        .join(', '),
    ),
  ]
}
