// A page of a schedule's visits: those with a row and those that are only planned, in the order of their numbers.
import { sql } from '../../db/database.ts'
import { dayMs, minuteMs } from '../../domain/durations.ts'
import { type PlannedVisit, plannedVisits, planningLimit, visitAt } from '../../domain/visits.ts'
import { badRequest, notFound } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { withMoments } from './one-occurrence.ts'
import { type ScheduleWithPlan, scheduleColumns, withPlan } from './schedule-plan.ts'
import { asStoredVisit, type StoredVisit, toOccurrence, visitColumns } from './visits.ts'

interface Query {
  readonly limit?: number | undefined
  readonly startAfter?: string | undefined
  readonly from?: string | undefined
  readonly to?: string | undefined
}

interface PageRow {
  /** Rows of the page, as JSON has them. */
  readonly stored: StoredVisit[]
  readonly takenIndexes: number[]
  readonly takenSlots: Date[]
  readonly isStored: boolean
}

const maxPerPage = 100
const maxDays = 366
const cursorPattern = /^\d{1,6}$/

export function selectOccurrencePage(ctx: Context, scheduleId: string, query: Query): Statement<object> {
  const { limit = 50, startAfter, from, to } = query
  const size = Math.min(limit, maxPerPage)
  const isCursorValid = startAfter === undefined || cursorPattern.test(startAfter)
  const cursor = startAfter !== undefined && isCursorValid ? Number(startAfter) : -1
  const visits = sql`recurring_occurrences visit where visit.org_id = recurring_schedules.org_id and visit.schedule_id = recurring_schedules.id`
  return statement(
    sql`select ${scheduleColumns},
          array(select visit.index from ${visits} and original_from >= planned_from) as "takenIndexes",
          array(select original_from from ${visits} and original_from >= planned_from and visit.status <> 'cancelled') as "takenSlots",
          exists (select from ${visits} and visit.index = ${cursor}) as "isStored",
          (select coalesce(json_agg(page), '[]') from (
            select ${visitColumns} from ${visits} and visit.index > ${cursor}
              and (${from ?? null}::timestamptz is null or visit.ends_at > ${from ?? null})
              and (${to ?? null}::timestamptz is null or visit.starts_at < ${to ?? null})
            order by visit.index limit ${size + 1}::int) page) as stored
        from recurring_schedules where org_id = ${ctx.orgId} and id = ${scheduleId}`,
    ([row]: (Parameters<typeof withPlan>[0] & PageRow)[]) => {
      if (!row) throw notFound('recurring schedule')
      const schedule = withPlan(row)
      const window = windowOf(schedule, from, to)
      const isKnown = cursor < 0 || row.isStored || visitAt(schedule.plan, cursor, schedule.now) !== undefined
      if (!isCursorValid || !isKnown) throw badRequest('startAfter is not a known cursor')
      const planned = plannedIn(schedule, row, { ...window, cursor, maxVisits: size + 1 })
      const merged = [...row.stored.map(withMoments), ...planned.map(asStoredVisit)].sort((a, b) => a.index - b.index)
      const page = merged.slice(0, size)
      const hasMore = merged.length > size
      const nextCursor = hasMore ? String(page.at(-1)!.index) : null
      return { occurrences: page.map(toOccurrence), pagination: { limit: size, hasMore, nextCursor } }
    },
  )
}

/** From when to when planned visits are shown. */
function windowOf({ now, plan }: ScheduleWithPlan, from: string | undefined, to: string | undefined) {
  const begin = from ? Date.parse(from) : plan.plannedFrom.getTime()
  if (from && begin > planningLimit(now).getTime()) throw badRequest('from must be at most 10 years ahead')
  const latest = (from ? begin : now.getTime()) + maxDays * dayMs
  const end = to ? Date.parse(to) : latest
  if (from && to && end <= begin) throw badRequest('to must be after from')
  if (end > latest) throw badRequest(`to must be at most ${maxDays} days after ${from ? 'from' : 'now'}`)
  return { begin, end }
}

interface Window {
  readonly begin: number
  readonly end: number
  readonly cursor: number
  readonly maxVisits: number
}

function plannedIn(
  schedule: ScheduleWithPlan,
  row: PageRow,
  { begin, end, cursor, maxVisits }: Window,
): PlannedVisit[] {
  if (schedule.status === 'ended') return []
  const taken = {
    indexes: new Set(row.takenIndexes),
    slots: new Set(row.takenSlots.map((slot) => slot.getTime())),
  }
  const visits: PlannedVisit[] = []
  const durationMs = schedule.durationMinutes * minuteMs
  for (const visit of plannedVisits(schedule.plan, taken, begin - durationMs + 1)) {
    if (visit.from.getTime() >= end || visits.length >= maxVisits) break
    if (visit.index > cursor) visits.push(visit)
  }
  return visits
}
