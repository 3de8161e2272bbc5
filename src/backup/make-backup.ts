// Makes a backup of the embedded PostgreSQL while it serves: its files, then the log by which they become those of one moment.
import { existsSync } from 'node:fs'
import { realpath, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve, sep } from 'node:path'
import packageFile from '../../package.json' with { type: 'json' }
import { type Database, type Queryable, sql } from '../db/database.ts'
import { postgresFolder } from '../db/embedded/launcher.ts'
import { contentEntry, fileEntry, folderEntry, listDataFiles } from './data-files.ts'
import { type BackupManifest, dataName, headName, manifestName, newHead } from './format.ts'
import { createPacer } from './pacing.ts'
import { createProgress, type ReportProgress } from './progress.ts'
import { writeSealedFile } from './sealed-file.ts'
import { beginAtPosition, sumTables } from './table-sums.ts'
import { tarEnd } from './tar.ts'
import { segmentsBetween } from './wal.ts'

export interface BackupOptions {
  readonly database: Database
  readonly dataDir: string
  /** What is made. It must not be there yet. */
  readonly file: string
  /** By which the key is known that encrypts secrets in the data. */
  readonly keyMark: string
  readonly onProgress?: ReportProgress | undefined
  readonly signal?: AbortSignal | undefined
}

export interface MadeBackup extends BackupManifest {
  readonly file: string
  readonly startedAt: string
  /** Of the file. */
  readonly fileBytes: number
}

export async function makeBackup(options: BackupOptions): Promise<MadeBackup> {
  const { database, dataDir, signal } = options
  const file = resolve(options.file)
  const folder = await realpath(postgresFolder(dataDir))
  await refusePlace(file, folder)
  return database.longSession(async (session) => {
    const { startedAt, firstSegment, postgres } = await startBackup(session)
    let manifest: BackupManifest | undefined
    const content = async function* () {
      const head = newHead({
        release: packageFile.version,
        postgres,
        platform: `${process.platform}-${process.arch}`,
        startedAt,
        firstSegment,
        keyMark: options.keyMark,
      })
      yield* contentEntry(headName, Buffer.from(JSON.stringify(head)))
      manifest = yield* copyData(session, { ...options, folder, firstSegment })
      yield* contentEntry(manifestName, Buffer.from(JSON.stringify(manifest)))
      yield tarEnd
    }
    await writeSealedFile(file, content(), signal)
    return { ...manifest!, file, startedAt, fileBytes: (await stat(file)).size }
  })
}

async function refusePlace(file: string, folder: string): Promise<void> {
  if (existsSync(file)) throw new Error(`${file} is there already: name another file, or move that one away.`)
  const parent = await realpath(dirname(file)).catch(() => {
    throw new Error(`${dirname(file)} is no folder: make it first, or name another one.`)
  })
  if (`${join(parent, basename(file))}`.startsWith(folder + sep)) {
    throw new Error(`${file} is among the files of PostgreSQL: name another folder.`)
  }
}

/** The session has to stay: with it end the backup, and the slot that keeps the log from being removed meanwhile. */
async function startBackup(session: Queryable) {
  await session.query(sql`
    select pg_create_physical_replication_slot('jobwright_backup_' || pg_backend_pid(), true, true)`)
  const [started] = await session.query<{ startedAt: string; firstSegment: string; postgres: number }>(sql`
    select to_char(clock_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "startedAt",
      pg_walfile_name(pg_backup_start('jobwright backup', true)) as "firstSegment",
      current_setting('server_version_num')::int / 10000 as postgres`)
  return started!
}

interface DataSource extends BackupOptions {
  readonly folder: string
  readonly firstSegment: string
}

async function* copyData(session: Queryable, source: DataSource): AsyncGenerator<Buffer, BackupManifest> {
  const { database, folder, firstSegment, signal, onProgress } = source
  const pace = createPacer(signal)
  const data = await listDataFiles(folder)
  const progress = createProgress('copied', data.bytes, onProgress)
  let [files, bytes] = [0, 0]
  const copy = async function* (entry: AsyncIterable<Buffer>) {
    let isHeader = true
    for await (const piece of entry) {
      yield piece
      if (isHeader) files++
      else progress(piece.length)
      bytes += piece.length
      isHeader = false
      await pace()
    }
  }
  for (const name of ['', ...data.folders]) yield folderEntry(name)
  for (const name of data.files) yield* copy(fileEntry(folder, name))
  const { label, finishedAt } = await stopBackup(session)
  yield* copy(contentEntry(`${dataName}/backup_label`, Buffer.from(label)))

  onProgress?.('counting the rows of all tables')
  const { noted, lastSegment } = await noteTables(database, session, pace, signal)
  for (const name of segmentsBetween(firstSegment, lastSegment)) yield* copy(logEntry(folder, name))
  return { finishedAt, files, bytes, lastSegment, noted }
}

async function stopBackup(session: Queryable) {
  const [stopped] = await session.query<{ label: string; tablespaces: string; finishedAt: string }>(sql`
    select labelfile as label, spcmapfile as tablespaces,
      to_char(clock_timestamp(), 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as "finishedAt"
    from pg_backup_stop(false)`)
  return stopped!
}

/** Where the tables are noted comes after the end of the copy, because before it a copy cannot be stopped at. */
function noteTables(database: Database, session: Queryable, pace: () => Promise<void>, signal?: AbortSignal) {
  return database.longSession(async (reader) => {
    const lsn = await beginAtPosition(reader, signal)
    // Something has to follow the position for recovery to stop before it; a segment that is finished is whole on the disk.
    await session.query(sql`select pg_create_restore_point('jobwright backup')`)
    const [last] = await session.query<{ name: string }>(sql`select pg_walfile_name(pg_switch_wal()) as name`)
    const noted = lsn === undefined ? null : { lsn, tables: await sumTables(reader, pace) }
    return { noted, lastSegment: last!.name }
  })
}

async function* logEntry(folder: string, name: string): AsyncGenerator<Buffer> {
  let isThere = false
  for await (const piece of fileEntry(folder, `pg_wal/${name}`)) {
    isThere = true
    yield piece
  }
  if (!isThere) throw new Error(`PostgreSQL has removed the segment ${name} of its log: make the backup again.`)
}
