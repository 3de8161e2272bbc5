// A folder of its own for a restore or its trial, inside the data folder: the disk is the right one, and a rename ends it.
import { chown, mkdir, mkdtemp, readdir, realpath, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

export interface Owner {
  readonly uid: number
  readonly gid: number
}

export interface Scratch extends AsyncDisposable {
  /** A data folder in itself, without data yet. */
  readonly path: string
  /** The real path of the data folder it is in. */
  readonly dataDir: string
  /** Whom files must belong to when root makes them for the user that the service runs as. */
  readonly owner: Owner | undefined
}

const namePattern = /^(restoring|verifying)-(\d+)-/

export async function openScratch(dataDir: string, purpose: 'restoring' | 'verifying'): Promise<Scratch> {
  await mkdir(dataDir, { recursive: true, mode: 0o700 })
  const realDir = await realpath(dataDir)
  await removeLeftovers(realDir)
  const owner = await ownerFor(realDir)
  const path = await mkdtemp(join(realDir, `${purpose}-${process.pid}-`))
  if (owner) await chown(path, owner.uid, owner.gid)
  return {
    path,
    dataDir: realDir,
    owner,
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true, maxRetries: 10 }),
  }
}

/** Of processes that were killed: a name holds the number of its process. */
async function removeLeftovers(dataDir: string): Promise<void> {
  for (const name of await readdir(dataDir)) {
    const pid = Number(namePattern.exec(name)?.[2])
    if (pid > 0 && !isAlive(pid)) await rm(join(dataDir, name), { recursive: true, force: true, maxRetries: 10 })
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM' // somebody else's
  }
}

/** Where the data folder is root's own, PostgreSQL is given the files when it starts. */
async function ownerFor(dataDir: string): Promise<Owner | undefined> {
  if (process.getuid?.() !== 0) return undefined
  const { uid, gid } = await stat(dataDir)
  return uid === 0 ? undefined : { uid, gid }
}
