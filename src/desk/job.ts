// The page of a job, and what is done there: changed, moved, noted, signed, quoted, invoiced, deleted.

import { parseTyped } from '../domain/typed-numbers.ts'
import { changeRecord, conflictSentence } from './changes.ts'
import { conflictView } from './conflict-view.ts'
import { deletionView, invoiceAgainView } from './job-asks-view.ts'
import { type Job, loadJobPage } from './job-data.ts'
import { fieldWords, jobFields, jobLabels, typedVisit } from './job-fields.ts'
import { explainInvoiceGate, findInvoices, findJob, type JobName } from './job-lookup.ts'
import { jobView } from './job-view.ts'
import type { Performed, Refusal } from './perform.ts'
import { wordRefusal } from './refusal-words.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { loadSetup } from './shop-setup.ts'

const subjectOf = ({ number }: JobName): string => `job #${number}`
const pathOf = ({ id }: JobName, rest = ''): string => `/jobs/${id}${rest}`

/** The page again, with the reason on top. */
export const showRefused =
  (request: DeskRequest, job: JobName) =>
  async ({ status, message, data }: Refusal) => {
    const { formPath } = (data ?? {}) as { formPath?: string }
    const page = await loadJobPage(request, job.id)
    return request.render({ ...jobView(request, page, { message, formPath }), status })
  }

/** What was done to a job leads back to it; what was refused is said there. */
export const answerOnJob = (
  request: DeskRequest,
  job: JobName,
  performed: Performed<unknown>,
  done: string,
  more: Readonly<Record<string, unknown>> = {},
) =>
  request.answer(wordRefusal(performed, jobLabels), {
    to: pathOf(job),
    done,
    more: { ids: [job.id], ...more },
    refused: showRefused(request, job),
  })

export function addJobRoutes(router: DeskRouter): void {
  router.get('/jobs/:job', ['tickets:read'], async (request) => {
    const given = request.params.job!
    // The number of a job in place of its id leads there; addresses that are kept have the id.
    if (/^\d{1,9}$/.test(given)) return request.redirect(pathOf(await findJob(request)))
    return request.render(jobView(request, await loadJobPage(request, given)))
  })

  router.post('/jobs/:job', ['tickets:write'], async (request) => {
    const job = await findJob(request)
    const { form } = request
    if (form.has('day')) form.set('visit', typedVisit(form))
    const changed = await changeRecord<Job>(request, {
      read: 'getTicket',
      operation: 'updateTicket',
      params: { ticketId: job.id },
      fields: jobFields(request),
      subject: subjectOf(job),
    })
    if (changed === undefined)
      return answerOnJob(request, job, { isDone: true, data: null, version: form.get('version') ?? undefined }, 'saved')
    if (changed.isDone || changed.refusal) return answerOnJob(request, job, changed, 'saved')
    const { conflict } = changed
    const refusal = { status: 412, message: conflictSentence(conflict), code: 'PRECONDITION_FAILED', data: conflict }
    return request.answer(
      { isDone: false, refusal },
      { to: pathOf(job), refused: () => showBoth(request, job, conflict) },
    )
  })

  router.post('/jobs/:job/notes', ['messages:write'], async (request) => {
    const job = await findJob(request)
    const { form } = request
    const visibility = form.get('visibility') === 'customer' ? 'customer' : 'internal'
    const performed = await request.perform({
      operation: 'addTicketMessage',
      params: { ticketId: job.id },
      body: { text: form.get('text') ?? '', visibility },
      subject: subjectOf(job),
    })
    return answerOnJob(request, job, performed, 'noted')
  })

  router.post('/jobs/:job/discount', ['tickets:write'], async (request) => {
    const job = await findJob(request)
    const { form } = request
    const typed = (form.get('value') ?? '').trim()
    const act = { params: { ticketId: job.id }, subject: subjectOf(job) }
    const isNone = typed === '' || Number(parseTyped(typed)) === 0
    const performed = isNone
      ? await request.perform({ ...act, operation: 'removeTicketDiscount' })
      : await request.perform({
          ...act,
          operation: 'setTicketDiscount',
          body: { type: form.get('type') ?? 'percent', value: parseTyped(typed), reason: form.get('reason') ?? '' },
        })
    return answerOnJob(request, job, performed, 'saved')
  })

  for (const [kind, operation] of [
    ['quote', 'createQuote'],
    ['invoice', 'createInvoice'],
  ] as const) {
    router.post(`/jobs/:job/${kind}`, [`${kind}s:write`], async (request) => {
      const job = await findJob(request)
      const before = kind === 'invoice' && !request.form.has('another') ? await findInvoices(request, job) : []
      if (before.length > 0) return request.render(invoiceAgainView(request, job, before))
      const performed = await request.perform<{ id: string }>({
        operation,
        body: { ticketId: job.id },
        subject: (data: Record<string, string>) => `${kind} ${data[`${kind}Number`]}`,
      })
      const to = performed.isDone ? `/${kind}s/${performed.data.id}` : pathOf(job)
      const explained = await explainInvoiceGate(request, job.id, performed)
      return request.answer(explained, { to, refused: showRefused(request, job) })
    })
  }

  router.get('/jobs/:job/delete', ['tickets:delete'], async (request) =>
    request.render(deletionView(request, await findJob(request))),
  )
  router.post('/jobs/:job/delete', ['tickets:delete'], async (request) => {
    const job = await findJob(request)
    const performed = await request.perform({
      operation: 'deleteTicket',
      params: { ticketId: job.id },
      subject: subjectOf(job),
    })
    return request.answer(performed, { to: '/board', done: 'deleted', refused: showRefused(request, job) })
  })
}

/** A signature is large: mount it where large forms are read. */
export function addSignatureRoutes(router: DeskRouter): void {
  router.post('/jobs/:job/signature', ['tickets:write'], async (request) => {
    const job = await findJob(request)
    const { form } = request
    const isCleared = form.has('clear')
    const signedByName = (form.get('signedByName') ?? '').trim()
    const performed = await request.perform({
      operation: 'setTicketSignature',
      params: { ticketId: job.id },
      // The name alone counts too: who has no script, or no finger free, types it.
      body: isCleared ? { signature: null } : { signature: form.get('signature') || signedByName, signedByName },
      subject: subjectOf(job),
    })
    return answerOnJob(request, job, performed, isCleared ? 'cleared' : 'signed')
  })
}

async function showBoth(request: DeskRequest, job: JobName, conflict: Parameters<typeof conflictView>[1]['conflict']) {
  const setup = await loadSetup(request)
  return request.render(
    conflictView(request, {
      title: `#${job.number} ${job.title}`,
      conflict,
      action: pathOf(job),
      back: pathOf(job),
      say: ({ name }, value) => fieldWords(name, value, setup),
      isText: ({ name }) => name === 'serviceRequired' || name === 'description',
      place: 'board',
    }),
  )
}
