// Starts PostgreSQL on unpacked files and lets it go through the log, up to a moment or to the end.
import { readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type EmbeddedPostgres, postgresFolder, startEmbeddedPostgres } from '../db/embedded/launcher.ts'
import type { Scratch } from './scratch.ts'
import { writeEntry } from './unpack.ts'

/** Days of log take long. */
const recoveryTimeoutMs = 24 * 60 * 60_000

const settings = {
  // Nobody is let in before it is done.
  hot_standby: 'off',
  recovery_target_action: 'promote',
  // All that there is lies in pg_wal already, put there by us, who may read what PostgreSQL's user may not.
  restore_command: 'false',
  log_min_messages: 'log',
}

/** For a trial: what is thrown away needs not survive a power cut. */
export const forTrial = { fsync: 'off' }

/** Where to stop: at the end of the backup, before a position in it, after the last transaction up to a moment, or where the archive ends. */
export type RecoveryTarget = 'end' | { readonly lsn: string } | { readonly moment: string } | 'latest'

/** Raised where the log ends before the moment. */
export class LogEndsEarlier extends Error {
  readonly lastTransactionAt: string | undefined
  constructor(lastTransactionAt: string | undefined) {
    super('The log ends before the moment')
    this.lastTransactionAt = lastTransactionAt
  }
}

/** Resolves with what `work` makes of the recovered database, once PostgreSQL has stopped. */
export async function recover<T>(
  scratch: Scratch,
  target: RecoveryTarget,
  work: (postgres: EmbeddedPostgres) => Promise<T>,
  more: Readonly<Record<string, string>> = {},
): Promise<T> {
  // Told by this file, PostgreSQL begins a new timeline: what it writes is never taken for what was written after the backup.
  await writeEntry(join(postgresFolder(scratch.path), 'recovery.signal'), [], scratch.owner)
  const postgres = await startEmbeddedPostgres({
    dataDir: scratch.path,
    mode: 'serve',
    settings: { ...settings, ...targetSettings(target), ...more },
    startTimeoutMs: recoveryTimeoutMs,
  }).catch((error: Error) => {
    if (!error.message.includes('recovery ended before configured recovery target')) throw error
    throw new LogEndsEarlier(lastTransactionIn(error.message))
  })
  try {
    return await work(postgres)
  } finally {
    await postgres.stop()
    // Where the path is too long for a socket, it was elsewhere.
    const { host } = postgres.connection
    if (!host.startsWith(scratch.path)) await rm(host, { recursive: true, force: true })
  }
}

function targetSettings(target: RecoveryTarget): Record<string, string> {
  if (target === 'end') return ownTimeline
  if (target === 'latest') return {}
  return 'lsn' in target
    ? { ...ownTimeline, recovery_target_lsn: target.lsn, recovery_target_inclusive: 'off' }
    : { recovery_target_time: target.moment.replace('Z', '+00') } // before it has read its files it knows no Z
}
/** What others were restored to since then is not part of a backup. */
const ownTimeline = { recovery_target_timeline: 'current' }

/** When the last transaction was committed that recovery went through; undefined if there was none. */
export async function lastTransaction({ path }: Scratch): Promise<string | undefined> {
  return lastTransactionIn(await readFile(join(path, 'postgres.log'), 'utf8'))
}

function lastTransactionIn(log: string): string | undefined {
  const [, moment] = [...log.matchAll(/last completed transaction was at log time (\S+ \S+)/g)].at(-1) ?? []
  return moment && new Date(moment.replace(' ', 'T').replace(/[+-]\d\d$/, '$&:00')).toISOString()
}
