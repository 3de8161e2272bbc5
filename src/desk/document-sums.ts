// The lines of a quote or an invoice as they are read, and what they come to. Cards of agents show them, too, in a browser.
import { type Html, html } from '../http/html.ts'
import type { DocumentRecord } from './document-data.ts'
import { money } from './formatting.ts'

/** What of a line nobody types. */
export interface LineDetail {
  readonly description?: string | null
  readonly warrantyDays?: number | null
  readonly serialNumber?: string | null
}

/** The first line of its description, serial number, warranty. */
export function lineDetail({ description, warrantyDays, serialNumber }: LineDetail): Html | false {
  const words = [
    String(description ?? '').split('\n')[0],
    serialNumber && `Serial number ${serialNumber}`,
    warrantyDays && `${warrantyDays} days’ warranty`,
  ]
    .filter(Boolean)
    .join(' · ')
  return words !== '' && html`<span class="sub">${words}</span>`
}

export const linesTable = ({ lineItems, currency }: Pick<DocumentRecord, 'lineItems' | 'currency'>): Html =>
  html`<table class="lines"><thead><tr><th scope="col">What</th><th class="r" scope="col">Quantity</th><th class="r" scope="col">Price</th><th class="r" scope="col">Total</th></tr></thead><tbody>${lineItems.map((one, index) => html`<tr id="r-${index}"><td>${one.name}${lineDetail(one)}</td><td class="r q num">${String(one.quantity)}</td><td class="r p num">${money(one.unitPrice, currency)}</td><td class="r x num">${money(one.lineTotal, currency)}</td></tr>`)}</tbody></table>`

/** Many call their rate “VAT 20%” already. */
export const taxWords = (name: string, rate: number, isInclusive: boolean): string =>
  `${isInclusive ? 'Including ' : ''}${name.includes(`${rate}`) ? name : `${name} ${rate}%`}`

/** The sums as the service has them. */
export function sumsView(record: DocumentRecord): Html {
  const { currency, subtotal, discountTotal, taxes, total, depositAmount, amountPaid = 0, balance = 0 } = record
  const row = (term: string, value: number, kind = '') =>
    html`<dt class="${kind}">${term}</dt><dd class="${kind}">${money(value, currency)}</dd>`
  const paid =
    amountPaid !== 0 &&
    html`${row('Paid', -amountPaid)}${row(balance < 0 ? 'In the customer’s favour' : 'Still to be paid', Math.abs(balance), 'sum')}`
  return html`<dl class="totals">${row('Subtotal', subtotal)}${discountTotal !== 0 && row('Discount', -discountTotal)}${taxes.map(({ name, rate, isInclusive, amount }) => row(taxWords(name, rate, isInclusive), amount))}${row('Total', total, 'sum')}${depositAmount > 0 && row(record.depositPaid ? 'Deposit, paid' : 'Deposit', depositAmount)}${paid}</dl>`
}
