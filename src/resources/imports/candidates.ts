// Who is there already: the records that the keys of a batch could mean, from the database and from earlier rows of the
// same import, found with a statement for each kind.
import { hash } from 'node:crypto'
import { raw, type Sql, sql } from '../../db/database.ts'
import type { Kind } from '../../domain/moving-in/kinds.ts'
import { type Candidate, type Change, calledKeys, matchKeys, type Values } from '../../domain/moving-in/verdict.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { toCamelCase } from '../../operations/string-case.ts'
import { matchingRows, searchForColumn } from '../../operations/text-search.ts'

export interface CandidateSearch {
  readonly kind: Kind
  /** What comes, with the fields that keys are made from. */
  readonly coming: readonly Values[]
  /** The keys that will be asked for. */
  readonly keys: readonly string[]
  /** Names by which jobs and documents call their customers. */
  readonly names?: readonly string[]
}

export type Candidates = ReturnType<typeof createCandidates>

export const tableOf: Readonly<Record<Kind, string>> = {
  customers: 'customers',
  devices: 'devices',
  services: 'services',
  inventory: 'inventory',
  jobs: 'tickets',
  quotes: 'quotes',
  invoices: 'invoices',
}

/** Found by key; what a row decides is there for the rows after it. */
function createCandidates(kind: Kind, there: readonly Candidate[]) {
  const byKey = new Map<string, Candidate[]>()
  const byId = new Map<string, Candidate>()
  const keysOf = ({ values }: Candidate) => [
    ...matchKeys(kind, values, 'there'),
    ...(kind === 'customers' ? calledKeys(values) : []),
  ]
  const add = (candidate: Candidate): void => {
    const before = byId.get(candidate.id)
    byId.set(candidate.id, candidate)
    for (const key of keysOf(candidate)) {
      const others = (byKey.get(key) ?? []).filter(({ id }) => id !== before?.id)
      byKey.set(key, [...others.filter(({ id }) => id !== candidate.id), candidate])
    }
  }
  for (const candidate of there) add(candidate)
  return { add, keysOf, find: (key: string): readonly Candidate[] => byKey.get(key) ?? [] }
}

/** A key as it is stored: of one length, whatever name and address it is made of. */
export const hashKey = (kind: Kind, key: string): string => hash('sha1', `${kind} ${key}`, 'base64url')

export async function loadCandidates(ctx: Context, importId: string, search: CandidateSearch): Promise<Candidates> {
  const { kind } = search
  const hashes = [...new Set(search.keys)].map((key) => hashKey(kind, key))
  if (hashes.length === 0) return createCandidates(kind, [])
  const stored = await ctx.query(selectStored(ctx, search))
  const targets = await ctx.query(selectTargets(ctx, importId, hashes))
  const planned = targets.length === 0 ? [] : await ctx.query(selectPlanned(ctx, importId, targets))
  const all = new Map(stored.map((one) => [one.id, one]))
  for (const { id, kind: itsKind, values, changes } of planned) {
    if (itsKind !== kind) continue
    const before = all.get(id)
    if (values) all.set(id, { id, values, isNew: true })
    else if (before && changes) all.set(id, { ...before, values: { ...before.values, ...afterOf(changes) } })
  }
  return createCandidates(kind, [...all.values()])
}

export const afterOf = (changes: Readonly<Record<string, Change>>): Values =>
  Object.fromEntries(Object.entries(changes).map(([field, { after }]) => [field, after]))

interface Planned {
  readonly id: string
  readonly kind: Kind
  readonly values: Values | null
  readonly changes: Readonly<Record<string, Change>> | null
}

/** Nearly always nobody: then nothing more is asked. */
const selectTargets = ({ orgId }: Context, importId: string, hashes: readonly string[]): Statement<string[]> =>
  statement(
    sql`select distinct target_id as id from import_keys
        where org_id = ${orgId} and import_id = ${importId} and key = any(${hashes})`,
    (rows: { id: string }[]) => rows.map(({ id }) => id),
  )

/** In the order of the rows: what fills comes after what creates. */
const selectPlanned = ({ orgId }: Context, importId: string, targets: readonly string[]): Statement<Planned[]> =>
  statement(
    sql`select target_id as id, kind, case verdict when 'created' then plan->'values' end as values, plan->'changes' as changes
        from import_records where org_id = ${orgId} and import_id = ${importId} and target_id = any(${targets})
          and verdict in ('created', 'filled')
        order by position`,
    (rows: Planned[]) => rows,
  )

function selectStored(ctx: Context, search: CandidateSearch): Statement<Candidate[]> {
  const table = raw(tableOf[search.kind])
  return statement(
    sql`select id, to_jsonb(one) as record from ${table} one
        where org_id = ${ctx.orgId} and id in (${idsOf(ctx, search)}) limit 5000`,
    (rows: { id: string; record: Readonly<Record<string, unknown>> }[]) =>
      rows.map(({ id, record }) => ({ id, values: toFields(record), isNew: false })),
  )
}

function toFields(record: Readonly<Record<string, unknown>>): Values {
  const values = Object.fromEntries(Object.entries(record).map(([column, value]) => [toCamelCase(column), value]))
  return 'givenName' in values ? { ...values, name: values.givenName } : values
}

const texts = (coming: readonly Values[], field: string): string[] => [
  ...new Set(
    coming.flatMap((values) => (typeof values[field] === 'string' && values[field] !== '' ? [values[field]] : [])),
  ),
]

/** Each way of finding has its index; they are asked one after the other in one statement. */
function idsOf({ orgId }: Context, { kind, coming, names = [] }: CandidateSearch): Sql {
  const table = raw(tableOf[kind])
  const where = (condition: Sql) => sql`select id from ${table} where org_id = ${orgId} and ${condition}`
  const external = where(sql`external_id = any(${texts(coming, 'externalId')})`)
  const byName = where(
    sql`sort_name = any(array(select folded(name) from unnest(${texts(coming, 'name')}::text[]) name))`,
  )
  switch (kind) {
    case 'customers':
      return sql`${external}
        union ${where(sql`lower(email) = any(${texts(coming, 'email').map((email) => email.toLowerCase())})`)}
        union ${where(sql`phone is not null and phone_key(phone) = any(array(
          select phone_key(phone) from unnest(${texts(coming, 'phone')}::text[]) phone))`)}
        union select customers.id from unnest(${firstNames(coming)}::text[], ${lastNames(coming)}::text[]) as wanted (first, last)
          join customers on customers.org_id = ${orgId} and customers.sort_name = folded(first)
            and folded(coalesce(customers.last_name, '')) = folded(last)
        union select customers.id from unnest(${names}::text[]) as wanted (name)
          cross join lateral ${matchingRows({ table: 'customers', tenant: sql`customers.org_id = ${orgId}`, search: searchForColumn('customers', 'wanted.name') })}
          where length(wanted.name) > 2`
    case 'devices':
      return sql`${external} union ${where(sql`customer_id = any(${texts(coming, 'customerId')})`)}`
    case 'services':
      return sql`${external} union ${byName}`
    case 'inventory':
      return sql`${external} union ${byName} union ${where(sql`sku = any(${texts(coming, 'sku')})`)}
        union ${where(sql`barcode is not null and barcode = any(${texts(coming, 'barcode')})`)}`
    default:
      return external
  }
}

const named = (coming: readonly Values[]) => coming.filter(({ firstName }) => typeof firstName === 'string')
const firstNames = (coming: readonly Values[]) => named(coming).map(({ firstName }) => String(firstName))
const lastNames = (coming: readonly Values[]) => named(coming).map(({ lastName }) => String(lastName ?? ''))
