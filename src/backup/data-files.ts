// The files of a running PostgreSQL that belong into a backup, by the rules of its manual (low-level base backup).
import type { Dirent } from 'node:fs'
import { open, readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { dataName } from './format.ts'
import { tarFile, tarFolder, tarPadding } from './tar.ts'

/** Folders that PostgreSQL needs and whose content it makes anew when it starts; the log is copied last, and only as much as is needed. */
const emptied = new Set([
  'pg_dynshmem',
  'pg_notify',
  'pg_replslot',
  'pg_serial',
  'pg_snapshots',
  'pg_stat_tmp',
  'pg_subtrans',
  'pg_wal',
])
/** What is of this one run, or of an earlier backup, or temporary. */
const leftOut =
  /^(postmaster\.(pid|opts)|(backup_label|tablespace_map)(\.old)?|backup_manifest|(recovery|standby)\.signal|current_logfiles|pg_internal\.init.*|pgsql_tmp.*|\.s\.PGSQL.*|.*\.tmp)$/
/** It says what state the rest is in: copied last, it is not older than anything else. */
const controlFile = 'global/pg_control'

export interface DataFiles {
  readonly folders: readonly string[]
  /** The control file is the last one. */
  readonly files: readonly string[]
  readonly bytes: number
}

export async function listDataFiles(folder: string): Promise<DataFiles> {
  const folders: string[] = []
  const files: string[] = []
  let bytes = 0
  const walk = async (path: string): Promise<void> => {
    for (const entry of await entriesOf(join(folder, path))) {
      const name = join(path, entry.name)
      if (leftOut.test(entry.name)) continue
      if (entry.isSymbolicLink()) {
        throw new Error(`${join(folder, name)} leads elsewhere: a backup is of what is in the data folder only.`)
      }
      if (entry.isDirectory()) {
        folders.push(name)
        if (!emptied.has(name)) await walk(name)
      } else if (entry.isFile() && name !== controlFile) {
        files.push(name)
        bytes += (await ifThere(stat(join(folder, name))))?.size ?? 0
      }
    }
  }
  await walk('')
  return { folders, files: [...files, controlFile], bytes }
}

/** Tables are dropped while others are copied: the log says so, and recovery does not miss their files. */
const ifThere = <T>(found: Promise<T>): Promise<T | undefined> =>
  found.catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })

const entriesOf = async (path: string): Promise<Dirent[]> =>
  (await ifThere(readdir(path, { withFileTypes: true }))) ?? []

const pieceBytes = 256 * 1024

/** The entry of a file in the archive, its content in pieces; nothing at all if it is gone by now. */
export async function* fileEntry(folder: string, name: string): AsyncGenerator<Buffer> {
  if (name === controlFile) return yield* contentEntry(`${dataName}/${name}`, await readWhole(join(folder, name)))
  await using handle = await ifThere(open(join(folder, name)))
  if (!handle) return
  const { size } = await handle.stat()
  yield tarFile(`${dataName}/${name}`, size)
  for (let position = 0; position < size; ) {
    const piece = Buffer.alloc(Math.min(pieceBytes, size - position))
    const { bytesRead } = await handle.read(piece, 0, piece.length, position)
    // One that has become shorter keeps its announced size: recovery shortens it again.
    const bytes = bytesRead === 0 ? piece.length : bytesRead
    yield piece.subarray(0, bytes)
    position += bytes
  }
  yield* padding(size)
}

export async function* contentEntry(name: string, content: Buffer): AsyncGenerator<Buffer> {
  yield tarFile(name, content.length)
  yield content
  yield* padding(content.length)
}

export const folderEntry = (name: string): Buffer => tarFolder(name === '' ? dataName : `${dataName}/${name}`)

function* padding(size: number): Generator<Buffer> {
  const bytes = tarPadding(size)
  if (bytes.length > 0) yield bytes
}

/** The control file is written over in place, and no log mends a copy that is half old and half new: read until it holds still. */
async function readWhole(path: string): Promise<Buffer> {
  for (let before = await readFile(path); ; ) {
    const now = await readFile(path)
    if (now.equals(before)) return now
    before = now
  }
}
