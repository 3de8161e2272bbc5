// A visit's own page, a new one, and the page that asks before one is taken off the calendar.
import type { FastifyReply } from 'fastify'
import { sql } from '../db/database.ts'
import { hourMs } from '../domain/durations.ts'
import { isCalendarDay, isClockTime, toMoment } from '../domain/wall-clock.ts'
import type { Refusal } from './perform.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { loadSetup } from './shop-setup.ts'
import { typedWhen, whenFieldsOf } from './visit-fields.ts'
import { findVisit } from './visit-lookup.ts'
import { type NewVisit, newVisitView, type VisitForm, visitView } from './visit-view.ts'

export function addVisitRoutes(router: DeskRouter): void {
  router.get('/calendar/new', ['calendar:write'], (request) => renderNewVisit(request))
  router.get('/calendar/:event', ['calendar:read'], (request) => renderVisit(request))
  router.get('/calendar/:event/delete', ['calendar:delete'], (request) => renderVisit(request, { form: 'delete' }))
}

export interface VisitAnswer {
  readonly refusal?: Refusal
  /** The form that was sent, or is asked about. */
  readonly form?: VisitForm
}

export async function renderVisit(request: DeskRequest, { refusal, form }: VisitAnswer = {}): Promise<FastifyReply> {
  const [{ visit, version }, setup] = await Promise.all([findVisit(request), loadSetup(request)])
  const current = whenFieldsOf(visit, visit.assignee, request.timeZone)
  const isTyped = refusal !== undefined
  return request.render(
    visitView(request, {
      visit,
      version,
      setup,
      form,
      refusal,
      when: isTyped && form === 'move' ? typedWhen(request.form) : current,
      details: isTyped && form === 'details' ? Object.fromEntries(request.form) : visit,
      reason: request.form.get('reason') ?? '',
    }),
  )
}

export async function renderNewVisit(request: DeskRequest, refusal?: Refusal): Promise<FastifyReply> {
  const { orgId, database, form, query, clock, timeZone } = request
  const jobId = form.get('job') ?? query.job
  const [setup, [job]] = await Promise.all([
    loadSetup(request),
    jobId
      ? database.read<NonNullable<NewVisit['job']>>(
          orgId,
          sql`select id, ticket_number as number, coalesce(service_required, 'Job without a title') as title,
              assigned_technician as technician from tickets where org_id = ${orgId} and id = ${jobId}`,
        )
      : Promise.resolve([]),
  ])
  const day = isCalendarDay(query.day) ? query.day : clock.today
  const from = toMoment(day, isClockTime(query.time) ? query.time : '09:00', timeZone)
  const times = { from, to: new Date(+from + hourMs), allDay: false }
  const who = query.who ?? job?.technician ?? request.caller.onlyJobsOf ?? null
  const typed = (name: string) => form.get(name) ?? ''
  return request.render(
    newVisitView(request, {
      job,
      setup,
      refusal,
      when: refusal ? withUntilDay(typedWhen(form)) : whenFieldsOf(times, who, timeZone),
      details: { title: typed('title'), location: typed('location'), notes: typed('notes') },
    }),
  )
}

/** The small form of the calendar has one day for both. */
const withUntilDay = (when: ReturnType<typeof typedWhen>) => ({ ...when, untilDay: when.untilDay || when.day })
