// A shop with very many jobs in the tables of the release before, written by SQL: what migrations have to cope with.

import type { Client } from 'pg'
import { newId } from '../src/operations/ids.ts'

/** A twentieth as many customers; two messages and a line for each job, an invoice for every second and a payment of it. */
export async function insertLargeShop(client: Client, jobs: number): Promise<string> {
  const orgId = newId('org')
  const id = (prefix: string) => `'${prefix}_' || lpad(n::text, 26, '0')`
  const steps = [
    `insert into organisations (org_id, name, entitlement) values ('${orgId}', 'Large shop', 'pro')`,
    `insert into counters (org_id, next_ticket_number, next_invoice_number) values ('${orgId}', ${jobs + 1}, ${jobs + 1})`,
    `insert into ticket_statuses (org_id, id, name, index, type, stage)
     values ('${orgId}', 'sts_open', 'Open', 0, 'default', 'open'), ('${orgId}', 'sts_closed', 'Closed', 2, 'default', 'closed')`,
    `insert into customers (org_id, id, first_name, last_name, email, phone)
     select '${orgId}', ${id('cus')}, 'Customer ' || n, 'Person ' || n, 'customer' || n || '@example.com', '01632 ' || 960000 + n
     from generate_series(0, ${Math.ceil(jobs / 20)}) n`,
    `insert into tickets (org_id, id, ticket_number, customer_id, customer_name, service_required, description, status_id,
       closed_at, created_at, updated_at)
     select '${orgId}', ${id('tkt')}, n, 'cus_' || lpad((n / 20)::text, 26, '0'), 'Customer ' || n / 20, 'Screen is cracked',
       'The customer dropped it, and now it stays dark. ' || md5(n::text) || ' ' || md5((-n)::text),
       case when n % 10 = 0 then 'sts_open' else 'sts_closed' end, case when n % 10 > 0 then now() end,
       now() - n * interval '3 minutes', now() - n * interval '3 minutes' from generate_series(1, ${jobs}) n`,
    `insert into service_lines (org_id, id, ticket_id, name, quantity, unit_price, line_total)
     select '${orgId}', ${id('sln')}, ${id('tkt')}, 'Labour', 1, 79.5, 79.5 from generate_series(1, ${jobs}) n`,
    `insert into messages (org_id, id, ticket_id, text, is_system, system_event)
     select '${orgId}', 'msg_' || lpad(n::text, 25, '0') || part, ${id('tkt')}, 'Message ' || n, part = 0,
       case part when 0 then 'jobCreated' end from generate_series(1, ${jobs}) n, generate_series(0, 1) part`,
    `insert into invoices (org_id, id, invoice_number, customer_id, ticket_id, customer_name, title, due_at, status, currency, total)
     select '${orgId}', ${id('inv')}, 'INV-' || n, 'cus_' || lpad((n / 20)::text, 26, '0'), ${id('tkt')}, 'Customer ' || n / 20,
       'Repair', now() + interval '14 days', 'sent', 'GBP', 79.5 from generate_series(2, ${jobs}, 2) n`,
    `insert into payments (org_id, id, invoice_id, amount)
     select '${orgId}', ${id('pay')}, ${id('inv')}, 79.5 from generate_series(2, ${jobs}, 2) n`,
    'analyze',
  ]
  await client.query('set statement_timeout = 0; set session_replication_role = replica')
  for (const text of steps) await client.query(text)
  return orgId
}
