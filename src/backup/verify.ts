// Proves that a backup can be restored: it is, into a folder of its own, and compared with what was noted when it was made.
import { dirname, resolve } from 'node:path'
import { Database } from '../db/database.ts'
import type { EmbeddedPostgres } from '../db/embedded/launcher.ts'
import type { TableSum } from './format.ts'
import { createPacer } from './pacing.ts'
import type { ReportProgress } from './progress.ts'
import { forTrial, recover } from './recovery.ts'
import { refuseOrigin } from './restore.ts'
import { openScratch } from './scratch.ts'
import { sumTables } from './table-sums.ts'
import { unpackBackup } from './unpack.ts'
import { checkContinuation, continuationOf } from './wal-archive.ts'

export interface Verification {
  readonly startedAt: string
  readonly finishedAt: string
  readonly tables: number
  readonly rows: number
  /** Whether the tables could be compared: what they held was noted when the backup was made. */
  readonly isCompared: boolean
  /** Tables that are not what was noted. */
  readonly differing: readonly string[]
  /** Of the archived log that follows the backup: how many segments, and the first that is missing. */
  readonly archived: { readonly segments: number; readonly missing: number | null }
}

interface VerifyOptions {
  readonly file: string
  /** Where there is room for the data. */
  readonly dataDir: string
  readonly onProgress?: ReportProgress | undefined
}

/** Throws where the backup is damaged or cannot be started. */
export async function verifyBackup(options: VerifyOptions): Promise<Verification> {
  const { dataDir, onProgress } = options
  const file = resolve(options.file)
  await using scratch = await openScratch(dataDir, 'verifying')
  const { head, manifest } = await unpackBackup(file, scratch, (found) => refuseOrigin(found, scratch), onProgress)
  const continuation = await continuationOf(manifest, dirname(file))
  await checkContinuation(continuation, dirname(file))
  const { noted } = manifest
  onProgress?.('starting PostgreSQL on it')
  const found = await recover(scratch, noted ? { lsn: noted.lsn } : 'end', readTables, forTrial)
  return {
    startedAt: head.startedAt,
    finishedAt: manifest.finishedAt,
    tables: found.length,
    rows: found.reduce((sum, { rows }) => sum + rows, 0),
    isCompared: noted !== null,
    differing: noted ? differences(noted.tables, found) : [],
    archived: { segments: continuation.segments.length, missing: continuation.missing ?? null },
  }
}

async function readTables({ connection }: EmbeddedPostgres): Promise<TableSum[]> {
  const database = new Database(connection)
  try {
    return await database.longSession((session) => sumTables(session, createPacer()))
  } finally {
    await database.close()
  }
}

/** The names of tables that one side lacks, or that differ. */
function differences(noted: readonly TableSum[], found: readonly TableSum[]): string[] {
  const names = new Set([...noted, ...found].map(({ name }) => name))
  const sumIn = (tables: readonly TableSum[], name: string) => JSON.stringify(tables.find((one) => one.name === name))
  return [...names].filter((name) => sumIn(noted, name) !== sumIn(found, name))
}
