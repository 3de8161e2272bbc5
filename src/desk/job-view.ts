// The page of a job: what is to be done, its lines, what happened; beside it who, when and where.
import { type Html, html } from '../http/html.ts'
import { pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import { deletionDialog } from './job-asks-view.ts'
import { isOpenForm, type JobForm, type JobPage, jobTitle, mayWriteJob } from './job-data.ts'
import { linesCard } from './job-lines-view.ts'
import {
  customerCard,
  deviceCard,
  documentsCard,
  formsCard,
  mapAddress,
  propertiesCard,
  signatureCard,
} from './job-side-view.ts'
import { timelineCard } from './job-timeline-view.ts'
import { statusDot, telAddress } from './marks.ts'
import type { DeskRequest } from './router.ts'

export interface Problem {
  readonly message: string
  /** The form that stands in the way. */
  readonly formPath?: string | undefined
}

/** The first form that keeps the job from going on: before one that keeps it from being closed, one that it must start with. */
const nextForm = ({ forms }: JobPage): JobForm | undefined => {
  const open = forms.filter(isOpenForm)
  return (['start', 'completion', 'invoice'] as const)
    .map((gate) => open.find((form) => form.gate === gate))
    .find(Boolean)
}

const gateWords = {
  start: 'is needed before work on this job can start.',
  completion: 'is needed before this job can be closed.',
  invoice: 'is needed before this job can be invoiced.',
  none: 'can be filled in.',
} as const

function formNote({ name, gate, answers, questions }: JobForm): Html {
  return html`<div class="note">${icon('form')}<span class="grow"><strong>${name}</strong> ${gateWords[gate]} <span class="soft">${answers.length > 0 && `${answers.length} answers of ${questions} so far`}</span></span></div>`
}

/** A choice that acts at once; a script offers to take it back. */
const statusForm = ({ href, csrfField }: DeskRequest, { job, setup: { statuses } }: JobPage): Html =>
  html`<form class="inline" method="post" action="${href(`/jobs/${job.id}/status`)}" data-quick="status">${csrfField}<select class="btn" name="status" aria-label="Status" data-submit>${statuses.map(
    ({ id, name }) => html`<option value="${name}"${id === job.statusId && html` selected`}>${name}</option>`,
  )}</select><noscript><button class="btn">Move</button></noscript></form>`

const statusChip = ({ job, setup: { statusById } }: JobPage): Html =>
  html`<span class="chip">${statusDot(statusById.get(job.statusId)?.color ?? 0x888888)}${job.status}</span>`

/** What comes next is one button. */
function mainAction(request: DeskRequest, page: JobPage, classes: string): Html | false {
  const { href, csrfField, onceField, may } = request
  const { job, setup, documents, lines } = page
  const form = nextForm(page)
  if (form)
    return html`<a class="btn main ${classes}" href="${href(`/forms/${form.id}`)}">Fill in ${form.name.toLowerCase()}</a>`
  const stage = setup.statusById.get(job.statusId)?.stage
  const next = setup.statuses.find((status) => status.stage === (stage === 'open' ? 'inProgress' : 'closed'))
  if (stage !== 'closed' && next)
    return html`<form class="inline ${classes}" method="post" action="${href(`/jobs/${job.id}/status`)}" data-quick="status">${csrfField}<input type="hidden" name="status" value="${next.name}"><button class="btn main">${stage === 'open' ? 'Start the work' : 'Work is done'}</button></form>`
  const isInvoiced = documents.some(({ kind, status }) => kind === 'invoice' && status !== 'void')
  if (may('invoices:write') && lines.length > 0 && !isInvoiced)
    return html`<form class="inline ${classes}" method="post" action="${href(`/jobs/${job.id}/invoice`)}">${csrfField}${onceField}<button class="btn main">Make an invoice</button></form>`
  return false
}

function phoneBar(request: DeskRequest, page: JobPage): Html | false {
  const { customer, job } = page
  const call = customer?.phone ? telAddress(customer.phone) : undefined
  const address = job.address ?? customer?.address
  const main = mainAction(request, page, 'grow')
  if (!call && !address && !main) return false
  return html`<div class="bar phone">${call && html`<a class="btn icon" href="${call}" aria-label="Call ${customer!.name}">${icon('phone')}</a>`}${address && html`<a class="btn icon" href="${mapAddress(address)}" rel="noreferrer" target="_blank" aria-label="Map">${icon('map')}</a>`}${main}</div>`
}

/** The title and the description are written in place. */
const wordsCard = ({ href, csrfField }: DeskRequest, { job, version }: JobPage, mayWrite: boolean): Html | false => {
  if (!mayWrite)
    return (
      !!job.description &&
      html`<section class="card"><header><h2>What is needed</h2></header><p class="words pre">${job.description}</p></section>`
    )
  const { serviceRequired, description } = job
  return html`<section class="card" id="words"><header><h2>What is needed</h2></header><form class="words" id="words-form" method="post" action="${href(`/jobs/${job.id}`)}" data-autosave>${csrfField}<input type="hidden" name="version" value="${version ?? ''}"><input type="hidden" name="was.serviceRequired" value="${serviceRequired ?? ''}"><input type="hidden" name="was.description" value="${description ?? ''}">
<label class="field"><span class="sr">Description</span><textarea name="description" rows="2" maxlength="10000" placeholder="What the customer said, what is known">${description}</textarea></label>
<details class="edit" id="title-edit"><summary class="soft small">Change the title</summary><label class="field"><span class="sr">Title</span><input name="serviceRequired" value="${serviceRequired ?? ''}" maxlength="500" autocomplete="off"></label></details>
<noscript><button class="btn">Save</button></noscript></form></section>`
}

export function jobView(request: DeskRequest, page: JobPage, problem?: Problem): View {
  const { href, may, orgName, clock } = request
  const { job, setup } = page
  const mayWrite = mayWriteJob(request, job)
  const form = nextForm(page)
  const owner = job.assignedTechnician === null ? undefined : setup.personById.get(job.assignedTechnician)
  const head = pageHead(jobTitle(job), {
    crumbs: [
      [href('/board'), 'Board'],
      [href(`/jobs/${job.id}`), `#${job.ticketNumber}`],
    ],
    actions: html`<button class="btn quiet icon desktop" type="button" data-print aria-label="Print the job sheet">${icon('print')}</button><span class="desktop">${mayWrite ? statusForm(request, page) : statusChip(page)}</span>${mayWrite && html`<span class="desktop">${mainAction(request, page, '')}</span>`}`,
  })
  return {
    title: `#${job.ticketNumber} ${jobTitle(job)}`,
    place: 'board',
    body: html`<p class="paper"><strong>${orgName}</strong><span>Job sheet #${job.ticketNumber}, ${clock.shortDay(clock.now)}</span></p>
<div data-live="tickets messages form-submissions quotes invoices customers devices" data-job="${job.id}">${head}
${problem && html`<div class="note danger" role="alert">${icon('warning')}<span class="grow">${problem.message}</span>${problem.formPath && html`<a class="btn" href="${problem.formPath}">Open the form</a>`}</div>`}
${!mayWrite && html`<div class="note quiet">${icon('person')}<span class="grow">This job is ${owner ? `${owner.name}’s` : 'somebody else’s'}. You can read it; ask a manager to assign it to you if you are to work on it.</span></div>`}
${form && formNote(form)}
<div class="phone status-row">${mayWrite ? statusForm(request, page) : statusChip(page)}</div>
<div class="cols job-cols"><aside class="stack" aria-label="Who, when and where">${propertiesCard(request, page, mayWrite)}${customerCard(request, page, mayWrite)}</aside>
<div class="stack">${wordsCard(request, page, mayWrite)}${linesCard(request, page, mayWrite)}${timelineCard(request, page, mayWrite)}</div>
<aside class="stack more" aria-label="Device, forms and documents">${deviceCard(request, page)}${formsCard(request, page, mayWrite)}${documentsCard(request, page)}${signatureCard(request, page, mayWrite)}${
      may('tickets:delete') &&
      html`<p><a class="btn quiet" href="${href(`/jobs/${job.id}/delete`)}" data-dialog="delete-job">Delete the job</a></p>`
    }</aside></div>
${mayWrite && phoneBar(request, page)}
<div class="sheet" aria-hidden="true"><p>Work accepted, customer</p><p>Technician</p></div></div>
${may('tickets:delete') && deletionDialog(request, { id: job.id, number: job.ticketNumber, title: jobTitle(job) })}`,
  }
}
