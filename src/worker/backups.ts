// Backups that the service makes by itself: one a day, the log every minute, and what is no longer needed goes.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { newestBackup, removeExpired, removeParts } from '../backup/backup-folder.ts'
import { type MadeBackup, makeBackup } from '../backup/make-backup.ts'
import { archiveLog, stopArchiving } from '../backup/wal-archive.ts'
import type { Config } from '../config/config.ts'
import { type Database, sql } from '../db/database.ts'
import { backupName, isBackupDue } from '../domain/backups.ts'
import { hourMs, minuteMs } from '../domain/durations.ts'
import { createTask, type Log } from './task.ts'

/** How soon what failed is tried again. */
const backupIntervalMs = 15 * minuteMs
/** Whoever holds it makes the backup of the day. */
const advisoryLockId = 6_510_219

interface DueBackup {
  readonly database: Database
  readonly dataDir: string
  readonly backupDir: string
  readonly backupHour: number
  readonly keyMark: string
  readonly now: Date
  readonly signal?: AbortSignal
}

/** Undefined where none is due, or somebody else makes it. */
export async function makeDueBackup(options: DueBackup): Promise<MadeBackup | undefined> {
  const { database, dataDir, backupDir, backupHour, keyMark, now, signal } = options
  await mkdir(backupDir, { recursive: true, mode: 0o700 })
  const isDue = async () => isBackupDue(await newestBackup(backupDir), now, backupHour)
  if (!(await isDue())) return undefined
  return database.longSession(async (session) => {
    const [lock] = await session.query<{ held: boolean }>(
      sql`select pg_try_advisory_lock(${advisoryLockId}::int) as held`,
    )
    if (!lock!.held || !(await isDue())) return undefined
    await removeParts(backupDir)
    const file = join(backupDir, backupName(now))
    const made = await makeBackup({ database, dataDir, file, keyMark, signal })
    await removeExpired(backupDir)
    return made
  })
}

/** For operators: when the newest backup was begun, in seconds since 1970; undefined where none are made. */
export interface BackupMetrics {
  readonly newestAt: number | undefined
}

interface BackupDependencies {
  readonly config: Config
  readonly database: Database
  readonly keyMark: string
  readonly log: Log
  readonly signal: AbortSignal
}

/** A PostgreSQL at DATABASE_URL is its operator's to back up. */
export function createBackupTasks({ config, database, keyMark, log, signal }: BackupDependencies) {
  const { databaseUrl, dataDir, backupDir, backupHour, backupWal } = config
  const metrics = { newestAt: undefined as number | undefined }
  if (databaseUrl !== null) return { tasks: [], metrics }
  if (backupDir === null) {
    return { tasks: [createTask(log, 'log archive', hourMs, () => stopArchiving(database))], metrics }
  }
  metrics.newestAt = 0
  const backUp = async () => {
    try {
      const made = await makeDueBackup({ database, dataDir, backupDir, backupHour, keyMark, now: new Date(), signal })
      if (made) log.info({ file: made.file, bytes: made.fileBytes }, 'backup made')
    } catch (error) {
      if (!signal.aborted) throw error // it is made at the next start
    } finally {
      metrics.newestAt = ((await newestBackup(backupDir).catch(() => undefined))?.getTime() ?? 0) / 1_000
    }
  }
  const archive = () =>
    backupWal === 'on' ? archiveLog(database, { dataDir, folder: backupDir, signal }) : stopArchiving(database)
  return {
    tasks: [
      createTask(log, 'backup', backupIntervalMs, backUp),
      createTask(log, 'log archive', backupWal === 'on' ? minuteMs : hourMs, archive),
    ],
    metrics,
  }
}
