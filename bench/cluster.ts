// What a statement of the service costs the coordinator and the worker of a Citus cluster, and one server that has all tables
// itself: processor time, from which it can be reckoned how far a cluster grows (docs/decisions/many-machines.md).
import { readFileSync } from 'node:fs'
import pg from 'pg'
import { type ConnectionOptions, Database } from '../src/db/database.ts'
import { migrate } from '../src/db/migrate.ts'
import { createRandom } from '../src/demo/build/random.ts'
import { createOrganisation } from '../src/identity/organisations.ts'
import { clusterUser, createDistributedDatabase, startCitusCluster } from '../test/citus-cluster.ts'
import { insertCustomers, type Organisation } from './data.ts'
import { statementOf } from './limit.ts'
import { type RequestSpec, requestSpecs, type Workload } from './workloads.ts'

/**
 * Processor time of one statement, in milliseconds. The cluster may be emulated, where everything takes ten to sixteen times as long:
 * its figures are by how much less the same server takes here for the same statement.
 */
export interface ClusterShares {
  readonly aloneMs: number
  /** How many times as long a statement takes a server of the cluster's kind, with nothing distributed. */
  readonly emulation: number
  readonly coordinatorMs: number
  /** Of all workers together; one of them answers. */
  readonly workerMs: number
}

const measured: readonly Workload[] = ['read', 'list', 'page', 'search', 'create']
const [organisationCount, customersEach] = [4, 5_000]
/** Until plans and the connections between the nodes are there. */
const warmUpCount = 50
const statementCount = 300
const [distributed, alone] = ['distributed', 'alone']

export async function measureCluster(here: ConnectionOptions): Promise<ReadonlyMap<Workload, ClusterShares>> {
  const cluster = await startCitusCluster()
  try {
    const { coordinator, workers } = cluster
    const ports = [coordinator, ...workers].map(({ port }) => port)
    const nodes = ports.map(onNode)
    const onCluster = await createDistributedDatabase(ports, distributed)
    const costsHere = await measureAll(await createPlainDatabase(here), alone, [here])
    const costsThere = await measureAll(await createPlainDatabase(nodes[0]!), alone, nodes.slice(0, 1))
    const costs = await measureAll(onCluster, distributed, nodes)
    return new Map(
      measured.map((work) => {
        const aloneMs = costsHere.get(work)![0]!
        const emulation = costsThere.get(work)![0]! / aloneMs
        const [coordinatorMs, ...workersMs] = costs.get(work)!.map((ms) => ms / emulation)
        const workerMs = workersMs.reduce((sum, ms) => sum + ms, 0)
        return [work, { aloneMs, emulation, coordinatorMs: coordinatorMs!, workerMs }]
      }),
    )
  } finally {
    await cluster.stop()
  }
}

const onNode = (port: number): ConnectionOptions => ({
  host: '127.0.0.1',
  port,
  user: clusterUser,
  database: 'postgres',
})

/** Of which a cluster that the server may belong to knows nothing. */
async function createPlainDatabase(server: ConnectionOptions): Promise<ConnectionOptions> {
  await withServer(server, async (client) => {
    await client.query('set citus.enable_create_database_propagation = off')
    await client.query(`create database ${alone}`)
  })
  const connection = { ...server, database: alone }
  const database = new Database(connection)
  await migrate(database)
  await database.close()
  return connection
}

/** Of each workload what a statement costs each of these nodes. */
async function measureAll(
  connection: ConnectionOptions,
  name: string,
  servers: readonly ConnectionOptions[],
): Promise<ReadonlyMap<Workload, readonly number[]>> {
  const database = new Database(connection)
  try {
    const organisations = await load(database, connection)
    const costs = new Map<Workload, readonly number[]>()
    for (const work of measured) {
      const specs = requestSpecs(work, organisations, warmUpCount + statementCount)
      await runAll(database, specs.slice(0, warmUpCount))
      const before = await processorTimes(servers, name)
      await runAll(database, specs.slice(warmUpCount))
      const after = await processorTimes(servers, name)
      costs.set(
        work,
        after.map((ms, node) => (ms - before[node]!) / statementCount),
      )
    }
    return costs
  } finally {
    await database.close()
  }
}

async function load(database: Database, connection: ConnectionOptions): Promise<readonly Organisation[]> {
  const client = new pg.Client({ ...connection, statement_timeout: 600_000 })
  await client.connect()
  try {
    const rng = createRandom(1)
    const organisations: Organisation[] = []
    for (let number = 1; number <= organisationCount; number++) {
      const { id } = await createOrganisation(database, { name: `Repair shop ${number}` })
      organisations.push({
        id,
        key: '',
        customers: await insertCustomers(client, id, customersEach, rng),
        jobs: [],
      })
    }
    await client.query('vacuum analyze customers')
    return organisations
  } finally {
    await client.end()
  }
}

/** One after the other, as the service runs them: nobody waits, and nothing is saved by others' company. */
async function runAll(database: Database, specs: readonly RequestSpec[]): Promise<void> {
  for (const spec of specs) {
    const { sql, connection } = statementOf(spec)
    const { id } = spec.organisation
    await (spec.workload === 'create' ? database.write(id, sql) : database.read(id, sql, connection))
  }
}

/** What those who serve this database have worked on each node so far, in milliseconds. */
const processorTimes = (servers: readonly ConnectionOptions[], name: string): Promise<number[]> =>
  Promise.all(
    servers.map((server) =>
      withServer(server, async (client) => {
        const { rows } = await client.query<{ pid: number }>(
          `select pid from pg_stat_activity where datname = $1 and backend_type = 'client backend'`,
          [name],
        )
        return rows.reduce((sum, { pid }) => sum + processorTime(pid), 0)
      }),
    ),
  )

const processorTime = (pid: number): number =>
  Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[0]) / 1_000_000

async function withServer<T>(server: ConnectionOptions, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(server)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}
