// The page of today: lanes of visits, lists of what waits, and charts.
import { type Html, type HtmlPart, html } from '../http/html.ts'
import { barChart, shareChart } from './charts.ts'
import { laneName, lanesOf, nowLine, ruler, spanOf, type Visit, visitBlock } from './day-visits.ts'
import { count, money } from './formatting.ts'
import { mainButton, pageHead, type View } from './frame.ts'
import { type JobCard, jobRow } from './job-cards.ts'
import { chip, emptyNote } from './marks.ts'
import type { DeskRequest } from './router.ts'
import type { ShopSetup } from './shop-setup.ts'

export interface WaitingDocument {
  readonly kind: 'quote' | 'invoice'
  readonly id: string
  readonly number: string
  readonly customer: string | null
  readonly amount: number
  readonly at: Date | null
  readonly isSeen: boolean
}

export interface Figures {
  readonly counts: {
    readonly owed: number
    readonly owedCount: number
    readonly notDue: number
    readonly late30: number
    readonly late60: number
    readonly lateMore: number
    readonly overdueCount: number
    readonly quotesOut: number
    readonly lowStock: number
  }
  readonly weeks: readonly { readonly week: string; readonly paid: number; readonly closed: number }[]
}

interface Today {
  readonly setup: ShopSetup
  readonly visits: readonly Visit[]
  readonly jobs: readonly (JobCard & { readonly list: string; readonly count: number })[]
  readonly documents: readonly WaitingDocument[]
  readonly figures: Figures
}

function lanes(request: DeskRequest, { visits, setup: { people } }: Today): Html {
  const { clock, timeZone, href } = request
  const date = clock.today
  const span = spanOf(visits, date, clock, timeZone)
  const all = lanesOf(visits, people)
  return html`<section class="card lanes" aria-label="Visits"><header><h2>Visits</h2><a class="more" href="${href('/calendar')}">Calendar</a></header>
${
  all.length === 0
    ? emptyNote('Nobody has a visit', 'Plan one on the calendar, or make a job with a time.')
    : html`${ruler(span)}${all.map(
        (lane) =>
          html`<div class="lane">${laneName(lane)}<ol class="track h${span.hours}">${nowLine(request, span)}${lane.visits.map((visit) => visitBlock(request, visit, date, span))}</ol></div>`,
      )}`
}</section>`
}

const listCard = (title: string, number: number, href: string, rows: HtmlPart, id: string): Html =>
  html`<section class="card" id="${id}"><header><h2>${title}</h2><span class="n">${number}</span><a class="more" href="${href}" aria-label="All: ${title}">All</a></header><ul class="list">${rows}</ul></section>`

function waitingJobs(request: DeskRequest, { jobs, setup }: Today): Html[] {
  return [...Map.groupBy(jobs, ({ list }) => list)].map(([list, some]) => {
    const title = list === 'nobody' ? 'Nobody assigned' : (setup.statusById.get(list)?.name ?? '')
    const href = request.href(list === 'nobody' ? '/board?who=nobody' : '/board')
    return listCard(
      title,
      some[0]!.count,
      href,
      some.map((job) => jobRow(request, job, setup.personById)),
      `list-${list}`,
    )
  })
}

function waitingDocuments(request: DeskRequest, { documents, figures: { counts } }: Today): Html[] {
  const { href, currency, clock } = request
  const rows = (kind: WaitingDocument['kind'], note: (one: WaitingDocument) => HtmlPart) =>
    documents
      .filter((one) => one.kind === kind)
      .map(
        (one) =>
          html`<li id="d-${one.id}"><a href="${href(`/${kind}s/${one.id}`)}"><span class="id">${one.number}</span><span class="grow two"><span class="cut">${one.customer ?? 'No customer'}</span>${note(one)}</span><span class="num">${money(one.amount, currency)}</span></a></li>`,
      )
  const quotes = rows(
    'quote',
    ({ at, isSeen }) => html`<span class="soft small">${isSeen ? 'seen, ' : ''}sent ${at && clock.ago(at)}</span>`,
  )
  const overdue = rows('invoice', ({ at }) => at && chip(`due ${clock.shortDay(at)}`, 'danger'))
  return [
    ...(quotes.length > 0
      ? [listCard('Quotes waiting for an answer', counts.quotesOut, href('/quotes?state=sent'), quotes, 'list-quotes')]
      : []),
    ...(overdue.length > 0
      ? [listCard('Invoices overdue', counts.overdueCount, href('/invoices?state=overdue'), overdue, 'list-overdue')]
      : []),
  ]
}

function charts({ currency, clock }: DeskRequest, { figures: { counts, weeks } }: Today): Html {
  const label = (week: string) => clock.shortDay(new Date(`${week}T12:00:00Z`))
  const last = weeks.at(-2)
  return html`<aside class="stack" aria-label="Figures">
${barChart({ title: 'Money in, per week', big: money(last?.paid ?? 0, currency, { rounded: true }), beside: 'last week', bars: weeks.map(({ week, paid }) => ({ label: label(week), value: paid, words: money(paid, currency) })) })}
${shareChart({
  title: 'Owed to you',
  big: money(counts.owed, currency, { rounded: true }),
  beside: count(counts.owedCount, 'invoice'),
  shares: (
    [
      ['Not due yet', counts.notDue],
      ['1–30 days late', counts.late30],
      ['31–60 days late', counts.late60],
      ['Over 60 days', counts.lateMore],
    ] as const
  ).map(([words, value]) => ({ label: words, value, words: money(value, currency) })),
})}
${barChart({ title: 'Jobs closed, per week', big: String(last?.closed ?? 0), beside: 'last week', bars: weeks.map(({ week, closed }) => ({ label: label(week), value: closed, words: String(closed) })) })}
</aside>`
}

export function todayView(request: DeskRequest, today: Today): View {
  const { clock, href } = request
  const { counts } = today.figures
  const unassigned = today.jobs.find(({ list }) => list === 'nobody')?.count ?? 0
  const summary = [
    `${count(today.visits.filter(({ ticketId }) => ticketId).length, 'visit')} today`,
    unassigned > 0 && `${count(unassigned, 'job')} without anybody`,
    counts.overdueCount > 0 && `${count(counts.overdueCount, 'invoice')} overdue`,
    counts.lowStock > 0 && `${count(counts.lowStock, 'part')} running low`,
  ].filter(Boolean)
  const lists = [...waitingJobs(request, today), ...waitingDocuments(request, today)]
  return {
    title: 'Today',
    place: 'today',
    body: html`${pageHead(html`${clock.longDay(clock.now)}<small class="under">${summary.join(', ')}</small>`, { actions: mainButton(href('/jobs/new'), 'New job', 'plus') })}
<div data-live="tickets calendar-events quotes invoices payments inventory">${lanes(request, today)}
<div class="cols"><div class="stack">${lists.length > 0 ? lists : html`<section class="card">${emptyNote('Nothing waits', 'Every job has somebody, and no quote or invoice is late.')}</section>`}</div>${charts(request, today)}</div></div>`,
  }
}
