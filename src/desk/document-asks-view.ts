// What is asked before a document is voided, deleted or converted anew: as a dialog, and as a page without scripts.
import { type Html, html } from '../http/html.ts'
import { type DocumentPage, isDeletable, type Payment } from './document-data.ts'
import { count, money } from './formatting.ts'
import { pageHead, type View } from './frame.ts'
import type { DeskRequest } from './router.ts'

/** Closes the dialog, or leads back. */
const way = ({ href }: DeskRequest, { kind, record }: DocumentPage, isDialog: boolean, words: string): Html =>
  isDialog
    ? html`<button class="btn" formmethod="dialog" formnovalidate>${words}</button>`
    : html`<a class="btn" href="${href(`/${kind}s/${record.id}`)}">${words}</a>`

const askView = ({ href }: DeskRequest, page: DocumentPage, title: string, form: Html, status = 200): View => ({
  title,
  place: `${page.kind}s`,
  status,
  body: html`${pageHead(title, { crumbs: [[href(`/${page.kind}s/${page.record.id}`), page.number]] })}
<div class="card asks narrow">${form}</div>`,
})

const dialog = (id: string, label: string, form: Html): Html =>
  html`<dialog id="${id}" aria-label="${label}">${form}</dialog>`

const voidForm = (request: DeskRequest, page: DocumentPage, isDialog: boolean): Html =>
  html`<form method="post" action="${request.href(`/invoices/${page.record.id}/void`)}">${request.csrfField}${isDialog && html`<h2>Void ${page.number}?</h2>`}<p>It stays in the list with its number, and nothing is owed on it any more. This cannot be taken back.</p><p class="row">${way(request, page, isDialog, 'Keep it')}<button class="btn danger">Void the invoice</button></p></form>`

export const voidDialog = (request: DeskRequest, page: DocumentPage): Html =>
  dialog('void', `Void ${page.number}`, voidForm(request, page, true))

export const voidView = (request: DeskRequest, page: DocumentPage): View =>
  askView(request, page, `Void ${page.number}?`, voidForm(request, page, false))

/** A quote that was converted before. */
export function convertAgainView(request: DeskRequest, page: DocumentPage, status: number): View {
  const { href, csrfField, onceField } = request
  const { record, other, number } = page
  const there = other
    ? html`<a class="link" href="${href(`/invoices/${other.id}`)}">Invoice ${other.number}</a> was made of it`
    : 'It was made into an invoice before'
  return askView(
    request,
    page,
    `${number} is already invoiced`,
    html`<form method="post" action="${href(`/quotes/${record.id}/convert`)}">${csrfField}${onceField}<p>${there}. Another one would ask the customer for the same money again, unless you split the work.</p><p class="row">${way(request, page, false, 'Leave it')}<button class="btn danger" name="force" value="yes">Make another invoice</button></p></form>`,
    status,
  )
}

export function paymentRemovalView(request: DeskRequest, page: DocumentPage, payment: Payment): View {
  const amount = money(payment.amount, page.record.currency)
  return askView(
    request,
    page,
    `Remove the payment of ${amount}?`,
    html`<form method="post" action="${request.href(`/invoices/${page.record.id}/payments/${payment.id}/remove`)}">${request.csrfField}<p>For one that was recorded by mistake: the invoice is open again by that much. Money that went back is recorded as a refund.</p><p class="row">${way(request, page, false, 'Keep it')}<button class="btn danger">Remove it</button></p></form>`,
  )
}

/** Draft and unseen it goes for good; of any other the page says what is done instead. */
export function deletionView(request: DeskRequest, page: DocumentPage, problem?: string): View {
  const { href, csrfField } = request
  const { kind, record, number, version, payments, other } = page
  const keep = way(request, page, false, 'Keep it')
  if (!isDeletable(page))
    return askView(
      request,
      page,
      `${number} stays`,
      html`<form>${staysWords(page)}<p class="row">${way(request, page, false, 'Back to it')}</p></form>`,
    )
  const parts = [
    payments.length > 0 && `${count(payments.length, 'payment')} recorded on it`,
    page.reminders.length > 0 && count(page.reminders.length, 'reminder'),
  ].filter(Boolean)
  return askView(
    request,
    page,
    `Delete ${number}?`,
    html`<form method="post" action="${href(`/${kind}s/${record.id}/delete`)}">${csrfField}<input type="hidden" name="version" value="${version ?? ''}">${problem && html`<p class="danger" role="alert">${problem}</p>`}<p>${parts.length > 0 && `With it goes ${parts.join(' and ')}. `}${kind === 'invoice' && other && `Quote ${other.number} is open to be invoiced again. `}Its number is not given to another one. This cannot be taken back.</p><p class="row">${keep}<button class="btn danger">Delete the ${kind}</button></p></form>`,
  )
}

function staysWords({ kind, record }: DocumentPage): Html {
  if (record.status === 'draft')
    return html`<p>The customer has the address of this ${kind}. End the address first, then it can be deleted.</p>`
  return kind === 'invoice'
    ? html`<p>The customer has this invoice, and its number stands in the books. Void it instead: it stays in the list, and nothing is owed on it.</p>`
    : html`<p>The customer has this quote, or has answered it. Mark it as declined instead, or open it again as a draft.</p>`
}
