// The lines of a job on its page, its discount and its totals; and how the catalogue is offered while one types.
import { totals } from '../domain/totals.ts'
import { type Html, html } from '../http/html.ts'
import { taxWords } from './document-sums.ts'
import { money } from './formatting.ts'
import { pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import { type CatalogueEntry, type JobLine, type JobPage, type LineKind, seesPrices } from './job-data.ts'
import { priceText } from './job-fields.ts'
import type { JobName } from './job-lookup.ts'
import type { DeskRequest } from './router.ts'

/** As `getTicketTotals` answers them. */
export type TotalsOfJob = Omit<ReturnType<typeof totals>, 'serviceSubtotal' | 'inventorySubtotal'>

export const totalId = (lineId: string): string => `x-${lineId}`

function detail({ description, warrantyDays }: JobLine): Html | false {
  const words = [description?.split('\n')[0], warrantyDays ? `${warrantyDays} days’ warranty` : undefined]
    .filter(Boolean)
    .join(' · ')
  return words !== '' && html`<span class="sub">${words}</span>`
}

/** The first button is the one that Enter presses: it saves. */
function lineRow(request: DeskRequest, { job }: JobPage, line: JobLine, mayWrite: boolean): Html {
  const { href, csrfField, currency } = request
  const { id, kind, name, quantity, unitPrice, lineTotal } = line
  const hasPrices = seesPrices(request)
  const what = html`<div class="what"><span class="strong">${name}</span>${detail(line)}</div>`
  const total = hasPrices && html`<output class="x num" id="${totalId(id)}">${money(lineTotal, currency)}</output>`
  if (!mayWrite)
    return html`<li class="work" id="l-${id}">${what}<span class="q num">${String(quantity)}</span>${hasPrices && html`<span class="p num">${priceText(unitPrice, currency)}</span>`}${total}</li>`
  const action = href(`/jobs/${job.id}/lines/${kind}/${id}`)
  const remove = hasPrices
    ? html`<button class="btn quiet icon k" name="remove" value="yes" aria-label="Remove ${name}">${icon('cross')}</button>`
    : html`<a class="btn quiet icon k" href="${action}" aria-label="Remove ${name}">${icon('cross')}</a>`
  return html`<li id="l-${id}"><form class="work" method="post" action="${action}" id="line-${id}" data-autosave>${csrfField}<button class="sr" tabindex="-1" aria-hidden="true">Save</button><input type="hidden" name="was.quantity" value="${String(quantity)}">${hasPrices && html`<input type="hidden" name="was.unitPrice" value="${priceText(unitPrice, currency)}">`}
${what}<input class="q" name="quantity" value="${String(quantity)}" inputmode="decimal" autocomplete="off" aria-label="Quantity of ${name}">${hasPrices && html`<input class="p" name="unitPrice" value="${priceText(unitPrice, currency)}" inputmode="decimal" autocomplete="off" aria-label="Price of ${name}">`}${total}${remove}<noscript><button class="btn save">Save ${name}</button></noscript></form></li>`
}

/** Amounts in words of the shop's currency. */
export function totalsList({ currency }: DeskRequest, sums: TotalsOfJob): Html {
  const row = (term: string, value: number, kind = '') =>
    html`<dt class="${kind}">${term}</dt><dd class="${kind}">${money(value, currency)}</dd>`
  return html`<dl class="totals">${row('Subtotal', sums.subtotal)}${sums.discountTotal !== 0 && row('Discount', -sums.discountTotal)}${sums.taxes.map(({ name, rate, isInclusive, amount: tax }) => row(taxWords(name, rate, isInclusive), tax))}${row('Total', sums.total, 'sum')}</dl>`
}

function discountEditor({ href, csrfField, currency }: DeskRequest, { job, discount }: JobPage): Html {
  const words = !discount
    ? 'Give a discount'
    : discount.type === 'percent'
      ? `${discount.value}% discount`
      : `${money(discount.value, currency)} discount`
  return html`<details class="edit words" id="discount"><summary class="link">${words}${discount?.reason && html` <span class="soft">· ${discount.reason}</span>`}</summary><form class="row wrap" method="post" action="${href(`/jobs/${job.id}/discount`)}" id="set-discount">${csrfField}
<label class="field"><span>Discount</span><input class="short" name="value" inputmode="decimal" autocomplete="off" value="${discount ? String(discount.value) : ''}"></label>
<label class="field"><span>In</span><select name="type"><option value="percent">%</option><option value="fixed"${discount?.type === 'fixed' && html` selected`}>${currency}</option></select></label>
<label class="field grow"><span>Why</span><input name="reason" maxlength="200" autocomplete="off" value="${discount?.reason ?? ''}"></label>
<p class="row"><button class="btn">Save</button></p></form></details>`
}

function addForm({ href, csrfField }: DeskRequest, { job }: JobPage, hasPrices: boolean): Html {
  return html`<form class="pick" method="post" action="${href(`/jobs/${job.id}/lines`)}" id="add-line" data-add>${csrfField}<desk-pick src="${href('/catalogue')}"><input name="q" role="combobox" aria-expanded="false" aria-autocomplete="list" aria-controls="catalogue" aria-label="Add a service or a part" placeholder="Add a service or a part" autocomplete="off" maxlength="200"><input type="hidden" name="source"><div class="options" id="catalogue" role="listbox" aria-label="Catalogue"></div></desk-pick><noscript><div class="row"><label class="field"><span>Quantity</span><input class="short" name="quantity" inputmode="decimal"></label>${hasPrices && html`<label class="field"><span>Price</span><input class="short" name="unitPrice" inputmode="decimal"></label>`}<button class="btn">Add</button></div></noscript></form>`
}

export function linesCard(request: DeskRequest, page: JobPage, mayWrite: boolean): Html {
  const { lines, discount } = page
  const hasPrices = seesPrices(request)
  const heads = html`<div class="work heads" aria-hidden="true"><span>What</span><span class="q">Quantity</span>${hasPrices && html`<span class="p">Price</span><span class="x">Total</span>`}</div>`
  return html`<section class="card${!hasPrices && ' unpriced'}" id="lines"><header><h2>Work and parts</h2></header>
${lines.length > 0 ? html`${heads}<ol class="worklines">${lines.map((line) => lineRow(request, page, line, mayWrite))}</ol>` : html`<p class="words soft">${mayWrite ? 'Nothing yet. Add what is done and what is used.' : 'Nothing yet.'}</p>`}
${mayWrite && addForm(request, page, hasPrices)}
${hasPrices && html`<div id="totals">${totalsList(request, totals(lines, discount, request.currency))}</div>${mayWrite && lines.length > 0 && discountEditor(request, page)}`}</section>`
}

const stockWords = ({ onHand, isLow }: CatalogueEntry): Html | false =>
  onHand !== null &&
  html`<span class="small ${isLow ? 'warn' : 'soft'}">${onHand <= 0 ? 'none in stock' : `${onHand} in stock`}</span>`

/** What a script shows under the field; the last one takes the words as they are. */
export function catalogueOptions(request: DeskRequest, text: string, found: readonly CatalogueEntry[]): Html {
  const hasPrices = seesPrices(request)
  return html`${found.map(
    (one) =>
      html`<div role="option" id="o-${one.id}" aria-selected="false" data-value="${one.kind}:${one.id}" data-label="${one.name}"><span class="grow cut">${one.name}${one.detail && html` <span class="soft small">${one.detail}</span>`}</span>${stockWords(one)}${hasPrices && html`<span class="num">${money(one.price, request.currency)}</span>`}</div>`,
  )}${text !== '' && html`<div role="option" id="o-text" aria-selected="false" data-value="text" data-label="${text}">Add “${text}” as it is</div>`}`
}

/** Without scripts: which of those that were found is meant. */
export function catalogueChoiceView(
  request: DeskRequest,
  { id, number }: JobName,
  text: string,
  found: readonly CatalogueEntry[],
): View {
  const { href, csrfField, form, currency } = request
  const kept = ['quantity', 'unitPrice'].map(
    (name) => form.get(name) && html`<input type="hidden" name="${name}" value="${form.get(name)}">`,
  )
  return {
    title: 'Which one?',
    place: 'board',
    body: html`${pageHead('Which one?', { crumbs: [[href(`/jobs/${id}`), `#${number}`]] })}
<form class="stack narrow" method="post" action="${href(`/jobs/${id}/lines`)}">${csrfField}<input type="hidden" name="q" value="${text}">${kept}
${found.map((one) => html`<button class="btn wide" name="source" value="${one.kind}:${one.id}"><span class="grow cut">${one.name}</span>${stockWords(one)}${seesPrices(request) && html`<span class="num">${money(one.price, currency)}</span>`}</button>`)}
<button class="btn wide" name="source" value="text">Add “${text}” as it is</button></form>`,
  }
}

/** A technician cannot set a price, so a line they removed could not come back as it was: they are asked first. */
export const lineRemovalView = (
  { href, csrfField }: DeskRequest,
  job: JobName,
  line: { kind: LineKind; id: string; name: string },
): View => ({
  title: `Remove ${line.name}`,
  place: 'board',
  body: html`${pageHead(`Remove ${line.name}?`, { crumbs: [[href(`/jobs/${job.id}`), `#${job.number} ${job.title}`]] })}
<div class="card asks narrow"><form method="post" action="${href(`/jobs/${job.id}/lines/${line.kind}/${line.id}`)}">${csrfField}<p>It is taken off the job${line.kind === 'inventory' && ', and goes back into stock'}.</p><p class="row"><a class="btn" href="${href(`/jobs/${job.id}`)}">Keep it</a><button class="btn danger" name="remove" value="yes">Remove it</button></p></form></div>`,
})
