// The page of the calendar: its head, the week or the day, and what is to be planned.

import { mayWriteJob } from '../domain/roles.ts'
import { addDays, startOfWeek } from '../domain/wall-clock.ts'
import { type Html, html } from '../http/html.ts'
import { dayLanes } from './calendar-day-view.ts'
import { type CalendarPage, calendarPath, type UnplannedJob } from './calendar-page.ts'
import { weekGrid } from './calendar-week-view.ts'
import { pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import { avatarOrNobody, priorityChip } from './marks.ts'
import type { DeskRequest } from './router.ts'
import { personOptions } from './visit-fields.ts'

/** Noon of the day, which is that day in every zone. */
const noonOf = (date: string) => new Date(`${date}T12:00:00Z`)

function titleOf({ clock }: DeskRequest, { view, date }: CalendarPage): string {
  if (view === 'day')
    return `${clock.longDay(noonOf(date))}${date.slice(0, 4) === clock.today.slice(0, 4) ? '' : ` ${date.slice(0, 4)}`}`
  const monday = startOfWeek(date)
  const last = clock.shortDay(noonOf(addDays(monday, 6)))
  return `${clock.shortDay(noonOf(monday)).replace(` ${last.slice(-4)}`, '')} – ${last}`
}

/** Before, after, today, any day: plain addresses, so that a link can be sent and Back works. */
function steps({ href, clock }: DeskRequest, { view, date }: CalendarPage): Html {
  const word = view === 'day' ? 'Day' : 'Week'
  const step = (days: number) => href(calendarPath(view, addDays(date, days)))
  const length = view === 'day' ? 1 : 7
  return html`<a class="btn quiet icon" href="${step(-length)}" aria-label="${word} before">${icon('left')}</a><a class="btn quiet icon" href="${step(length)}" aria-label="${word} after">${icon('right')}</a><a class="btn quiet" href="${href(calendarPath(view, clock.today))}">Today</a><form class="row go-to" action="${href('/calendar')}"><input type="hidden" name="view" value="${view}"><label><span class="sr">Go to</span><input type="date" name="date" value="${date}" required data-submit></label><noscript><button class="btn">Go</button></noscript></form>`
}

const viewSwitch = ({ href }: DeskRequest, { view, date }: CalendarPage): Html =>
  html`<div class="seg" role="group" aria-label="How much is shown">${(['week', 'day'] as const).map((one) => html`<a href="${href(calendarPath(one, date))}"${one === view && html` aria-current="true"`}>${one === 'week' ? 'Week' : 'Day'}</a>`)}</div>`

function toBePlanned(request: DeskRequest, { unplanned, date, setup }: CalendarPage): Html | false {
  const { href, may, caller } = request
  const total = unplanned[0]?.count ?? 0
  const row = (job: UnplannedJob) => {
    const isMine = may('calendar:write') && mayWriteJob(caller.onlyJobsOf, job.technician)
    const plan = href(`/calendar/new?job=${job.id}&day=${date}`)
    return html`<li id="p-${job.id}" data-plan="${job.id}"${isMine && html` data-movable`}><div class="line"><span class="id">#${job.number}</span><a class="grow cut" href="${href(`/jobs/${job.id}`)}">${job.title}</a>${priorityChip(job.priority)}<span class="cut soft desktop">${job.customer}</span>${avatarOrNobody(job.technician === null ? null : setup.personById.get(job.technician))}${isMine && html`<a class="btn" href="${plan}" aria-label="Plan #${job.number}">Plan</a>`}</div></li>`
  }
  return (
    total > 0 &&
    html`<section class="card" id="to-be-planned" aria-label="To be planned"><header><h2>To be planned</h2><span class="n">${total}</span><span class="more desktop">Drag one onto the calendar</span></header><ul class="list">${unplanned.map(row)}</ul>${total > unplanned.length && html`<p class="small soft pad">${total - unplanned.length} more are on the board.</p>`}</section>`
  )
}

/** Opened by a stretch that somebody drew; the page New visit is the same without scripts. */
const maker = ({ href, csrfField, onceField, caller }: DeskRequest, { setup }: CalendarPage): Html =>
  html`<dialog id="maker" aria-label="New visit"><form method="post" action="${href('/calendar')}">${csrfField}${onceField}<h2>New visit</h2><input type="hidden" name="day"><label class="field"><span>What</span><input name="title" placeholder="Job number, or what it is" maxlength="200" required autocomplete="off"></label><div class="row wrap"><label class="field grow"><span>From</span><input name="time" type="time" step="900" required></label><label class="field grow"><span>Until</span><input name="until" type="time" step="900" required></label><label class="field grow"><span>Who</span><select name="who">${personOptions(caller, setup, null)}</select></label></div><p class="danger small" role="alert" data-reason></p><p class="row"><button class="btn quiet" type="button" data-close>Cancel</button><button class="btn main">Add visit</button></p></form></dialog>`

/** On a phone only the sign, so that the head is two rows and no more. */
const newVisit = (address: string): Html =>
  html`<a class="btn main" href="${address}" aria-label="New visit">${icon('plus')}<span class="desktop">New visit</span></a>`

export function calendarView(request: DeskRequest, page: CalendarPage): View {
  const { href, may } = request
  const isMaking = may('calendar:write')
  return {
    title: page.view === 'day' ? 'Calendar, day' : 'Calendar, week',
    place: 'calendar',
    body: html`${pageHead(titleOf(request, page), {
      beside: steps(request, page),
      actions: html`${viewSwitch(request, page)}${isMaking && newVisit(href(`/calendar/new?day=${page.date}`))}`,
    })}
${page.isCut && html`<p class="note">There is more than the calendar can show at once. Look at a single day.</p>`}
<desk-calendar class="stack" id="calendar" data-live="calendar-events tickets members recurring-schedules">${page.view === 'day' ? dayLanes(request, page) : weekGrid(request, page)}${toBePlanned(request, page)}</desk-calendar>
${isMaking && maker(request, page)}`,
  }
}
