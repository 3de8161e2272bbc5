// What operations answer with beyond plain records: JSON as it is, what was there already, files, and streams.
import type { Caller } from './caller.ts'
import { t } from './schemas.ts'

/** JSON text as it left PostgreSQL, made by a projection of declared fields: it goes out as it is. */
export class Json {
  readonly text: string
  /** The text of the record alone, where others were sent along. */
  readonly record: string | undefined
  constructor(text: string, record?: string) {
    this.text = text
    this.record = record
  }
}

/** What an operation that creates found there already: it is answered 200 instead of 201. */
export class Existing {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** What an operation in steps has begun and the worker finishes: it is answered 202. */
export class Accepted {
  readonly value: unknown
  constructor(value: unknown) {
    this.value = value
  }
}

/** An answer that is a file, made after the database is done with. */
export class Attachment {
  readonly fileName: string
  readonly mediaType: string
  readonly bytes: () => Promise<Uint8Array>
  constructor(fileName: string, mediaType: string, bytes: () => Promise<Uint8Array>) {
    this.fileName = fileName
    this.mediaType = mediaType
    this.bytes = bytes
  }
}

/** An answer that goes on: what happens behind a position, for as long as the connection and the credential last. */
export class Subscription<Filter = unknown> {
  readonly afterPosition: number
  /** What a caller is told; asked again each time, because what a credential allows may change meanwhile. */
  readonly filterFor: (caller: Caller) => Filter
  constructor(afterPosition: number, filterFor: (caller: Caller) => Filter) {
    this.afterPosition = afterPosition
    this.filterFor = filterFor
  }
}

/** What kind of file an operation answers with: what people call it, and the types it may have. */
export interface FileKind {
  readonly noun: string
  readonly mediaTypes: readonly string[]
}

/** What an operation returns that answers with a file; the title is the record's, if the file is one with an id. */
export const fileResponse = (file: FileKind, title?: string) =>
  t.Unsafe<Attachment>({ type: 'string', file, ...(title !== undefined && { title }) })
/** The media type of answers that go on. */
export const streamType = 'text/event-stream'
export const fileKindOf = (returns: object): FileKind | undefined => (returns as { file?: FileKind }).file
