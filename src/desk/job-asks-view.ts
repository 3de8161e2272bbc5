// Asking before a job is deleted, which cannot be taken back, or invoiced a second time: pages that need no scripts, and a dialog.
import { type Html, html } from '../http/html.ts'
import { money } from './formatting.ts'
import { pageHead, type View } from './frame.ts'
import type { JobInvoice, JobName } from './job-lookup.ts'
import type { DeskRequest } from './router.ts'

const words =
  'Its lines, notes and visit go with it, and its parts go back into stock. Quotes and invoices stay. This cannot be taken back.'

const deletionForm = ({ href, csrfField }: DeskRequest, { id, number }: JobName, way: Html): Html =>
  html`<form method="post" action="${href(`/jobs/${id}/delete`)}">${csrfField}<h2>Delete job #${number}?</h2><p>${words}</p><p class="row">${way}<button class="btn danger">Delete the job</button></p></form>`

export const deletionDialog = (request: DeskRequest, job: JobName): Html =>
  html`<dialog id="delete-job" aria-label="Delete job #${job.number}">${deletionForm(request, job, html`<button class="btn" formmethod="dialog">Keep it</button>`)}</dialog>`

export const deletionView = (request: DeskRequest, job: JobName): View => ({
  title: `Delete #${job.number}`,
  place: 'board',
  body: html`${pageHead(`#${job.number} ${job.title}`, { crumbs: [[request.href(`/jobs/${job.id}`), 'Back to the job']] })}
<div class="card asks narrow">${deletionForm(request, job, html`<a class="btn" href="${request.href(`/jobs/${job.id}`)}">Keep it</a>`)}</div>`,
})

/** The work may be split over several invoices; by mistake it would be asked for twice. */
export function invoiceAgainView(
  { href, csrfField }: DeskRequest,
  job: JobName,
  invoices: readonly JobInvoice[],
): View {
  const here = href(`/jobs/${job.id}`)
  const state = ({ status, isPaid }: JobInvoice) => (isPaid ? 'paid' : status === 'draft' ? 'a draft' : 'sent')
  const one = (invoice: JobInvoice): Html =>
    html`<li><a class="link" href="${href(`/invoices/${invoice.id}`)}">Invoice ${invoice.number}, ${state(invoice)}, ${money(invoice.total, invoice.currency)}</a></li>`
  return {
    title: `#${job.number} is already invoiced`,
    place: 'board',
    status: 409,
    body: html`${pageHead(`#${job.number} is already invoiced`, { crumbs: [[here, `#${job.number} ${job.title}`]] })}
<div class="card asks narrow"><form method="post" action="${`${here}/invoice`}">${csrfField}<ul class="account-of">${invoices.map(one)}</ul><p>Another one takes over all lines of the job, and asks the customer for the same money again.</p><p class="row"><a class="btn" href="${here}">Leave it</a><button class="btn danger" name="another" value="yes">Make another invoice</button></p></form></div>`,
  }
}
