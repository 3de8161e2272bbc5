// Jobs as cards and rows show them: what, for whom, who does it, when, and what is in the way.
import { type Sql, sql } from '../db/database.ts'
import { type Html, html } from '../http/html.ts'
import { agreementChip, formsChip, type MarkedJob, whenChip } from './job-marks.ts'
import { avatarOrNobody, type Person, priorityChip } from './marks.ts'
import type { DeskRequest } from './router.ts'
import type { Status } from './shop-setup.ts'

export interface JobCard extends MarkedJob {
  readonly id: string
  readonly number: number
  readonly title: string
  readonly customer: string | null
  readonly device: string | null
  readonly priority: string
  readonly statusId: string
  readonly technician: string | null
}

/** Of `tickets ticket`. */
export const cardColumns: Sql = sql`ticket.id, ticket.ticket_number as number,
  coalesce(ticket.service_required, 'Job without a title') as title, ticket.customer_name as customer,
  ticket.customer_device_name as device, ticket.priority, ticket.status_id as "statusId",
  ticket.assigned_technician as technician, ticket.scheduled_from as "from", ticket.scheduled_all_day as "allDay",
  ticket.open_start_form_count + ticket.open_completion_form_count as "openForms",
  ticket.recurring_schedule_id is not null as "isRecurring", ticket.closed_at as "closedAt"`

/** Whether the member may move the job: technicians have their own and those that nobody has. */
const mayMove = ({ caller, may }: DeskRequest, { technician }: JobCard): boolean =>
  may('tickets:write') && (caller.onlyJobsOf === undefined || technician === null || technician === caller.onlyJobsOf)

interface CardOptions {
  readonly status: Status
  readonly people: ReadonlyMap<string, Person>
  /** Whether several are being chosen, and none is moved by hand. */
  readonly isChoosing: boolean
}

/** On the board. `id` of the element lets a refresh find it again. */
export function jobCard(request: DeskRequest, job: JobCard, { status, people, isChoosing }: CardOptions): Html {
  const { clock, href } = request
  const isOpen = mayMove(request, job)
  return html`<li class="job" id="j-${job.id}" data-job="${job.id}" data-number="${job.number}" data-status="${status.name}"${isOpen && !isChoosing && html` data-movable`}>${isChoosing && isOpen && html`<label class="choose"><input type="checkbox" name="job" value="${job.id}"> Choose<span class="sr"> #${job.number}</span></label>`}<a href="${href(`/jobs/${job.id}`)}"><span class="top"><span class="num">#${job.number}</span>${priorityChip(job.priority)}${avatarOrNobody(job.technician === null ? null : people.get(job.technician))}</span><span class="what">${job.title}</span>${job.customer && html`<span class="small soft cut">${job.customer}</span>`}${job.device && html`<span class="small soft cut">${job.device}</span>`}<span class="foot">${whenChip(job, clock)}${agreementChip(job)}${formsChip(job)}</span></a></li>`
}

/** In a list. */
export const jobRow = ({ href, clock }: DeskRequest, job: JobCard, people: ReadonlyMap<string, Person>): Html =>
  html`<li id="r-${job.id}"><a href="${href(`/jobs/${job.id}`)}"><span class="id">#${job.number}</span><span class="grow two"><span class="cut">${job.title}</span><span class="soft cut">${job.customer}</span>${whenChip(job, clock)}</span>${avatarOrNobody(job.technician === null ? null : people.get(job.technician))}</a></li>`
