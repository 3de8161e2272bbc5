// A Citus cluster for tests: a coordinator and two workers, made of the embedded PostgreSQL, or that of the folder CITUS_POSTGRES,
// and the archive that the environment variable CITUS_ADDON names. Each node is a real server on a port of 127.0.0.1, ended with
// this process.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { chmod, cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { Database, sql } from '../src/db/database.ts'
import { distribute } from '../src/db/distribute.ts'
import { linkLibraries, packagedFolder } from '../src/db/embedded/installation.ts'
import type { EmbeddedPostgres } from '../src/db/embedded/launcher.ts'
import { migrate } from '../src/db/migrate.ts'

const run = promisify(execFile)

export interface ClusterNode {
  readonly port: number
  start(): Promise<void>
  /** `SIGKILL` is a power cut as far as PostgreSQL is concerned; `SIGINT` ends it in order. */
  stop(signal?: 'SIGINT' | 'SIGKILL'): Promise<void>
}

export interface CitusCluster {
  readonly coordinator: ClusterNode
  readonly workers: readonly ClusterNode[]
  /** A further node that belongs to no database yet. */
  createNode(): Promise<ClusterNode>
  stop(): Promise<void>
}

/** For `skip`: what a test says where no cluster can be made. */
export const citusSkipReason: string | false = process.env.CITUS_ADDON
  ? false
  : 'CITUS_ADDON names no add-on for the embedded PostgreSQL, so there is no cluster'

export const clusterUser = 'postgres'
const host = '127.0.0.1'
const workerCount = 2
/** Few: each shard of each table costs time when a database is distributed. */
const shardCount = 4
const startTimeoutMs = 60_000

/** Those of deploy/citus/postgresql.conf, and those that only tests need. */
const settings = (port: number) => `
listen_addresses = '${host}'
port = ${port}
unix_socket_directories = ''
citus.node_conninfo = 'sslmode=disable'
citus.shard_count = ${shardCount}
citus.recover_2pc_interval = '2s'
citus.defer_shard_delete_interval = '2s'
shared_buffers = '64MB'
max_connections = 300
jit = off
log_checkpoints = off
log_min_messages = warning
`

export async function startCitusCluster(): Promise<CitusCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'jobwright-citus-'))
  await chmod(folder, 0o755)
  const owner = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : undefined
  const bin = await unpack(join(folder, 'server'))
  const template = join(folder, 'template')
  if (owner) await run('chown', [`${owner.uid}:${owner.gid}`, folder])
  const options = ['-A', 'trust', '-U', clusterUser, '-E', 'UTF8', '--locale=C.UTF-8', '--no-sync']
  await run(join(bin, 'initdb'), ['-D', template, ...options], { ...owner, cwd: folder })
  const operatorSettings = await readFile(new URL('../deploy/citus/postgresql.conf', import.meta.url), 'utf8')

  const nodes: ClusterNode[] = []
  const createNode = async (): Promise<ClusterNode> => {
    const port = await freePort()
    const dataDir = join(folder, `node-${port}`)
    await run('cp', ['-a', template, dataDir])
    await writeFile(join(dataDir, 'postgresql.auto.conf'), operatorSettings + settings(port))
    let child: ChildProcess | undefined
    const node: ClusterNode = {
      port,
      async start() {
        const log = openSync(join(folder, `node-${port}.log`), 'a')
        child = spawn('setpriv', ['--pdeathsig', 'INT', join(bin, 'postgres'), '-D', dataDir], {
          ...owner,
          cwd: folder,
          env: { LC_ALL: 'C', TZ: 'UTC', PATH: process.env.PATH },
          stdio: ['ignore', log, log],
        })
        closeSync(log)
        await waitUntilReady(port, child)
      },
      async stop(signal = 'SIGINT') {
        if (!child || child.exitCode !== null || child.signalCode !== null) return
        const exited = once(child, 'exit')
        child.kill(signal)
        await exited
      },
    }
    nodes.push(node)
    await node.start()
    return node
  }
  const coordinator = await createNode()
  const workers = await Promise.all(Array.from({ length: workerCount }, createNode))
  return {
    coordinator,
    workers,
    createNode,
    async stop() {
      await Promise.all(nodes.map((node) => node.stop()))
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL with the add-on beside it: nothing of it comes into the package's own folder. */
async function unpack(folder: string): Promise<string> {
  const native = process.env.CITUS_POSTGRES ?? packagedFolder()
  if (!native) throw new Error('There is no embedded PostgreSQL for this machine, which the add-on was made for')
  await cp(native, join(folder, 'native'), { recursive: true, verbatimSymlinks: true })
  await linkLibraries(join(folder, 'native'), join(folder, 'native/lib'))
  await run('tar', ['xzf', process.env.CITUS_ADDON!, '-C', join(folder, 'native'), '--no-same-owner'])
  await run('chmod', ['-R', 'a+rX', folder])
  return join(folder, 'native/bin')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, host)
  await once(server, 'listening')
  const { port } = server.address() as { port: number }
  server.close()
  return port
}

async function waitUntilReady(port: number, child: ChildProcess): Promise<void> {
  for (const deadline = Date.now() + startTimeoutMs; Date.now() < deadline; await delay(50)) {
    if (child.exitCode !== null) throw new Error(`PostgreSQL on port ${port} ended at once; see its log`)
    const ready = await withClient(port, 'postgres', async () => true).catch(() => false)
    if (ready) return
  }
  throw new Error(`PostgreSQL on port ${port} does not start`)
}

/** A session on one node, without our timeouts. */
export async function withClient<T>(port: number, database: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ host, port, user: clusterUser, database })
  client.on('error', () => {}) // the query that is under way fails as well
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** An empty database on every node, which know each other. Only their ports are needed: another process may own them. */
export async function createClusterDatabase(
  [coordinator, ...workers]: readonly number[],
  name: string,
): Promise<EmbeddedPostgres['connection']> {
  for (const port of [coordinator!, ...workers]) await createNodeDatabase(port, name)
  await withClient(coordinator!, name, async (client) => {
    await client.query('select citus_set_coordinator_host($1, $2)', [host, coordinator])
    for (const port of workers) await client.query('select citus_add_node($1, $2)', [host, port])
  })
  return { host, port: coordinator!, user: clusterUser, database: name }
}

/** What must be there before a node can join. */
export async function createNodeDatabase(port: number, name: string): Promise<void> {
  await withClient(port, 'postgres', async (client) => {
    await client.query('set citus.enable_create_database_propagation = off')
    await client.query(`create database ${name}`)
  })
  await withClient(port, name, (client) => client.query('create extension citus'))
}

/** The same with our tables in it, distributed. */
export async function createDistributedDatabase(
  ports: readonly number[],
  name: string,
): Promise<EmbeddedPostgres['connection']> {
  const connection = await createClusterDatabase(ports, name)
  const database = new Database(connection)
  await migrate(database)
  await distribute(database)
  await database.close()
  return connection
}

/** A distributed database that is only there to be copied: nobody can connect to it, which copying needs. */
export async function createDistributedTemplate(ports: readonly number[], name: string): Promise<void> {
  await createDistributedDatabase(ports, name)
  for (const port of ports)
    await withClient(port, 'postgres', async (client) => {
      await client.query(`alter database ${name} with allow_connections false`)
      await client.query('select pg_terminate_backend(pid, 10_000) from pg_stat_activity where datname = $1', [name])
    })
}

/** In a second what takes many to distribute: Citus keeps all that it knows of a database in its own tables there. */
export async function copyDistributedTemplate(
  ports: readonly number[],
  template: string,
  name: string,
): Promise<EmbeddedPostgres['connection']> {
  for (const port of ports)
    await withClient(port, 'postgres', async (client) => {
      await client.query('set citus.enable_create_database_propagation = off')
      await client.query(`create database ${name} template ${template} strategy file_copy`)
    })
  return { host, port: ports[0]!, user: clusterUser, database: name }
}

/** The ports of all nodes of a cluster that somebody else started, coordinator first. */
export const selectPorts = (database: Database): Promise<number[]> =>
  database
    .query<{ port: number }>(sql`select nodeport as port from pg_dist_node order by groupid`)
    .then((nodes) => nodes.map(({ port }) => port))
