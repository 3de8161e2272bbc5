// The lists of quotes and invoices: tabs of states with their counts, a search, and what all of them come to.
import { type Html, html } from '../http/html.ts'
import { type DocumentKind, type DocumentState, openStates, stateChip } from './document-marks.ts'
import { count, money } from './formatting.ts'
import { mainButton, pageHead, type View } from './frame.ts'
import { emptyNote } from './marks.ts'
import type { DeskRequest } from './router.ts'

export interface ListedDocument extends DocumentState {
  readonly id: string
  readonly number: string
  readonly customer: string | null
  readonly title: string | null
  readonly currency: string
  readonly total: number
  readonly balance: number
  /** When it was written, or issued. */
  readonly at: Date
}

/** By the name of the state how many there are; `…Sum` is what they come to. */
export type StateSums = Readonly<Record<string, number>> & { readonly currency: string }

interface DocumentListPage {
  readonly kind: DocumentKind
  /** Empty for all. */
  readonly state: string
  readonly search: string
  readonly documents: readonly ListedDocument[]
  readonly sums: readonly StateSums[]
  /** Whether several are chosen for one act. */
  readonly isChoosing: boolean
  /** The last one of this page, where there are more. */
  readonly next: string | undefined
}

/** In the order of the tabs; the first is shown without a state. */
const tabs: Readonly<Record<DocumentKind, readonly (readonly [state: string, words: string])[]>> = {
  quote: [
    ['', 'All'],
    ['draft', 'Draft'],
    ['sent', 'Waiting'],
    ['accepted', 'Accepted'],
    ['invoiced', 'Invoiced'],
    ['declined', 'Declined'],
    ['expired', 'Expired'],
  ],
  invoice: [
    ['', 'All'],
    ['draft', 'Draft'],
    ['open', 'Unpaid'],
    ['overdue', 'Overdue'],
    ['partlyPaid', 'Part paid'],
    ['paid', 'Paid'],
    ['void', 'Void'],
  ],
}

const addressOf = (kind: DocumentKind, parameters: Readonly<Record<string, string>>): string => {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ''))
  return `/${kind}s${query.size > 0 ? `?${query}` : ''}`
}

function row({ href, clock }: DeskRequest, { kind, state, isChoosing }: DocumentListPage, one: ListedDocument): Html {
  const { id, number, customer, title, at, until, currency, total, balance, isLate } = one
  const isOwed = one.status === 'sent' && !one.isPaid
  const owed = isOwed && money(balance, currency)
  const last =
    kind === 'quote'
      ? html`<td class="r soft num opt">${until && clock.shortDay(until)}</td><td class="r num">${money(total, currency)}</td>`
      : openStates.includes(state)
        ? html`<td class="r num opt soft">${money(total, currency)}</td><td class="r num ${isLate && 'danger'}">${owed}</td>`
        : html`<td class="r num opt ${isLate ? 'danger' : 'soft'}">${owed}</td><td class="r num">${money(total, currency)}</td>`
  const called = isChoosing
    ? html`<label class="row"><input type="checkbox" name="invoice" value="${id}"${isLate && html` checked`}>${number}</label>`
    : number
  return html`<tr class="${isChoosing ? '' : 'go'}" id="d-${id}"><td class="id">${called}</td><td class="cut"><a class="title strong" href="${href(`/${kind}s/${id}`)}">${customer ?? 'No customer'}</a></td><td class="soft opt cut">${title}</td><td class="state">${stateChip(clock, kind, one)}</td><td class="r soft num opt">${clock.shortDay(at)}</td>${last}</tr>`
}

/** Sums of different currencies are not added up. */
function foot({ kind, state, sums }: DocumentListPage): Html {
  const name = state === '' ? 'all' : state
  const some = sums.filter((sum) => Number(sum[name]) > 0)
  const number = some.reduce((all, sum) => all + Number(sum[name]), 0)
  const all = kind === 'invoice' ? ', what was billed without drafts and void ones' : ''
  const words = openStates.includes(state) ? ', still to be paid' : state === '' ? all : ''
  return html`<tfoot><tr><td colspan="5">${count(number, kind)}${words}</td><td class="r num strong" colspan="2">${some.map((sum, index) => html`${index > 0 && ' + '}${money(Number(sum[`${name}Sum`]), sum.currency)}`)}</td></tr></tfoot>`
}

function table(request: DeskRequest, page: DocumentListPage): Html {
  const { kind, state, documents } = page
  const isOwed = kind === 'invoice' && openStates.includes(state)
  return html`<table class="fold documents"><thead><tr><th scope="col">Number</th><th class="c3" scope="col">Customer</th><th class="c4 opt" scope="col">For</th><th scope="col">State</th><th class="r opt" scope="col">Date</th><th class="r opt" scope="col">${kind === 'quote' ? 'Valid until' : isOwed ? 'Total' : 'Still to be paid'}</th><th class="r" scope="col">${isOwed ? 'Still to be paid' : 'Total'}</th></tr></thead><tbody>${documents.map((one) => row(request, page, one))}</tbody>${foot(page)}</table>`
}

const chooseLink = ({ href }: DeskRequest, { kind, state, search, isChoosing }: DocumentListPage): Html =>
  html`<a class="btn" href="${href(addressOf(kind, { state: state || 'overdue', q: search, choose: isChoosing ? '' : 'yes' }))}">${isChoosing ? 'Stop choosing' : 'Send reminders'}</a>`

/** Those that are overdue are chosen already. It is asked once more before anything is sent. */
const reminderForm = (request: DeskRequest, page: DocumentListPage): Html =>
  html`<form method="post" action="${request.href('/invoices/reminders')}" data-turbo="false">${request.csrfField}${table(request, page)}<div class="bulk"><button class="btn main">Remind the customers of those chosen</button></div></form>`

export function documentListView(request: DeskRequest, page: DocumentListPage): View {
  const { href, may } = request
  const { kind, state, search, documents, sums, next, isChoosing } = page
  const title = kind === 'quote' ? 'Quotes' : 'Invoices'
  const countOf = (name: string) => sums.reduce((all, sum) => all + Number(sum[name || 'all']), 0)
  const tab = ([name, words]: readonly [string, string]) =>
    html`<a href="${href(addressOf(kind, { state: name, q: search }))}"${name === state && html` aria-current="true"`}>${words}<span class="num soft small">${countOf(name)}</span></a>`
  const empty =
    search !== ''
      ? emptyNote('Nothing found', 'Try a part of the number, of the customer’s name or of the title.')
      : emptyNote(
          countOf('') > 0 ? `No ${kind} is in this state` : `No ${kind}s yet`,
          `On the page of a job a ${kind} takes over its work and parts; here it begins empty.`,
        )
  return {
    title,
    place: `${kind}s`,
    body: html`${pageHead(title, { actions: may(`${kind}s:write`) && html`${kind === 'invoice' && chooseLink(request, page)}${mainButton(href(`/${kind}s/new`), `New ${kind}`, 'plus')}` })}
<div class="head wrap list-head"><nav class="seg" aria-label="States">${tabs[kind].map(tab)}</nav><form class="acts" role="search" action="${href(`/${kind}s`)}">${state !== '' && html`<input type="hidden" name="state" value="${state}">`}<input type="search" name="q" value="${search}" placeholder="Number, customer, title" aria-label="Find ${kind}s"></form></div>
<section class="card"${!isChoosing && html` data-live="${kind}s payments"`} aria-label="${title}">${documents.length === 0 ? empty : isChoosing ? reminderForm(request, page) : table(request, page)}</section>
${next && html`<p class="row"><a class="btn" href="${href(addressOf(kind, { state, q: search, after: next }))}">Older ${kind}s</a></p>`}`,
  }
}
