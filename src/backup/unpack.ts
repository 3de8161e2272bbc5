// Unpacks a backup into a scratch folder. Nothing of it may be used before all of it was read and found to be whole.
import { chown, mkdir, open } from 'node:fs/promises'
import { join, normalize } from 'node:path'
import {
  type BackupHead,
  type BackupManifest,
  dataName,
  headName,
  logName,
  manifestName,
  parseHead,
  parseManifest,
} from './format.ts'
import type { ReportProgress } from './progress.ts'
import type { Owner, Scratch } from './scratch.ts'
import { DamagedFile, readSealedFile } from './sealed-file.ts'
import { readTar, type TarEntry } from './tar.ts'
import { segmentsBetween } from './wal.ts'

export interface Unpacked {
  readonly head: BackupHead
  readonly manifest: BackupManifest
}

/** What stands at the beginning, read without the rest: it is as good as its file. */
export async function readHead(file: string): Promise<BackupHead> {
  for await (const entry of readTar(readSealedFile(file))) {
    if (entry.name === headName) return parseHead(await textOf(entry))
    break
  }
  throw new DamagedFile(`${file} is no backup of Jobwright`)
}

/** Reads all of a file, and throws `DamagedFile` where a byte of it is not as it was written. */
export async function checkFile(file: string, pace: () => Promise<void>): Promise<void> {
  for await (const _ of readSealedFile(file)) await pace()
}

export async function unpackBackup(
  file: string,
  { path, owner }: Scratch,
  refuse: (head: BackupHead) => Promise<void>,
  onProgress?: ReportProgress,
): Promise<Unpacked> {
  let head: BackupHead | undefined
  let manifest: BackupManifest | undefined
  const names = new Set<string>()
  for await (const entry of readTar(readSealedFile(file))) {
    if (!head) {
      if (entry.name !== headName) throw new DamagedFile(`${file} is no backup of Jobwright`)
      head = parseHead(await textOf(entry))
      await refuse(head)
      onProgress?.(`unpacking the backup of ${head.startedAt}`)
    } else if (entry.name === manifestName) manifest = parseManifest(await textOf(entry))
    else if (entry.kind === 'folder') await makeFolder(placeOf(path, entry.name), owner)
    else {
      await writeEntry(placeOf(path, entry.name), entry.content, owner)
      names.add(entry.name)
    }
  }
  if (!head || !manifest) throw new DamagedFile(`${file} lacks its end`)
  if (names.size !== manifest.files) {
    throw new DamagedFile(`${file} holds ${names.size} files of ${manifest.files}`)
  }
  const missing = segmentsBetween(head.firstSegment, manifest.lastSegment).find(
    (name) => !names.has(`${logName}/${name}`),
  )
  if (missing) {
    throw new DamagedFile(`${file} lacks the segment ${missing} of the log, without which it cannot be recovered`)
  }
  return { head, manifest }
}

/** No name in a file leads out of the folder it is unpacked into. */
function placeOf(folder: string, name: string): string {
  if (normalize(name) !== name || !(name === dataName || name.startsWith(`${dataName}/`))) {
    throw new DamagedFile(`The backup holds a name that does not belong there: ${JSON.stringify(name)}`)
  }
  return join(folder, name)
}

async function makeFolder(path: string, owner: Owner | undefined): Promise<void> {
  await mkdir(path, { mode: 0o700 })
  if (owner) await chown(path, owner.uid, owner.gid)
}

export async function writeEntry(
  path: string,
  content: AsyncIterable<Buffer> | Iterable<Buffer>,
  owner: Owner | undefined,
): Promise<void> {
  await using handle = await open(path, 'wx', 0o600)
  for await (const piece of content) await handle.writeFile(piece)
  if (owner) await handle.chown(owner.uid, owner.gid)
}

const longestText = 64e6

async function textOf({ size, content }: TarEntry): Promise<string> {
  if (size > longestText) throw new DamagedFile('The file is no backup of Jobwright')
  const pieces: Buffer[] = []
  for await (const piece of content) pieces.push(piece)
  return Buffer.concat(pieces).toString('utf8')
}
