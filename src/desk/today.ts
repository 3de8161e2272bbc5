// Today: the day's visits, what waits for somebody, and how the money stands.
import { raw, type Sql, sql } from '../db/database.ts'
import { startOfDay, startOfWeek } from '../domain/wall-clock.ts'
import { quoteList } from '../resources/quotes/record.ts'
import { selectVisits, type Visit } from './day-visits.ts'
import { addDays } from './formatting.ts'
import { cardColumns, type JobCard } from './job-cards.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { loadSetup } from './shop-setup.ts'
import { type Figures, todayView, type WaitingDocument } from './today-view.ts'

const perList = 6
const weeks = 9
/** Visits of agreements are made long before: those that begin later than this wait for nobody yet. */
const nearDays = 7
/** As the list of those that wait has it, to which this one leads: without those that have expired. */
const isWaiting = raw(quoteList.states.sent!)

export function addTodayRoutes(router: DeskRouter): void {
  router.get('/today', ['tickets:read', 'invoices:read'], async (request) => {
    const { orgId, database, clock } = request
    const [setup, visits, jobs, [counts], documents, sums] = await Promise.all([
      loadSetup(request),
      database.read<Visit>(orgId, selectVisits(request, clock.today), 'custom-plan'),
      database.read<JobCard & { list: string; count: number }>(orgId, selectWaiting(request), 'custom-plan'),
      database.read<Figures['counts']>(orgId, selectCounts(request), 'custom-plan'),
      database.read<WaitingDocument>(orgId, selectDocuments(request), 'custom-plan'),
      database.read<Figures['weeks'][number]>(orgId, selectWeeks(request), 'custom-plan'),
    ])
    return request.render(
      todayView(request, {
        setup,
        visits,
        jobs,
        documents,
        figures: { counts: counts!, weeks: sums },
      }),
    )
  })
}

/** Jobs that nobody has, and those in statuses of the shop's own between open and closed: there they wait for something. */
const selectWaiting = ({ orgId, clock, timeZone }: DeskRequest): Sql => sql`
  select * from (
    select ${cardColumns}, 'nobody' as list, 0 as place, count(*) over () as count from tickets ticket
    where ticket.org_id = ${orgId} and ticket.closed_at is null and ticket.assigned_technician is null
      and (ticket.recurring_schedule_id is null or ticket.scheduled_from is null
        or ticket.scheduled_from < ${startOfDay(addDays(clock.today, nearDays + 1), timeZone).toISOString()}::timestamptz)
    order by ticket.created_at desc limit ${perList}::int) nobody
  union all
  select * from (
    select ${cardColumns}, ticket.status_id as list, status.index + 1 as place,
      count(*) over (partition by ticket.status_id) as count
    from tickets ticket join ticket_statuses status on status.org_id = ${orgId} and status.id = ticket.status_id
    where ticket.org_id = ${orgId} and ticket.closed_at is null and status.type = 'custom' and status.stage <> 'closed'
    order by row_number() over (partition by ticket.status_id order by ticket.updated_at), status.index limit 24) waiting
  order by place`

/** What is owed, by how late it is; quotes that are out; stock that runs low. */
const selectCounts = ({ orgId, clock, timeZone }: DeskRequest): Sql => {
  const daysAgo = (days: number) => startOfDay(addDays(clock.today, -days), timeZone).toISOString()
  const late = sql`org_id = ${orgId} and status = 'sent' and has_balance`
  return sql`
    select coalesce(sum(balance), 0)::float8 as owed, count(*)::int as "owedCount",
      coalesce(sum(balance) filter (where due_at >= ${daysAgo(0)}::timestamptz), 0)::float8 as "notDue",
      coalesce(sum(balance) filter (where due_at < ${daysAgo(0)}::timestamptz and due_at >= ${daysAgo(30)}::timestamptz), 0)::float8 as "late30",
      coalesce(sum(balance) filter (where due_at < ${daysAgo(30)}::timestamptz and due_at >= ${daysAgo(60)}::timestamptz), 0)::float8 as "late60",
      coalesce(sum(balance) filter (where due_at < ${daysAgo(60)}::timestamptz), 0)::float8 as "lateMore",
      count(*) filter (where due_at < ${daysAgo(0)}::timestamptz)::int as "overdueCount",
      (select count(*)::int from quotes where org_id = ${orgId} and ${isWaiting}) as "quotesOut",
      (select count(*)::int from inventory where org_id = ${orgId} and is_low_stock) as "lowStock"
    from invoices where ${late}`
}

const selectDocuments = ({ orgId, clock, timeZone }: DeskRequest): Sql => {
  const today = startOfDay(clock.today, timeZone).toISOString()
  return sql`
    select * from (select 'quote' as kind, id, quote_number as number, customer_name as customer, total::float8 as amount,
        sent_at as at, viewed_at is not null as "isSeen"
      from quotes where org_id = ${orgId} and ${isWaiting} order by sent_at limit ${perList}::int) quotes
    union all
    select * from (select 'invoice', id, invoice_number, customer_name, balance::float8, due_at, viewed_at is not null
      from invoices where org_id = ${orgId} and status = 'sent' and has_balance and due_at < ${today}::timestamptz
      order by due_at limit ${perList}::int) invoices`
}

/** Weeks of the shop, Monday first: what came in, and what was closed. */
const selectWeeks = ({ orgId, clock, timeZone }: DeskRequest): Sql => {
  const first = addDays(startOfWeek(clock.today), -7 * (weeks - 1))
  const from = startOfDay(first, timeZone).toISOString()
  return sql`
    select to_char(week, 'YYYY-MM-DD') as week, coalesce(paid, 0)::float8 as paid, coalesce(closed, 0)::int as closed
    from generate_series(${first}::date, ${startOfWeek(clock.today)}::date, interval '7 days') week
    left join (select date_trunc('week', paid_at at time zone ${timeZone}) as of_week, sum(amount) as paid from payments
      where org_id = ${orgId} and paid_at >= ${from}::timestamptz group by 1) money on money.of_week = week
    left join (select date_trunc('week', closed_at at time zone ${timeZone}) as of_week, count(*) as closed from tickets
      where org_id = ${orgId} and closed_at >= ${from}::timestamptz group by 1) work on work.of_week = week
    order by week`
}
