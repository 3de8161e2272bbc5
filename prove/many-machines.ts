// Many machines: a worker that dies and returns, a further node and a large organisation moved while everybody writes, and
// two-phase commits that are cut in the middle.
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, sql } from '../src/db/database.ts'
import {
  type CitusCluster,
  citusSkipReason,
  createDistributedDatabase,
  createNodeDatabase,
  startCitusCluster,
  withClient,
} from '../test/citus-cluster.ts'
import type { ServerProcess } from '../test/programs.ts'
import { cutCommits } from './cut-commits.ts'
import { Fleet, type Shop } from './fleet.ts'
import { checkLedger, type Ledger } from './ledger.ts'
import { atLeast, atMost, info, none, type Result, type Size, type Trial } from './trial.ts'
import { waitUntil } from './wait-until.ts'
import { startWriters } from './writers.ts'

const plans: Readonly<
  Record<Size, { shops: number; writersEach: number; writesPerStep: number; awayMs: number; cuts: number }>
> = {
  whole: { shops: 4, writersEach: 4, writesPerStep: 2_000, awayMs: 10_000, cuts: 20 },
  short: { shops: 2, writersEach: 2, writesPerStep: 40, awayMs: 1_500, cuts: 1 },
}
const databaseName = 'jobwright'
const recoveryGoalSeconds = 5
const waitTimeoutMs = 300_000

export interface ClusterRun {
  readonly cluster: CitusCluster
  readonly fleet: Fleet
  readonly server: ServerProcess
  readonly origin: string
  readonly shops: readonly Shop[]
  readonly ledger: Ledger
  readonly size: Size
  log(text: string): void
}

export const manyMachinesTrial: Trial = {
  name: 'machines',
  title: 'Many machines',
  how:
    'A Citus cluster of a coordinator and two workers, with 16 writers in four organisations on both workers (as under ' +
    'Durability). One worker is killed (kill -9) and started again; a third is added and shards are moved to it; one organisation ' +
    'is given a shard of its own and moved; workers and the coordinator are killed in the middle of two-phase commits. Afterwards every ' +
    'acknowledged write is looked up.',
  skipReason: citusSkipReason,
  async run(size, log) {
    const plan = plans[size]
    const cluster = await startCitusCluster()
    try {
      const ports = [cluster.coordinator, ...cluster.workers].map(({ port }) => port)
      const connection = await createDistributedDatabase(ports, databaseName)
      await using fleet = await Fleet.on(connection)
      const server = await fleet.startInstance()
      const { origin } = server
      const shops = await createSpreadShops(fleet, cluster, plan.shops)
      await using writers = startWriters(origin, shops, plan.writersEach)
      const { ledger } = writers
      const run = { cluster, fleet, server, origin, shops, ledger, size, log }
      const results = await killWorker(run)
      // A further node takes as long to start as all the rest of the short form.
      if (size === 'whole') results.push(...(await addNode(run)))
      results.push(...(await moveLargeShop(run)))
      await writers.stop()
      results.push(...(await cutCommits(run, plan.cuts)))
      logUnexpected(run)
      return [...results, ...(await checkLedger(ledger, fleet.database, log))]
    } finally {
      await cluster.stop()
    }
  },
}

/** As many on either worker. */
async function createSpreadShops(fleet: Fleet, { workers }: CitusCluster, count: number): Promise<Shop[]> {
  const shops: Shop[] = []
  const countOn = new Map<number, number>()
  while (shops.length < count) {
    const shop = await fleet.createShop()
    const port = await portOf(fleet.database, shop)
    if ((countOn.get(port) ?? 0) >= count / workers.length) continue
    countOn.set(port, (countOn.get(port) ?? 0) + 1)
    shops.push(shop)
  }
  return shops
}

/** The node that has an organisation's records. */
async function portOf(database: Database, { orgId }: Shop): Promise<number> {
  const [node] = await database.query<{ port: number }>(sql`
    select nodeport as port from citus_shards
    where shardid = get_shard_id_for_distribution_column('customers', ${orgId}::text)`)
  return node!.port
}

const writeMore = (ledger: Ledger, count: number) => {
  const goal = ledger.acknowledged + count
  return waitUntil(() => ledger.acknowledged >= goal, `${count} writes more`, waitTimeoutMs)
}

async function killWorker({ cluster, fleet, origin, shops, ledger, size, log }: ClusterRun): Promise<Result[]> {
  const { writesPerStep, awayMs } = plans[size]
  const [worker] = cluster.workers
  const places = await Promise.all(shops.map((shop) => portOf(fleet.database, shop)))
  const onIt = shops.filter((_, index) => places[index] === worker!.port)
  const elsewhere = shops.filter((_, index) => places[index] !== worker!.port)
  await writeMore(ledger, writesPerStep)
  log(`killing the worker of ${onIt.length} organisations`)
  await worker!.stop('SIGKILL')
  const answers = { onIt: [] as number[], elsewhere: [] as number[] }
  for (const end = performance.now() + awayMs; performance.now() < end; await delay(20)) {
    const [away, there] = await Promise.all([
      Promise.all(onIt.map((shop) => statusOf(origin, shop))),
      Promise.all(elsewhere.map((shop) => statusOf(origin, shop))),
    ])
    answers.onIt.push(...away)
    answers.elsewhere.push(...there)
  }
  await worker!.start()
  const returnedAt = performance.now()
  await waitUntil(
    async () => (await Promise.all(onIt.map((shop) => statusOf(origin, shop)))).every((status) => status === 201),
    'the organisations of the worker',
    waitTimeoutMs,
  )
  const seconds = (performance.now() - returnedAt) / 1_000
  return [
    none(
      'writes for organisations elsewhere that failed while a worker was away',
      answers.elsewhere.filter((status) => status !== 201).length,
      String(answers.elsewhere.length),
    ),
    none(
      'answers for its own organisations that were not 503',
      answers.onIt.filter((status) => status !== 503).length,
      String(answers.onIt.length),
    ),
    atMost('from its return until all of them can be written to', recoveryGoalSeconds, seconds, 's'),
  ]
}

async function statusOf(origin: string, { orgId, key }: Shop): Promise<number> {
  const response = await fetch(`${origin}/api/v1/organisations/${orgId}/services`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ name: 'Check' }),
  })
  await response.arrayBuffer()
  return response.status
}

async function addNode({ cluster, fleet, ledger, size, log }: ClusterRun): Promise<Result[]> {
  const { writesPerStep } = plans[size]
  await writeMore(ledger, writesPerStep)
  const node = await cluster.createNode()
  await createNodeDatabase(node.port, databaseName)
  const before = ledger.acknowledged
  const startedAt = performance.now()
  await onCoordinator(cluster, `select citus_add_node('127.0.0.1', ${node.port})`)
  log('moving shards to the new node')
  await onCoordinator(cluster, 'select citus_rebalance_start()')
  const isOver = async () => {
    const [job] = await fleet.database.query<{ state: string }>(sql`
      select state::text from pg_dist_background_job order by job_id desc limit 1`)
    if (job!.state === 'failed' || job!.state === 'cancelled') throw new Error(`The rebalancing has ${job!.state}`)
    return job!.state === 'finished'
  }
  await waitUntil(isOver, 'the rebalancing', waitTimeoutMs)
  const seconds = (performance.now() - startedAt) / 1_000
  const [moved] = await fleet.database.query<{ shards: number }>(sql`
    select count(*)::int as shards from citus_shards where nodeport = ${node.port} and citus_table_type = 'distributed'`)
  const writes = ledger.acknowledged - before
  await writeMore(ledger, writesPerStep)
  return [
    atLeast('shards that a node got which was added meanwhile', 1, moved!.shards),
    info('writes acknowledged while they were moved', `${writes.toLocaleString('en-GB')} in ${seconds.toFixed(1)} s`),
  ]
}

async function moveLargeShop({ cluster, fleet, shops, ledger, size, log }: ClusterRun): Promise<Result[]> {
  const [large] = shops
  const from = await portOf(fleet.database, large!)
  const target = cluster.workers.find(({ port }) => port !== from)!
  log('giving one organisation a shard of its own, and moving it')
  const startedAt = performance.now()
  await onCoordinator(
    cluster,
    `select isolate_tenant_to_new_shard('customers', '${large!.orgId}', 'CASCADE', shard_transfer_mode => 'block_writes')`,
  )
  await onCoordinator(
    cluster,
    `select citus_move_shard_placement(get_shard_id_for_distribution_column('customers', '${large!.orgId}'::text),
      '127.0.0.1', ${from}, '127.0.0.1', ${target.port}, shard_transfer_mode => 'force_logical')`,
  )
  const seconds = (performance.now() - startedAt) / 1_000
  await writeMore(ledger, plans[size].writesPerStep)
  const isThere = (await portOf(fleet.database, large!)) === target.port
  return [
    none('organisations that were moved and are not where they should be', isThere ? 0 : 1, '1'),
    info('isolating and moving one organisation', `${seconds.toFixed(1)} s`),
  ]
}

const onCoordinator = ({ coordinator }: CitusCluster, text: string) =>
  withClient(coordinator.port, databaseName, (client) => client.query(text))

/** What the server said about answers that nobody expected. */
function logUnexpected({ server, ledger, log }: ClusterRun): void {
  const requestIds = ledger.unexpectedAnswers.flatMap((text) => /req_\w+/.exec(text) ?? [])
  for (const line of server.output().split('\n'))
    if (requestIds.some((id) => line.includes(id))) log(line.slice(0, 1_000))
}
