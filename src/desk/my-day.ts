// My day: a technician's next visit, large, and what comes after it. Made for one thumb, outdoors.
import { type Sql, sql } from '../db/database.ts'
import { type Html, html } from '../http/html.ts'
import { selectVisits, type Visit } from './day-visits.ts'
import { count } from './formatting.ts'
import { mainButton, pageHead } from './frame.ts'
import { icon } from './icons.ts'
import type { JobCard } from './job-cards.ts'
import { chip, emptyNote, telAddress } from './marks.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { loadSetup, type Status } from './shop-setup.ts'

interface OwnVisit extends Visit {
  readonly address: string | null
  readonly note: string | null
  readonly phone: string | null
  readonly device: string | null
  readonly statusId: string | null
  readonly openForms: number
}

interface OpenForm {
  readonly id: string
  readonly name: string
  readonly number: number | null
  readonly isBegun: boolean
}

export function addMyDayRoutes(router: DeskRouter): void {
  router.get('/my-day', ['tickets:read'], async (request) => {
    const { orgId, database, clock, memberName } = request
    const [visits, forms, { statuses }, jobs] = await Promise.all([
      database.read<OwnVisit>(orgId, selectOwnVisits(request), 'custom-plan'),
      database.read<OpenForm>(orgId, selectOwnForms(request)),
      loadSetup(request),
      database.read<Pick<JobCard, 'id' | 'number' | 'title' | 'customer'>>(orgId, selectUnplanned(request)),
    ])
    const isToday = ({ from }: OwnVisit) => clock.date(from) <= clock.today
    const today = visits.filter(isToday)
    const next =
      today.find(({ isClosed, to }) => !isClosed && to > clock.now) ??
      today.find(({ isClosed, ticketId }) => !isClosed && ticketId)
    const later = today.filter((visit) => visit !== next)
    const tomorrow = visits.filter((visit) => !isToday(visit))
    return request.render({
      title: 'My day',
      place: 'my-day',
      body: html`${pageHead(
        html`${clock.longDay(clock.now)}<small class="under">${count(today.length, 'visit')} today, ${memberName.split(' ')[0]}</small>`,
        {
          actions:
            request.may('tickets:write') &&
            html`<span class="desktop">${mainButton(request.href('/jobs/new'), 'New job', 'plus')}</span>`,
        },
      )}
<div class="stack narrow" data-live="tickets calendar-events form-submissions">
${next ? nextVisit(request, next, statuses) : html`<section class="card">${emptyNote('No visit is left today', 'Take a job that nobody has from the board, or call it a day.', html`<a class="btn" href="${request.href('/board?who=nobody')}">Jobs that nobody has</a>`)}</section>`}
${visitList(request, 'Later today', later)}
${visitList(request, 'Tomorrow', tomorrow)}
${jobs.length > 0 && html`<section class="card"><header><h2>Yours, without a time</h2><span class="n">${jobs.length}</span></header><ul class="list">${jobs.map(({ id, number, title, customer }) => html`<li id="r-${id}"><a href="${request.href(`/jobs/${id}`)}"><span class="id">#${number}</span><span class="grow"><span class="cut">${title}</span><small class="soft cut">${customer}</small></span></a></li>`)}</ul></section>`}
${forms.length > 0 && html`<section class="card"><header><h2>Forms to fill in</h2><span class="n">${forms.length}</span></header><ul class="list">${forms.map(({ id, name, number, isBegun }) => html`<li id="f-${id}"><a href="${request.href(`/forms/${id}`)}"><span class="grow"><span class="cut">${name}</span><small class="soft">${number !== null && `#${number}`}</small></span>${chip(isBegun ? 'Begun' : 'Open', 'warn')}</a></li>`)}</ul></section>`}
</div>`,
    })
  })
}

/** Today's and tomorrow's. */
const selectOwnVisits = (request: DeskRequest): Sql => {
  const { orgId, memberId, clock } = request
  return sql`
    select visit.*, coalesce(event.location, ticket.address, customer.address) as address,
      coalesce(event.notes, customer.notes) as note, customer.phone, ticket.customer_device_name as device,
      ticket.status_id as "statusId",
      coalesce(ticket.open_start_form_count + ticket.open_completion_form_count, 0) as "openForms"
    from (${selectVisits(request, clock.today, 2)}) visit
    join calendar_events event on event.org_id = ${orgId} and event.id = visit.id
    left join tickets ticket on ticket.org_id = ${orgId} and ticket.id = visit."ticketId"
    left join customers customer on customer.org_id = ${orgId} and customer.id = ticket.customer_id
    where visit.assignee = ${memberId} order by visit."from", visit.id`
}

const selectOwnForms = ({ orgId, memberId }: DeskRequest): Sql => sql`
  select submission.id, template_name as name, ticket.ticket_number as number, submission.status = 'inProgress' as "isBegun"
  from form_submissions submission
  left join tickets ticket on ticket.org_id = ${orgId} and ticket.id = submission.ticket_id
  where submission.org_id = ${orgId} and submission.assigned_to_id = ${memberId}
    and submission.status in ('open', 'inProgress') order by submission.created_at, submission.id limit 20`

const selectUnplanned = ({ orgId, memberId }: DeskRequest): Sql => sql`
  select id, ticket_number as number, coalesce(service_required, 'Job without a title') as title, customer_name as customer
  from tickets where org_id = ${orgId} and assigned_technician = ${memberId} and closed_at is null and scheduled_from is null
  order by created_at limit 20`

/** What comes next is one button: start the work, or say that it is done. */
function nextVisit({ href, clock, csrfField }: DeskRequest, visit: OwnVisit, statuses: readonly Status[]): Html {
  const stage = statuses.find(({ id }) => id === visit.statusId)?.stage
  const call = visit.phone ? telAddress(visit.phone) : undefined
  const to = statuses.find((status) => status.stage === (stage === 'open' ? 'inProgress' : 'closed'))
  return html`<section class="card next" id="n-${visit.id}"><p class="t">${visit.allDay ? 'All day' : clock.span(visit.from, visit.to)}</p>
<div><h2>${visit.ticketId ? html`<a href="${href(`/jobs/${visit.ticketId}`)}">${visit.title}</a>` : visit.title}</h2><p class="soft">${[visit.customer, visit.device].filter(Boolean).join(', ')}</p></div>
${visit.address && html`<p class="pre">${visit.address}</p>`}${visit.note && html`<p class="soft pre">${visit.note}</p>`}
<div class="row">${call && html`<a class="btn" href="${call}">${icon('phone')}Call</a>`}${visit.address && html`<a class="btn" href="${`https://www.openstreetmap.org/search?query=${encodeURIComponent(visit.address)}`}" rel="noreferrer" target="_blank">${icon('map')}Map</a>`}</div>
${visit.openForms > 0 && html`<a class="btn" href="${href(`/jobs/${visit.ticketId}#forms`)}">${icon('form')}${count(visit.openForms, 'form')} to fill in</a>`}
${visit.ticketId && to && html`<form method="post" action="${href(`/jobs/${visit.ticketId}/status`)}">${csrfField}<input type="hidden" name="back" value="my-day"><button class="btn main wide" name="status" value="${to.name}">${to.stage === 'closed' ? 'Work is done' : 'Start the work'}</button></form>`}
</section>`
}

const visitList = ({ href, clock }: DeskRequest, title: string, visits: readonly OwnVisit[]): Html | false =>
  visits.length > 0 &&
  html`<section class="card"><header><h2>${title}</h2></header><ul class="list">${visits.map((visit) => {
    const inside = html`<span class="num soft">${visit.allDay ? 'All day' : clock.time(visit.from)}</span><span class="grow"><span class="cut">${visit.title}</span><small class="soft cut">${visit.customer}</small></span>${visit.isClosed ? chip('Done', 'good') : visit.openForms > 0 && chip(html`${icon('form')}Form`, 'warn')}`
    return html`<li id="v-${visit.id}">${visit.ticketId ? html`<a href="${href(`/jobs/${visit.ticketId}`)}">${inside}</a>` : html`<div class="line">${inside}</div>`}</li>`
  })}</ul></section>`
