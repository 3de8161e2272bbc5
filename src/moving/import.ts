// Reads an organisation in, line by line, in one transaction: all of it arrives as it was, or nothing does.
import { idPattern } from '../api/fields.ts'
import { sql } from '../database.ts'
import { migrationFiles } from '../migrations.ts'
import { type Arrival, type Batch, refuseKnownLinks, write } from './arriving.ts'
import { type Check, checkOf } from './checking.ts'
import { continueNumbers, prepareCounts, settleCounts } from './counted.ts'
import { type Kind, kindsOf } from './kinds.ts'
import {
  FileError,
  type Footer,
  format,
  isObject,
  type Line,
  linesOf,
  newChecksum,
  objectIn,
  refuseLine,
  shownChecksum,
  version,
} from './lines.ts'

export interface Import extends Omit<Arrival, 'orgId'> {
  readonly source: AsyncIterable<Buffer>
  /** Told as it goes: how many of a kind have arrived. */
  told(kind: string, count: number): void
}

export interface Imported {
  readonly organisation: string
  readonly records: Readonly<Record<string, number>>
}

const mostTogether = 200
const muchTogether = 1_048_576

/** Run it in a transaction of its own. */
export async function imported({ source, told, ...given }: Import): Promise<Imported> {
  const { transaction } = given
  const kinds = new Map((await kindsOf(transaction)).map((kind) => [kind.name, { kind, check: checkOf(kind) }]))
  const records = Object.fromEntries([...kinds.keys()].map((name) => [name, 0]))
  const checksum = newChecksum()
  let arrival: Arrival | undefined
  let footer: Footer | undefined
  let waiting: Waiting | undefined
  const flush = async () => {
    if (!waiting) return
    await write(arrival!, waiting)
    records[waiting.kind.name]! += waiting.lines.length
    told(waiting.kind.name, records[waiting.kind.name]!)
    waiting = undefined
  }
  await prepareCounts(transaction)
  for await (const lines of linesOf(source)) {
    for (const line of lines) {
      if (footer) refuseLine(line.number, 'stands after the end')
      const { text, value } = objectIn(line)
      if (!arrival) {
        arrival = { ...given, orgId: await organisationIn(given, value) }
      } else if ('checksum' in value) {
        footer = footerIn(line, value)
        continue
      } else {
        const { kind, record } = recordIn(line, value, kinds)
        const fields = Object.keys(record)
        const key = `${kind.name} ${fields.join()}`
        if (waiting && (waiting.key !== key || waiting.lines.length === mostTogether || waiting.size > muchTogether))
          await flush()
        waiting ??= { key, kind, fields, lines: [], size: 0 }
        waiting.lines.push({ number: line.number, text, record })
        waiting.size += line.bytes.length
      }
      checksum.update(line.bytes)
    }
  }
  if (!arrival) throw new FileError('The file is empty')
  if (!footer) throw new FileError('The file is cut: its last line, which counts the others, is missing')
  await flush()
  if (footer.checksum !== shownChecksum(checksum)) throw new FileError('The file is damaged: its checksum is another')
  for (const name of new Set([...Object.keys(footer.records), ...Object.keys(records)])) {
    if ((footer.records[name] ?? 0) !== (records[name] ?? 0))
      throw new FileError(
        `The file is damaged: it counts ${footer.records[name] ?? 0} ${name} and has ${records[name] ?? 0}`,
      )
  }
  if (records.organisations !== 1) throw new FileError('The file has no organisation')
  const { orgId } = arrival
  await settleCounts(transaction, orgId)
  await continueNumbers(transaction, orgId)
  await refuseKnownLinks(transaction, orgId)
  return { organisation: orgId, records }
}

interface Waiting extends Batch {
  readonly key: string
  readonly lines: Batch['lines'][number][]
  size: number
}

async function organisationIn({ transaction }: Pick<Arrival, 'transaction'>, header: Record<string, unknown>) {
  if (header.format !== format) refuseLine(1, 'is not the beginning of an export')
  if (header.version !== version)
    refuseLine(1, `the file has version ${header.version} of the format; this server reads version ${version}`)
  const { organisation, migration } = header
  if (typeof organisation !== 'string' || !new RegExp(idPattern).test(organisation)) {
    return refuseLine(1, 'organisation is not an id')
  }
  if (!(await migrationFiles()).includes(migration as string))
    refuseLine(1, 'the file comes from a newer release; bring this server up to date first')
  const [there] = await transaction.query(sql`select 1 from organisations where org_id = ${organisation}`)
  if (there) throw new FileError(`The organisation ${organisation} is on this server already; nothing was changed`)
  return organisation
}

function recordIn(
  { number }: Line,
  value: Readonly<Record<string, unknown>>,
  kinds: ReadonlyMap<string, { kind: Kind; check: Check }>,
): { kind: Kind; record: Record<string, unknown> } {
  const { kind: name, record, ...others } = value
  const stranger = Object.keys(others)[0]
  if (stranger !== undefined) refuseLine(number, `${JSON.stringify(stranger.slice(0, 60))} has no meaning here`)
  const known = kinds.get(name as string)
  if (!known) return refuseLine(number, `there are no records of kind ${JSON.stringify(name)?.slice(0, 60)}`)
  const wrong = known.check(record)
  if (wrong !== undefined) refuseLine(number, wrong)
  return { kind: known.kind, record: record as Record<string, unknown> }
}

function footerIn({ number }: Line, { records, checksum }: Record<string, unknown>): Footer {
  if (!isObject(records) || typeof checksum !== 'string') return refuseLine(number, 'is not the end of an export')
  return { records: records as Footer['records'], checksum }
}
