// The page of files for the bookkeeper.
import { type Told, toldWords } from '../domain/books/told.ts'
import { toMoment } from '../domain/wall-clock.ts'
import { html } from '../http/html.ts'
import { count } from './formatting.ts'
import { pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import { emptyNote } from './marks.ts'
import type { DeskRequest } from './router.ts'

export interface ShownExport extends Told {
  readonly id: string
  readonly format: string
  readonly from: string
  readonly to: string
  readonly again: boolean
  readonly count: number
  readonly createdAt: string
}

/** As it was typed. */
export interface ExportForm {
  readonly kind: string
  readonly format: string
  readonly from: string
  readonly to: string
  readonly again: boolean
}

export interface ShownRefusal {
  readonly status: number
  readonly words: string
  /** Whether the shop's bookkeeping is set up as far as the file needs it. */
  readonly isSetUp: boolean
}

interface ExportsPage {
  readonly form: ExportForm
  readonly exports: readonly ShownExport[]
  readonly wrong: ShownRefusal | undefined
}

const kinds = [
  ['invoices', 'Invoices'],
  ['payments', 'Payments'],
] as const
const formats = [
  ['csv', 'A list for a spreadsheet'],
  ['xero', 'Xero'],
  ['quickbooks', 'QuickBooks Online'],
  ['datev', 'DATEV (invoices only)'],
  ['journal', 'Debits and credits (invoices only)'],
] as const

export function exportsView(request: DeskRequest, { form, exports, wrong }: ExportsPage): View {
  const { href, may, csrfField, clock, timeZone } = request
  const options = (all: readonly (readonly [string, string])[], chosen: string) =>
    all.map(([value, words]) => html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`)
  const wordsOf = (all: readonly (readonly [string, string])[], name: string) =>
    all.find(([value]) => value === name)?.[1] ?? name
  const day = (date: string) => clock.shortDay(toMoment(date, '12:00', timeZone))
  const row = (one: ShownExport) => {
    const what = [
      wordsOf(formats, one.format).replace(/ \(.*/, ''),
      one.count === 0 ? 'nothing new' : count(one.count, 'record'),
      one.again && 'given out again',
    ]
    const text = html`<span class="grow"><span class="cut">${wordsOf(kinds, one.kind)}, ${day(one.from)} – ${day(one.to)}</span><small class="soft">${what.filter(Boolean).join(' · ')}, made ${clock.shortDay(new Date(one.createdAt))}</small>${toldWords(one).map((words) => html`<small class="danger">${words}</small>`)}</span>`
    // A file that holds nothing would look like one that has to be booked.
    return one.count === 0
      ? html`<li id="${one.id}"><span class="line">${text}</span></li>`
      : html`<li id="${one.id}"><a href="${href(`/exports/${one.id}/file`)}" data-turbo="false">${text}<span class="link">Download</span></a></li>`
  }
  return {
    title: 'For the bookkeeper',
    place: 'exports',
    ...(wrong && { status: wrong.status }),
    body: html`${pageHead('For the bookkeeper')}
${wrong && html`<div class="note danger" role="alert">${icon('warning')}<span class="grow">${wrong.words}${!wrong.isSetUp && !may('organisation:write') && ' An admin fills it in under Settings, Bookkeeping.'}</span>${!wrong.isSetUp && may('organisation:write') && html`<a class="btn" href="${href('/settings/accounting')}">Fill it in</a>`}</div>`}
<div class="stack narrow"><form class="card pad stack" method="post" action="${href('/exports')}">${csrfField}
<p>A file holds what was issued or paid on these days. What was in an earlier file, or was brought from another system, is left out, so that nothing is booked twice.</p>
<label class="field"><span>What</span><select name="kind">${options(kinds, form.kind)}</select></label>
<label class="field"><span>For</span><select name="format">${options(formats, form.format)}</select></label>
<div class="row wrap"><label class="field grow"><span>From</span><input type="date" name="from" value="${form.from}" required></label><label class="field grow"><span>To, which counts too</span><input type="date" name="to" value="${form.to}" required></label></div>
<label class="row"><input type="checkbox" name="again"${form.again && html` checked`}> Also what was in an earlier file, or was brought</label>
<div><button class="btn main">Make the file</button></div></form>
<section class="card" aria-label="Earlier files"><header><h2>Given out</h2></header>${
      exports.length === 0
        ? emptyNote('Nothing given out yet', 'Files stay here as they were, to be downloaded again.')
        : html`<ul class="list">${exports.map(row)}</ul>`
    }</section></div>`,
  }
}
