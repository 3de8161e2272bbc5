// A visit as the calendar shows it: in a cell of the week, or on the quarters of a day.
import { mayWriteJob } from '../domain/roles.ts'
import { type Html, html } from '../http/html.ts'
import type { Visit } from './day-visits.ts'
import { icon } from './icons.ts'
import type { DeskRequest } from './router.ts'

export interface CalendarVisit extends Visit {
  /** The agreement that it is only planned by: there is no job and no event yet. */
  readonly plannedBy: string | null
  /** The days that it touches, found once: a week asks for them in every cell. */
  readonly firstDay: string
  readonly lastDay: string
}

export const isOn = ({ firstDay, lastDay }: CalendarVisit, day: string): boolean => firstDay <= day && lastDay >= day

/** Technicians move what is theirs or nobody's; what is only planned stays where its agreement has it. */
export const mayMoveVisit = (
  { caller, may }: DeskRequest,
  { plannedBy, assignee }: Pick<CalendarVisit, 'plannedBy' | 'assignee'>,
): boolean => plannedBy === null && may('calendar:write') && mayWriteJob(caller.onlyJobsOf, assignee)

/** Its hours as they are on that day: what began the day before has only an end. */
function hoursOn({ clock }: DeskRequest, visit: CalendarVisit, day: string): string {
  if (visit.allDay) return 'All day'
  if (visit.firstDay < day) return visit.lastDay > day ? 'Goes on' : `Until ${clock.time(visit.to)}`
  return clock.span(visit.from, visit.to)
}

const kindOf = ({ plannedBy, isClosed, ticketId }: CalendarVisit): string =>
  plannedBy !== null ? ' planned' : isClosed ? ' done' : ticketId ? '' : ' plain'

/** `place` are the classes that put it on its quarters; a visit is picked up on the day it begins. */
export function calendarCard(request: DeskRequest, visit: CalendarVisit, day: string, place = ''): Html {
  const { href } = request
  const address = href(visit.plannedBy === null ? `/calendar/${visit.id}` : `/recurring/${visit.plannedBy}`)
  const hours = hoursOn(request, visit, day)
  const isMovable = visit.firstDay === day && mayMoveVisit(request, visit)
  const isStretchable = isMovable && place !== '' && !visit.allDay && visit.lastDay === day
  const repeats =
    visit.isRecurring && html` <span class="again">${icon('repeat')}<span class="sr">of an agreement</span></span>`
  return html`<li class="visit${kindOf(visit)} ${place}" id="v-${visit.id}-${day}" data-visit="${visit.id}"${isMovable && html` data-movable`}><a href="${address}" title="${`${hours} ${visit.title}`}"><span class="t">${hours}${repeats}</span><span class="w">${visit.title}</span>${visit.customer && html`<span class="c cut soft">${visit.customer}</span>`}${visit.plannedBy !== null && html`<span class="sr">planned</span>`}</a>${isStretchable && html`<span class="edge"></span>`}</li>`
}
