// The doctor's look at the backups: are any made, and is the newest one recent.
import { access, constants, stat } from 'node:fs/promises'
import { newestBackup } from '../backup/backup-folder.ts'
import type { Config } from '../config/config.ts'
import { isBackupLate } from '../domain/backups.ts'
import { type Finding, fine, warning, wrong } from './doctor-checks.ts'
import { minute } from './layout.ts'

export async function backupFinding({ databaseUrl, backupDir, dataDir }: Config): Promise<Finding> {
  if (databaseUrl !== null) return fine('whoever runs the PostgreSQL at DATABASE_URL makes them')
  if (backupDir === null) {
    return warning(
      'none are made by themselves',
      'Set BACKUP_DIR to a folder on another disk, or run `jobwright backup` every day.',
    )
  }
  await access(backupDir, constants.W_OK)
  const newest = await newestBackup(backupDir)
  const detail = `the newest in ${backupDir} is of ${minute(newest ?? null, 'never')}`
  if (isBackupLate(newest, new Date())) {
    return wrong(detail, 'The log of the service says why; `jobwright backup` makes one now.')
  }
  const isSameDisk = (await stat(backupDir)).dev === (await stat(dataDir)).dev
  return isSameDisk
    ? warning(
        `${detail}, on the disk of the data itself`,
        'Copy them to another machine, or set BACKUP_DIR to another disk.',
      )
    : fine(detail)
}
