// Puts a backup in the place of an installation's data, once it was recovered and found to start.
import { existsSync } from 'node:fs'
import { readdir, rename } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { findMajor } from '../db/embedded/installation.ts'
import { findHolder, postgresFolder } from '../db/embedded/launcher.ts'
import type { BackupHead } from './format.ts'
import type { ReportProgress } from './progress.ts'
import { LogEndsEarlier, lastTransaction, type RecoveryTarget, recover } from './recovery.ts'
import { openScratch, type Scratch } from './scratch.ts'
import { syncFolder } from './sealed-file.ts'
import { type Unpacked, unpackBackup } from './unpack.ts'
import { archiveFolder, continuationOf, layHistories, laySegments } from './wal-archive.ts'

export interface RestoreOptions {
  readonly file: string
  readonly dataDir: string
  /** Where the service's own backups are, if it makes any. */
  readonly backupDir: string | null
  /** A moment in ISO 8601, or `latest`: further than the backup, with the log that was archived beside it. */
  readonly to?: string | undefined
  /** Whether data that is there may be moved aside. */
  readonly mayMoveAside: boolean
  readonly onProgress?: ReportProgress | undefined
}

export interface Restored {
  readonly head: BackupHead
  /** When the last transaction in it was committed. */
  readonly lastTransactionAt: string | null
  /** Where the data is that was there before. */
  readonly movedTo: string | null
}

export async function restoreBackup(options: RestoreOptions): Promise<Restored> {
  const { dataDir, to, onProgress } = options
  const file = resolve(options.file)
  await refuseData(options)
  await using scratch = await openScratch(dataDir, 'restoring')
  const unpacked = await unpackBackup(file, scratch, (head) => refuseHead(head, to, scratch), onProgress)
  for (const folder of [dirname(file), options.backupDir]) if (folder) await layHistories(folder, scratch)
  if (to !== undefined) await continueTo(to, unpacked, file, scratch)
  onProgress?.('recovering')
  const target: RecoveryTarget = to === undefined ? 'end' : to === 'latest' ? to : { moment: to }
  const lastTransactionAt = await recover(scratch, target, () => lastTransaction(scratch)).catch((error: unknown) => {
    if (!(error instanceof LogEndsEarlier)) throw error
    const last = error.lastTransactionAt
    const end = last ? `its last transaction is of ${last}` : 'it holds no transaction after the backup'
    throw new Error(
      `The log in ${archiveFolder(dirname(file))} ends before ${to}: ${end}. Name an earlier moment, or say --to latest.`,
    )
  })
  await refuseData(options) // somebody may have begun to use it meanwhile
  return { head: unpacked.head, lastTransactionAt: lastTransactionAt ?? null, movedTo: await moveIn(scratch) }
}

async function refuseData({ dataDir, mayMoveAside }: RestoreOptions): Promise<void> {
  const holder = await findHolder(dataDir)
  if (holder) throw new Error(`${dataDir} is in use by ${holder}: stop the service first.`)
  const folder = postgresFolder(dataDir)
  if (mayMoveAside || !(await isFilled(folder))) return
  throw new Error(
    `${folder} holds data. With --force it is moved aside, to a folder beside it, and the backup takes its place; nothing is deleted.`,
  )
}

const isFilled = async (folder: string): Promise<boolean> => existsSync(folder) && (await readdir(folder)).length > 0

async function refuseHead(head: BackupHead, to: string | undefined, scratch: Scratch): Promise<void> {
  refuseEarlier(to, head.startedAt)
  await refuseOrigin(head, scratch)
}

function refuseEarlier(to: string | undefined, moment: string): void {
  if (to === undefined || to === 'latest' || new Date(to) >= new Date(moment)) return
  throw new Error(`The backup is of ${moment}, which is after ${to}: take an earlier one.`)
}

/** PostgreSQL reads the files of its own major version and platform only. */
export async function refuseOrigin({ postgres, platform }: BackupHead, scratch: Scratch): Promise<void> {
  const major = await findMajor(scratch.path)
  if (postgres !== major) {
    throw new Error(
      `The backup is of PostgreSQL ${postgres}, which PostgreSQL ${major} cannot read: restore it with the Jobwright that made it, then move with jobwright export and import, or pg_dump.`,
    )
  }
  const here = `${process.platform}-${process.arch}`
  if (platform !== here) {
    throw new Error(
      `The backup was made on ${platform}, and PostgreSQL's files fit no ${here}: restore it on a machine like that one, then move with jobwright export and import.`,
    )
  }
}

async function continueTo(to: string, { manifest }: Unpacked, file: string, scratch: Scratch): Promise<void> {
  refuseEarlier(to, manifest.finishedAt)
  const folder = dirname(file)
  const continuation = await continuationOf(manifest, folder)
  if (continuation.missing !== undefined && to === 'latest') {
    throw new Error(
      `The log beside ${file} has a gap: its segment ${continuation.missing} is missing. Name a moment before it with --to, or take a later backup.`,
    )
  }
  await laySegments(continuation, folder, scratch)
}

/** Both steps are renames: what is killed between them leaves both folders whole. */
async function moveIn({ path, dataDir }: Scratch): Promise<string | null> {
  const folder = postgresFolder(dataDir)
  const aside = `${folder}-before-${new Date().toISOString().replace(/[:.]/g, '-')}`
  const isThere = existsSync(folder)
  if (isThere) await rename(folder, aside)
  await rename(postgresFolder(path), folder)
  await syncFolder(dataDir)
  return isThere ? aside : null
}
