// Reads an organisation in, line by line, in one transaction: all of it is written as it was, or nothing is.
import { captureNothing } from '../db/actor.ts'
import { sql } from '../db/database.ts'
import { migrationFiles } from '../db/migrate.ts'
import { idPattern } from '../operations/fields.ts'
import {
  FileError,
  type FileLine,
  type Footer,
  format,
  formatChecksum,
  isObject,
  newChecksum,
  parseLine,
  readLines,
  rejectLine,
  version,
} from './file-format.ts'
import { type Batch, type ImportContext, insertBatch, rejectKnownShareTokens } from './import-writer.ts'
import { loadRecordKinds, type RecordKind } from './record-kinds.ts'
import { createRecordCheck, type RecordCheck } from './record-validation.ts'
import { completeOrganisation, createExpectedTables, verifyTriggerColumns } from './trigger-columns.ts'

export interface ImportOptions extends Omit<ImportContext, 'orgId'> {
  readonly source: AsyncIterable<Buffer>
  /** Called as it goes: how many of a kind were read. */
  onProgress(kind: string, count: number): void
}

export interface ImportResult {
  readonly organisation: string
  readonly records: Readonly<Record<string, number>>
}

const maxBatchLines = 200
const maxBatchBytes = 1_048_576

/** Run it in a transaction of its own. */
export async function importOrganisation({ source, onProgress, ...contextBase }: ImportOptions): Promise<ImportResult> {
  const { transaction } = contextBase
  const kinds = new Map(
    (await loadRecordKinds(transaction)).map((kind) => [kind.name, { kind, check: createRecordCheck(kind) }]),
  )
  const records = Object.fromEntries([...kinds.keys()].map((name) => [name, 0]))
  const checksum = newChecksum()
  let importContext: ImportContext | undefined
  let footer: Footer | undefined
  let pendingBatch: PendingBatch | undefined
  const flush = async () => {
    if (!pendingBatch) return
    await insertBatch(importContext!, pendingBatch)
    records[pendingBatch.kind.name]! += pendingBatch.lines.length
    onProgress(pendingBatch.kind.name, records[pendingBatch.kind.name]!)
    pendingBatch = undefined
  }
  await transaction.query(captureNothing)
  await createExpectedTables(transaction)
  for await (const lines of readLines(source)) {
    for (const line of lines) {
      if (footer) rejectLine(line.number, 'stands after the end')
      const { text, value } = parseLine(line)
      if (!importContext) {
        importContext = { ...contextBase, orgId: await readHeader(contextBase, value) }
      } else if ('checksum' in value) {
        footer = readFooter(line, value)
        continue
      } else {
        const { kind, record } = readRecord(line, value, kinds)
        const fields = Object.keys(record)
        const key = `${kind.name} ${fields.join()}`
        if (
          pendingBatch &&
          (pendingBatch.key !== key || pendingBatch.lines.length === maxBatchLines || pendingBatch.size > maxBatchBytes)
        )
          await flush()
        pendingBatch ??= { key, kind, fields, lines: [], size: 0 }
        pendingBatch.lines.push({ number: line.number, text, record })
        pendingBatch.size += line.bytes.length
      }
      checksum.update(line.bytes)
    }
  }
  if (!importContext) throw new FileError('The file is empty')
  if (!footer) throw new FileError('The file is cut: its last line, which counts the others, is missing')
  await flush()
  if (footer.checksum !== formatChecksum(checksum)) throw new FileError('The file is damaged: its checksum is another')
  for (const name of new Set([...Object.keys(footer.records), ...Object.keys(records)])) {
    if ((footer.records[name] ?? 0) !== (records[name] ?? 0))
      throw new FileError(
        `The file is damaged: it counts ${footer.records[name] ?? 0} ${name} and has ${records[name] ?? 0}`,
      )
  }
  if (records.organisations !== 1) throw new FileError('The file has no organisation')
  const { orgId } = importContext
  await verifyTriggerColumns(transaction, orgId)
  await completeOrganisation(transaction, orgId)
  await rejectKnownShareTokens(transaction, orgId)
  await transaction.query(tellOfImport(orgId, records))
  return { organisation: orgId, records }
}

/** One event in place of one for each record. */
function tellOfImport(orgId: string, records: Readonly<Record<string, number>>) {
  const arrived = Object.fromEntries(Object.entries(records).filter(([, count]) => count > 0))
  const signal = { name: 'finished', data: { records: arrived } }
  return sql`insert into event_inbox (org_id, source, operation, record_id, columns, actor)
    values (${orgId}, 'imports', 'signal', ${orgId}, ${JSON.stringify(signal)}::jsonb, current_setting('jobwright.actor', true))`
}

interface PendingBatch extends Batch {
  readonly key: string
  readonly lines: Batch['lines'][number][]
  size: number
}

async function readHeader({ transaction }: Pick<ImportContext, 'transaction'>, header: Record<string, unknown>) {
  if (header.format !== format) rejectLine(1, 'is not the beginning of an export')
  if (header.version !== version)
    rejectLine(1, `the file has version ${header.version} of the format; this server reads version ${version}`)
  const { organisation, migration } = header
  if (typeof organisation !== 'string' || !new RegExp(idPattern).test(organisation)) {
    return rejectLine(1, 'organisation is not an id')
  }
  if (!(await migrationFiles()).includes(migration as string))
    rejectLine(1, 'the file comes from a newer release; bring this server up to date first')
  const [existing] = await transaction.query(sql`select 1 from organisations where org_id = ${organisation}`)
  if (existing) throw new FileError(`The organisation ${organisation} is on this server already; nothing was changed`)
  return organisation
}

function readRecord(
  { number }: FileLine,
  value: Readonly<Record<string, unknown>>,
  kinds: ReadonlyMap<string, { kind: RecordKind; check: RecordCheck }>,
): { kind: RecordKind; record: Record<string, unknown> } {
  const { kind: name, record, ...others } = value
  const unknownMember = Object.keys(others)[0]
  if (unknownMember !== undefined)
    rejectLine(number, `${JSON.stringify(unknownMember.slice(0, 60))} has no meaning here`)
  const known = kinds.get(name as string)
  if (!known) return rejectLine(number, `there are no records of kind ${JSON.stringify(name)?.slice(0, 60)}`)
  const wrong = known.check(record)
  if (wrong !== undefined) rejectLine(number, wrong)
  return { kind: known.kind, record: record as Record<string, unknown> }
}

function readFooter({ number }: FileLine, { records, checksum }: Record<string, unknown>): Footer {
  if (!isObject(records) || typeof checksum !== 'string') return rejectLine(number, 'is not the end of an export')
  return { records: records as Footer['records'], checksum }
}
