// What is done to visits: moved, made longer, handed on, described, planned, taken off. By forms, and by hand on the calendar.
import { sql } from '../db/database.ts'
import { hourMs } from '../domain/durations.ts'
import { changedTimes, type VisitTimes } from '../domain/visit-times.ts'
import { isDate, toMoment, wallOf } from '../domain/wall-clock.ts'
import { calendarPath } from './calendar-page.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { renderNewVisit, renderVisit } from './visit.ts'
import { readTimes, wordVisit } from './visit-fields.ts'
import { findVisit, moveAct, nameOf, refused, refuseStale, type VisitRecord } from './visit-lookup.ts'

export function addVisitActs(router: DeskRouter): void {
  router.post('/calendar/:event/move', ['calendar:write'], async (request) => {
    const { form, timeZone } = request
    const { visit, version } = await findVisit(request)
    const asked = askedTimes(request, visit)
    const assignee = form.has('who') ? form.get('who') || null : visit.assignee
    const act = typeof asked === 'string' ? undefined : moveAct(request, visit, asked, assignee, version)
    const performed =
      typeof asked === 'string'
        ? refused(asked)
        : (refuseStale(form.get('version'), version) ??
          (act ? wordVisit(await request.perform(act)) : { isDone: true as const, data: {}, version }))
    const times = typeof asked === 'string' ? visit : asked
    return request.answer(performed, {
      to: calendarPath('day', wallOf(times.from, timeZone).day),
      done: 'saved',
      more: {
        ids: [visit.id, visit.ticketId].filter(Boolean),
        words: wordsFor(request, times),
        isChanged: act !== undefined,
        was: {
          from: visit.from.toISOString(),
          to: visit.to.toISOString(),
          allDay: visit.allDay,
          who: visit.assignee ?? '',
        },
      },
      refused: (refusal) => renderVisit(request, { refusal, form: 'move' }),
    })
  })

  router.post('/calendar/:event', ['calendar:write'], async (request) => {
    const { visit, version } = await findVisit(request)
    const body = changedDetails(request.form, visit)
    const stale = refuseStale(request.form.get('version'), version)
    const performed =
      stale ??
      (Object.keys(body).length === 0
        ? { isDone: true as const, data: {}, version }
        : wordVisit(
            await request.perform({
              operation: 'updateCalendarEvent',
              params: { eventId: visit.id },
              body,
              version,
              subject: nameOf(visit),
            }),
          ))
    return request.answer(performed, {
      to: `/calendar/${visit.id}`,
      done: 'saved',
      more: { ids: [visit.id] },
      refused: (refusal) => renderVisit(request, { refusal, form: 'details' }),
    })
  })

  router.post('/calendar/:event/delete', ['calendar:delete'], async (request) => {
    const { visit, version } = await findVisit(request)
    const back = calendarPath('day', wallOf(visit.from, request.timeZone).day)
    const subject = nameOf(visit)
    const reason = request.form.get('reason')?.trim() || undefined
    const performed =
      refuseStale(request.form.get('version'), version) ??
      wordVisit(
        await request.perform(
          visit.scheduleId === null
            ? { operation: 'deleteCalendarEvent', params: { eventId: visit.id }, version, subject }
            : {
                operation: 'skipOccurrence',
                params: { scheduleId: visit.scheduleId, index: String(visit.index) },
                body: reason === undefined ? {} : { reason },
                subject,
              },
        ),
      )
    return request.answer(performed, {
      to: back,
      done: 'deleted',
      more: { ids: [visit.id] },
      refused: (refusal) => renderVisit(request, { refusal, form: 'delete' }),
    })
  })

  addPlanningActs(router)
}

function addPlanningActs(router: DeskRouter): void {
  router.post('/calendar', ['calendar:write'], async (request) => {
    const { form, timeZone } = request
    const said = readTimes(form)
    const day = isDate(form.get('day')) ? form.get('day')! : undefined
    const job = await jobMeant(request)
    const wrong =
      typeof said === 'string' ? said : !day ? 'Begins: choose a day.' : typeof job === 'string' ? job : undefined
    if (wrong !== undefined || typeof said === 'string' || typeof job === 'string')
      return request.answer(refused(wrong!), {
        to: '/calendar',
        refused: (refusal) => renderNewVisit(request, refusal),
      })
    const nine = toMoment(day!, '09:00', timeZone)
    const times = changedTimes({ from: nine, to: new Date(+nine + hourMs), allDay: false }, said, timeZone)
    const text = (name: string) => form.get(name)?.trim() || undefined
    const body = {
      from: times.from.toISOString(),
      to: times.to.toISOString(),
      allDay: times.allDay,
      assignedToId: text('who'),
      location: text('location'),
      notes: text('notes'),
      ...(job ? { ticketId: job.id } : { title: text('title') }),
    }
    const performed = wordVisit(
      await request.perform<{ id: string }>({
        operation: 'createCalendarEvent',
        body,
        subject: job ? `visit of job #${job.number}` : `visit “${text('title') ?? ''}”`,
      }),
    )
    const id = performed.isDone ? performed.data.id : undefined
    return request.answer(performed, {
      to: calendarPath('day', wallOf(times.from, timeZone).day),
      done: 'saved',
      more: {
        ids: [id, job?.id].filter(Boolean),
        id,
        words: wordsFor(request, times),
        mayUndo: job !== undefined || request.may('calendar:delete'),
        was: { who: job?.technician ?? '' },
      },
      refused: (refusal) => renderNewVisit(request, refusal),
    })
  })

  /** The reverse of planning: the job goes back among those without a time, and what was no job is gone. */
  router.post('/calendar/:event/unplan', ['calendar:write'], async (request) => {
    const { visit } = await findVisit(request)
    const who = request.form.get('who') || null
    const performed = await request.perform(
      visit.ticketId === null
        ? { operation: 'deleteCalendarEvent', params: { eventId: visit.id }, subject: nameOf(visit) }
        : {
            operation: 'updateTicket',
            params: { ticketId: visit.ticketId },
            body: {
              scheduledFrom: null,
              scheduledTo: null,
              ...(who !== visit.assignee && { assignedTechnician: who }),
            },
            subject: nameOf(visit),
          },
    )
    return request.answer(performed, { to: '/calendar', more: { ids: [visit.id, visit.ticketId].filter(Boolean) } })
  })
}

/** Undo says the very moments that were; everybody else means clocks on the wall. */
function askedTimes({ form, timeZone }: DeskRequest, visit: VisitRecord): VisitTimes | string {
  const [from, to] = [form.get('from'), form.get('to')].map((value) => new Date(value ?? Number.NaN))
  if (!Number.isNaN(+from!) && !Number.isNaN(+to!))
    return { from: from!, to: to!, allDay: form.get('allDay') === 'true' }
  const said = readTimes(form)
  return typeof said === 'string' ? said : changedTimes(visit, said, timeZone)
}

const wordsFor = ({ clock }: DeskRequest, { from, to, allDay }: VisitTimes): string =>
  allDay ? clock.longDay(from) : `${clock.longDay(from)}, ${clock.span(from, to)}`

/** Only what somebody changed is sent. Empty means none; what is no job needs a name. */
function changedDetails(form: URLSearchParams, visit: VisitRecord): Record<string, string | null> {
  const changed: Record<string, string | null> = {}
  for (const name of ['title', 'location', 'notes'] as const) {
    const given = form.get(name)
    if (given === null) continue
    const value = given.trim().replaceAll('\r\n', '\n')
    if (value !== (visit[name] ?? '')) changed[name] = name === 'title' ? value : value || null
  }
  return changed
}

interface MeantJob {
  readonly id: string
  readonly number: number
  readonly technician: string | null
}

/** The job that is planned: by its id, or by its number in place of a title. */
async function jobMeant({ orgId, database, form }: DeskRequest): Promise<MeantJob | undefined | string> {
  const id = form.get('job')
  const [, digits] = /^\s*#?(\d{1,9})\s*$/.exec(form.get('title') ?? '') ?? []
  if (!id && digits === undefined) return undefined
  const [job] = await database.read<MeantJob>(
    orgId,
    sql`select id, ticket_number as number, assigned_technician as technician from tickets
      where org_id = ${orgId} and ${id ? sql`id = ${id}` : sql`ticket_number = ${Number(digits)}::int`}`,
  )
  return job ?? (id ? 'The job is no longer there.' : `What it is: there is no job #${digits}.`)
}
