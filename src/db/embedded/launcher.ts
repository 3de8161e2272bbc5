// Starts, finds and stops the PostgreSQL that keeps Jobwright's data where no DATABASE_URL is set.
import type { ChildProcess } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { chown, lstat, mkdir, mkdtemp, open, readdir, realpath, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { Client, DatabaseError } from 'pg'
import { yieldAutovacuum } from './autovacuum-priority.ts'
import { findPostgresBinaries, type PostgresBinaries, type User } from './binaries.ts'
import {
  describeHolder,
  findPostmaster,
  lookUpProcess,
  ownerFlags,
  type Postmaster,
  recordedPid,
} from './postmaster.ts'
import { sharedBuffers } from './shared-buffers.ts'

export interface EmbeddedPostgresOptions {
  /** The data folder; PostgreSQL's own files go to `postgres` inside it. */
  dataDir: string
  /**
   * `serve`: start PostgreSQL and own it; a second server on the same folder is refused.
   * `join`: use the one that runs, or start one for as long as a command takes.
   */
  mode: 'serve' | 'join'
  /** PostgreSQL settings on top of our own. */
  settings?: Record<string, string>
  /** How long it may take until it answers; whoever has a backup to recover from needs longer. */
  startTimeoutMs?: number
}

export interface EmbeddedPostgres {
  /** What `pg` needs to connect. */
  readonly connection: { host: string; port: number; user: string; database: string }
  /** Stops PostgreSQL if this process started it. Close your connections first. */
  stop(): Promise<void>
  /** Settles when the PostgreSQL this process started has ended, for whatever reason; never for one it found. */
  readonly exited: Promise<void>
}

interface Cluster {
  dataDir: string
  folder: string
  connection: EmbeddedPostgres['connection']
}

const user = 'jobwright_owner'
const database = 'jobwright'
const port = 5432 // names the socket file; nothing listens on the network
const defaultStartTimeoutMs = 30_000
const stopTimeoutMs = 10_000
const socketPathLimitBytes = 100 // the system's limit is 104 on macOS and 108 on Linux

export const defaultSettings = {
  listen_addresses: '',
  unix_socket_permissions: '0700',
  max_connections: '54', // what one process and commands may need (src/processes/plan.ts)
  shared_buffers: sharedBuffers(),
  // Pages are in memory or on a disk without a moving head. At PostgreSQL's own 4, a table of two pages is read whole for
  // each job of a list.
  random_page_cost: '1.1',
  wal_compression: 'on',
  jit: 'off',
  // Plans made while a table was empty read all of it once it is not, until its first statistics end them.
  autovacuum_naptime: '15s',
  log_checkpoints: 'off',
  log_min_messages: 'warning',
  log_min_error_statement: 'panic', // statements carry customers' data
}

/** For the main thread: Linux takes the end of the thread that started PostgreSQL for the end of the process. */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  if (process.platform === 'win32') {
    throw new Error('The embedded PostgreSQL does not run on Windows: set DATABASE_URL to a PostgreSQL server.')
  }
  const cluster = await openCluster(options.dataDir)
  const { dataDir, folder, connection } = cluster
  const deadline = Date.now() + (options.startTimeoutMs ?? defaultStartTimeoutMs)
  for (;;) {
    const ready = await isReady(cluster)
    if (ready && options.mode === 'join') return { connection, stop: async () => {}, exited: new Promise(() => {}) }
    const postmaster = await findPostmaster(folder)
    if (!postmaster && !ready) {
      const started = await startCluster(cluster, options).catch((error) => {
        if (!(error instanceof StillEnding) || Date.now() > deadline) throw error
      })
      if (started) return started
    }
    if (postmaster && options.mode === 'serve') stopOrphan(postmaster, cluster)
    // Somebody else's PostgreSQL is starting or stopping, or serves a command that will be done soon.
    if (Date.now() > deadline) throw new Error(`${dataDir} stays in use by ${describeHolder(postmaster)}.`)
    await delay(50)
  }
}

/** Where PostgreSQL's own files are in a data folder. */
export const postgresFolder = (dataDir: string): string => join(dataDir, 'postgres')

/** Who has PostgreSQL running on a data folder, in words; undefined if nobody has. */
export async function findHolder(dataDir: string): Promise<string | undefined> {
  if (!existsSync(postgresFolder(dataDir))) return undefined
  const cluster = await openCluster(dataDir)
  const postmaster = await findPostmaster(cluster.folder)
  return postmaster || (await isReady(cluster)) ? describeHolder(postmaster) : undefined
}

async function openCluster(dataDir: string): Promise<Cluster> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const realDir = await realpath(dataDir) // servers and commands must call the folder by the same name
  const folder = postgresFolder(realDir)
  const owner = await ownerOf(folder)
  const self = process.getuid!()
  if (owner && self !== 0 && owner.uid !== self) {
    throw new Error(`${folder} belongs to the user with the id ${owner.uid}: go on as that user, or as root.`)
  }
  return { dataDir: realDir, folder, connection: { host: socketFolder(folder), port, user, database } }
}

async function ownerOf(folder: string): Promise<User | undefined> {
  if (!existsSync(folder)) return undefined
  const { uid, gid } = await stat(folder)
  return { uid, gid }
}

/** Not below os.tmpdir(), which may be long itself, and another one for a command than for the server. */
function socketFolder(folder: string): string {
  if (Buffer.byteLength(join(folder, `.s.PGSQL.${port}`)) <= socketPathLimitBytes) return folder
  return join('/tmp', `jobwright-${createHash('sha256').update(folder).digest('hex').slice(0, 16)}`)
}

/** Whether PostgreSQL takes connections; if so, our database exists from then on. */
async function isReady({ connection }: Cluster): Promise<boolean> {
  const client = new Client({ ...connection, database: 'postgres', ssl: false, connectionTimeoutMillis: 5_000 })
  client.on('error', () => {}) // it stops at this moment, and the query fails as well
  try {
    await client.connect()
    const { rowCount } = await client.query('select from pg_database where datname = $1', [database])
    if (rowCount === 0) await client.query(`create database ${database}`)
    return true
  } catch (error) {
    // It is starting up or shutting down, or another process is making the database.
    const transientCodes = ['57P01', '57P02', '57P03', '42P04', '23505']
    if (error instanceof DatabaseError && !transientCodes.includes(error.code ?? '')) throw error
    return false
  } finally {
    await client.end()
  }
}

/** What a killed PostgreSQL had started uses its memory until it has noticed, on a busy machine for a second. */
class StillEnding extends Error {}

/** Undefined when another process has started PostgreSQL at the same time and was faster. */
async function startCluster(cluster: Cluster, options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres | undefined> {
  const { dataDir, folder, connection } = cluster
  const binaries = await findPostgresBinaries(dataDir, await ownerOf(folder))
  if (!isInitialised(folder)) await initialise(cluster, binaries)
  if (connection.host !== folder) await makeSocketFolder(connection.host, binaries.owner)
  const env = await envIgnoringReusedPid(folder)
  const child = await binaries.start('postgres', folder, serverArguments(cluster, options), env)
  const postgres = createHandle(cluster, child, options.mode)
  let ready = false
  try {
    ready = await waitUntilReady(cluster, child, options.startTimeoutMs)
  } finally {
    if (!ready) await postgres.stop()
  }
  if (ready) return postgres
  if (await findPostmaster(folder)) return undefined
  const own = await binaries.logOf(child.pid!)
  const isStillEnding = own.some((line) => /pre-existing shared memory block .* is still in use/.test(line))
  throw new (isStillEnding ? StillEnding : Error)(`PostgreSQL did not start. ${await binaries.logTail()}`)
}

function isInitialised(folder: string): boolean {
  return existsSync(join(folder, 'PG_VERSION'))
}

/** Works under another name and gives the folder its own in one step, so that data is there whole or not at all. */
async function initialise({ dataDir, folder }: Cluster, binaries: PostgresBinaries): Promise<void> {
  const tempFolder = await mkdtemp(join(dataDir, 'postgres-fresh-'))
  const ctype = process.platform === 'darwin' ? 'en_US.UTF-8' : 'C.UTF-8' // macOS may have no C.UTF-8
  const locale = ['--encoding=UTF8', '--locale=C', `--lc-ctype=${ctype}`]
  const initdb = await binaries.start('initdb', tempFolder, ['-U', user, '--auth=trust', '--data-checksums', ...locale])
  const [code] = await once(initdb, 'exit')
  const failure = code === 0 ? await rename(tempFolder, folder).catch(String) : await binaries.logTail()
  // A failure is none if another process has made the data meanwhile.
  if (!isInitialised(folder)) {
    await rm(tempFolder, { recursive: true, force: true })
    throw new Error(`PostgreSQL could not make its data. ${failure}`)
  }
  await using parent = await open(dataDir)
  await parent.sync() // the new name, too, must survive a power cut
  const leftOver = (await readdir(dataDir)).filter((name) => name.startsWith('postgres-fresh-'))
  for (const name of leftOver) await rm(join(dataDir, name), { recursive: true }).catch(() => {}) // still being written
}

async function makeSocketFolder(path: string, owner: User | undefined): Promise<void> {
  await mkdir(path, { mode: 0o700 }).catch(() => {})
  const { uid, mode } = await lstat(path)
  // Everybody can make a folder in /tmp, under this name too.
  const isPrivate = (mode & 0o170077) === 0o040000 && [process.getuid!(), owner?.uid].includes(uid)
  if (!isPrivate) throw new Error(`${path} is meant for PostgreSQL's socket, but is open to other users.`)
  if (owner) await chown(path, owner.uid, owner.gid)
}

/**
 * A killed PostgreSQL starts no more while any process bears its old number, as soon happens in a container. It makes
 * an exception for its grandparent, and would still detect that its data is in use.
 */
async function envIgnoringReusedPid(folder: string): Promise<Record<string, string>> {
  const pid = await recordedPid(folder)
  const holder = pid && (await lookUpProcess(pid))
  return holder && !/^\S*postgres /.test(holder.command) ? { PG_GRANDPARENT_PID: String(pid) } : {}
}

function serverArguments({ folder, connection }: Cluster, { mode, settings }: EmbeddedPostgresOptions): string[] {
  const socket = connection.host === folder ? '.' : connection.host
  const starter = `${mode === 'serve' ? 'server' : 'command'}-${process.pid}`
  const assignments = Object.entries({ ...defaultSettings, ...settings }).map(([name, value]) => `--${name}=${value}`)
  return ['-k', socket, '-p', String(port), ...ownerFlags(folder, starter), ...assignments]
}

function createHandle({ connection }: Cluster, child: ChildProcess, mode: 'serve' | 'join'): EmbeddedPostgres {
  const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()).once('error', () => resolve()))
  const interrupt = () => child.kill('SIGINT')
  process.once('exit', interrupt) // for systems where nothing else ends it together with us
  exited.then(() => process.off('exit', interrupt))
  if (child.pid !== undefined) yieldAutovacuum(child.pid, exited)
  // SIGTERM lets other commands that have joined finish, SIGINT ends their sessions, SIGQUIT tidies up nothing.
  const signals: NodeJS.Signals[] = mode === 'join' ? ['SIGTERM', 'SIGINT', 'SIGQUIT'] : ['SIGINT', 'SIGQUIT']
  let stopped: Promise<void> | undefined
  return { connection, exited, stop: () => (stopped ??= shutDown(child, exited, signals)) }
}

async function shutDown(child: ChildProcess, exited: Promise<void>, signals: NodeJS.Signals[]): Promise<void> {
  for (const signal of signals) {
    if (!isRunning(child)) break
    child.kill(signal)
    await Promise.race([exited, delay(stopTimeoutMs, undefined, { ref: false })])
  }
  await exited
}

function isRunning(child: ChildProcess): boolean {
  return child.exitCode === null && child.signalCode === null
}

/** False as soon as the process has ended, or when the time is up. */
async function waitUntilReady(
  cluster: Cluster,
  child: ChildProcess,
  timeoutMs = defaultStartTimeoutMs,
): Promise<boolean> {
  const deadline = Date.now() + timeoutMs
  while (isRunning(child) && Date.now() < deadline) {
    // What answers must be this process, and not one that another starter has brought up meanwhile.
    if ((await recordedPid(cluster.folder)) === child.pid && (await isReady(cluster))) return true
    await delay(20)
  }
  return false
}

/** Leaves a PostgreSQL whose command is still at work in peace, and stops one that has lost its starter. */
function stopOrphan({ pid, starter }: Postmaster, { dataDir }: Cluster): void {
  if (starter.isAlive && starter.kind === 'server') {
    throw new Error(`A Jobwright server (process ${starter.pid}) already runs on ${dataDir}; only one can.`)
  }
  if (starter.isAlive) return
  try {
    process.kill(pid, 'SIGINT')
  } catch {
    // It has just ended by itself.
  }
}
