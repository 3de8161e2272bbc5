// What a backup says about itself: at its beginning what is known before anything is copied, at its end what was copied.
import { DamagedFile } from './sealed-file.ts'

/** A tar file: `backup.json`, PostgreSQL's folder with the log that it needs, `manifest.json`. */
export const headName = 'backup.json'
export const manifestName = 'manifest.json'
export const dataName = 'postgres'
export const logName = 'postgres/pg_wal'

const format = 'jobwright backup'
const version = 1

export interface BackupHead {
  readonly format: string
  readonly version: number
  /** Of Jobwright, and the major one of PostgreSQL. */
  readonly release: string
  readonly postgres: number
  /** Such as `linux-arm64`: PostgreSQL's files are made for one. */
  readonly platform: string
  readonly startedAt: string
  /** Where recovery begins. */
  readonly firstSegment: string
  /** By which the key is known that encrypts secrets in the data; it says nothing about the key. */
  readonly keyMark: string
}

export interface TableSum {
  readonly name: string
  readonly rows: number
  /** Of all its rows, in whatever order they are read. */
  readonly checksum: string
}

export interface BackupManifest {
  /** From when on its log can be stopped at any moment. */
  readonly finishedAt: string
  readonly files: number
  readonly bytes: number
  readonly lastSegment: string
  /** What the tables held at one position of the log; null where there was no moment without a write to note it at. */
  readonly noted: { readonly lsn: string; readonly tables: readonly TableSum[] } | null
}

export const newHead = (details: Omit<BackupHead, 'format' | 'version'>): BackupHead => ({
  format,
  version,
  ...details,
})

export function parseHead(text: string): BackupHead {
  const head = parse<BackupHead>(text)
  if (head.format !== format) throw new DamagedFile('The file is no backup of Jobwright')
  if (head.version === version) return head
  throw new Error(
    `The backup has version ${head.version} of its format, and this Jobwright knows ${version}: restore it with Jobwright ${head.release} or later.`,
  )
}

export const parseManifest = (text: string): BackupManifest => parse(text)

function parse<T>(text: string): T {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new DamagedFile('The file is no backup of Jobwright', { cause: error })
  }
}
