// The card of a quote, from what a tool answers about it. It is run in the host's frame, by `client/host.js`.
import type { DocumentRecord } from '../desk/document-data.ts'
import { stateChip, stateOf } from '../desk/document-marks.ts'
import { linesTable, sumsView } from '../desk/document-sums.ts'
import type { Clock } from '../desk/formatting.ts'
import { type Html, html } from '../http/html.ts'

/** What has no value is left out of answers. */
export type AnsweredQuote = Pick<DocumentRecord, 'currency' | 'status' | 'subtotal' | 'total'> & Partial<DocumentRecord>

export function renderQuote(answered: AnsweredQuote, clock: Clock): Html {
  const quote = {
    discountTotal: 0,
    depositAmount: 0,
    taxes: [],
    lineItems: [],
    ...answered,
  } as unknown as DocumentRecord
  const { quoteNumber, customerName, title, validUntil } = quote
  return html`<section class="card"><header class="row wrap"><span class="num soft">${quoteNumber}</span><h1 class="grow">${customerName ? `Quote for ${customerName}` : 'Quote'}</h1>${stateChip(clock, 'quote', stateOf(quote))}</header>
${(title || validUntil) && html`<dl class="props">${title && html`<dt>Title</dt><dd>${title}</dd>`}${validUntil && html`<dt>Valid until</dt><dd>${clock.shortDay(new Date(validUntil))}</dd>`}</dl>`}
${quote.lineItems.length > 0 && linesTable(quote)}${sumsView(quote)}</section>`
}
