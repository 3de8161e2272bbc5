// Jobs for the benchmark: some in every organisation, and for the question of scale ten thousand in one, a million in another.
import type pg from 'pg'

export const jobsPerOrganisation = 500

/** Jobs with a line each. */
export async function insertJobs(client: pg.Client, orgId: string, count: number): Promise<readonly string[]> {
  const ids = await insertTickets(client, orgId, count)
  await client.query(
    `insert into service_lines (org_id, id, ticket_id, name, quantity, unit_price, line_total)
     select org_id, 'sln_' || right(id, 26), id, 'Labour', 1, 79.5, 79.5 from tickets where org_id = $1`,
    [orgId],
  )
  return ids
}

/** One in ten is open, the others are closed. */
export async function insertTickets(client: pg.Client, orgId: string, count: number): Promise<readonly string[]> {
  const [{ customers }] = (await client.query('select count(*) as customers from customers where org_id = $1', [orgId]))
    .rows
  const { rows } = await client.query<{ id: string }>(
    `insert into tickets (org_id, id, ticket_number, customer_id, customer_name, service_required, status_id, closed_at,
       created_at, updated_at)
     select $1, 'tkt_' || lpad(n::text, 26, '0'), n, customer.id, customer.first_name, 'Screen is cracked', status.id,
       case when status.stage = 'closed' then now() end, now() - ($2 - n) * interval '3 minutes',
       now() - ($2 - n) * interval '3 minutes'
     from generate_series(1, $2) n
     join (select id, first_name, row_number() over (order by id) - 1 as place from customers where org_id = $1) customer
       on customer.place = n % $3::bigint
     join ticket_statuses status on status.org_id = $1 and status.name = case when n % 10 = 0 then 'Open' else 'Closed' end
     returning id`,
    [orgId, count, customers],
  )
  await client.query('update counters set next_ticket_number = $2 where org_id = $1', [orgId, count + 1])
  return rows.map(({ id }) => id)
}
