// A PostgreSQL with synchronous replicas, each of which follows the one before it: when the first is killed, the next one
// has all that was acknowledged, is promoted, and has a replica of its own already.
import { execFile } from 'node:child_process'
import { chmod, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Client } from 'pg'
import { type EmbeddedPostgres, postgresFolder, startEmbeddedPostgres } from '../src/db/embedded/launcher.ts'

export interface ReplicatedPostgres extends AsyncDisposable {
  /** All of them, as DATABASE_URL names several hosts. */
  readonly url: string
  /** Ends the primary as a crash does. */
  killPrimary(): Promise<void>
  /** Lets the next one take its place; comes back when that takes writes. */
  promoteNext(): Promise<void>
}

const run = promisify(execFile)

/** What the replica of this number calls itself, so that it can be waited for. */
const nameOf = (index: number) => `replica_${index}`

export async function startReplicatedPostgres(count: number): Promise<ReplicatedPostgres> {
  const folder = await mkdtemp(join(tmpdir(), 'jobwright-replicas-'))
  const dataDirs = Array.from({ length: count }, (_, index) => join(folder, String(index)))
  // Started by root, all run as one other user, who has to find the sockets.
  for (const path of [folder, ...dataDirs]) await mkdir(path, { recursive: true }).then(() => chmod(path, 0o755))
  const settings = { max_connections: '100', shared_buffers: '32MB' }
  const servers: EmbeddedPostgres[] = []
  const dispose = async () => {
    for (const server of servers.toReversed()) await server.stop() // replicas first: a primary waits until they have it all
    await rm(folder, { recursive: true, force: true, maxRetries: 20 })
  }
  const start = async (index: number) => {
    // What a commit of this one waits for, as soon as it is the primary.
    const own = index + 1 < count ? { synchronous_standby_names: nameOf(index + 1) } : {}
    const before = servers[index - 1]?.connection
    const followed = before && {
      primary_conninfo: `host=${before.host} port=${before.port} user=${before.user} application_name=${nameOf(index)}`,
    }
    const options = {
      dataDir: dataDirs[index]!,
      mode: 'serve',
      settings: { ...settings, ...own, ...followed },
    } as const
    servers.push(await startEmbeddedPostgres(options))
  }
  try {
    // PostgreSQL's own tool for copies is not in the package: one that was stopped in order can be copied like any folder.
    const template = await startEmbeddedPostgres({ dataDir: dataDirs[0]!, mode: 'serve', settings })
    await template.stop()
    for (const dataDir of dataDirs.slice(1)) {
      await run('cp', ['-a', postgresFolder(dataDirs[0]!), postgresFolder(dataDir)])
      await writeFile(join(postgresFolder(dataDir), 'standby.signal'), '')
    }
    for (const index of dataDirs.keys()) await start(index)
  } catch (error) {
    await dispose()
    throw error
  }
  const { user, database, port } = servers[0]!.connection
  const hosts = servers.map(({ connection }) => encodeURIComponent(connection.host)).join(',')
  let primary = 0
  return {
    url: `postgres://${user}@/${database}?host=${hosts}&port=${port}&target_session_attrs=read-write`,
    async killPrimary() {
      const pidFile = join(postgresFolder(dataDirs[primary]!), 'postmaster.pid')
      process.kill(Number.parseInt(await readFile(pidFile, 'utf8'), 10), 'SIGKILL')
      await servers[primary]!.exited
    },
    async promoteNext() {
      primary++
      const client = new Client(servers[primary]!.connection)
      await client.connect()
      await client.query('select pg_promote()')
      await client.end()
    },
    [Symbol.asyncDispose]: dispose,
  }
}
