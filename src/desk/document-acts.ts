// What is done with a quote or an invoice: shared, answered, converted, paid, reminded of, voided, deleted.
import { parseTyped } from '../domain/typed-numbers.ts'
import { isClockTime, isDate, toMoment } from '../domain/wall-clock.ts'
import { notFound } from '../operations/errors.ts'
import { convertAgainView, deletionView, paymentRemovalView, voidView } from './document-asks-view.ts'
import { type DocumentPage, isDeletable, loadDocument, operationsOf, paramsOf } from './document-data.ts'
import { documentLabels } from './document-fields.ts'
import type { DocumentKind } from './document-marks.ts'
import { type DocumentProblem, documentView } from './document-view.ts'
import { explainInvoiceGate } from './job-lookup.ts'
import type { Performed, Refusal } from './perform.ts'
import { wordRefusal } from './refusal-words.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

export const pathOf = ({ kind, record }: DocumentPage): string => `/${kind}s/${record.id}`
export const subjectOf = ({ kind, number }: DocumentPage): string => `${kind} ${number}`

/** Leads back to the page; what was refused is said there, with what was typed. */
function answerOn(
  request: DeskRequest,
  page: DocumentPage,
  performed: Performed<unknown>,
  done: string,
  part: (refusal: Refusal) => DocumentProblem = ({ message, data }) => {
    const { formPath } = (data ?? {}) as { formPath?: string }
    return { message, way: formPath === undefined ? undefined : { path: formPath, words: 'Open the form' } }
  },
) {
  return request.answer(wordRefusal(performed, documentLabels), {
    to: pathOf(page),
    done,
    more: { ids: [page.record.id] },
    refused: (refusal) => request.render(documentView(request, page, { ...part(refusal), status: refusal.status })),
  })
}

/** What was shown is not what is there any more. */
export const changedSince = (refusal: Refusal, kind: DocumentKind, act: string): Performed<never> => ({
  isDone: false,
  refusal: { ...refusal, message: `The ${kind} has changed since you looked at it. Look again, then ${act}.` },
})

export const given = ({ form }: DeskRequest, name: string): string => (form.get(name) ?? '').trim()

export function addDocumentActRoutes(router: DeskRouter): void {
  for (const kind of ['quote', 'invoice'] as const) addActsOf(router, kind)

  router.post('/quotes/:id/convert', ['quotes:write', 'invoices:write'], async (request) => {
    const page = await loadDocument(request, 'quote')
    const performed = await request.perform<{ id: string }>({
      operation: 'convertQuote',
      params: paramsOf('quote', page.record.id),
      query: { force: request.form.has('force') },
      subject: (invoice: { invoiceNumber: string }) => `invoice ${invoice.invoiceNumber} of ${subjectOf(page)}`,
    })
    if (!performed.isDone && performed.refusal.code === 'QUOTE_ALREADY_INVOICED' && !request.isScript)
      return request.render(convertAgainView(request, page, performed.refusal.status))
    if (performed.isDone) return request.answer(performed, { to: `/invoices/${performed.data.id}`, done: 'converted' })
    return answerOn(request, page, await explainInvoiceGate(request, page.record.ticketId, performed), '')
  })

  router.get('/invoices/:id/void', ['invoices:write'], async (request) =>
    request.render(voidView(request, await loadDocument(request, 'invoice'))),
  )
  router.post('/invoices/:id/void', ['invoices:write'], async (request) =>
    setStatus(request, await loadDocument(request, 'invoice'), 'void', 'cancelled'),
  )
  addPaymentRoutes(router)
  addReminderRoutes(router)
}

async function setStatus(request: DeskRequest, page: DocumentPage, status: string, done: string) {
  const { kind, record } = page
  const performed = await request.perform({
    operation: operationsOf[kind].update,
    params: paramsOf(kind, record.id),
    body: { status },
    subject: subjectOf(page),
  })
  return answerOn(request, page, await explainInvoiceGate(request, record.ticketId, performed), done)
}

function addActsOf(router: DeskRouter, kind: DocumentKind): void {
  const write = `${kind}s:write` as const
  const operations = operationsOf[kind]

  router.post(`/${kind}s/:id/share-link`, [write], async (request) => {
    const page = await loadDocument(request, kind)
    const isEnd = request.form.has('end')
    const performed = await request.perform({
      operation: isEnd ? operations.unshare : operations.share,
      params: paramsOf(kind, page.record.id),
      subject: subjectOf(page),
    })
    return answerOn(request, page, performed, isEnd ? 'unlinked' : 'linked')
  })

  /** What the customer said by other ways. A void invoice has a page that asks first. */
  router.post(`/${kind}s/:id/status`, [write], async (request) => {
    const status = given(request, 'status')
    if (status === 'void') throw notFound('status')
    return setStatus(request, await loadDocument(request, kind), status, 'saved')
  })
  addDeletionRoutes(router, kind)
}

function addDeletionRoutes(router: DeskRouter, kind: DocumentKind): void {
  router.get(`/${kind}s/:id/delete`, [`${kind}s:delete`], async (request) =>
    request.render(deletionView(request, await loadDocument(request, kind))),
  )
  router.post(`/${kind}s/:id/delete`, [`${kind}s:delete`], async (request) => {
    const page = await loadDocument(request, kind)
    // Programs may delete what a customer has; people are shown the way that leaves a trace.
    if (!isDeletable(page)) return request.render({ ...deletionView(request, page), status: 409 })
    const performed = await request.perform({
      operation: operationsOf[kind].remove,
      params: paramsOf(kind, page.record.id),
      // Sent or paid since it was looked at: then it is another one that would go.
      version: given(request, 'version') || page.version,
      subject: subjectOf(page),
    })
    const isStale = !performed.isDone && performed.refusal.code === 'PRECONDITION_FAILED'
    return request.answer(isStale ? changedSince(performed.refusal, kind, 'delete it') : performed, {
      to: `/${kind}s`,
      done: 'deleted',
      refused: async ({ message, status }) =>
        request.render({ ...deletionView(request, await loadDocument(request, kind), message), status }),
    })
  })
}

function addPaymentRoutes(router: DeskRouter): void {
  router.post('/invoices/:id/payments', ['payments:write', 'invoices:read'], async (request) => {
    const page = await loadDocument(request, 'invoice')
    const { timeZone, clock } = request
    const isRefund = given(request, 'direction') === 'out'
    const typed = parseTyped(given(request, 'amount'))
    // A refund is written as people say it, and is a payment below zero.
    const amount = isRefund && typeof typed === 'number' ? -Math.abs(typed) : typed
    const day = given(request, 'paidAt')
    // Of today it is now; of another day its noon, which is that day in every calendar nearby.
    const paidAt = day === '' || day === clock.today ? {} : { paidAt: momentOf(day, '12:00', timeZone) }
    const performed = await request.perform({
      operation: 'createPayment',
      body: {
        invoiceId: page.record.id,
        amount,
        paymentMethod: given(request, 'paymentMethod') || 'other',
        ...(given(request, 'notes') !== '' && { notes: given(request, 'notes') }),
        ...paidAt,
      },
      subject: `${isRefund ? 'refund' : 'payment'} on ${subjectOf(page)}`,
    })
    return answerOn(request, page, performed, isRefund ? 'refunded' : 'paid', ({ message }) => ({
      payment: { form: request.form, words: message },
    }))
  })

  const findPayment = ({ payments }: DocumentPage, { params }: DeskRequest) => {
    const payment = payments.find(({ id }) => id === params.payment)
    if (!payment) throw notFound('payment')
    return payment
  }
  router.get('/invoices/:id/payments/:payment/remove', ['payments:delete', 'invoices:read'], async (request) => {
    const page = await loadDocument(request, 'invoice')
    return request.render(paymentRemovalView(request, page, findPayment(page, request)))
  })
  router.post('/invoices/:id/payments/:payment/remove', ['payments:delete', 'invoices:read'], async (request) => {
    const page = await loadDocument(request, 'invoice')
    const performed = await request.perform({
      operation: 'deletePayment',
      params: { paymentId: findPayment(page, request).id },
      subject: `payment on ${subjectOf(page)}`,
    })
    return answerOn(request, page, performed, 'removed')
  })
}

/** What is no day or no time goes on as it is, to be refused by name. */
const momentOf = (day: string, time: string, timeZone: string): string =>
  isDate(day) && isClockTime(time) ? toMoment(day, time, timeZone).toISOString() : `${day} ${time}`

function addReminderRoutes(router: DeskRouter): void {
  router.post('/invoices/:id/reminders', ['invoices:write'], async (request) => {
    const page = await loadDocument(request, 'invoice')
    const message = given(request, 'message')
    const performed = await request.perform({
      operation: 'createReminder',
      params: paramsOf('invoice', page.record.id),
      body: {
        remindAt: momentOf(given(request, 'day'), given(request, 'time') || '09:00', request.timeZone),
        ...(message !== '' && { message }),
      },
      subject: `reminder of ${subjectOf(page)}`,
    })
    return answerOn(request, page, performed, 'scheduled', (refusal) => ({
      reminder: { form: request.form, words: refusal.message },
    }))
  })
  router.post('/invoices/:id/reminders/:reminder/remove', ['invoices:write'], async (request) => {
    const page = await loadDocument(request, 'invoice')
    const performed = await request.perform({
      operation: 'deleteReminder',
      params: { ...paramsOf('invoice', page.record.id), reminderId: request.params.reminder! },
      subject: `reminder of ${subjectOf(page)}`,
    })
    return answerOn(request, page, performed, 'removed')
  })
}
