// The page of a quote or an invoice.
import { type Html, html } from '../http/html.ts'
import { voidDialog } from './document-asks-view.ts'
import { type DocumentPage, isDeletable, isLocked } from './document-data.ts'
import { type Editor, editorOf } from './document-editor.ts'
import { bodyView } from './document-editor-view.ts'
import { stateChip, stateOf } from './document-marks.ts'
import {
  customerCard,
  paymentsCard,
  remindersCard,
  shareCard,
  stepsCard,
  type TypedPart,
} from './document-side-view.ts'
import { eInvoiceLinks } from './e-invoice-view.ts'
import { pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import type { DeskRequest } from './router.ts'

export interface DocumentProblem {
  readonly message?: string | undefined
  /** The form that stands in the way. */
  readonly way?: { readonly path: string; readonly words: string } | undefined
  readonly status?: number
  readonly editor?: Editor
  readonly payment?: TypedPart
  readonly reminder?: TypedPart
}

/** A button that says what the customer said, or takes it back. */
const statusButton = ({ href, csrfField }: DeskRequest, { kind, record }: DocumentPage, to: string, words: string) =>
  html`<form class="inline" method="post" action="${href(`/${kind}s/${record.id}/status`)}">${csrfField}<button class="btn quiet" name="status" value="${to}">${words}</button></form>`

/** What is done less often, below the cards. */
function otherActs(request: DeskRequest, page: DocumentPage): Html | false {
  const { href, may } = request
  const { kind, record } = page
  if (!may(`${kind}s:write`)) return false
  const button = (to: string, words: string) => statusButton(request, page, to, words)
  const { status } = record
  const acts =
    kind === 'quote'
      ? [
          status === 'draft' && button('sent', 'I gave it to them myself'),
          (status === 'draft' || status === 'sent') && button('accepted', 'They accepted'),
          (status === 'draft' || status === 'sent') && button('declined', 'They declined'),
          (status === 'accepted' || status === 'declined') && button('draft', 'Open it again as a draft'),
        ]
      : [
          status === 'draft' && button('sent', 'I gave it to them myself'),
          status === 'sent' && record.amountPaid === 0 && button('draft', 'Make it a draft again'),
          status !== 'void' &&
            html`<a class="btn quiet" href="${href(`/invoices/${record.id}/void`)}" data-dialog="void">Void the invoice</a>`,
        ]
  const remove =
    may(`${kind}s:delete`) &&
    isDeletable(page) &&
    html`<a class="btn quiet" href="${href(`/${kind}s/${record.id}/delete`)}" data-after-save>Delete the ${kind}</a>`
  return [...acts, remove].some(Boolean) && html`<div class="row wrap acts-below">${acts}${remove}</div>`
}

/** What comes next is one button: send, convert, or nothing. */
function mainAction(
  { href, csrfField, onceField, may }: DeskRequest,
  { kind, record, other }: DocumentPage,
): Html | false {
  const { id, status } = record
  if (!may(`${kind}s:write`)) return false
  const send = (classes: string, words: string) =>
    html`<a class="${classes}" href="${href(`/${kind}s/${id}/send`)}" data-after-save>${words}</a>`
  if (kind === 'invoice') {
    if (status === 'void') return false
    return status === 'draft' ? send('btn main', 'Send invoice') : send('btn', 'Send again')
  }
  if (status === 'declined') return false
  if (status === 'invoiced')
    return (
      other !== null && html`<a class="btn main" href="${href(`/invoices/${other.id}`)}">To invoice ${other.number}</a>`
    )
  const convert = (classes: string) =>
    may('invoices:write') &&
    html`<form class="inline" method="post" action="${href(`/quotes/${id}/convert`)}">${csrfField}${onceField}<button class="${classes}">Make an invoice</button></form>`
  if (status === 'accepted') return convert('btn main')
  return html`${convert('btn')}${status === 'draft' ? send('btn main', 'Send quote') : send('btn', 'Send again')}`
}

const endings: Readonly<Record<string, string>> = {
  accepted: 'accepted',
  declined: 'declined',
  invoiced: 'made into an invoice',
  void: 'voided',
}

/** Said to whoever was still typing. */
const lockedMeanwhile = ({ kind, record: { status } }: DocumentPage): string =>
  `The ${kind} was ${endings[status]} meanwhile, and stays as it was then. Nothing of what you typed is saved: it is kept below.`

export function documentView(request: DeskRequest, page: DocumentPage, problem: DocumentProblem = {}): View {
  const { href, clock, may } = request
  const { kind, record, number } = page
  const noun = kind === 'quote' ? 'Quote' : 'Invoice'
  const { message, way, editor = editorOf(request, page) } = problem
  const who = record.customerName ?? page.customer?.name
  const { wrong } = editor
  const refused = wrong && wrong.key === undefined && wrong.field === undefined ? wrong.words : undefined
  const words = message ?? (editor.isUnsaved && isLocked(page) ? lockedMeanwhile(page) : refused)
  const mayWrite = may(`${kind}s:write`)
  return {
    title: `${number}${who ? ` ${who}` : ''}`,
    place: `${kind}s`,
    scripts: ['job', 'document'],
    ...(problem.status && { status: problem.status }),
    body: html`<div data-live="${kind}s payments invoices/reminders tickets customers">${pageHead(
      who ? `${noun} for ${who}` : `${noun} ${number}`,
      {
        crumbs: [
          [href(`/${kind}s`), `${noun}s`],
          [href(`/${kind}s/${record.id}`), number],
        ],
        beside: stateChip(clock, kind, stateOf(record)),
        actions: html`<a class="btn quiet" href="${href(`/${kind}s/${record.id}/pdf`)}" target="_blank">PDF</a>${mainAction(request, page)}`,
      },
    )}
${words && html`<div class="note danger" role="alert">${icon('warning')}<span class="grow">${words}</span>${way && html`<a class="btn" href="${way.path}">${way.words}</a>`}</div>`}
${editor.isUnsaved && !wrong && html`<div class="note" role="status"><span class="grow">This is not saved yet.</span></div>`}
<div class="cols document-cols"><div class="stack">${bodyView(request, page, editor)}</div>
<aside class="stack" aria-label="About the ${kind}">${stepsCard(request, page)}${customerCard(request, page)}${paymentsCard(request, page, problem.payment)}${remindersCard(request, page, problem.reminder)}${shareCard(request, page)}${otherActs(request, page)}${kind === 'invoice' && record.status === 'sent' && eInvoiceLinks(request, record.id)}</aside></div></div>
${mayWrite && kind === 'invoice' && record.status !== 'void' && voidDialog(request, page)}`,
  }
}
