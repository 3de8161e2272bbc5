// The archive of the log beside the backups: filled while the service runs, read when data is restored to a moment.
import { createHash } from 'node:crypto'
import { createReadStream, existsSync } from 'node:fs'
import { mkdir, readdir, realpath, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Database, type Queryable, sql } from '../db/database.ts'
import { postgresFolder } from '../db/embedded/launcher.ts'
import type { Scratch } from './scratch.ts'
import { DamagedFile, readSealedFile, writeSealedFile } from './sealed-file.ts'
import { writeEntry } from './unpack.ts'
import {
  isHistoryName,
  isSegmentName,
  missingSegment,
  segmentAt,
  segmentBytes,
  segmentNumber,
  startOfSegment,
} from './wal.ts'

/** Where the log of backups in a folder is. */
export const archiveFolder = (backupFolder: string): string => join(backupFolder, 'wal')

const ending = '.gz'
const slot = 'jobwright_wal'
/** Whoever holds it archives. */
const advisoryLockId = 6_510_218

interface ArchiveOptions {
  readonly dataDir: string
  /** Of the backups. */
  readonly folder: string
  readonly signal?: AbortSignal
}

/**
 * Copies what is finished of the log, and answers how many segments. PostgreSQL keeps a segment until the slot has moved past it, and
 * the slot moves only when the copy is on the disk under its own name: whatever is killed in between is done again.
 */
export function archiveLog(database: Database, { dataDir, folder, signal }: ArchiveOptions): Promise<number> {
  return database.longSession(async (session) => {
    if (!(await tryLock(session))) return 0
    const archive = archiveFolder(folder)
    await mkdir(archive, { recursive: true, mode: 0o700 })
    const log = join(await realpath(postgresFolder(dataDir)), 'pg_wal')
    const from = await slotPosition(session)
    // What is written is finished with this; without a write since the last time nothing happens.
    await session.query(sql`select pg_switch_wal()`)
    const [flushed] = await session.query<{ lsn: string }>(sql`select pg_current_wal_flush_lsn()::text as lsn`)
    const names = await readdir(log)
    for (const name of names.filter(isHistoryName)) await copyIn(log, archive, name)
    let copied = 0
    for (let number = segmentAt(from); number < segmentAt(flushed!.lsn); number++) {
      if (signal?.aborted) break
      const name = names
        .filter((one) => isSegmentName(one) && segmentNumber(one) === number)
        .sort()
        .at(-1)
      if (!name) throw new Error(`The log of PostgreSQL lacks its segment ${number}: it cannot be archived.`)
      await copyIn(log, archive, name)
      await session.query(sql`select pg_replication_slot_advance(${slot}, ${startOfSegment(number + 1)}::pg_lsn)`)
      copied++
    }
    return copied
  })
}

async function tryLock(session: Queryable): Promise<boolean> {
  const [lock] = await session.query<{ held: boolean }>(
    sql`select pg_try_advisory_lock(${advisoryLockId}::int) as held`,
  )
  return lock!.held
}

async function slotPosition(session: Queryable): Promise<string> {
  const read = () =>
    session.query<{ lsn: string }>(
      sql`select restart_lsn::text as lsn from pg_replication_slots where slot_name = ${slot}`,
    )
  const [found] = await read()
  if (found) return found.lsn
  await session.query(sql`select pg_create_physical_replication_slot(${slot}, true)`)
  return (await read())[0]!.lsn
}

/** Nobody archives any more: PostgreSQL must not keep its log for ever. */
export async function stopArchiving(database: Database): Promise<void> {
  await database.background(
    sql`select pg_drop_replication_slot(slot_name) from pg_replication_slots where slot_name = ${slot} and not active`,
  )
}

async function copyIn(log: string, archive: string, name: string): Promise<void> {
  const file = join(archive, name + ending)
  const source = join(log, name)
  if (!existsSync(file)) return writeSealedFile(file, createReadStream(source))
  // The slot may be behind after a crash. Anything else under this name is of another installation.
  if ((await digestOf(readSealedFile(file))) === (await digestOf(createReadStream(source)))) return
  throw new Error(
    `${file} is of another installation, or of data that was replaced: set BACKUP_DIR to a folder of its own.`,
  )
}

async function digestOf(content: AsyncIterable<Buffer>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of content) hash.update(piece)
  return hash.digest('hex')
}

/** The names of what is archived, in the order of the log. */
async function archivedNames(archive: string): Promise<{ segments: string[]; histories: string[] }> {
  const names = (await readdir(archive).catch(() => [])).filter((name) => name.endsWith(ending))
  const bare = names.map((name) => name.slice(0, -ending.length)).sort()
  return { segments: bare.filter(isSegmentName), histories: bare.filter(isHistoryName) }
}

/** Takes away what is older than the oldest backup needs. */
export async function removeOlderLog(folder: string, firstSegment: string): Promise<number> {
  const archive = archiveFolder(folder)
  const { segments } = await archivedNames(archive)
  const older = segments.filter((name) => segmentNumber(name) < segmentNumber(firstSegment))
  for (const name of older) await rm(join(archive, name + ending), { force: true })
  return older.length
}

export interface Continuation {
  /** What follows a backup without a gap, oldest first. */
  readonly segments: readonly string[]
  /** The first one that is not there although later ones are. */
  readonly missing: number | undefined
}

/** What of the archive a backup can be continued with. */
export async function continuationOf(
  { lastSegment }: { readonly lastSegment: string },
  folder: string,
): Promise<Continuation> {
  const { segments } = await archivedNames(archiveFolder(folder))
  const after = segmentNumber(lastSegment)
  const later = segments.filter((name) => segmentNumber(name) > after)
  const missing = later.length === 0 ? undefined : missingSegment(after + 1, later.map(segmentNumber))
  const whole = later.filter((name) => missing === undefined || segmentNumber(name) < missing)
  return { segments: whole, missing }
}

/** Reads every one of them. */
export async function checkContinuation({ segments }: Continuation, folder: string): Promise<void> {
  for (const name of segments) for await (const _ of segmentContent(folder, name));
}

/** Lays them where PostgreSQL looks for its log. */
export async function laySegments({ segments }: Continuation, folder: string, scratch: Scratch): Promise<void> {
  for (const name of segments) {
    await writeEntry(join(logFolder(scratch), name), segmentContent(folder, name), scratch.owner)
  }
}

/** So that PostgreSQL knows which timelines there were: the one that it begins must be a new one. */
export async function layHistories(folder: string, scratch: Scratch): Promise<void> {
  const archive = archiveFolder(folder)
  const { histories } = await archivedNames(archive)
  for (const name of histories) {
    const place = join(logFolder(scratch), name)
    if (!existsSync(place)) await writeEntry(place, readSealedFile(join(archive, name + ending)), scratch.owner)
  }
}

const logFolder = ({ path }: Scratch) => join(postgresFolder(path), 'pg_wal')

async function* segmentContent(folder: string, name: string): AsyncGenerator<Buffer> {
  const file = join(archiveFolder(folder), name + ending)
  let bytes = 0
  for await (const piece of readSealedFile(file)) {
    bytes += piece.length
    yield piece
  }
  if (bytes !== segmentBytes) throw new DamagedFile(`${file} is no whole segment of the log`)
}
