// What was acknowledged to writers, and how it is found again: none lost, none twice, none half done.
import { type Database, raw, type Sql, sql } from '../src/db/database.ts'
import { none, type Result } from './trial.ts'

/** A record that was acknowledged, with what its columns may hold by now. */
export interface LedgerEntry {
  readonly table: string
  readonly orgId: string
  readonly id: string
  readonly allowedValues: Record<string, readonly string[]>
  /** A change without an answer may or may not have happened, so the record is not changed again. */
  isInDoubt: boolean
}

export interface Ledger {
  readonly entries: LedgerEntry[]
  /** Writes that were answered with success, creates and changes alike. */
  acknowledged: number
  /** Answers that are neither success nor "try again later". */
  readonly unexpectedAnswers: string[]
}

export const createLedger = (): Ledger => ({ entries: [], acknowledged: 0, unexpectedAnswers: [] })

export const initialStock = 1_000_000

const batchSize = 2_000

/** What of the entries is not there, or is not as it was acknowledged, in words. */
async function findLost({ entries }: Ledger, database: Database): Promise<string[]> {
  const lost: string[] = []
  for (const [table, all] of Map.groupBy(entries, (entry) => entry.table)) {
    for (let from = 0; from < all.length; from += batchSize) {
      const batch = all.slice(from, from + batchSize)
      const rows = await database.query<{ id: string; row: Record<string, unknown> }>(
        sql`select id, to_jsonb(one) as row from ${raw(table)} one where id = any(${batch.map(({ id }) => id)})`,
      )
      const found = new Map(rows.map(({ id, row }) => [id, row]))
      for (const entry of batch) lost.push(...differences(entry, found.get(entry.id)))
    }
  }
  return lost
}

function differences(
  { table, id, orgId, allowedValues }: LedgerEntry,
  row: Record<string, unknown> | undefined,
): string[] {
  if (!row || row.org_id !== orgId) return [`${table} ${id} is not there`]
  const differing = Object.entries(allowedValues).filter(([column, values]) => !values.includes(String(row[column])))
  return differing.map(([column, values]) => `${table} ${id}: ${column} is ${row[column]}, not ${values.join(' or ')}`)
}

/** Compares all of it with what is there. */
export async function checkLedger(ledger: Ledger, database: Database, log: (text: string) => void): Promise<Result[]> {
  const records = `${ledger.entries.length.toLocaleString('en-GB')} records`
  log(`looking up ${records}`)
  const lost = await findLost(ledger, database)
  const inconsistencies = await findInconsistencies(database)
  const maxLogged = 10
  const { unexpectedAnswers } = ledger
  const texts = [...lost.slice(0, maxLogged), ...inconsistencies.messages, ...unexpectedAnswers.slice(0, maxLogged)]
  for (const text of texts) log(text)
  return [
    none('acknowledged writes lost or changed', lost.length, records),
    none('writes half done, or done twice', inconsistencies.count),
    none('answers that are neither success nor 503', unexpectedAnswers.length),
  ]
}

/** Each counts records that a write left half done, or did twice. */
const consistencyQueries: Readonly<Record<string, Sql>> = {
  'jobs out of number': sql`
    select count(*) from counters join (
      select org_id, count(*) as jobs, count(distinct ticket_number) as numbers, max(ticket_number) as last
      from tickets group by 1) seen using (org_id)
    where jobs <> last or numbers <> jobs or next_ticket_number <> last + 1`,
  'quotes out of number': sql`
    select count(*) from counters where next_quote_number - 1 <> (select count(*) from quotes where quotes.org_id = counters.org_id)`,
  'invoices out of number': sql`
    select count(*) from counters where next_invoice_number - 1 <> (select count(*) from invoices where invoices.org_id = counters.org_id)`,
  'jobs without the timeline entry of their creation': sql`
    select count(*) from tickets where 1 <> (select count(*) from messages
      where messages.org_id = tickets.org_id and ticket_id = tickets.id and system_event = 'jobCreated')`,
  'jobs whose status is not that of the last timeline entry': sql`
    select count(*) from (
      select distinct on (ticket.org_id, ticket.id) status.name as status, message.system_data ->> 'to' as last_status
      from tickets ticket
      join ticket_statuses status on status.org_id = ticket.org_id and status.id = ticket.status_id
      join messages message on message.org_id = ticket.org_id and message.ticket_id = ticket.id
      where message.system_event = 'statusChanged'
      order by ticket.org_id, ticket.id, message.created_at desc, message.id desc) last
    where status <> last_status`,
  'invoices whose money does not agree with their payments': sql`
    select count(*) from invoices left join (
      select org_id, invoice_id as id, sum(amount) as paid_in from payments group by 1, 2) money using (org_id, id)
    where amount_paid <> coalesce(paid_in, 0) or balance <> total - amount_paid
      or paid <> (amount_paid >= total) or has_balance <> (balance > 0)`,
  'payments without their timeline entry': sql`
    select count(*) from (
      select org_id, ticket_id, count(*) as payments from payments group by 1, 2) paid
    where payments <> (select count(*) from messages
      where messages.org_id = paid.org_id and messages.ticket_id = paid.ticket_id and system_event = 'paymentRecorded')`,
  'quotes converted by half, or twice': sql`
    select count(*) from quotes left join (
      select org_id, quote_id as id, count(*) as made, min(id) as made_id, min(total) as made_total
      from invoices where quote_id is not null group by 1, 2) made using (org_id, id)
    where case when status = 'invoiced' then made is distinct from 1 or invoice_id <> made_id or total <> made_total
      else made is not null end`,
  'conversions without their timeline entry': sql`
    select count(*) from quotes where status = 'invoiced' and 1 <> (select count(*) from messages
      where messages.org_id = quotes.org_id and messages.ticket_id = quotes.ticket_id
        and system_event = 'quoteConverted' and system_data ->> 'quoteId' = quotes.id)`,
  'parts whose stock does not agree with the lines': sql`
    select count(*) from inventory item where quantity_on_hand + coalesce((select sum(quantity) from inventory_lines line
      where line.org_id = item.org_id and inventory_item_id = item.id), 0) <> ${initialStock}`,
  'customers made twice': sql`
    select count(*) from (select 1 from customers group by org_id, notes having count(*) > 1) twice`,
  'jobs made twice': sql`
    select count(*) from (select 1 from tickets group by org_id, service_required having count(*) > 1) twice`,
  'payments made twice': sql`
    select count(*) from (select 1 from payments group by org_id, notes having count(*) > 1) twice`,
  'stored answers without their record, or records without their answer': sql`
    select abs((select count(*) from idempotency_keys where status = 201)
      - (select count(*) from customers where notes like 'once%')
      - (select count(*) from tickets where service_required like 'once%')
      - (select count(*) from payments where notes like 'once%'))`,
}

/** What is half done, in words, with how often. */
async function findInconsistencies(
  database: Database,
): Promise<{ readonly count: number; readonly messages: string[] }> {
  const messages: string[] = []
  let total = 0
  for (const [what, statement] of Object.entries(consistencyQueries)) {
    const [row] = await database.query<{ count?: number; abs?: number }>(statement)
    const count = Number(row!.count ?? row!.abs)
    if (count > 0) messages.push(`${count} ${what}`)
    total += count
  }
  return { count: total, messages }
}
