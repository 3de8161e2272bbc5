// E-invoices at the desk: where an invoice offers them, and the page that says what keeps one from being written.
import type { Problem } from '../domain/e-invoice/reasons.ts'
import { type Html, html } from '../http/html.ts'
import type { DocumentRecord } from './document-data.ts'
import { pageHead, type View } from './frame.ts'
import type { DeskRequest } from './router.ts'

const formats = [
  ['factur-x', 'Factur-X (ZUGFeRD)'],
  ['ubl', 'Peppol (UBL)'],
  ['xrechnung', 'XRechnung'],
] as const

export const eInvoiceLinks = ({ href }: DeskRequest, invoiceId: string): Html =>
  html`<details class="edit words" id="e-invoice"><summary class="link">As an e-invoice</summary><p class="row wrap">${formats.map(
    ([format, words]) =>
      html`<a class="btn quiet" href="${href(`/invoices/${invoiceId}/e-invoice/${format}`)}" data-turbo="false">${words}</a>`,
  )}</p></details>`

/** What people call what the service names by its path. */
const names: Readonly<Record<string, string>> = {
  'organisation.countryCode': 'Your country',
  'organisation.vatId': 'Your VAT id',
  'organisation.taxNumber': 'Your tax number',
  'organisation.electronicAddress': 'Your electronic address',
  'organisation.currency': 'Your currency',
  'organisation.iban': 'Your IBAN',
  'organisation.bic': 'Your BIC',
  'organisation.address': 'Your address',
  'organisation.phone': 'Your phone number',
  'organisation.email': 'Your email address',
  'customer.name': 'The customer’s name',
  'customer.countryCode': 'The customer’s country',
  'customer.vatId': 'The customer’s VAT id',
  'customer.electronicAddress': 'The customer’s electronic address',
  'customer.buyerReference': 'The reference that the customer wants on invoices',
  'customer.address': 'The customer’s address',
  lineItems: 'The invoice',
}

interface Judgement {
  readonly record: DocumentRecord
  readonly number: string
  readonly format: string
  readonly problems: readonly Problem[]
}

export function eInvoiceProblemsView(request: DeskRequest, { record, number, format, problems }: Judgement): View {
  const { href, may } = request
  const invoice = href(`/invoices/${record.id}`)
  const wayTo = (path: string): string | false => {
    if (path.startsWith('organisation.')) return may('organisation:write') && href('/settings/organisation')
    if (!path.startsWith('customer.') || !record.customerId) return invoice
    return may('customers:write') && href(`/customers/${record.customerId}/edit`)
  }
  const row = ({ field, reason }: Problem) => {
    const way = wayTo(field)
    const text = html`<span class="grow">${names[field] ?? lineName(field, record)} ${reason}</span><span class="soft small">${placeOf(field)}</span>`
    return html`<li>${way === false ? html`<span class="line">${text}</span>` : html`<a href="${way}">${text}</a>`}</li>`
  }
  const isForAdmins = problems.some(({ field }) => wayTo(field) === false)
  return {
    title: `E-invoice ${number}`,
    place: 'invoices',
    status: 409,
    body: html`${pageHead('Something is missing or wrong for the e-invoice', {
      crumbs: [
        [href('/invoices'), 'Invoices'],
        [invoice, number],
      ],
    })}
<div class="stack narrow"><section class="card"><header><h2>${formats.find(([name]) => name === format)?.[1]} needs this first</h2></header>
<ul class="list">${problems.map(row)}</ul></section>
<p class="soft">Correct it, then ask for the e-invoice again.${isForAdmins && ' What no link leads to, an admin corrects under Settings.'}</p></div>`,
  }
}

const placeOf = (path: string): string =>
  path.startsWith('organisation.') ? 'Settings' : path.startsWith('customer.') ? 'Customer' : 'Invoice'

/** `lineItems[1].taxRateId` */
function lineName(path: string, { lineItems }: DocumentRecord): string {
  const index = Number(/\[(\d+)\]/.exec(path)?.[1] ?? Number.NaN)
  const line = lineItems[index]
  return line ? `The tax rate of line ${index + 1}, “${line.name}”,` : path
}
