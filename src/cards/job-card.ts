// The card of a job, from what a tool answers about it. It is run in the host's frame, by `client/host.js`.
import type { Clock } from '../desk/formatting.ts'
import { agreementChip, formsChip, type MarkedJob, whenChip } from '../desk/job-marks.ts'
import { chip, priorityChip } from '../desk/marks.ts'
import { type Html, type HtmlPart, html } from '../http/html.ts'

/** What has no value is left out of answers. */
export interface AnsweredJob {
  readonly ticketNumber: number
  readonly serviceRequired?: string
  readonly description?: string
  readonly status?: string
  readonly priority?: string
  readonly customerName?: string
  readonly customerDeviceName?: string
  readonly address?: string
  readonly scheduledFrom?: string
  readonly scheduledAllDay?: boolean
  readonly openStartFormCount?: number
  readonly openCompletionFormCount?: number
  readonly recurringScheduleId?: string
  readonly closedAt?: string
}

export function renderJob(job: AnsweredJob, clock: Clock): Html {
  const marked: MarkedJob = {
    from: job.scheduledFrom ? new Date(job.scheduledFrom) : null,
    allDay: job.scheduledAllDay ?? false,
    openForms: (job.openStartFormCount ?? 0) + (job.openCompletionFormCount ?? 0),
    isRecurring: job.recurringScheduleId !== undefined,
    closedAt: job.closedAt ? new Date(job.closedAt) : null,
  }
  const row = (term: string, words: HtmlPart) => words && html`<dt>${term}</dt><dd class="pre">${words}</dd>`
  return html`<section class="card"><header class="row wrap"><span class="num soft">#${job.ticketNumber}</span><h1 class="grow">${job.serviceRequired ?? 'Job without a title'}</h1>${job.status && chip(job.status)}${priorityChip(job.priority ?? 'normal')}</header>
<p class="row wrap pad">${whenChip(marked, clock) || 'No time yet'}${agreementChip(marked)}${formsChip(marked)}</p>
<dl class="props">${row('Customer', job.customerName)}${row('Device', job.customerDeviceName)}${row('Where', job.address)}${row('What', job.description)}</dl></section>`
}
