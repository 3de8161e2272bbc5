// Forms with files, as browsers send them: fields are kept, files go to wherever the caller wants them, piece by piece.
import { ApiError, badRequest } from '../operations/errors.ts'

export interface FilePart {
  readonly field: string
  readonly fileName: string
}

/** Where the bytes of a file go. It is ended once, also where the form breaks off in the middle of the file. */
export interface FileSink {
  write(bytes: Buffer): Promise<void>
  end(): Promise<void>
}

const maxHeaderBytes = 8_192
const maxFieldBytes = 65_536
/** Far more than our forms have, and few enough that nobody keeps us busy with a million empty ones. */
const maxParts = 100

/** Answers the fields. All bytes count, whatever they are of. `openFile` is asked for each file; files without a name were not chosen, and are passed over. */
export async function readMultipart(
  body: AsyncIterable<Buffer>,
  contentType: string,
  openFile: (part: FilePart) => Promise<FileSink>,
  maxBytes: number,
): Promise<URLSearchParams> {
  const boundary = /boundary=(?:"([^"]{1,200})"|([^;\s]{1,200}))/i.exec(contentType)
  if (!boundary) throw badRequest('The form has no boundary')
  const delimiter = Buffer.from(`\r\n--${boundary[1] ?? boundary[2]}`)
  const fields = new URLSearchParams()
  // The first boundary has no line before it.
  let buffer = Buffer.from('\r\n')
  let part: { field: string; sink: FileSink | undefined; text: Buffer[]; size: number } | undefined
  let isOver = false
  let partCount = 0
  let byteCount = 0

  const take = async (bytes: Buffer): Promise<void> => {
    if (!part || bytes.length === 0) return
    if (part.sink) return part.sink.write(bytes)
    part.size += bytes.length
    if (part.size > maxFieldBytes) throw badRequest('A field of the form is too long')
    part.text.push(bytes)
  }
  const finish = async (): Promise<void> => {
    const done = part
    part = undefined
    if (done?.sink) await done.sink.end()
    else if (done) fields.append(done.field, Buffer.concat(done.text).toString('utf8'))
  }
  /** Whether something was done with what is there. */
  const advance = async (): Promise<boolean> => {
    const at = buffer.indexOf(delimiter)
    if (at < 0) {
      const whole = buffer.length - delimiter.length
      if (whole <= 0) return false
      await take(buffer.subarray(0, whole))
      buffer = buffer.subarray(whole)
      return false
    }
    const headersAt = at + delimiter.length
    if (buffer.length < headersAt + 2) return false
    isOver = buffer.toString('latin1', headersAt, headersAt + 2) === '--'
    const end = isOver ? headersAt : buffer.indexOf('\r\n\r\n', headersAt)
    if (end < 0) {
      if (buffer.length - headersAt > maxHeaderBytes) throw badRequest('The form cannot be read')
      return false
    }
    await take(buffer.subarray(0, at))
    await finish()
    if (isOver) return false
    if (++partCount > maxParts) throw badRequest(`A form has at most ${maxParts} fields and files`)
    part = await open(buffer.toString('utf8', headersAt, end))
    buffer = buffer.subarray(end + 4)
    return true
  }
  const open = async (headers: string) => {
    const field = /\bname="([^"]*)"/i.exec(headers)?.[1] ?? ''
    const fileName = /\bfilename="([^"]*)"/i.exec(headers)?.[1]
    const sink = fileName === undefined ? undefined : fileName === '' ? nowhere : await openFile({ field, fileName })
    return { field, sink, text: [], size: 0 }
  }

  try {
    for await (const chunk of body) {
      byteCount += chunk.length
      if (byteCount > maxBytes) throw formTooLarge(maxBytes)
      if (isOver) continue
      buffer = Buffer.concat([buffer, chunk])
      while (!isOver && (await advance()));
    }
  } finally {
    await part?.sink?.end()
  }
  if (!isOver) throw endedTooSoon()
  return fields
}

export const formTooLarge = (maxBytes: number) =>
  new ApiError(413, `The files are larger than ${maxBytes / 1_048_576} MB together; bring them in parts`)
export const endedTooSoon = () => badRequest('The form ended too soon')

const nowhere: FileSink = { write: async () => {}, end: async () => {} }
