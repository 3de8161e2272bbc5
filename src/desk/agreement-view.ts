// The page of an agreement: what it says, its visits, and what can be done with it.
import { seriesWords } from '../domain/series-words.ts'
import { type Html, type HtmlPart, html } from '../http/html.ts'
import type { Occurrence } from '../resources/recurring/record.ts'
import { type AgreementPage, seriesOf } from './agreement-data.ts'
import { durationWords } from './agreement-fields.ts'
import { stateChip } from './agreement-list.ts'
import { count, money } from './formatting.ts'
import { mainButton, pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import { seesPrices } from './job-data.ts'
import { chip, emptyNote } from './marks.ts'
import type { Refusal } from './perform.ts'
import type { DeskRequest } from './router.ts'
import type { ShopSetup } from './shop-setup.ts'

export interface ShownAgreement extends AgreementPage {
  readonly setup: ShopSetup
  readonly visits: readonly Occurrence[]
  /** Whether past visits are shown, in place of those to come. */
  readonly isPast: boolean
  readonly refusal?: Pick<Refusal, 'message' | 'status'> | undefined
}

const alert = (words: HtmlPart): Html =>
  html`<p class="note danger" role="alert">${icon('warning')}<span>${words}</span></p>`

function visitState({ status, isMoved, isResized, skipReason }: Occurrence): HtmlPart {
  if (status === 'skipped') return chip(skipReason ? `Skipped: ${skipReason}` : 'Skipped')
  if (status === 'cancelled') return chip('Cancelled')
  if (isMoved) return chip('Moved', 'warn')
  if (isResized) return chip('Other length', 'warn')
  return status === 'planned' ? chip('Planned') : chip('Job made', 'good')
}

function visitsCard({ href, may }: DeskRequest, { record, clock, visits, isPast }: ShownAgreement): Html {
  const path = `/recurring/${record.id}`
  const row = (visit: Occurrence) => {
    const [from, to] = [new Date(visit.from), new Date(visit.to)]
    const isOpen = visit.status === 'planned' || visit.status === 'generated'
    const when = html`<span class="when">${clock.longDay(from)} ${clock.date(from).slice(0, 4)}</span><span class="num soft">${clock.span(from, to)}</span>`
    const job = visit.ticketId && html`<a class="btn quiet" href="${href(`/jobs/${visit.ticketId}`)}">Job</a>`
    const change =
      isOpen &&
      may('recurring-schedules:write') &&
      html`<a class="btn quiet" href="${href(`${path}/visits/${visit.index}`)}" aria-label="Change the visit on ${clock.longDay(from)}">Change</a>`
    return html`<li id="o-${visit.index}"><div class="line">${when}<span class="grow"></span>${visitState(visit)}<span class="visit-acts">${job}${change}</span></div></li>`
  }
  const other = isPast
    ? html`<a class="more" href="${href(path)}">Visits to come</a>`
    : html`<a class="more" href="${href(`${path}?past=yes`)}">Past visits</a>`
  return html`<section class="card"><header><h2>${isPast ? 'Past visits' : 'Visits to come'}</h2>${other}</header>${
    visits.length > 0
      ? html`<ol class="list visits">${visits.map(row)}</ol>`
      : emptyNote(
          isPast ? 'None yet' : 'None to come',
          isPast ? 'What was visited will stand here.' : 'It has ended, or its rule has no day left.',
        )
  }</section>`
}

function linesCard(request: DeskRequest, { record }: AgreementPage): Html | false {
  const { currency } = request
  const price = (unitPrice: number | undefined) => (unitPrice === undefined ? 'of the day' : money(unitPrice, currency))
  return (
    record.lineItems.length > 0 &&
    html`<section class="card"><header><h2>Sold on each visit</h2></header><table><thead><tr><th scope="col">What</th><th class="r" scope="col">Quantity</th>${seesPrices(request) && html`<th class="r" scope="col">Price</th>`}</tr></thead><tbody>${record.lineItems.map((line) => html`<tr><td>${line.name}</td><td class="r num">${String(line.quantity ?? 1)}</td>${seesPrices(request) && html`<td class="r num">${price(line.unitPrice)}</td>`}</tr>`)}</tbody></table></section>`
  )
}

function factsCard(request: DeskRequest, page: ShownAgreement): Html {
  const { href, timeZone } = request
  const { record, customer, setup, clock } = page
  const fact = (term: string, value: HtmlPart) => value && html`<dt>${term}</dt><dd>${value}</dd>`
  const device = customer?.devices.find(({ id }) => id === record.deviceId)?.name
  const who = record.assignedTechnician && setup.personById.get(record.assignedTechnician)?.name
  return html`<section class="card"><dl class="props">${fact('Customer', customer && html`<a class="link" href="${href(`/customers/${customer.id}`)}">${customer.name}</a>`)}${fact('What', record.serviceRequired)}${fact('How long', durationWords(record.durationMinutes))}${fact('Who', who ?? 'Nobody yet')}${fact('Place', setup.stations.find(({ id }) => id === record.stationId)?.name)}${fact('Device', device)}${fact('Note', record.description && html`<span class="pre">${record.description}</span>`)}${fact('Clock', record.timeZone !== timeZone && record.timeZone)}${fact('Jobs', `${count(record.generatedCount, 'visit has', 'visits have')} a job; they are made ${record.horizonDays} days ahead`)}${fact('Made until', record.generatedThrough && clock.shortDay(new Date(record.generatedThrough)))}${fact('Forms', formsWords(request, page))}</dl></section>`
}

/** What its visits are asked for, by rules that name it; and the way to ask for one more. */
function formsWords({ href, may }: DeskRequest, { record, forms }: ShownAgreement): HtmlPart {
  const mayAsk = may('tickets:delete')
  const newRule = href(`/settings/forms/rules/new?agreement=${record.id}`)
  const named = forms.map(({ id, template }) =>
    mayAsk ? html`<a class="link" href="${href(`/settings/forms/rules/${id}`)}">${template}</a>, ` : `${template} `,
  )
  return (
    (forms.length > 0 || mayAsk) && [...named, mayAsk && html`<a class="link" href="${newRule}">ask for a form</a>`]
  )
}

function actsCard(request: DeskRequest, { record, clock }: ShownAgreement): Html | false {
  const { href, csrfField, onceField, may } = request
  if (!may('recurring-schedules:write') || record.status === 'ended') return deletionLink(request, record.id)
  const path = `/recurring/${record.id}`
  const day = (name: string, label: string) =>
    html`<label class="field"><span>${label}</span><input type="date" name="${name}" min="${clock.today}"></label>`
  const fold = (id: string, title: string, inside: Html, button: string) =>
    html`<details class="edit words" id="${id}"><summary class="link">${title}</summary><form class="stack" method="post" action="${href(`${path}/${id}`)}">${csrfField}${id === 'preset' && onceField}${inside}<p class="row"><button class="btn">${button}</button></p></form></details>`
  return html`<section class="card" aria-label="What can be done"><header><h2>What can be done</h2></header>${
    record.status === 'paused'
      ? html`<form class="words" method="post" action="${href(`${path}/resume`)}">${csrfField}<button class="btn">Resume</button></form>`
      : html`${fold('pause', 'Pause', html`<p class="soft small">No jobs are made until it is resumed; those there are stay.</p>${day('until', 'Until (optional)')}`, 'Pause')}${fold('generate', 'Make jobs now', html`<p class="soft small">Jobs are made by themselves ${record.horizonDays} days ahead; here sooner, a year ahead at most.</p>${day('through', 'Up to (optional)')}`, 'Make them')}`
  }${fold('preset', 'Keep as a preset', html`<label class="field"><span>Name of the preset</span><input name="name" maxlength="120" required></label>`, 'Keep it')}<p class="words"><a class="btn quiet danger" href="${href(`${path}/end`)}">End the agreement</a>${deletionLink(request, record.id)}</p></section>`
}

const deletionLink = ({ href, may }: DeskRequest, id: string): Html | false =>
  may('recurring-schedules:delete') &&
  html`<a class="btn quiet danger" href="${href(`/recurring/${id}/delete`)}">Delete it</a>`

const pendingWords = {
  generate: 'Jobs are being made',
  resync: 'Jobs are being changed',
  end: 'It is being ended',
} as const

export function agreementView(request: DeskRequest, page: ShownAgreement): View {
  const { href, may } = request
  const { record, name, clock, refusal } = page
  const { status, pendingWork, pausedAt, resumesAt, endedAt } = record
  const state =
    status === 'paused'
      ? `Paused since ${clock.shortDay(new Date(pausedAt!))}${resumesAt ? `, resumes by itself on ${clock.shortDay(new Date(resumesAt))}` : ''}. No jobs are made meanwhile.`
      : status === 'ended' && endedAt
        ? `Ended on ${clock.shortDay(new Date(endedAt))}.`
        : undefined
  return {
    title: name,
    place: 'recurring',
    ...(refusal && { status: refusal.status }),
    body: html`${pageHead(name, {
      crumbs: [[href('/recurring'), 'Agreements']],
      beside: stateChip(status),
      actions:
        may('recurring-schedules:write') &&
        status !== 'ended' &&
        mainButton(href(`/recurring/${record.id}/edit`), 'Edit'),
    })}
<div data-live="recurring-schedules tickets">${refusal && alert(refusal.message)}${state && html`<p class="note quiet">${state}</p>`}${pendingWork && html`<p class="note" role="status">${pendingWords[pendingWork.kind]}: ${pendingWork.done} of ${pendingWork.total} so far.</p>`}
<p class="said"><strong>${seriesWords(seriesOf(record))}.</strong></p>
<div class="cols"><div class="stack">${visitsCard(request, page)}${linesCard(request, page)}</div><aside class="stack" aria-label="About the agreement">${factsCard(request, page)}${actsCard(request, page)}</aside></div></div>`,
  }
}

interface Question {
  readonly title: string
  readonly consequence: HtmlPart
  readonly path: string
  readonly button: string
  readonly inside?: HtmlPart
  readonly refusal?: Pick<Refusal, 'message' | 'status'> | undefined
}

/** What cannot be taken back is asked about first. */
export function agreementQuestionView(
  { href, csrfField }: DeskRequest,
  { record, name }: AgreementPage,
  question: Question,
): View {
  const { title, consequence, path, button, inside, refusal } = question
  const back = href(`/recurring/${record.id}`)
  return {
    title,
    place: 'recurring',
    ...(refusal && { status: refusal.status }),
    body: html`${pageHead(title, {
      crumbs: [
        [href('/recurring'), 'Agreements'],
        [back, name],
      ],
    })}
<form class="card pad stack narrow" method="post" action="${href(`/recurring/${record.id}/${path}`)}">${refusal && alert(refusal.message)}${csrfField}<p>${consequence}</p>${inside}<div class="row"><button class="btn main">${button}</button><a class="btn quiet" href="${back}">Keep it</a></div></form>`,
  }
}
