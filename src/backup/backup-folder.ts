// The folder of the backups that the service makes by itself: which there are, and which of them go.
import { readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { backupMoment, backupName, expiredBackups } from '../domain/backups.ts'
import { createPacer } from './pacing.ts'
import { partOf } from './sealed-file.ts'
import { checkFile, readHead } from './unpack.ts'
import { removeOlderLog } from './wal-archive.ts'

/** Oldest first. */
async function listBackups(folder: string): Promise<Date[]> {
  const moments = (await readdir(folder)).map(backupMoment).filter((moment) => moment !== undefined)
  return moments.sort((one, other) => one.getTime() - other.getTime())
}

export const newestBackup = async (folder: string): Promise<Date | undefined> => (await listBackups(folder)).at(-1)

/** What a process that was killed left; to be called by whoever makes the next one. */
export async function removeParts(folder: string): Promise<void> {
  const parts = (await readdir(folder)).filter((name) => {
    const whole = name.slice(0, -partOf('').length)
    return name === partOf(whole) && backupMoment(whole)
  })
  for (const name of parts) await rm(join(folder, name), { force: true })
}

/** Nothing goes before the newest was read from its first byte to its last; one that is damaged no longer bears the name of a backup. */
export async function removeExpired(folder: string): Promise<string[]> {
  const moments = await listBackups(folder)
  const newest = moments.at(-1)
  if (!newest) return []
  const newestFile = join(folder, backupName(newest))
  await checkFile(newestFile, createPacer()).catch(async (error: unknown) => {
    await rename(newestFile, `${newestFile}.damaged`)
    throw error
  })
  const expired = expiredBackups(moments)
  for (const moment of expired) await rm(join(folder, backupName(moment)), { force: true })
  const oldest = moments.find((moment) => !expired.includes(moment))!
  await removeOlderLog(folder, (await readHead(join(folder, backupName(oldest)))).firstSegment)
  return expired.map(backupName)
}
