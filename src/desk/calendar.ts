// The calendar: who is where and when, a week or a day at a time, and the jobs that have no time yet.
import { type Sql, sql } from '../db/database.ts'
import { addDays, isCalendarDay, startOfDay, startOfWeek } from '../domain/wall-clock.ts'
import { plannedBetween, selectPlanned } from '../resources/recurring/planned-between.ts'
import { type CalendarVisit, isOn } from './calendar-cards.ts'
import type { CalendarPage, UnplannedJob } from './calendar-page.ts'
import { calendarView } from './calendar-view.ts'
import { selectVisits, type Visit } from './day-visits.ts'
import type { Clock } from './formatting.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { loadSetup, type Status } from './shop-setup.ts'
import { addVisitRoutes } from './visit.ts'
import { addVisitActs } from './visit-acts.ts'

const maxVisits = 500
const maxUnplanned = 30

export function addCalendarRoutes(router: DeskRouter): void {
  router.get('/calendar', ['calendar:read'], async (request) => {
    const { orgId, database, query, clock } = request
    const date = isCalendarDay(query.date) ? query.date : clock.today
    const view = query.view === 'day' ? 'day' : 'week'
    const first = view === 'day' ? date : startOfWeek(date)
    const days = view === 'day' ? 1 : 7
    const loadingSetup = loadSetup(request)
    const [setup, visits, planned, unplanned] = await Promise.all([
      loadingSetup,
      database.read<Visit>(orgId, selectVisits(request, first, days), 'custom-plan'),
      loadPlanned(request, first, days),
      loadingSetup.then(({ statuses }) =>
        database.read<UnplannedJob>(orgId, selectUnplanned(orgId, statuses), 'custom-plan'),
      ),
    ])
    const all = [...visits.map((visit) => ({ ...visit, plannedBy: null })), ...planned].map(
      (visit): CalendarVisit => ({ ...visit, ...daysOf(visit, clock) }),
    )
    const page: CalendarPage = {
      view,
      date,
      days: shownDays(first, days, all),
      visits: all.sort((a, b) => Number(b.allDay) - Number(a.allDay) || +a.from - +b.from || (a.id < b.id ? -1 : 1)),
      unplanned,
      setup,
      isCut: visits.length === maxVisits,
    }
    return request.render(calendarView(request, page))
  })
  addVisitRoutes(router)
  addVisitActs(router)
}

/** What agreements plan from today on; what was planned in the past and never made is nowhere. */
async function loadPlanned(
  request: DeskRequest,
  first: string,
  days: number,
): Promise<(Visit & Pick<CalendarVisit, 'plannedBy'>)[]> {
  const { orgId, database, timeZone, clock, may } = request
  const last = addDays(first, days)
  if (last <= clock.today || !may('recurring-schedules:read')) return []
  const from = startOfDay(first < clock.today ? clock.today : first, timeZone)
  const to = startOfDay(last, timeZone)
  const rows = await database.read<Parameters<typeof plannedBetween>[0][number]>(
    orgId,
    selectPlanned(orgId, from, to),
    'custom-plan',
  )
  return plannedBetween(rows, from, to).map(({ scheduleId, index, technician, ...visit }) => ({
    ...visit,
    id: `${scheduleId}-${index}`,
    plannedBy: scheduleId,
    assignee: technician,
    allDay: false,
    ticketId: null,
    number: null,
    isClosed: false,
    isRecurring: true,
  }))
}

/** What ends at midnight is not there the day after. */
const daysOf = ({ from, to }: Visit, clock: Clock) => ({
  firstDay: clock.date(from),
  lastDay: clock.date(new Date(Math.max(+from, +to - 1))),
})

/** Monday to Friday always, and of the rest every day that has something. */
const shownDays = (first: string, days: number, visits: readonly CalendarVisit[]): string[] =>
  Array.from({ length: days }, (_, index) => addDays(first, index)).filter(
    (day, index) => index < 5 || visits.some((visit) => isOn(visit, day)),
  )

/** By statuses that are named, so that the few open jobs are found among all there ever were. */
const selectUnplanned = (orgId: string, statuses: readonly Status[]): Sql => {
  const open = statuses.filter(({ stage }) => stage !== 'closed').map(({ id }) => id)
  return sql`
    select ticket.id, ticket.ticket_number as number, coalesce(ticket.service_required, 'Job without a title') as title,
      ticket.customer_name as customer, ticket.priority, ticket.assigned_technician as technician,
      count(*) over ()::int as count
    from tickets ticket
    where ticket.org_id = ${orgId} and ticket.status_id = any(${open}::text[])
      and ticket.closed_at is null and ticket.scheduled_from is null
    order by array_position(array['urgent', 'high', 'normal', 'low'], ticket.priority), ticket.created_at, ticket.id
    limit ${maxUnplanned}::int`
}
