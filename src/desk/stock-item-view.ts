// The page of an item: what is on hand, correcting it with a reason, where it was used, and who corrected it when.
import { type Html, type HtmlPart, html } from '../http/html.ts'
import { money, quantityText } from './formatting.ts'
import { pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import { seesPrices } from './job-data.ts'
import { chip, emptyNote } from './marks.ts'
import type { DeskRequest } from './router.ts'
import type { ItemDetails, ItemPage, ItemRecord } from './stock-data.ts'
import { reasonChoices } from './stock-view.ts'

/** What was typed into the correction, and why it was refused. */
interface Refused {
  readonly message: string
  readonly typed: Readonly<Record<'change' | 'counted' | 'reason', string>>
}

const fact = (label: string, value: HtmlPart): Html | false =>
  value !== null && value !== '' && value !== false && html`<dt>${label}</dt><dd>${value}</dd>`

const signed = (quantity: number): string => `${quantity > 0 ? '+' : '−'}${quantityText(Math.abs(quantity))}`

function correctionForm(
  { href, csrfField, onceField }: DeskRequest,
  item: ItemRecord,
  refused: Refused | undefined,
): Html {
  const typed = refused?.typed ?? { change: '', counted: '', reason: '' }
  return html`<section class="card" id="correct"><header><h2>Correct the quantity</h2></header><form class="stack pad-in" method="post" action="${href(`/stock/${item.id}/corrections`)}">${csrfField}${onceField}${refused && html`<p class="danger" role="alert">${refused.message}</p>`}
<div class="row"><label class="field grow"><span>Add, or take away</span><input name="change" value="${typed.change}" inputmode="text" placeholder="-2" autocomplete="off"></label><label class="field grow"><span>Or what was counted</span><input name="counted" value="${typed.counted}" inputmode="decimal" autocomplete="off"></label></div>
<label class="field"><span>Why</span><input name="reason" value="${typed.reason}" required maxlength="500" list="reasons" autocomplete="off"></label>${reasonChoices}
<div class="row"><button class="btn">Correct</button></div></form></section>`
}

function uses({ href, clock }: DeskRequest, { uses: some, useCount }: ItemDetails): Html {
  const row = (use: ItemDetails['uses'][number]) =>
    html`<tr class="go" id="u-${use.lineId}"><td class="id more">#${use.number}</td><td class="cut"><a class="title" href="${href(`/jobs/${use.jobId}`)}">${use.title}</a></td><td class="cut opt soft">${use.customer}</td><td class="r num sum">${quantityText(use.quantity)}</td><td class="r num soft when">${clock.shortDay(new Date(use.at))}</td></tr>`
  return html`<section class="card" aria-label="Used on jobs"><header><h2>Used on jobs</h2><span class="n">${useCount}</span></header>${some.length > 0 ? html`<table class="fold uses"><thead><tr><th scope="col">Job</th><th class="c4" scope="col">What</th><th class="opt" scope="col">Customer</th><th class="r" scope="col">Quantity</th><th class="r" scope="col">When</th></tr></thead><tbody>${some.map(row)}</tbody></table>` : emptyNote('Not used yet', 'Jobs that use it will stand here.')}</section>`
}

function corrections({ clock }: DeskRequest, { corrections: some }: ItemDetails): Html | false {
  const row = ({ id, delta, after, reason, by, at }: ItemDetails['corrections'][number]) =>
    html`<tr id="k-${id}"><td class="num more">${signed(delta)}</td><td class="cut">${reason ?? html`<span class="soft">No reason given</span>`}</td><td class="opt soft nowrap">${by}</td><td class="r num sum">${quantityText(after)}</td><td class="r num soft when">${clock.ago(new Date(at))}</td></tr>`
  return (
    some.length > 0 &&
    html`<section class="card" aria-label="Corrections"><header><h2>Corrections</h2></header><table class="fold uses"><thead><tr><th scope="col">Change</th><th class="c4" scope="col">Why</th><th class="opt" scope="col">Who</th><th class="r" scope="col">Then on hand</th><th class="r" scope="col">When</th></tr></thead><tbody>${some.map(row)}</tbody></table></section>`
  )
}

export function itemView(request: DeskRequest, { item, details }: ItemPage, refused?: Refused): View {
  const { href, may, currency } = request
  const hasPrices = seesPrices(request)
  const { price, cost, quantityOnHand, trackStock, isLowStock, reorderLevel } = item
  const value = cost === null ? null : quantityOnHand * cost
  const onHand = trackStock
    ? html`${quantityText(quantityOnHand)}${isLowStock && html` ${chip('Low', 'warn')}`}`
    : 'Not counted'
  return {
    title: item.name,
    place: 'stock',
    body: html`${pageHead(item.name, {
      crumbs: [[href('/stock'), 'Stock']],
      actions: html`<a class="btn" href="${href(`/stock/${item.id}/label`)}">${icon('print')}Label</a>${may('inventory:delete') && html`<a class="btn quiet" href="${href(`/stock/${item.id}/delete`)}">Delete</a>`}${may('inventory:write') && html`<a class="btn main" href="${href(`/stock/${item.id}/edit`)}">Edit</a>`}`,
    })}
<div data-live="inventory inventory/corrections tickets/inventory">
<dl class="figures"><div><dt>On hand</dt><dd>${onHand}</dd></div>${reorderLevel !== null && html`<div><dt>Reorder at</dt><dd>${quantityText(reorderLevel)}</dd></div>`}${hasPrices && html`<div><dt>Price</dt><dd>${money(price, currency)}</dd></div>${cost !== null && html`<div><dt>Cost</dt><dd>${money(cost, currency)}</dd></div>`}${trackStock && value !== null && html`<div><dt>Value</dt><dd>${money(value, currency)}</dd></div>`}`}</dl>
<div class="cols"><div class="stack">${uses(request, details)}${corrections(request, details)}</div>
<aside class="stack" aria-label="About the item">${may('inventory:write') && correctionForm(request, item, refused)}<section class="card"><header><h2>Details</h2></header><dl class="props">${fact('SKU', item.sku)}${fact('Barcode', item.barcode)}${fact('Category', details.category)}${hasPrices && fact('Tax', details.tax)}${fact('Supplier', item.supplier)}${fact('Warranty', item.warrantyDays !== null && `${item.warrantyDays} days`)}${fact('Description', item.description && html`<span class="pre">${item.description}</span>`)}</dl></section></aside></div></div>`,
  }
}
