// Writes an organisation out, line by line, as it is at one moment: never more than a few records are held.
import packageJson from '../../package.json' with { type: 'json' }
import { type Executor, raw, sql } from '../database.ts'
import type { Vault } from '../identity/secrets.ts'
import { type Kind, kindsOf } from './kinds.ts'
import { type Footer, format, type Header, longestLineBytes, newChecksum, shownChecksum, version } from './lines.ts'

export interface Export {
  readonly orgId: string
  readonly vault: Pick<Vault, 'open'>
  /** Told as it goes: how many of a kind are written. */
  told(kind: string, count: number): void
}

export interface Exported {
  readonly records: Footer['records']
  /** Records sealed with a key that is lost: they cannot go along. */
  readonly unreadable: number
}

/** Pieces of the file. Run it in a transaction that sees one moment. */
export async function* exported(
  transaction: Executor,
  { orgId, vault, told }: Export,
): AsyncGenerator<string, Exported> {
  const [source] = await transaction.query<{ migration: string; now: Date }>(
    sql`select max(name) as migration, now() as now from migrations`,
  )
  const header: Header = {
    format,
    version,
    organisation: orgId,
    exportedAt: source!.now.toISOString(),
    release: packageJson.version,
    migration: source!.migration,
  }
  const checksum = newChecksum()
  const summed = (text: string) => {
    checksum.update(text)
    return text
  }
  yield summed(`${JSON.stringify(header)}\n`)
  const records: Record<string, number> = {}
  let unreadable = 0
  for (const kind of await kindsOf(transaction)) {
    let count = 0
    for await (const all of linesOf(transaction, kind, orgId, vault)) {
      const lines = all.filter((line) => line !== undefined)
      unreadable += all.length - lines.length
      yield summed(lines.join(''))
      count += lines.length
      told(kind.name, count)
    }
    records[kind.name] = count
  }
  const footer: Footer = { records, checksum: shownChecksum(checksum) }
  yield `${JSON.stringify(footer)}\n`
  return { records, unreadable }
}

const fewest = 1
const most = 200
/** Half of what a batch of ordinary records takes at most; large ones are fetched in smaller batches. */
const muchBytes = 1_048_576

async function* linesOf(
  transaction: Executor,
  kind: Kind,
  orgId: string,
  vault: Pick<Vault, 'open'>,
): AsyncGenerator<(string | undefined)[]> {
  const sealed = kind.columns.filter(({ isSealed }) => isSealed)
  await transaction.query(sql`
    declare walk no scroll cursor for select row_to_json(record)::text as record
    from (select ${raw(kind.read)} from ${raw(kind.table)} row where row.org_id = ${orgId} and ${raw(kind.where)}
      order by ${raw(kind.order)}) record`)
  for (let size = 25; ; ) {
    const rows = await transaction.query<{ record: string }>(raw(`fetch ${size} from walk`))
    if (rows.length === 0) break
    const lines = rows.map(({ record }) => {
      const text = sealed.length > 0 ? opened(record) : record
      return text === undefined ? undefined : lineOf(kind, text)
    })
    yield lines
    const bytes = lines.reduce((sum, line) => sum + (line?.length ?? 0), 0)
    size = bytes > muchBytes ? Math.max(fewest, size >> 2) : Math.min(most, size * 2)
  }
  await transaction.query(sql`close walk`)

  function opened(text: string): string | undefined {
    const record = JSON.parse(text)
    try {
      for (const { field } of sealed) record[field] = vault.open(record[field])
    } catch {
      return undefined
    }
    return JSON.stringify(record)
  }
}

/** A line end within JSON that PostgreSQL keeps as it was written is space between values, never text. */
function lineOf({ name }: Kind, record: string): string {
  const line = `{"kind":"${name}","record":${record.replaceAll(/[\r\n]/g, ' ')}}\n`
  if (Buffer.byteLength(line) > longestLineBytes) throw new Error(`A record of ${name} is too long to be exported`)
  return line
}
