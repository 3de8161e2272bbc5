// What stands beside a quote or an invoice: what happened so far, the customer, the shared address, payments, reminders.
import { type Html, type HtmlPart, html } from '../http/html.ts'
import { paymentLabel } from '../rendering/document-rows.ts'
import type { DocumentPage, Payment, Reminder } from './document-data.ts'
import { money } from './formatting.ts'
import { priceText } from './job-fields.ts'
import { noMailServerNote } from './mail-words.ts'
import { chip, phoneLink } from './marks.ts'
import type { DeskRequest } from './router.ts'

interface Step {
  readonly words: HtmlPart
  /** Not yet without one. */
  readonly at: string | null | undefined
}

function quoteSteps({ record }: DocumentPage): Step[] {
  const { declinedAt, declineReason, acceptedAt, acceptedByName } = record
  if (declinedAt) return [{ words: html`Declined${declineReason && html`: “${declineReason}”`}`, at: declinedAt }]
  return [{ words: html`Accepted${acceptedByName && html` by ${acceptedByName}`}`, at: acceptedAt }]
}

const invoiceSteps = ({ record: { voidedAt, paidAt } }: DocumentPage): Step[] =>
  voidedAt ? [{ words: 'Void', at: voidedAt }] : [{ words: 'Paid', at: paidAt }]

function mailWords({ hasMailServer }: DeskRequest, { record: { delivery } }: DocumentPage): Html | false {
  if (!delivery) return false
  if (delivery.status === 'failed')
    return html`<p class="words small danger">The mail to ${delivery.to} failed: ${delivery.failureReason ?? 'the reason is not known'}. Send it again.</p>`
  // Whether there was a mail server when it went out is not kept: what is known is said, and no more.
  if (!hasMailServer)
    return html`<p class="words small soft">Written for ${delivery.to}. Without a mail server nobody gets it.</p>`
  // What was left out of a mail that went.
  const note = delivery.status === 'sent' && delivery.failureReason
  return html`<p class="words small soft">${delivery.status === 'sent' ? 'Mailed' : 'Being mailed'} to ${delivery.to}</p>${note && html`<p class="words small danger">${note}.</p>`}`
}

/** What the customer got, saw and did. */
export function stepsCard(request: DeskRequest, page: DocumentPage): Html {
  const { clock, href } = request
  const { kind, record, other } = page
  const views = record.shareLink?.viewCount ?? 0
  const steps: readonly Step[] = [
    { words: 'Written', at: record.createdAt },
    { words: 'Sent', at: record.sentAt },
    { words: html`Seen${views > 1 && ` ${views} times, first`}`, at: record.viewedAt },
    ...(kind === 'quote' ? quoteSteps(page) : invoiceSteps(page)),
  ]
  const step = ({ words, at }: Step, index: number) =>
    html`<li id="step-${index}"><span class="${at ? 'tick on' : 'tick'}"></span><span class="${!at && 'soft'}">${words}${at && html` <span class="soft num"><time datetime="${at}">${clock.ago(new Date(at))}</time></span>`}</span></li>`
  const way =
    other &&
    html`<p class="words"><a class="link" href="${href(`/${kind === 'quote' ? 'invoices' : 'quotes'}/${other.id}`)}">${kind === 'quote' ? 'Invoice' : 'From quote'} ${other.number}</a></p>`
  return html`<section class="card" id="so-far"><header><h2>So far</h2></header><ol class="time">${steps.map(step)}</ol>${mailWords(request, page)}${way}</section>`
}

export function customerCard({ href, may }: DeskRequest, { record, customer, job }: DocumentPage): Html {
  const name = record.customerName ?? customer?.name ?? 'No customer'
  const title =
    customer && may('customers:read')
      ? html`<a class="title" href="${href(`/customers/${customer.id}`)}">${name}</a>`
      : name
  const rows = [
    record.customerEmail && html`<dt>Email</dt><dd>${record.customerEmail}</dd>`,
    customer?.phone && html`<dt>Phone</dt><dd>${phoneLink(customer.phone)}</dd>`,
    job && html`<dt>Job</dt><dd><a class="link" href="${href(`/jobs/${job.id}`)}">#${job.number} ${job.title}</a></dd>`,
  ]
  return html`<section class="card" id="customer"><header><h2>${title}</h2></header>${rows.some(Boolean) && html`<dl class="props">${rows}</dl>`}</section>`
}

/** Whoever has the address sees the document, and can answer a quote. */
export function shareCard({ href, csrfField, may }: DeskRequest, { kind, record }: DocumentPage): Html | false {
  if (!may(`${kind}s:write`)) return false
  const action = href(`/${kind}s/${record.id}/share-link`)
  const link = record.shareLink
  if (!link)
    return html`<section class="card" id="share"><header><h2>Address for the customer</h2></header><form class="words" method="post" action="${action}">${csrfField}<p class="soft">Sending makes one. Make it now to give it to them another way.</p><p class="row"><button class="btn">Make the address</button></p></form></section>`
  return html`<section class="card" id="share"><header><h2>Address for the customer</h2></header><div class="words">${
    link.url
      ? html`<p class="row"><input class="grow" id="share-url" readonly aria-label="Address for the customer" value="${link.url}"><button class="btn" type="button" data-copy="share-url">Copy</button></p>`
      : html`<p class="soft">It works, but cannot be shown any more.</p>`
  }<form method="post" action="${action}">${csrfField}<p class="row"><button class="btn quiet" name="end" value="yes">End it</button><span class="soft small">Nobody sees the ${kind} then.</span></p></form></div></section>`
}

const paymentMethods = [
  ['card', 'Card'],
  ['cash', 'Cash'],
  ['bankTransfer', 'Bank transfer'],
  ['cheque', 'Cheque'],
  ['other', 'Another way'],
] as const

export interface TypedPart {
  /** What was sent to this part of the page, and refused. */
  readonly form: URLSearchParams
  readonly words: string
}

const typedValue = (typed: TypedPart | undefined, name: string, usual: string): string => typed?.form.get(name) ?? usual
const reason = (typed: TypedPart | undefined): Html | false =>
  typed !== undefined && html`<p class="danger small" role="alert">${typed.words}</p>`

function paymentForm(
  { href, csrfField, onceField, clock }: DeskRequest,
  { record }: DocumentPage,
  typed?: TypedPart,
): Html {
  const { id, currency, balance = 0, amountPaid = 0 } = record
  const method = typedValue(typed, 'paymentMethod', 'card')
  const isOut = typedValue(typed, 'direction', 'in') === 'out'
  return html`<form class="words stack-tight" method="post" action="${href(`/invoices/${id}/payments`)}" id="pay">${csrfField}${onceField}${reason(typed)}
${amountPaid > 0 ? html`<label class="field"><span>What</span><select name="direction"><option value="in">Payment</option><option value="out"${isOut && html` selected`}>Refund to the customer</option></select></label>` : html`<input type="hidden" name="direction" value="in">`}
<div class="row"><label class="field grow"><span>Amount in ${currency}</span><input name="amount" inputmode="decimal" autocomplete="off" required value="${typedValue(typed, 'amount', balance > 0 ? priceText(balance, currency) : '')}"></label><label class="field grow"><span>Day</span><input type="date" name="paidAt" value="${typedValue(typed, 'paidAt', clock.today)}"></label></div>
<label class="field"><span>How</span><select name="paymentMethod">${paymentMethods.map(([one, words]) => html`<option value="${one}"${one === method && html` selected`}>${words}</option>`)}</select></label>
<label class="field"><span>Note</span><input name="notes" maxlength="2000" autocomplete="off" value="${typedValue(typed, 'notes', '')}"></label>
<p class="row"><button class="btn">Record it</button></p></form>`
}

export function paymentsCard(request: DeskRequest, page: DocumentPage, typed?: TypedPart): Html | false {
  const { href, clock, may } = request
  const { kind, record, payments } = page
  if (kind !== 'invoice' || !may('payments:read')) return false
  const row = ({ id, amount, method, notes, at, isManaged }: Payment) =>
    html`<li id="${id}"><div class="line"><span class="grow"><span class="cut">${paymentLabel({ amount, paymentMethod: method, paidAt: at })}</span><small class="soft cut">${clock.shortDay(new Date(at))}${notes && ` · ${notes}`}</small></span><span class="num">${money(amount, record.currency)}</span>${!isManaged && may('payments:delete') && record.status !== 'void' && html`<a class="btn quiet small" href="${href(`/invoices/${record.id}/payments/${id}/remove`)}" aria-label="Remove the payment of ${money(amount, record.currency)}">Remove</a>`}</div></li>`
  const isOpen = typed !== undefined
  return html`<section class="card" id="payments"><header><h2>Payments</h2></header>${payments.length > 0 && html`<ul class="list">${payments.map(row)}</ul>`}${
    may('payments:write') &&
    record.status !== 'void' &&
    html`<details class="edit words" id="record-payment"${isOpen && html` open`}><summary class="link">Record a payment${(record.amountPaid ?? 0) > 0 && ' or a refund'}</summary>${paymentForm(request, page, typed)}</details>`
  }</section>`
}

const reminderChips = {
  scheduled: ['Planned', ''],
  sent: ['Sent', 'good'],
  skipped: ['Not needed', ''],
  failed: ['Failed', 'danger'],
} as const

export function remindersCard(request: DeskRequest, page: DocumentPage, typed?: TypedPart): Html | false {
  const { href, csrfField, onceField, clock, may } = request
  const { kind, record, reminders } = page
  const isOwed = record.status !== 'void' && !record.paid
  if (kind !== 'invoice' || (reminders.length === 0 && !isOwed)) return false
  const action = `/invoices/${record.id}/reminders`
  const row = ({ id, at, status, failureReason }: Reminder) => {
    const [words, mark] = reminderChips[status]
    return html`<li id="${id}"><form class="line" method="post" action="${href(`${action}/${id}/remove`)}">${csrfField}<span class="grow">${clock.nearby(new Date(at))}${failureReason && html`<small class="soft cut">${failureReason}</small>`}</span>${chip(words, mark)}${status === 'scheduled' && may('invoices:write') && html`<button class="btn quiet small" aria-label="Remove the reminder of ${clock.shortDay(new Date(at))}">Remove</button>`}</form></li>`
  }
  return html`<section class="card" id="reminders"><header><h2>Reminders</h2></header>${reminders.length > 0 && html`<ul class="list">${reminders.map(row)}</ul>`}${
    isOwed &&
    may('invoices:write') &&
    html`<details class="edit words" id="plan-reminder"${typed !== undefined && html` open`}><summary class="link">Have the customer reminded</summary><form class="words stack-tight" method="post" action="${href(action)}">${csrfField}${onceField}${reason(typed)}${noMailServerNote(request)}<div class="row"><label class="field grow"><span>Day</span><input type="date" name="day" required value="${typedValue(typed, 'day', '')}"></label><label class="field grow"><span>Time</span><input type="time" name="time" value="${typedValue(typed, 'time', '09:00')}"></label></div><label class="field"><span>Message</span><textarea name="message" rows="2" maxlength="2000">${typedValue(typed, 'message', '')}</textarea></label><p class="soft small">It is sent only if something is still to be paid then.</p><p class="row"><button class="btn">Plan it</button></p></form></details>`
  }</section>`
}
