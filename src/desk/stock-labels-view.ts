// Labels to print and stick on: the name, the price, and the code as bars that a scanner reads.
import { code128Bars } from '../domain/code-128.ts'
import { type Html, html } from '../http/html.ts'
import { count, money } from './formatting.ts'
import { pageHead, type View } from './frame.ts'
import { seesPrices } from './job-data.ts'
import { emptyNote } from './marks.ts'
import type { DeskRequest } from './router.ts'

interface LabelledItem {
  readonly id: string
  readonly name: string
  readonly sku: string | null
  readonly barcode: string | null
  readonly price: number
}

interface LabelsPage {
  readonly items: readonly LabelledItem[]
  readonly copies: number
  readonly isMore: boolean
  /** Where they are of one item. */
  readonly one?: LabelledItem
}

/** So many narrow bars are left white on both sides: scanners need them. */
const quietZone = 10
const barHeight = 40

function bars(code: string): Html | false {
  const drawn = code128Bars(code)
  if (!drawn) return false
  const { bars: some, width } = drawn
  const path = some.map((bar) => `M${bar.at + quietZone} 0h${bar.width}v${barHeight}h-${bar.width}z`).join('')
  return html`<svg class="bars" viewBox="0 0 ${width + 2 * quietZone} ${barHeight}" preserveAspectRatio="none" role="img" aria-label="Barcode ${code}"><path d="${path}"/></svg>`
}

function label(request: DeskRequest, { name, sku, barcode, price }: LabelledItem): Html {
  const code = barcode ?? sku
  return html`<li class="label"><strong class="cut">${name}</strong>${code !== null && bars(code)}<span class="row"><span class="num">${code}</span>${seesPrices(request) && html`<span class="num grow r">${money(price, request.currency)}</span>`}</span></li>`
}

export function labelsView(request: DeskRequest, { items, copies, isMore, one }: LabelsPage): View {
  const { href } = request
  const labels = items.flatMap((item) => Array.from({ length: copies }, () => label(request, item)))
  const number =
    one &&
    html`<form class="acts" action="${href(`/stock/${one.id}/label`)}"><input type="number" name="copies" value="${copies}" min="1" max="200" aria-label="How many"><button class="btn">Show</button></form>`
  return {
    title: 'Labels',
    place: 'stock',
    body: html`${pageHead(one ? `Labels for ${one.name}` : 'Labels', { crumbs: [[href('/stock'), 'Stock'], ...(one ? ([[href(`/stock/${one.id}`), one.name]] as const) : [])], actions: number })}
<p class="soft report-head">${count(labels.length, 'label')}, to be printed with the browser (Ctrl P).${isMore && ' There are more: narrow the list down.'}</p>
${labels.length > 0 ? html`<ul class="labels">${labels}</ul>` : html`<section class="card">${emptyNote('No items', 'Choose other items in the list.')}</section>`}`,
  }
}
