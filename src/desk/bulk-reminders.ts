// Reminders of several invoices at once: asked first, sent some minutes later, and taken back until then.
import { hash, randomBytes } from 'node:crypto'
import { sql } from '../db/database.ts'
import { chosenIds, reminderProblem } from '../domain/bulk.ts'
import { minuteMs } from '../domain/durations.ts'
import { type Html, html } from '../http/html.ts'
import { ApiError } from '../operations/errors.ts'
import { accountView, actOnEach, bulkRefusedView, type Chosen, leadBack, type Outcome } from './bulk.ts'
import { count, money } from './formatting.ts'
import { pageHead, type View } from './frame.ts'
import { noMailServerNote } from './mail-words.ts'
import type { Performed } from './perform.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

interface ChosenInvoice extends Chosen {
  readonly status: string
  readonly balance: number
  readonly currency: string
  readonly email: string | null
  readonly hasReminder: boolean
}

const write = ['invoices:write'] as const
const choosing = '/invoices?state=overdue&choose=yes'
/** Time enough to think better of it. */
const waitMinutes = 5

export function addBulkReminderRoutes(router: DeskRouter): void {
  leadBack(router, ['/invoices/reminders', '/invoices/reminders/undo'], write, choosing)

  router.post('/invoices/reminders', write, async (request) => {
    const { form } = request
    const ids = chosenIds(form.getAll('invoice'), 'invoice')
    if (typeof ids === 'string') return request.render(bulkRefusedView(request, ids, 'invoices', choosing))
    const invoices = await loadInvoices(request, ids)
    if (!form.has('confirmed')) return request.render(questionView(request, invoices))
    const remindAt = new Date(Date.now() + waitMinutes * minuteMs).toISOString()
    const outcomes = await actOnEach(invoices, (invoice) => remind(request, invoice, remindAt))
    return request.render(
      accountView(request, {
        title: 'Reminders',
        place: 'invoices',
        back: ['/invoices?state=overdue', 'Overdue invoices'],
        noun: 'reminder',
        doneWords: `will ${request.hasMailServer ? 'go out' : 'be written to a file'} in ${waitMinutes} minutes`,
        note: noMailServerNote(request),
        outcomes,
        undo: undoForm(request, outcomes),
      }),
    )
  })

  router.post('/invoices/reminders/undo', write, async (request) => {
    const reminders = new Map(request.form.getAll('was').map((one) => one.split(' ', 2) as [string, string]))
    const ids = chosenIds([...reminders.keys()], 'invoice')
    if (typeof ids === 'string') return request.render(bulkRefusedView(request, ids, 'invoices', choosing))
    const outcomes = await actOnEach(await loadInvoices(request, ids), (invoice) =>
      request.perform({
        operation: 'deleteReminder',
        params: { invoiceId: invoice.id, reminderId: reminders.get(invoice.id) ?? '' },
        subject: `reminder of invoice ${invoice.name}`,
      }),
    )
    return request.render(
      accountView(request, {
        title: 'Taken back',
        place: 'invoices',
        back: ['/invoices?state=overdue', 'Overdue invoices'],
        noun: 'reminder',
        doneWords: 'taken back',
        outcomes,
      }),
    )
  })
}

async function loadInvoices({ orgId, database }: DeskRequest, ids: readonly string[]): Promise<ChosenInvoice[]> {
  const found = await database.read<Omit<ChosenInvoice, 'path'>>(
    orgId,
    sql`select id, invoice_number as name, coalesce(customer_name, 'No customer') as about, status, balance::float8 as balance,
        currency, customer_email as email, exists (select from reminders where reminders.org_id = ${orgId}
          and invoice_id = invoices.id and reminders.status = 'scheduled'
          and remind_at <= now() + interval '1 day') as "hasReminder"
      from invoices where org_id = ${orgId} and id = any(${ids}) order by due_at, id`,
  )
  const gone = ids.filter((id) => !found.some((invoice) => invoice.id === id))
  const missing = { status: 'gone', balance: 0, currency: '', email: null, hasReminder: false, about: '' }
  return [
    ...found.map((invoice) => ({ ...invoice, path: `/invoices/${invoice.id}` })),
    ...gone.map((id) => ({ ...missing, id, name: id, path: '/invoices' })),
  ]
}

const problemOf = (invoice: ChosenInvoice): string | undefined =>
  invoice.status === 'gone' ? 'It is no longer there.' : reminderProblem(invoice)

/** The same page sent twice reminds once: the second sending gets the answer of the first. */
function remind(request: DeskRequest, invoice: ChosenInvoice, remindAt: string): Promise<Performed<{ id: string }>> {
  const { form } = request
  const once = form.get('once') ?? ''
  const message = (form.get('message') ?? '').trim()
  return request.performAll(
    async (perform) => {
      const problem = problemOf(invoice)
      if (problem !== undefined) throw new ApiError(409, problem)
      return perform<{ id: string }>({
        operation: 'createReminder',
        params: { invoiceId: invoice.id },
        body: { remindAt, ...(message !== '' && { message }) },
        subject: `reminder of invoice ${invoice.name}`,
      })
    },
    once === '' ? undefined : hash('sha256', JSON.stringify([once, invoice.id]), 'base64url'),
  )
}

function questionView(request: DeskRequest, invoices: readonly ChosenInvoice[]): View {
  const { href, csrfField } = request
  const row = (invoice: ChosenInvoice): Html => {
    const problem = problemOf(invoice)
    return html`<li><input type="hidden" name="invoice" value="${invoice.id}"><strong>${invoice.name}</strong> ${invoice.about} ${problem === undefined ? html`<span class="num soft">${money(invoice.balance, invoice.currency)}</span>` : html`<span class="danger">${problem}</span>`}</li>`
  }
  return {
    title: 'Send reminders',
    place: 'invoices',
    body: html`${pageHead('Send reminders', { crumbs: [[href('/invoices?state=overdue'), 'Overdue invoices']] })}
${noMailServerNote(request)}
<form class="card pad stack narrow" method="post" action="${href('/invoices/reminders')}" data-turbo="false">${csrfField}<input type="hidden" name="confirmed" value="yes"><input type="hidden" name="once" value="${randomBytes(16).toString('base64url')}">
<p><strong>Remind the customers of ${count(invoices.length, 'invoice')}?</strong> The mails go out in ${waitMinutes} minutes; until then they can be taken back.</p>
<ul class="account-of">${invoices.map(row)}</ul>
<label class="field"><span>What you add (optional)</span><textarea name="message" rows="3" maxlength="2000"></textarea></label>
<div class="row"><button class="btn main">Send them</button><a class="btn quiet" href="${href('/invoices?state=overdue')}">Cancel</a></div></form>`,
  }
}

function undoForm({ href, csrfField }: DeskRequest, outcomes: readonly Outcome<ChosenInvoice>[]): Html | false {
  const made = outcomes.filter(({ refused: why }) => why === undefined)
  return (
    made.length > 0 &&
    html`<form method="post" action="${href('/invoices/reminders/undo')}" data-turbo="false">${csrfField}${made.map(({ record, data }) => html`<input type="hidden" name="was" value="${`${record.id} ${(data as { id: string }).id}`}">`)}<button class="btn">Undo</button></form>`
  )
}
