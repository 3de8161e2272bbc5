// The page of one visit of an agreement, which asks whether a change is for this visit or for all later ones too.
import { minuteMs } from '../domain/durations.ts'
import { addDays, wallOf } from '../domain/wall-clock.ts'
import { html } from '../http/html.ts'
import type { StoredVisit } from '../resources/recurring/visits.ts'
import { type AgreementPage, seriesOf, shapeText } from './agreement-data.ts'
import { pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import type { Refusal } from './perform.ts'
import type { DeskRequest } from './router.ts'

export interface AgreementVisit extends AgreementPage {
  readonly visit: StoredVisit
}

export interface VisitWindow {
  readonly from: Date
  readonly to: Date
}

/** Whether the series can go on from it in another shape. */
export const isReshapeable = ({ record, visit }: AgreementVisit): boolean =>
  record.status !== 'ended' && (visit.status === 'planned' || visit.status === 'generated')

export function agreementVisitView(request: DeskRequest, page: AgreementVisit, refusal?: Refusal): View {
  const { href, csrfField, form } = request
  const { record, name, clock, visit } = page
  const { from, to, ticketId } = visit
  const wall = wallOf(from, record.timeZone)
  const path = `/recurring/${record.id}`
  const typed = (field: string, usual: string) => form.get(field) ?? usual
  const isLater = form.get('which') === 'later'
  const isOpen = visit.status === 'planned' || visit.status === 'generated'
  const shape = shapeText(seriesOf(record))
  const when = `${clock.longDay(from)} ${wall.day.slice(0, 4)}, ${clock.span(from, to)}`
  const through = addDays(wall.day, 1)
  const choice = (value: string, words: string) =>
    html`<label class="choice"><input type="radio" name="which" value="${value}"${(value === 'later') === isLater && html` checked`}>${words}</label>`
  const change = html`<form class="card pad stack" method="post" action="${href(`${path}/visits/${visit.index}`)}"><h2>Move it, or change how long it takes</h2>${csrfField}<input type="hidden" name="was" value="${`${from.toISOString()}/${to.toISOString()}`}"><input type="hidden" name="was.shape" value="${shape}">
<div class="row wrap"><label class="field"><span>Day</span><input type="date" name="day" value="${typed('day', wall.day)}" required></label><label class="field"><span>Time</span><input type="time" name="time" value="${typed('time', wall.time)}" required></label><label class="field"><span>Minutes</span><input class="short" name="minutes" inputmode="numeric" value="${typed('minutes', String(Math.round((+to - +from) / minuteMs)))}" required></label></div>
<fieldset class="stack-tight"><legend class="soft small">Which visits?</legend>${choice('this', 'Only this visit')}${choice('later', 'This and all later ones')}</fieldset>
<div class="row"><button class="btn main">Save</button><a class="btn quiet" href="${href(path)}">Cancel</a></div></form>`
  const makeJob =
    visit.status === 'planned' &&
    record.status === 'active' &&
    html`<form class="card pad stack" method="post" action="${href(`${path}/generate`)}"><h2>It has no job yet</h2>${csrfField}<input type="hidden" name="through" value="${through}"><p class="soft">Its job is made by itself ${record.horizonDays} days ahead. To move this visit alone, have it made now, with those before it.</p><div class="row"><button class="btn">Make the jobs until then</button></div></form>`
  const skip = html`<form class="card pad stack" method="post" action="${href(`${path}/visits/${visit.index}/skip`)}"><h2>Skip it</h2>${csrfField}<p class="soft">The agreement goes on without this visit, and its job is deleted unless somebody has begun it. It cannot be taken back.</p><label class="field"><span>Why, if you like</span><input name="reason" maxlength="500" value="${form.get('reason') ?? ''}"></label><div class="row"><button class="btn danger">Skip this visit</button></div></form>`
  return {
    title: `Visit of ${name}`,
    place: 'recurring',
    ...(refusal && { status: refusal.status }),
    body: html`${pageHead(`Visit of ${name}`, {
      crumbs: [
        [href('/recurring'), 'Agreements'],
        [href(path), name],
      ],
      actions: ticketId && html`<a class="btn" href="${href(`/jobs/${ticketId}`)}">Open the job</a>`,
    })}
<div class="stack narrow"><p><strong>${when}</strong>${visit.isMoved && html` <span class="soft">moved from ${clock.longDay(visit.originalFrom)}</span>`}</p>${refusal && html`<p class="note danger" role="alert">${icon('warning')}<span>${refusal.message}</span></p>`}${isOpen ? html`${change}${makeJob}${skip}` : html`<p class="soft">It does not take place.</p>`}</div>`,
  }
}
