// The pages of a visit.
import { type Html, type HtmlPart, html } from '../http/html.ts'
import { mayMoveVisit } from './calendar-cards.ts'
import { calendarPath } from './calendar-page.ts'
import { mainButton, pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import { chip } from './marks.ts'
import type { Refusal } from './perform.ts'
import type { DeskRequest } from './router.ts'
import type { ShopSetup } from './shop-setup.ts'
import { type WhenFields, whenFields } from './visit-fields.ts'
import type { VisitRecord } from './visit-lookup.ts'

export type VisitForm = 'move' | 'details' | 'delete'

interface Details {
  readonly title?: string | null
  readonly location?: string | null
  readonly notes?: string | null
}

interface VisitPage {
  readonly visit: VisitRecord
  readonly version: string | undefined
  readonly setup: ShopSetup
  readonly form: VisitForm | undefined
  readonly refusal: Refusal | undefined
  readonly when: WhenFields
  readonly details: Details
  readonly reason: string
}

const versionField = (version: string | undefined): Html | false =>
  version !== undefined && html`<input type="hidden" name="version" value="${version}">`

const alert = (words: HtmlPart): Html =>
  html`<p class="note danger" role="alert">${icon('warning')}<span>${words}</span></p>`

const whenWords = ({ clock }: DeskRequest, { from, to, allDay }: VisitRecord): string =>
  allDay ? `${clock.longDay(from)}, all day` : `${clock.longDay(from)}, ${clock.span(from, to)}`

const whoWords = ({ assignee }: VisitRecord, { personById }: ShopSetup): string =>
  assignee === null ? 'nobody' : (personById.get(assignee)?.name ?? 'nobody')

/** Why the form was refused; after somebody else's change, what the visit is now. */
function reasonOf(request: DeskRequest, { visit, setup, refusal, form }: VisitPage): Html {
  if (refusal?.status !== 412) return alert(refusal?.message)
  const now = `${whenWords(request, visit)}, ${whoWords(visit, setup)}`
  if (form === 'delete') return alert(`Somebody changed this visit meanwhile. Now it is: ${now}.`)
  return alert(
    `Somebody changed this visit while you were writing. Now it is: ${now}. What you typed is kept; save again to keep yours.`,
  )
}

const detailFields = (details: Details, theirs: Details | undefined, isJob: boolean): Html => {
  const other = (name: keyof Details) =>
    theirs &&
    (theirs[name] ?? '') !== (details[name] ?? '') &&
    html`<small class="warn">Now it is: ${theirs[name] || 'empty'}</small>`
  return html`${!isJob && html`<label class="field"><span>What</span><input name="title" value="${details.title}" maxlength="200" required>${other('title')}</label>`}<label class="field"><span>Place</span><input name="location" value="${details.location}" maxlength="500">${other('location')}</label><label class="field"><span>Note</span><textarea name="notes" rows="3" maxlength="5000">${details.notes}</textarea>${other('notes')}</label>`
}

function forms(request: DeskRequest, page: VisitPage): Html {
  const { href, csrfField, caller, may } = request
  const { visit, version, setup, form, refusal, when, details } = page
  const path = href(`/calendar/${visit.id}`)
  const theirs = refusal?.status === 412 && form === 'details' ? visit : undefined
  return html`<form class="card pad stack" method="post" action="${`${path}/move`}" id="move"><h2>When and who</h2>${refusal && form === 'move' && reasonOf(request, page)}${csrfField}${versionField(version)}${whenFields(caller, setup, when)}<div class="row"><button class="${visit.ticketId === null ? 'btn main' : 'btn'}">Save</button></div></form>
<form class="card pad stack" method="post" action="${path}" id="details"><h2>Details</h2>${refusal && form === 'details' && reasonOf(request, page)}${csrfField}${versionField(version)}${detailFields(details, theirs, visit.ticketId !== null)}<div class="row"><button class="btn">Save</button></div></form>
${may('calendar:delete') && html`<p><a class="btn quiet" href="${`${path}/delete`}">${visit.scheduleId === null ? 'Take it off the calendar' : 'Skip this visit'}</a></p>`}`
}

/** What it does is said before it is done. */
function question(request: DeskRequest, page: VisitPage): Html {
  const { href, csrfField } = request
  const { visit, version, refusal, reason } = page
  const path = href(`/calendar/${visit.id}`)
  const consequence =
    visit.scheduleId !== null
      ? 'The agreement goes on without this visit, and its job is deleted unless somebody has begun it.'
      : visit.ticketId !== null
        ? `Job #${visit.number} stays, and is among those to be planned.`
        : 'It is gone for good.'
  return html`<form class="card pad stack" method="post" action="${`${path}/delete`}" id="delete">${refusal && reasonOf(request, page)}${csrfField}${versionField(version)}<p><strong>${visit.scheduleId === null ? 'Take this visit off the calendar?' : 'Skip this visit?'}</strong> ${consequence}</p>${visit.scheduleId !== null && html`<label class="field"><span>Why, if you like</span><input name="reason" value="${reason}" maxlength="500"></label>`}<div class="row"><button class="btn main">${visit.scheduleId === null ? 'Take it off' : 'Skip it'}</button><a class="btn quiet" href="${path}">Keep it</a></div></form>`
}

export function visitView(request: DeskRequest, page: VisitPage): View {
  const { href, clock } = request
  const { visit, setup, form, refusal } = page
  const day = clock.date(visit.from)
  const mayChange = mayMoveVisit(request, { ...visit, plannedBy: null })
  const facts = html`<dl class="props card">${visit.customer && html`<dt>Customer</dt><dd>${visit.customer}</dd>`}<dt>When</dt><dd>${whenWords(request, visit)}</dd><dt>Who</dt><dd>${whoWords(visit, setup)}</dd>${!mayChange && visit.location && html`<dt>Place</dt><dd class="pre">${visit.location}</dd>`}${!mayChange && visit.notes && html`<dt>Note</dt><dd class="pre">${visit.notes}</dd>`}${visit.scheduleId && html`<dt>Agreement</dt><dd><a class="link" href="${href(`/recurring/${visit.scheduleId}`)}">It is one visit of several</a>${mayChange && request.may('recurring-schedules:write') && html`, <a class="link" href="${href(`/recurring/${visit.scheduleId}/visits/${visit.index}`)}">change this and all later ones</a>`}</dd>`}</dl>`
  return {
    title: visit.title,
    place: 'calendar',
    ...(refusal && { status: refusal.status }),
    body: html`${pageHead(visit.title, {
      crumbs: [[href(calendarPath('day', day)), 'Calendar']],
      beside: visit.scheduleId !== null && chip(html`${icon('repeat')}Agreement`),
      actions: visit.ticketId !== null && mainButton(href(`/jobs/${visit.ticketId}`), `Open job #${visit.number}`),
    })}
<div class="stack narrow">${facts}${mayChange ? (form === 'delete' ? question(request, page) : forms(request, page)) : html`<p class="soft">It is somebody else’s. Ask a manager to change it.</p>`}</div>`,
  }
}

export interface NewVisit {
  readonly job:
    | { readonly id: string; readonly number: number; readonly title: string; readonly technician: string | null }
    | undefined
  readonly setup: ShopSetup
  readonly refusal: Refusal | undefined
  readonly when: WhenFields
  readonly details: Details
}

export function newVisitView(request: DeskRequest, { job, setup, refusal, when, details }: NewVisit): View {
  const { href, csrfField, onceField, caller } = request
  const back = href(calendarPath('day', when.day || request.clock.today))
  return {
    title: job ? `Plan #${job.number}` : 'New visit',
    place: 'calendar',
    ...(refusal && { status: refusal.status }),
    body: html`${pageHead(job ? html`Plan #${job.number}<small class="under">${job.title}</small>` : 'New visit', { crumbs: [[back, 'Calendar']] })}
<form class="card pad stack narrow" method="post" action="${href('/calendar')}">${refusal && alert(refusal.message)}${csrfField}${onceField}${job ? html`<input type="hidden" name="job" value="${job.id}">` : html`<label class="field"><span>What</span><input name="title" value="${details.title}" placeholder="Job number, or what it is" maxlength="200" required></label>`}
${whenFields(caller, setup, when)}
${detailFields(details, undefined, true)}
<div class="row"><button class="btn main">${job ? 'Plan it' : 'Add visit'}</button><a class="btn quiet" href="${back}">Cancel</a></div></form>`,
  }
}
