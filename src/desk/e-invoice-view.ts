// E-invoices at the desk: where an invoice offers them, and the page that says what one lacks.
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

/** By the paths that the service names. */
const words: Readonly<Record<string, string>> = {
  'organisation.countryCode': 'Your country',
  'organisation.vatId': 'Your VAT id, or your tax number',
  'organisation.taxNumber': 'Your tax number',
  'organisation.electronicAddress':
    'Your electronic address: a scheme that Peppol knows, and a number whose check digits are right',
  'organisation.currency': 'A currency of today with two decimal places at most',
  'organisation.iban': 'Your IBAN',
  'organisation.bic': 'Your BIC',
  'organisation.address': 'Your address, with post code and city on one line',
  'organisation.phone': 'Your phone number',
  'organisation.email': 'Your email address',
  'customer.name': 'The name of the customer',
  'customer.countryCode': 'The customer’s country',
  'customer.vatId': 'The customer’s VAT id',
  'customer.electronicAddress':
    'The customer’s electronic address: a scheme that Peppol knows, and a number whose check digits are right',
  'customer.buyerReference': 'The reference that the customer wants on invoices',
  'customer.address': 'The customer’s address, with post code and city on one line',
  lineItems: 'Lines that come to the total of the invoice',
}

interface Lacking {
  readonly record: DocumentRecord
  readonly number: string
  readonly format: string
  readonly missing: readonly string[]
}

export function eInvoiceLackingView(request: DeskRequest, { record, number, format, missing }: Lacking): View {
  const { href, may } = request
  const invoice = href(`/invoices/${record.id}`)
  const wayTo = (path: string): string | false => {
    if (path.startsWith('organisation.')) return may('organisation:write') && href('/settings/organisation')
    if (!path.startsWith('customer.') || !record.customerId) return invoice
    return may('customers:write') && href(`/customers/${record.customerId}/edit`)
  }
  const row = (path: string) => {
    const way = wayTo(path)
    const text = html`<span class="grow">${words[path] ?? lineWords(path, record)}</span><span class="soft small">${placeOf(path)}</span>`
    return html`<li>${way === false ? html`<span class="line">${text}</span>` : html`<a href="${way}">${text}</a>`}</li>`
  }
  const isForAdmins = missing.some((path) => wayTo(path) === false)
  return {
    title: `E-invoice ${number}`,
    place: 'invoices',
    status: 409,
    body: html`${pageHead('Something is missing for the e-invoice', {
      crumbs: [
        [href('/invoices'), 'Invoices'],
        [invoice, number],
      ],
    })}
<div class="stack narrow"><section class="card"><header><h2>${formats.find(([name]) => name === format)?.[1]} needs this first</h2></header>
<ul class="list">${missing.map(row)}</ul></section>
<p class="soft">Fill it in, then ask for the e-invoice again.${isForAdmins && ' What no link leads to, an admin fills in under Settings.'}</p></div>`,
  }
}

const placeOf = (path: string): string =>
  path.startsWith('organisation.') ? 'Settings' : path.startsWith('customer.') ? 'Customer' : 'Invoice'

/** `lineItems[1].taxRateId` */
function lineWords(path: string, { lineItems }: DocumentRecord): string {
  const index = Number(/\[(\d+)\]/.exec(path)?.[1] ?? Number.NaN)
  const line = lineItems[index]
  return line ? `Line ${index + 1}, “${line.name}”: a tax rate that says why no tax is charged` : path
}
