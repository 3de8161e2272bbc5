// Invariants of the records, whatever was requested: each query counts the records that violate one.
import { type Database, raw, sql } from '../../src/db/database.ts'

/** Each is a statement that finds what is wrong; none may find anything. */
const invariants: Readonly<Record<string, string>> = {
  'invoices whose paid amount is not the sum of their payments': `
    select 1 from invoices i where amount_paid <> coalesce(
      (select sum(amount) from payments p where p.org_id = i.org_id and p.invoice_id = i.id), 0)`,
  'invoices whose balance or flags do not follow from their sums': `
    select 1 from invoices where balance <> total - amount_paid or has_balance <> (balance > 0 and status <> 'void')
      or paid <> (status <> 'void' and case when total > 0 then amount_paid >= total else status <> 'draft' end)
      or (paid_at is not null) <> paid or deposit_paid <> (deposit_amount > 0 and amount_paid >= deposit_amount)`,
  'documents whose totals do not add up': `
    select 1 from (select subtotal, discount_total, net_total, tax_total, total, deposit_amount from invoices
      union all select subtotal, discount_total, net_total, tax_total, total, deposit_amount from quotes) d
    where total <> net_total + tax_total or discount_total > subtotal or discount_total < 0 or deposit_amount > total`,
  'documents whose subtotal is not that of their lines': `
    select 1 from (select subtotal, line_items from invoices union all select subtotal, line_items from quotes) d
    where subtotal <> coalesce((select sum((line->>'lineTotal')::numeric) from json_array_elements(line_items) line), 0)`,
  'quotes that are invoiced without an invoice of theirs, or have one and are not': `
    select 1 from quotes q
    where (status = 'invoiced') <> exists (select from invoices i where (i.org_id, i.quote_id) = (q.org_id, q.id))
      or (invoice_id is not null) <> exists (
        select from invoices i where (i.org_id, i.quote_id, i.id) = (q.org_id, q.id, q.invoice_id))`,
  'numbers that were given twice': `
    select 1 from tickets group by org_id, ticket_number having count(*) > 1
    union all select 1 from invoices group by org_id, invoice_number having count(*) > 1
    union all select 1 from quotes group by org_id, quote_number having count(*) > 1`,
  'numbers that are still to be given': `
    select 1 from tickets join counters using (org_id) where ticket_number >= next_ticket_number`,
  'organisations with two default tax rates': `
    select 1 from tax_rates where default_enabled group by org_id having count(*) > 1`,
  'organisations without a job status': `
    select 1 from organisations o where not exists (select from ticket_statuses s where s.org_id = o.org_id)`,
  'jobs whose device is another customer’s': `
    select 1 from tickets t join devices d on (d.org_id, d.id) = (t.org_id, t.device_id)
    where d.customer_id is distinct from t.customer_id`,
  'jobs whose copies of the device are not what the device is': `
    select 1 from tickets t join devices d on (d.org_id, d.id) = (t.org_id, t.device_id)
    where (t.customer_device_type, t.customer_device_name) is distinct from (d.type, d.name)`,
  'jobs and calendar events that do not agree': `
    select 1 from calendar_events e join tickets t on (t.org_id, t.id) = (e.org_id, e.ticket_id)
    where t.calendar_event_id is distinct from e.id or t.scheduled_from is distinct from e.starts_at
      or t.scheduled_to is distinct from e.ends_at
    union all select 1 from tickets t where calendar_event_id is not null
      and not exists (select from calendar_events e where (e.org_id, e.id) = (t.org_id, t.calendar_event_id))`,
  'jobs whose counts of open forms are wrong': `
    select 1 from tickets t cross join lateral (
      select count(*) filter (where gate = 'start') as starting, count(*) filter (where gate = 'completion') as completing,
        count(*) filter (where gate = 'invoice') as invoicing
      from form_submissions f where (f.org_id, f.ticket_id) = (t.org_id, t.id) and status in ('open', 'inProgress')) open
    where (open_start_form_count, open_completion_form_count, open_invoice_form_count)
      is distinct from (starting, completing, invoicing)`,
  'jobs that are closed without a time, or open with one': `
    select 1 from tickets t join ticket_statuses s on (s.org_id, s.id) = (t.org_id, t.status_id)
    where (s.stage = 'closed') <> (closed_at is not null)`,
  'lines whose total is not quantity times price': `
    select 1 from (select quantity, unit_price, line_total from service_lines
      union all select quantity, unit_price, line_total from inventory_lines) l
    where abs(line_total - quantity * unit_price) > 0.5`,
}

export interface BrokenInvariant {
  readonly invariant: string
  readonly count: number
}

export const invariantCount = Object.keys(invariants).length

export async function findBrokenInvariants(database: Database): Promise<BrokenInvariant[]> {
  const broken: BrokenInvariant[] = []
  for (const [invariant, question] of Object.entries(invariants)) {
    const [row] = await database.query<{ count: number }>(
      sql`select count(*)::int as count from (${raw(question)}) wrong`,
    )
    if (row!.count > 0) broken.push({ invariant, count: row!.count })
  }
  return broken
}

/** Every row of an organisation, to be compared with what it was. */
export async function organisationChecksum(database: Database, orgId: string): Promise<string> {
  const tables = await database.query<{ name: string }>(sql`
    select table_name as name from information_schema.columns where column_name = 'org_id' and table_schema = 'public'
      and table_name not in ('api_keys', 'tombstones', 'idempotency_keys') order by 1`)
  const sums: string[] = []
  for (const { name } of tables) {
    const [row] = await database.query<{ sum: string }>(sql`
      select ${name} || md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as sum from ${raw(name)} t
      where org_id = ${orgId}`)
    sums.push(row!.sum)
  }
  return sums.join()
}
