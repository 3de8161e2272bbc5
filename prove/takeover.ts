// A replica takes over: the primary is killed in the middle of writes, a synchronous replica is promoted, and the service follows.
import { setTimeout as delay } from 'node:timers/promises'
import { migrate } from '../src/db/migrate.ts'
import { createKey, revokeKey } from '../src/identity/keys.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import { Fleet, type Shop } from './fleet.ts'
import { checkLedger } from './ledger.ts'
import { type ReplicatedPostgres, startReplicatedPostgres } from './replicas.ts'
import { atLeast, atMost, none, type Size, type Trial } from './trial.ts'
import { waitUntil } from './wait-until.ts'
import { startWriters, type Writers } from './writers.ts'

interface Plan {
  readonly takeovers: number
  readonly writes: number
  readonly shops: number
  readonly writersEach: number
}
const plans: Readonly<Record<Size, Plan>> = {
  whole: { takeovers: 4, writes: 20_000, shops: 8, writersEach: 4 },
  short: { takeovers: 1, writes: 300, shops: 2, writersEach: 4 },
}
const recoveryGoalSeconds = 5
const replaysPerTakeover = 50
const waitTimeoutMs = 120_000
/** How long nothing takes writes: whoever watches the primary needs a moment to be sure. */
const outageMs = { whole: 2_000, short: 300 }

export const takeoverTrial: Trial = {
  name: 'takeover',
  title: 'A replica takes over',
  how:
    'Five PostgreSQL servers, each a synchronous replica of the one before, and one instance whose DATABASE_URL names all of ' +
    'them. While 32 writers work as under Durability, the primary is killed (kill -9) and, two seconds later, the next server is promoted; four ' +
    'times. The instance is never restarted. Afterwards every acknowledged write is looked up; creates with an Idempotency-Key ' +
    'are retried after each takeover, and a key that is revoked then is refused.',
  async run(size, log) {
    const plan = plans[size]
    await using postgres = await startReplicatedPostgres(plan.takeovers + 1)
    await using fleet = await Fleet.on({ connectionString: postgres.url })
    await migrate(fleet.database)
    const server = await fleet.startInstance()
    const shops = await Promise.all(Array.from({ length: plan.shops }, () => fleet.createShop()))
    await using writers = startWriters(server.origin, shops, plan.writersEach)
    const { origin } = server
    const stats = await takeOverRepeatedly({ fleet, origin, postgres, writers, shop: shops[0]!, size, log })
    await writers.stop()
    return [
      atLeast('writes acknowledged', plan.writes, writers.ledger.acknowledged),
      ...(await checkLedger(writers.ledger, fleet.database, log)),
      none('creates retried after a takeover and not answered the same', stats.mismatched, String(stats.replayed)),
      none('keys that were revoked after a takeover and went on to work', stats.deaf, String(plan.takeovers)),
      atMost('from the promotion to the first write', recoveryGoalSeconds, Math.max(...stats.seconds), 's'),
    ]
  },
}

interface TakeoverRun {
  readonly fleet: Fleet
  readonly origin: string
  readonly postgres: ReplicatedPostgres
  readonly writers: Writers
  readonly shop: Shop
  readonly size: Size
  log(text: string): void
}

async function takeOverRepeatedly(run: TakeoverRun) {
  const { postgres, writers, shop, size, log } = run
  const { client, ledger } = writers
  const { takeovers, writes } = plans[size]
  const stats = { replayed: 0, mismatched: 0, deaf: 0, seconds: [] as number[] }
  const writesEach = Math.ceil(writes / (takeovers + 1))
  for (let turn = 1; turn <= takeovers; turn++) {
    await waitUntil(() => ledger.acknowledged >= writesEach * turn, `${writesEach} writes more`, waitTimeoutMs)
    await delay(Math.random() * 300) // at any moment of a write
    await postgres.killPrimary()
    await delay(outageMs[size])
    await postgres.promoteNext()
    const promotedAt = performance.now()
    await waitUntil(() => writers.canWrite(shop), 'a write that succeeds', waitTimeoutMs)
    stats.seconds.push((performance.now() - promotedAt) / 1_000)
    const { replayed, mismatched } = await client.replay(replaysPerTakeover)
    stats.replayed += replayed
    stats.mismatched += mismatched
    if (!(await hearsOfRevocation(run))) stats.deaf++
    log(`${turn} of ${takeovers} takeovers, ${ledger.acknowledged.toLocaleString('en-GB')} writes acknowledged`)
  }
  await waitUntil(() => ledger.acknowledged >= writes, 'the last writes', waitTimeoutMs)
  return stats
}

/** Whether the instance listens at the new primary: a key that it has just used is remembered until it is told otherwise. */
async function hearsOfRevocation({ fleet, origin, shop }: TakeoverRun): Promise<boolean> {
  const { id, key } = await createKey(fleet.database, shop.orgId, { scopes: ['full'] }, scopeCatalogue)
  const status = async () =>
    (await fetch(`${origin}/api/v1/organisations/${shop.orgId}/customers?limit=1`, { headers: { 'x-api-key': key } }))
      .status
  await waitUntil(async () => (await status()) === 200, 'a new key to work', waitTimeoutMs)
  await revokeKey(fleet.database, shop.orgId, id)
  return waitUntil(async () => (await status()) === 401, 'the key to be refused', 10_000).then(
    () => true,
    () => false,
  )
}
