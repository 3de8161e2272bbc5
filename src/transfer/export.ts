// Writes an organisation out, line by line, as it is at one moment: never more than a few records are in memory.
import packageJson from '../../package.json' with { type: 'json' }
import { type Queryable, raw, sql } from '../db/database.ts'
import type { Vault } from '../identity/secrets.ts'
import { type Footer, format, formatChecksum, type Header, maxLineBytes, newChecksum, version } from './file-format.ts'
import { loadRecordKinds, type RecordKind } from './record-kinds.ts'

export interface ExportOptions {
  readonly orgId: string
  readonly vault: Pick<Vault, 'decrypt'>
  /** Called as it goes: how many of a kind are written. */
  onProgress(kind: string, count: number): void
}

export interface ExportResult {
  readonly records: Footer['records']
  /** Records encrypted with a key that is lost: they cannot go along. */
  readonly unreadable: number
}

/** Pieces of the file. Run it in a transaction that sees one moment. */
export async function* exportOrganisation(
  transaction: Queryable,
  { orgId, vault, onProgress }: ExportOptions,
): AsyncGenerator<string, ExportResult> {
  const [source] = await transaction.query<{ migration: string; now: Date }>(
    sql`select max(name) as migration, now() as now from migrations`,
  )
  // On a cluster the moment of a machine is that of the first statement there, and all of an organisation is on one.
  await transaction.query(sql`select 1 from organisation_locks where org_id = ${orgId}`)
  const header: Header = {
    format,
    version,
    organisation: orgId,
    exportedAt: source!.now.toISOString(),
    release: packageJson.version,
    migration: source!.migration,
  }
  const checksum = newChecksum()
  const addToChecksum = (text: string) => {
    checksum.update(text)
    return text
  }
  yield addToChecksum(`${JSON.stringify(header)}\n`)
  const records: Record<string, number> = {}
  let unreadable = 0
  for (const kind of await loadRecordKinds(transaction)) {
    let count = 0
    for await (const all of exportLines(transaction, kind, orgId, vault)) {
      const lines = all.filter((line) => line !== undefined)
      unreadable += all.length - lines.length
      yield addToChecksum(lines.join(''))
      count += lines.length
      onProgress(kind.name, count)
    }
    records[kind.name] = count
  }
  const footer: Footer = { records, checksum: formatChecksum(checksum) }
  yield `${JSON.stringify(footer)}\n`
  return { records, unreadable }
}

const minBatch = 1
const maxBatch = 200
/** Half of what a batch of ordinary records takes at most; large ones are fetched in smaller batches. */
const largeBatchBytes = 1_048_576

async function* exportLines(
  transaction: Queryable,
  kind: RecordKind,
  orgId: string,
  vault: Pick<Vault, 'decrypt'>,
): AsyncGenerator<(string | undefined)[]> {
  const encryptedColumns = kind.columns.filter(({ isEncrypted }) => isEncrypted)
  await transaction.query(sql`
    declare walk no scroll cursor for select row_to_json(record)::text as record
    from (select ${raw(kind.selectList)} from ${raw(kind.table)} row where row.org_id = ${orgId} and ${raw(kind.where)}
      order by ${raw(kind.order)}) record`)
  for (let size = 25; ; ) {
    const rows = await transaction.query<{ record: string }>(raw(`fetch ${size} from walk`))
    if (rows.length === 0) break
    const lines = rows.map(({ record }) => {
      const text = encryptedColumns.length > 0 ? decryptRecord(record) : record
      return text === undefined ? undefined : formatLine(kind, text)
    })
    yield lines
    const bytes = lines.reduce((sum, line) => sum + (line?.length ?? 0), 0)
    size = bytes > largeBatchBytes ? Math.max(minBatch, size >> 2) : Math.min(maxBatch, size * 2)
  }
  await transaction.query(sql`close walk`)

  function decryptRecord(text: string): string | undefined {
    const record = JSON.parse(text)
    try {
      for (const { field } of encryptedColumns) record[field] = vault.decrypt(record[field])
    } catch {
      return undefined
    }
    return JSON.stringify(record)
  }
}

/** A line end within JSON that PostgreSQL keeps as it was written is space between values, never text. */
function formatLine({ name }: RecordKind, record: string): string {
  const line = `{"kind":"${name}","record":${record.replaceAll(/[\r\n]/g, ' ')}}\n`
  if (Buffer.byteLength(line) > maxLineBytes) throw new Error(`A record of ${name} is too long to be exported`)
  return line
}
