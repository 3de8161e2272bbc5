// The list of agreements: by state, found by words, with what each says and when it comes round next.
import { raw, type Sql, sql } from '../db/database.ts'
import { seriesWords } from '../domain/series-words.ts'
import { html } from '../http/html.ts'
import { nextOccurrenceSql } from '../resources/recurring/record.ts'
import { seriesOf } from './agreement-data.ts'
import { mainButton, pageHead, type View } from './frame.ts'
import { avatarOrNobody, chip, emptyNote } from './marks.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { loadSetup, type ShopSetup } from './shop-setup.ts'

const perPage = 50

interface ListedAgreement {
  readonly id: string
  readonly name: string | null
  readonly serviceRequired: string
  readonly customer: string | null
  readonly status: 'active' | 'paused' | 'ended'
  readonly startsAt: Date
  readonly timeZone: string
  readonly rrule: string
  readonly durationMinutes: number
  readonly technician: string | null
  readonly next: Date | null
}

type Counts = Readonly<Record<'all' | ListedAgreement['status'], number>>

interface AgreementList {
  /** Empty for all. */
  readonly state: string
  readonly search: string
  readonly agreements: readonly ListedAgreement[]
  readonly counts: Counts
  /** The last one of this page, where there are more. */
  readonly next: string | undefined
}

const states = [
  ['', 'All'],
  ['active', 'Active'],
  ['paused', 'Paused'],
  ['ended', 'Ended'],
] as const

export function addAgreementListRoutes(router: DeskRouter): void {
  router.get('/recurring', ['recurring-schedules:read'], async (request) => {
    const { orgId, database, query } = request
    const search = (query.q ?? '').trim().slice(0, 100)
    const state = states.find(([name]) => name === query.state)?.[0] ?? ''
    const [setup, agreements, [counts]] = await Promise.all([
      loadSetup(request),
      database.read<ListedAgreement>(orgId, selectAgreements(request, state, search), 'slow'),
      database.read<Counts>(orgId, selectCounts(orgId, search), 'slow'),
    ])
    const shown = agreements.slice(0, perPage)
    const next = agreements.length > perPage ? shown.at(-1)!.id : undefined
    return request.render(listView(request, { state, search, agreements: shown, counts: counts!, next }, setup))
  })
}

/** In its name, what is done, and the customer. */
const matching = (search: string): Sql =>
  search === ''
    ? sql`true`
    : sql`folded(concat_ws(' ', recurring_schedules.name, service_required, (
        select search_text from customers where customers.org_id = recurring_schedules.org_id and customers.id = customer_id)))
        like (select '%' || regexp_replace(folded(${search}), '([\\\\%_])', '\\\\\\1', 'g') || '%')`

/** `after` is the last one of the page before. */
function selectAgreements({ orgId, query }: DeskRequest, state: string, search: string): Sql {
  const isAfter =
    query.after === undefined
      ? sql`true`
      : sql`(recurring_schedules.created_at, recurring_schedules.id) < (select last.created_at, last.id
          from recurring_schedules last where last.org_id = ${orgId} and last.id = ${query.after})`
  return sql`
    select id, name, service_required as "serviceRequired", status, starts_at as "startsAt", time_zone as "timeZone", rrule,
      duration_minutes as "durationMinutes", assigned_technician as technician,
      case when status = 'active' then ${raw(nextOccurrenceSql)} end as next,
      (select coalesce(business_name, concat_ws(' ', first_name, last_name)) from customers
        where customers.org_id = recurring_schedules.org_id and customers.id = customer_id) as customer
    from recurring_schedules
    where org_id = ${orgId} and (${state} = '' or status = ${state}) and ${matching(search)} and ${isAfter}
    order by created_at desc, id desc limit ${perPage + 1}::int`
}

const selectCounts = (orgId: string, search: string): Sql => sql`
  select count(*)::int as "all", count(*) filter (where status = 'active')::int as active,
    count(*) filter (where status = 'paused')::int as paused, count(*) filter (where status = 'ended')::int as ended
  from recurring_schedules where org_id = ${orgId} and ${matching(search)}`

const addressOf = (parameters: Readonly<Record<string, string>>): string => {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''))
  return `/recurring${query.size > 0 ? `?${query}` : ''}`
}

export const stateChip = (status: ListedAgreement['status']) =>
  status === 'active' ? chip('Active', 'good') : status === 'paused' ? chip('Paused', 'warn') : chip('Ended')

function listView(request: DeskRequest, page: AgreementList, { personById }: ShopSetup): View {
  const { href, may, clock } = request
  const { state, search, agreements, counts, next } = page
  const tab = ([name, words]: (typeof states)[number]) =>
    html`<a href="${href(addressOf({ state: name, q: search }))}"${name === state && html` aria-current="true"`}>${words}<span class="num soft small">${counts[name || 'all']}</span></a>`
  const row = (one: ListedAgreement) => {
    const words = seriesWords(seriesOf({ ...one, startsAt: one.startsAt.toISOString() }))
    return html`<tr class="go" id="a-${one.id}"><td class="cut"><a class="title strong" href="${href(`/recurring/${one.id}`)}">${one.name ?? one.serviceRequired}</a><span class="soft small cut">${words}</span></td><td class="cut">${one.customer ?? html`<span class="soft">No customer</span>`}</td><td class="state">${stateChip(one.status)}</td><td class="num next">${one.next && clock.nearby(one.next)}</td><td class="opt">${avatarOrNobody(one.technician === null ? null : personById.get(one.technician))}</td></tr>`
  }
  const mayWrite = may('recurring-schedules:write') && may('customers:read')
  const empty =
    search !== ''
      ? emptyNote('Nothing found', 'Try a part of what is done, or of the customer’s name.')
      : emptyNote(
          counts.all > 0 ? 'No agreement is in this state' : 'No agreements yet',
          'An agreement makes the jobs of work that comes round: a yearly service, a weekly round.',
        )
  return {
    title: 'Agreements',
    place: 'recurring',
    body: html`${pageHead('Agreements', { actions: mayWrite && html`<a class="btn" href="${href('/recurring/presets')}">Presets</a>${mainButton(href('/recurring/new'), 'New agreement', 'plus')}` })}
<div class="head wrap list-head"><nav class="seg" aria-label="States">${states.map(tab)}</nav><form class="acts" role="search" action="${href('/recurring')}">${state !== '' && html`<input type="hidden" name="state" value="${state}">`}<input type="search" name="q" value="${search}" placeholder="What, customer" aria-label="Find agreements"></form></div>
<section class="card" data-live="recurring-schedules" aria-label="Agreements">${agreements.length === 0 ? empty : html`<table class="fold agreements"><thead><tr><th class="c4" scope="col">What and when</th><th class="c3" scope="col">Customer</th><th scope="col">State</th><th scope="col">Next visit</th><th class="opt" scope="col">Who</th></tr></thead><tbody>${agreements.map(row)}</tbody></table>`}</section>
${next && html`<p class="row"><a class="btn" href="${href(addressOf({ state, q: search, after: next }))}">Older agreements</a></p>`}`,
  }
}
