// Writes the records of a file into their tables, a batch at a time. Names in SQL are the database's, never the file's.
import { type Queryable, raw, sql } from '../db/database.ts'
import type { Entitlement } from '../identity/organisations.ts'
import { resetSignIn } from '../identity/people.ts'
import type { Vault } from '../identity/secrets.ts'
import { newId } from '../operations/ids.ts'
import { hashShareToken, shareTokenRegex } from '../operations/share-tokens.ts'
import { FileError, rejectLine } from './file-format.ts'
import type { RecordKind } from './record-kinds.ts'
import { triggerColumns } from './trigger-columns.ts'

export interface ImportContext {
  readonly transaction: Queryable
  readonly orgId: string
  readonly vault: Pick<Vault, 'encrypt'>
  readonly entitlement: Entitlement
}

interface ImportLine {
  readonly number: number
  /** The line as it stands in the file. */
  readonly text: string
  readonly record: Readonly<Record<string, unknown>>
}

/** Records of one kind that have the same fields. */
export interface Batch {
  readonly kind: RecordKind
  readonly fields: readonly string[]
  readonly lines: readonly ImportLine[]
}

export async function insertBatch(context: ImportContext, batch: Batch): Promise<void> {
  const { kind, fields, lines } = batch
  const computed = await computeColumns(context, batch)
  // PostgreSQL reads lines as they stand, so that no number is rounded on the way. Where we add something, none can be.
  const text = computed
    ? JSON.stringify(lines.map(({ record }, index) => ({ record: { ...record, ...computed.values[index] } })))
    : `[${lines.map((line) => line.text).join()}]`
  const columns = [
    ...kind.columns.filter((column) => fields.includes(column.field) && !column.isEncrypted && !column.isForeign),
    ...Object.entries(computed?.types ?? {}).map(([name, type]) => ({ name, field: name, type })),
  ]
  const { computedByTrigger = [], restored = [] } = triggerColumns[kind.table] ?? {}
  const isExpectedColumn = (name: string) =>
    name === 'id' || computedByTrigger.includes(name) || restored.includes(name)
  const expectedColumns = columns.filter(
    ({ name }) => computedByTrigger.length + restored.length > 0 && isExpectedColumn(name),
  )
  const insertedColumns = columns.filter(({ name }) => !computedByTrigger.includes(name))
  const columnList = (all: readonly { name: string }[]) => all.map(({ name }) => `, "${name}"`).join('')
  const fieldList = (all: readonly { field: string }[]) => all.map(({ field }) => `, "${field}"`).join('')
  const recordDefinition = columns.map(({ field, type }) => `"${field}" ${type}`).join(', ')
  const incoming = sql`json_array_elements(${text}::json) with ordinality line (value, "line place")
    ${columns.length > 0 ? sql`, json_to_record(line.value->'record') given (${raw(recordDefinition)})` : raw('')}`
  try {
    if (expectedColumns.length > 0)
      await context.transaction.query(sql`
        insert into ${raw(`expected_${kind.table}`)} (${raw(columnList(expectedColumns).slice(2))})
        select ${raw(fieldList(expectedColumns).slice(2))} from ${incoming}`)
    await context.transaction.query(sql`
      insert into ${raw(kind.table)} (org_id${raw(columnList(insertedColumns))})
      select ${context.orgId}${raw(fieldList(insertedColumns))} from ${incoming} order by "line place"`)
  } catch (error) {
    throw toFileError(error, batch)
  }
}

interface ComputedColumns {
  /** The columns, by name. */
  readonly types: Readonly<Record<string, string>>
  /** For each record. */
  readonly values: readonly Readonly<Record<string, string>>[]
}

/** What a file does not have: the plan, who people are on this server, and what is encrypted with its key. */
async function computeColumns(context: ImportContext, { kind, lines }: Batch): Promise<ComputedColumns | undefined> {
  if (kind.table === 'organisations')
    return { types: { entitlement: 'text' }, values: lines.map(() => ({ entitlement: context.entitlement })) }
  if (kind.table === 'members') return upsertPeople(context, lines)
  const encryptedColumns = kind.columns.filter(({ isEncrypted }) => isEncrypted)
  if (encryptedColumns.length === 0) return undefined
  const hasShareToken = encryptedColumns.some(({ name }) => name === 'sealed_token')
  return {
    types: {
      ...Object.fromEntries(encryptedColumns.map(({ name }) => [name, 'text'])),
      ...(hasShareToken && { token_hash: 'bytea' }),
    },
    values: lines.map(({ number, record }) => {
      const values: Record<string, string> = {}
      for (const { name, field } of encryptedColumns) {
        const plaintext = record[field]
        if (typeof plaintext !== 'string') return rejectLine(number, `${field} is required`)
        values[name] = context.vault.encrypt(plaintext)
      }
      if (hasShareToken) {
        const token = record.token as string
        if (!shareTokenRegex.test(token)) rejectLine(number, 'token is not one of a share link')
        values.token_hash = `\\x${hashShareToken(token).toString('hex')}`
      }
      return values
    }),
  }
}

/**
 * A person who is known here by the same email is the same person; others come without a way to sign in. Whoever made
 * somebody's password in the portal of a shop here could sign in as them: such a person begins anew, as in `member add`.
 */
async function upsertPeople({ transaction }: ImportContext, lines: readonly ImportLine[]): Promise<ComputedColumns> {
  const given = lines.map(({ number, record }) => {
    if (typeof record.email !== 'string') return rejectLine(number, 'email is required')
    return { id: newId('per'), email: record.email }
  })
  await transaction.query(sql`
    insert into people (id, email)
    select id, email from json_to_recordset(${JSON.stringify(given)}::json) given (id text, email text)
    on conflict do nothing`)
  const people = await transaction.query<{ id: string; person: string; madeByOrg: string | null }>(sql`
    select given.id, people.id as person, made_by_org as "madeByOrg"
    from json_to_recordset(${JSON.stringify(given)}::json) given (id text, email text)
    join people on lower(people.email) = lower(given.email) order by people.id for update of people`)
  for (const { person, madeByOrg } of people)
    if (madeByOrg !== null) await resetSignIn(transaction, person, { passwordHash: null, madeByOrg: null })
  const personOf = new Map(people.map(({ id, person }) => [id, person]))
  return { types: { person_id: 'text' }, values: given.map(({ id }) => ({ person_id: personOf.get(id)! })) }
}

/** Values that do not fit (22), rules of the tables (23), records beyond what PostgreSQL can hold (54). */
const dataErrorCode = /^(22|23|54)/

function toFileError(error: unknown, { kind, lines }: Batch): unknown {
  const { code = '', message, detail = '' } = error as { code?: string; message: string; detail?: string }
  if (!dataErrorCode.test(code)) return error
  const [first, last] = [lines[0]!.number, lines.at(-1)!.number]
  const where = first === last ? `Line ${first}` : `A line from ${first} to ${last}`
  return new FileError(`${where} (${kind.name}): ${[message, detail].filter(Boolean).join('. ').slice(0, 400)}`)
}

/** Whoever has an address would be led to one of two documents: it must open one door on this server. */
export async function rejectKnownShareTokens(transaction: Queryable, orgId: string): Promise<void> {
  const [known] = await transaction.query<{ id: string }>(sql`
    select min(id) filter (where org_id = ${orgId}) as id from share_links
    where token_hash in (select token_hash from share_links where org_id = ${orgId})
    group by token_hash having count(*) > 1 limit 1`)
  if (known) throw new FileError(`The token of share link ${known.id} is in use already`)
}
