// Runs PostgreSQL's programs as a user they agree to run as.
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { closeSync, existsSync, fchownSync, openSync, renameSync, statSync } from 'node:fs'
import { readFile, stat } from 'node:fs/promises'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { cleanEnv, copyToSharedFolder, type Environment, findInstallation, type Installation } from './installation.ts'

const run = promisify(execFile)

export interface PostgresBinaries {
  /** Whom the files must belong to when root starts PostgreSQL; undefined when an ordinary user does. */
  readonly owner: User | undefined
  /** Starts a program on a data folder; what it prints goes to the log. */
  start(program: 'initdb' | 'postgres', folder: string, args: string[], env?: Environment): Promise<ChildProcess>
  logTail(): Promise<string>
  /** What one process printed; others may have printed after it. */
  logOf(pid: number): Promise<readonly string[]>
}

export interface User {
  uid: number
  gid: number
}

/** What stands before a program on the command line, and the user to become first. */
interface LaunchMethod {
  installation: Installation
  wrapper: string[]
  runAs: User | undefined
}

const logLimitBytes = 10_000_000
const nobody: User = { uid: 65534, gid: 65534 }

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
  const readLog = async () => (await readFile(logPath, 'utf8')).trimEnd().split('\n')
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
      return `The end of ${logPath}:\n${(await readLog()).slice(-10).join('\n')}`
    },
    async logOf(pid) {
      return (await readLog()).filter((line) => line.includes(` [${pid}] `))
    },
  }
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
