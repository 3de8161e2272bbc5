// The tables of the public page: lines, totals and payments, in columns where there is room and stacked on a phone.
import { type Html, html } from '../http/html.ts'
import { earlierPaymentsLabel, lineDetails, paymentLabel, taxLabel, totalRows } from './document-rows.ts'
import { formatOf } from './format.ts'
import type { PrintDocument, PrintLine } from './print-document.ts'
import { oneLine, sanitizeText } from './sanitize-text.ts'

export function linesTable(document: PrintDocument): Html | null {
  if (document.lines.length === 0) return null
  const hasTax = document.lines.some(({ taxRate }) => taxRate)
  return html`<section aria-labelledby="lines"><h2 id="lines" class="unseen">Lines</h2>
<table class="lines">
<thead><tr><th scope="col">Description</th><th scope="col" class="figure wide">Quantity</th><th scope="col" class="figure wide">Unit price</th>${
    hasTax && html`<th scope="col" class="figure wide">Tax</th>`
  }<th scope="col" class="figure">Amount</th></tr></thead>
<tbody>${document.lines.map((line) => lineRow(document, line, hasTax))}</tbody>
</table></section>`
}

function lineRow(document: PrintDocument, line: PrintLine, hasTax: boolean): Html {
  const format = formatOf(document)
  const quantity = format.quantity(line.quantity)
  const price = format.price(line.unitPrice)
  const details = lineDetails(line, format)
  const tax = line.taxRate && taxLabel({ ...line.taxRate, name: oneLine(line.taxRate.name) }, format)
  return html`<tr><th scope="row"><span class="name" dir="auto">${oneLine(line.name, 200)}</span>${
    line.description && html`<span class="text aside" dir="auto">${sanitizeText(line.description)}</span>`
  }${
    details.length > 0 &&
    html`<span class="aside details">${details.map((detail) => html`<span><bdi>${oneLine(detail, 200)}</bdi></span> `)}</span>`
  }<span class="narrow aside"><bdi>${quantity}</bdi> × <bdi>${price}</bdi>${tax && html` ·\u00a0<bdi>${tax}</bdi>`}</span></th>
<td class="figure wide"><bdi>${quantity}</bdi></td><td class="figure wide"><bdi>${price}</bdi></td>${
    hasTax && html`<td class="figure wide"><bdi>${line.taxRate ? format.percent(line.taxRate.rate) : '–'}</bdi></td>`
  }<td class="figure"><bdi>${format.money(line.lineTotal)}</bdi></td></tr>
`
}

export function totalsTable(document: PrintDocument): Html {
  const rows = totalRows(document).map(
    ({ label, amount, weight }) =>
      html`<tr class="${weight}"><th scope="row" dir="auto">${oneLine(label, 300)}</th><td class="figure"><bdi>${amount}</bdi></td></tr>
`,
  )
  return html`<section aria-labelledby="totals"><h2 id="totals" class="unseen">Totals</h2>
<table class="totals"><tbody>${rows}</tbody></table></section>`
}

export function paymentsTable(document: PrintDocument): Html | null {
  if (document.payments.length === 0) return null
  const format = formatOf(document)
  const rows = document.payments.map(
    (payment) => html`<tr><th scope="row"><time datetime="${payment.paidAt}">${format.date(payment.paidAt)}</time></th>
<td><bdi>${oneLine(paymentLabel(payment))}</bdi></td><td class="figure"><bdi>${format.money(payment.amount)}</bdi></td></tr>
`,
  )
  const { earlierPayments: earlier } = document
  const before =
    earlier.count > 0 &&
    html`<tr><th scope="row" colspan="2"><bdi>${earlierPaymentsLabel(earlier, format)}</bdi></th><td class="figure"><bdi>${format.money(earlier.amount)}</bdi></td></tr>
`
  return html`<section class="passage" aria-labelledby="payments"><h2 id="payments">Payments</h2>
<table class="payments"><thead class="unseen"><tr><th scope="col">Date</th><th scope="col">Method</th><th scope="col">Amount</th></tr></thead><tbody>${before}${rows}</tbody></table></section>`
}
