// A day: a lane for each, on the quarters of its hours.
import { type Html, html } from '../http/html.ts'
import { calendarCard } from './calendar-cards.ts'
import type { CalendarPage } from './calendar-page.ts'
import { laneName, lanesOf, nowLine, placeOf, ruler, spanOf } from './day-visits.ts'
import type { DeskRequest } from './router.ts'

export function dayLanes(request: DeskRequest, { date, visits, setup }: CalendarPage): Html {
  const { clock, timeZone, may } = request
  const span = spanOf(visits, date, clock, timeZone)
  const hint =
    may('calendar:write') &&
    html` Drag a visit to move it, its right edge to change its length, an empty stretch to make one.`
  return html`<section class="card lanes day" id="lanes-${date}" aria-label="Lanes"><p class="hint small soft">Times are ${timeZone}.<span class="desktop">${hint}</span></p>${ruler(span)}${lanesOf(
    visits,
    setup.people,
    { withNobody: true },
  ).map((lane) => {
    const id = lane.person?.id ?? 'nobody'
    return html`<div class="lane" id="lane-${id}">${laneName(lane)}<ol class="track h${span.hours}" id="track-${id}" data-drop="${lane.person?.id ?? ''}" data-day="${date}" data-first="${span.firstHour * 4}" data-quarters="${span.hours * 4}" aria-label="${lane.person?.firstName ?? 'Nobody'}">${date === clock.today && nowLine(request, span)}${lane.visits.map((visit) => calendarCard(request, visit, date, placeOf(visit, date, span, clock, timeZone)))}</ol></div>`
  })}</section>`
}
