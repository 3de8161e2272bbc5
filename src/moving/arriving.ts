// Writes the records of a file into their tables, a batch at a time. Names in SQL are the database's, never the file's.
import { newId } from '../api/ids.ts'
import { tokenForm, tokenHash } from '../api/secret-addresses.ts'
import { type Executor, raw, sql } from '../database.ts'
import type { Entitlement } from '../identity/organisations.ts'
import type { Vault } from '../identity/secrets.ts'
import { touchedByTriggers } from './counted.ts'
import type { Kind } from './kinds.ts'
import { FileError, refuseLine } from './lines.ts'

export interface Arrival {
  readonly transaction: Executor
  readonly orgId: string
  readonly vault: Pick<Vault, 'seal'>
  readonly entitlement: Entitlement
}

interface Arriving {
  readonly number: number
  /** The line as it stands in the file. */
  readonly text: string
  readonly record: Readonly<Record<string, unknown>>
}

/** Records of one kind that have the same fields. */
export interface Batch {
  readonly kind: Kind
  readonly fields: readonly string[]
  readonly lines: readonly Arriving[]
}

export async function write(arrival: Arrival, batch: Batch): Promise<void> {
  const { kind, fields, lines } = batch
  const made = await columnsMade(arrival, batch)
  // PostgreSQL reads lines as they stand, so that no number is rounded on the way. Where we add something, none can be.
  const text = made
    ? JSON.stringify(lines.map(({ record }, place) => ({ record: { ...record, ...made.values[place] } })))
    : `[${lines.map((line) => line.text).join()}]`
  const columns = [
    ...kind.columns.filter((column) => fields.includes(column.field) && !column.isSealed && !column.isElsewhere),
    ...Object.entries(made?.types ?? {}).map(([name, type]) => ({ name, field: name, type })),
  ]
  const { counted = [], restored = [] } = touchedByTriggers[kind.table] ?? {}
  const isAside = (name: string) => name === 'id' || counted.includes(name) || restored.includes(name)
  const aside = columns.filter(({ name }) => counted.length + restored.length > 0 && isAside(name))
  const kept = columns.filter(({ name }) => !counted.includes(name))
  const into = (all: readonly { name: string }[]) => all.map(({ name }) => `, "${name}"`).join('')
  const from = (all: readonly { field: string }[]) => all.map(({ field }) => `, "${field}"`).join('')
  const typed = columns.map(({ field, type }) => `"${field}" ${type}`).join(', ')
  const said = raw(
    aside.length === 0
      ? ''
      : `, said as (insert into said_of_${kind.table} (${into(aside).slice(2)}) select ${from(aside).slice(2)} from arriving)`,
  )
  try {
    await arrival.transaction.query(sql`
      with arriving as materialized (
        select * from json_array_elements(${text}::json) with ordinality line (value, "line place")
        ${columns.length > 0 ? sql`, json_to_record(line.value->'record') given (${raw(typed)})` : raw('')}
      ) ${said}
      insert into ${raw(kind.table)} (org_id${raw(into(kept))})
      select ${arrival.orgId}${raw(from(kept))} from arriving order by "line place"`)
  } catch (error) {
    throw inWords(error, batch)
  }
}

interface Made {
  /** The columns, by name. */
  readonly types: Readonly<Record<string, string>>
  /** For each record. */
  readonly values: readonly Readonly<Record<string, string>>[]
}

/** What a file does not have: the plan, who people are on this server, and what is sealed with its key. */
async function columnsMade(arrival: Arrival, { kind, lines }: Batch): Promise<Made | undefined> {
  if (kind.table === 'organisations')
    return { types: { entitlement: 'text' }, values: lines.map(() => ({ entitlement: arrival.entitlement })) }
  if (kind.table === 'members') return peopleOf(arrival, lines)
  const sealed = kind.columns.filter(({ isSealed }) => isSealed)
  if (sealed.length === 0) return undefined
  const opensDoors = sealed.some(({ name }) => name === 'sealed_token')
  return {
    types: {
      ...Object.fromEntries(sealed.map(({ name }) => [name, 'text'])),
      ...(opensDoors && { token_hash: 'bytea' }),
    },
    values: lines.map(({ number, record }) => {
      const values: Record<string, string> = {}
      for (const { name, field } of sealed) {
        const open = record[field]
        if (typeof open !== 'string') return refuseLine(number, `${field} is required`)
        values[name] = arrival.vault.seal(open)
      }
      if (opensDoors) {
        const token = record.token as string
        if (!tokenForm.test(token)) refuseLine(number, 'token is not one of a share link')
        values.token_hash = `\\x${tokenHash(token).toString('hex')}`
      }
      return values
    }),
  }
}

/** A person who is known here by the same email is the same person; others come without a way to sign in. */
async function peopleOf({ transaction }: Arrival, lines: readonly Arriving[]): Promise<Made> {
  const given = lines.map(({ number, record }) => {
    if (typeof record.email !== 'string') return refuseLine(number, 'email is required')
    return { id: newId('per'), email: record.email }
  })
  await transaction.query(sql`
    insert into people (id, email)
    select id, email from json_to_recordset(${JSON.stringify(given)}::json) given (id text, email text)
    on conflict do nothing`)
  const people = await transaction.query<{ id: string; person: string }>(sql`
    select given.id, people.id as person
    from json_to_recordset(${JSON.stringify(given)}::json) given (id text, email text)
    join people on lower(people.email) = lower(given.email)`)
  const personOf = new Map(people.map(({ id, person }) => [id, person]))
  return { types: { person_id: 'text' }, values: given.map(({ id }) => ({ person_id: personOf.get(id)! })) }
}

/** Values that do not fit (22), rules of the tables (23), records beyond what PostgreSQL can hold (54). */
const refusedByDatabase = /^(22|23|54)/

function inWords(error: unknown, { kind, lines }: Batch): unknown {
  const { code = '', message, detail = '' } = error as { code?: string; message: string; detail?: string }
  if (!refusedByDatabase.test(code)) return error
  const [first, last] = [lines[0]!.number, lines.at(-1)!.number]
  const where = first === last ? `Line ${first}` : `A line from ${first} to ${last}`
  return new FileError(`${where} (${kind.name}): ${[message, detail].filter(Boolean).join('. ').slice(0, 400)}`)
}

/** Whoever has an address would be led to one of two documents: it must open one door on this server. */
export async function refuseKnownLinks(transaction: Executor, orgId: string): Promise<void> {
  const [known] = await transaction.query<{ id: string }>(sql`
    select own.id from share_links own join share_links other on other.token_hash = own.token_hash
    where own.org_id = ${orgId} and (other.org_id, other.id) <> (own.org_id, own.id) limit 1`)
  if (known) throw new FileError(`The token of share link ${known.id} is in use already`)
}
