// The list of stock: search and scan, categories, what runs low, quick corrections in its rows.
import { type Html, html } from '../http/html.ts'
import { money, quantityText } from './formatting.ts'
import { mainButton, pageHead, type View } from './frame.ts'
import { seesPrices } from './job-data.ts'
import { chip, emptyNote } from './marks.ts'
import type { DeskRequest } from './router.ts'
import { addressOf, type ListedItem, type StockCounts, type StockFilter } from './stock-data.ts'

interface StockPage {
  readonly filter: StockFilter
  readonly items: readonly ListedItem[]
  readonly counts: StockCounts
  /** The last one of this page, where there are more. */
  readonly next: string | undefined
  readonly wrong?: WrongRow | undefined
}

/** A correction that was refused, in the row where it was typed. */
export interface WrongRow {
  readonly id: string
  readonly message: string
  readonly typed: Readonly<Record<'change' | 'reason', string>>
}

/** Why a quantity is corrected, nearly always. */
export const reasonChoices = html`<datalist id="reasons"><option value="Delivery"><option value="Counted"><option value="Damaged"><option value="Lost"><option value="Returned to the supplier"></datalist>`

/** What a scanner may have typed. */
const isCode = (search: string): boolean => /^\S{4,80}$/.test(search)

/** What is there of an item, as a row shows it. */
export const onHandText = ({ quantity, isLow }: Pick<ListedItem, 'quantity' | 'isLow'>): Html =>
  html`${isLow && html`${chip('Low', 'warn')} `}${quantityText(quantity)}<span class="phone"> on hand</span>`

/** Opens in the row: what is added or taken away, and why. */
function quickCorrection(request: DeskRequest, item: ListedItem, { filter, wrong: refused }: StockPage): Html {
  const { href, csrfField, onceField } = request
  const { id, name } = item
  const wrong = refused?.id === id ? refused : undefined
  const [, back = ''] = addressOf('', filter).split('?')
  return html`<details class="quick" id="q-${id}"${wrong && html` open`}><summary><span class="sr">Correct the quantity of ${name}: </span><span id="on-${id}">${onHandText(item)}</span></summary><form method="post" action="${href(`/stock/${id}/corrections`)}" data-correct>${csrfField}${onceField}<input type="hidden" name="back" value="${back}">${wrong && html`<p class="danger" role="alert">${wrong.message}</p>`}<label class="field"><span>Add, or take away</span><input name="change" value="${wrong?.typed.change}" placeholder="-2" required autocomplete="off"></label><label class="field"><span>Why</span><input name="reason" value="${wrong?.typed.reason}" required maxlength="500" list="reasons" autocomplete="off"></label><button class="btn">Correct</button></form></details>`
}

function row(request: DeskRequest, item: ListedItem, page: StockPage): Html {
  const { href, currency, may } = request
  const { id, name, sku, category, price, cost, isTracked } = item
  const onHand = !isTracked
    ? html`<span class="soft">Not counted</span>`
    : may('inventory:write')
      ? quickCorrection(request, item, page)
      : onHandText(item)
  const prices =
    seesPrices(request) &&
    html`<td class="r num opt soft">${cost !== null && money(cost, currency)}</td><td class="r num">${money(price, currency)}</td>`
  return html`<tr class="go" id="i-${id}"><td class="cut"><a class="title strong" href="${href(`/stock/${id}`)}">${name}</a></td><td class="soft opt nowrap">${sku}</td><td class="soft opt cut">${category}</td><td class="r num state">${onHand}</td>${prices}</tr>`
}

function table(request: DeskRequest, page: StockPage): Html {
  const prices =
    seesPrices(request) && html`<th class="r opt" scope="col">Cost</th><th class="r" scope="col">Price</th>`
  return html`<table class="fold stock"><thead><tr><th class="c3" scope="col">Name</th><th class="opt" scope="col">SKU</th><th class="c2 opt" scope="col">Category</th><th class="r" scope="col">On hand</th>${prices}</tr></thead><tbody>${page.items.map((item) => row(request, item, page))}</tbody></table>${request.may('inventory:write') && reasonChoices}`
}

export function stockView(request: DeskRequest, page: StockPage): View {
  const { href, may } = request
  const { filter, items, counts, next } = page
  const { search, category, isLow } = filter
  const tab = (low: boolean, words: string, number: number) =>
    html`<a href="${href(addressOf('/stock', { ...filter, isLow: low, after: undefined }))}"${low === isLow && html` aria-current="true"`}>${words}<span class="num soft small">${number}</span></a>`
  const barcode = new URLSearchParams({ barcode: search })
  const empty =
    search !== ''
      ? emptyNote(
          'Nothing found',
          'Try a part of the name, of the SKU or of the barcode.',
          may('inventory:write') && isCode(search)
            ? html`<a class="btn" href="${href(`/stock/new?${barcode}`)}">New item with this barcode</a>`
            : undefined,
        )
      : emptyNote(
          isLow ? 'Nothing runs low' : 'Nothing in stock yet',
          'What is at its reorder level or below stands here.',
        )
  return {
    title: 'Stock',
    place: 'stock',
    body: html`${pageHead('Stock', { actions: html`<a class="btn" href="${href(addressOf('/stock/labels', { ...filter, after: undefined }))}">Labels</a>${may('inventory:write') && mainButton(href('/stock/new'), 'New item', 'plus')}` })}
<div class="head wrap list-head"><nav class="seg" aria-label="Which items">${tab(false, 'All', counts.all)}${tab(true, 'Running low', counts.low)}</nav><form class="acts wrap" role="search" action="${href('/stock')}">${isLow && html`<input type="hidden" name="low" value="1">`}${counts.categories.length > 0 && html`<select name="category" aria-label="Category"><option value="">Every category</option>${counts.categories.map(({ id, name }) => html`<option value="${id}"${id === category && html` selected`}>${name}</option>`)}</select>`}<input type="search" name="q" value="${search}" placeholder="Name, SKU or scan a barcode" aria-label="Find items" autocomplete="off" autofocus><button class="btn">Find</button></form></div>
<section class="card" data-live="inventory" aria-label="Items">${items.length > 0 ? table(request, page) : empty}</section>
${next && html`<p class="row"><a class="btn" href="${href(addressOf('/stock', { ...filter, after: next }))}">More items</a></p>`}`,
  }
}
