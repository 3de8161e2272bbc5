// A week: a row for each who has something, a column for each day, cards in the order of time.
import { type Html, html } from '../http/html.ts'
import { calendarCard, isOn } from './calendar-cards.ts'
import { type CalendarPage, calendarPath } from './calendar-page.ts'
import { hoursBooked, type Lane, lanesOf } from './day-visits.ts'
import { icon } from './icons.ts'
import { avatarOrNobody } from './marks.ts'
import type { DeskRequest } from './router.ts'
import { maxWeekRows } from './week-rows.ts'

/** Mon 16 Nov: the year stands in the head of the page. */
const dayName = ({ clock }: DeskRequest, day: string): string => {
  const [weekday, number, month] = clock.longDay(new Date(`${day}T12:00:00Z`)).split(' ') as [string, string, string]
  return `${weekday.slice(0, 3)} ${number} ${month.slice(0, 3)}`
}

const rowName = ({ person, visits }: Lane): Html =>
  html`<span class="name" id="w-${person?.id ?? 'nobody'}">${avatarOrNobody(person)}<span>${person?.firstName ?? 'Nobody'}${visits.some(({ ticketId, allDay }) => ticketId && !allDay) && html`<small>${hoursBooked(visits)}</small>`}</span></span>`

function cell(
  request: DeskRequest,
  { person, visits }: Lane<CalendarPage['visits'][number]>,
  day: string,
  dayWords: string,
): Html {
  const { clock, href, may } = request
  const name = person?.firstName ?? 'Nobody'
  const here = visits.filter((visit) => isOn(visit, day))
  const newJob = href(`/jobs/new?day=${day}${person ? `&who=${person.id}` : ''}`)
  return html`<ol class="${day === clock.today ? 'cell today' : 'cell'}" id="cell-${person?.id ?? 'nobody'}-${day}" data-name="${name}" data-drop="${person?.id ?? ''}" data-day="${day}" aria-label="${name}, ${dayWords}">${here.map((visit) => calendarCard(request, visit, day))}${may('tickets:write') && html`<li><a class="add" href="${newJob}" aria-label="New job for ${name} on ${dayWords}">${icon('plus')}</a></li>`}</ol>`
}

export function weekGrid(request: DeskRequest, { days, visits, setup, date }: CalendarPage): Html {
  const { clock, href } = request
  const everybody = lanesOf(visits, setup.people, { withNobody: true })
  const lanes = everybody.slice(-maxWeekRows)
  const day = (one: string) => {
    const words = dayName(request, one)
    const isToday = one === clock.today
    return html`<section id="day-${one}"><h2${isToday && html` class="today"`}><a href="${href(calendarPath('day', one))}"${isToday && html` aria-current="date"`}>${words}</a></h2>${lanes.map((lane) => cell(request, lane, one, words))}${!visits.some((visit) => isOn(visit, one)) && html`<p class="free">Nothing yet</p>`}</section>`
  }
  return html`${everybody.length > lanes.length && html`<p class="note">A week has room for ${maxWeekRows} people. Look at a single day for all ${everybody.length}.</p>`}<div class="card week rows${lanes.length}" id="week-${date}"><div id="week-names"><span class="name"></span>${lanes.map(rowName)}</div>${days.map(day)}</div>`
}
