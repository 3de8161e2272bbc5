// The form of a quote or an invoice: title, days, lines with what they come to, discount, deposit and the words below.
import { type Html, type HtmlPart, html } from '../http/html.ts'
import { type DocumentPage, type DocumentRecord, isLocked, isWithCustomer, type TaxRate } from './document-data.ts'
import type { Editor } from './document-editor.ts'
import { documentFields, documentWords, offsetWords, parseJson, type Row } from './document-fields.ts'
import { type LineDetail, lineDetail, linesTable, sumsView, taxWords } from './document-sums.ts'
import { money } from './formatting.ts'
import { icon } from './icons.ts'
import type { DeskRequest } from './router.ts'

export const lineTotalId = (key: string): string => `x-${key}`

const taxOptions = (rates: readonly TaxRate[], { taxRateId }: Row, kept: string | undefined): HtmlPart => {
  const isKnown = rates.some(({ id }) => id === taxRateId)
  return html`<option value="">No tax</option>${rates.map(({ id, name, rate }) => html`<option value="${id}"${id === taxRateId && html` selected`}>${taxWords(name, rate, false)}</option>`)}${taxRateId !== '' && !isKnown && html`<option value="${taxRateId}" selected>${kept ?? 'As it was'}</option>`}`
}

interface RowOptions {
  readonly currency: string
  readonly taxRates: readonly TaxRate[]
  /** As it was saved; undefined for one that is new. */
  readonly total?: number | undefined
  /** What the rate it was sold at is called, where that is gone. */
  readonly taxName?: string | undefined
  readonly wrong?: Editor['wrong']
}

export function rowView(row: Row, { currency, taxRates, total, taxName, wrong }: RowOptions): Html {
  const { key, line, name } = row
  const called = name.trim() || 'this line'
  const isWrong = (field: string) =>
    wrong?.key === key && wrong.field === field && html` aria-invalid="true" aria-describedby="w-${key}"`
  return html`<tr id="r-${key}" data-row="${key}"><td><input type="hidden" name="key" value="${key}"><input type="hidden" name="line" value="${line}"><input name="name" value="${name}" maxlength="200" autocomplete="off" aria-label="What"${isWrong('name')}>${lineDetail(parseJson(line) as LineDetail)}<small class="danger" id="w-${key}" data-wrong>${wrong?.key === key && wrong.words}</small></td><td class="r q"><input name="quantity" value="${row.quantity}" inputmode="decimal" autocomplete="off" aria-label="Quantity of ${called}"${isWrong('quantity')}></td><td class="r p"><input name="unitPrice" value="${row.unitPrice}" inputmode="decimal" autocomplete="off" aria-label="Price of ${called}"${isWrong('unitPrice')}></td><td class="tax"><select name="taxRateId" aria-label="Tax on ${called}"${isWrong('taxRateId')}>${taxOptions(taxRates, row, taxName)}</select></td><td class="r x num" id="${lineTotalId(key)}">${total !== undefined && money(total, currency)}</td><td class="k"><button class="btn quiet icon" name="remove" value="${key}" aria-label="Remove ${called}">${icon('cross')}</button></td></tr>`
}

function offsetFields({ currency }: DocumentRecord, editor: Editor, name: 'discount' | 'deposit', words: string): Html {
  const { value, type, reason } = editor.offset(name)
  const isWrong = editor.wrong?.field === name
  const label = name === 'discount' ? 'Discount' : 'Deposit'
  return html`<details class="edit" id="${name}"${isWrong && html` open`}><summary class="link">${words}</summary><div class="row wrap"><label class="field"><span>${label}</span><input class="short" name="${name}.value" inputmode="decimal" autocomplete="off" value="${value}"${isWrong && html` aria-invalid="true" aria-describedby="w-${name}"`}></label><label class="field"><span>In</span><select name="${name}.type"><option value="percent">%</option><option value="fixed"${type === 'fixed' && html` selected`}>${currency}</option></select></label>${name === 'discount' && html`<label class="field grow"><span>Why</span><input name="${name}.reason" maxlength="200" autocomplete="off" value="${reason}"></label>`}</div><small class="danger" id="w-${name}" data-wrong>${isWrong && editor.wrong?.words}</small></details>`
}

const gatheredNames = ['lineItems', 'discount', 'deposit'] as const

/** What the lines, the discount and the deposit were when the form was made. */
export const wasFields = (was: (name: string) => string): Html =>
  html`${gatheredNames.map((name) => html`<input type="hidden" name="was.${name}" value="${was(name)}">`)}`

/** A field with what it was, and what was refused of it beside it. */
function field(editor: Editor, name: string, label: string, input: (shared: Html, value: string) => Html): Html {
  const isWrong = editor.wrong?.key === undefined && editor.wrong?.field === name
  const shared = html`name="${name}" aria-label="${label}"${isWrong && html` aria-invalid="true" aria-describedby="w-${name}"`}`
  return html`${input(shared, editor.value(name))}<input type="hidden" name="was.${name}" value="${editor.was(name)}"><small class="danger" id="w-${name}" data-wrong>${isWrong && editor.wrong?.words}</small>`
}

const line = (shared: Html, value: string) =>
  html`<input ${shared} value="${value}" maxlength="200" autocomplete="off">`
const day = (shared: Html, value: string) => html`<input type="date" ${shared} value="${value}">`
const area = (shared: Html, value: string) => html`<textarea ${shared} rows="2" maxlength="5000">${value}</textarea>`

function wordsCard(editor: Editor, name: string, title: string, who: string): Html {
  return html`<section class="card" id="card-${name}"><header><h2>${title}</h2><span class="more">${who}</span></header><div class="pick">${field(editor, name, title, area)}</div></section>`
}

/** Without scripts the button beside it adds what is written; a script takes what was chosen, at once. */
const picker = ({ href }: DeskRequest): Html =>
  html`<div class="pick"><desk-pick src="${href('/catalogue')}" stay><input name="q" role="combobox" aria-expanded="false" aria-autocomplete="list" aria-controls="catalogue" aria-label="Add a service or a part" placeholder="Add a service or a part" autocomplete="off" maxlength="200"><input type="hidden" name="source"><div class="options" id="catalogue" role="listbox" aria-label="Catalogue"></div></desk-pick><noscript><button class="btn" name="add" value="yes">Add</button></noscript></div>`

const linesHead = html`<thead><tr><th scope="col">What</th><th class="r" scope="col">Quantity</th><th class="r" scope="col">Price</th><th scope="col">Tax</th><th class="r" scope="col">Total</th><th class="k"><span class="sr">Remove</span></th></tr></thead>`

/** What follows when something is changed that the customer has. */
function changeWords({ kind, record: { amountPaid = 0 } }: DocumentPage): string {
  const money = amountPaid > 0 ? ' What was paid stays, and what is owed follows the new total.' : ''
  return `The customer has this ${kind}: its address and its PDF show the change at once, and no mail goes out. Send it again to tell them.${money}`
}

function editorView(request: DeskRequest, page: DocumentPage, editor: Editor): Html {
  const { href, csrfField } = request
  const { kind, record, taxRates } = page
  const isOut = isWithCustomer(page)
  const { currency, lineItems } = record
  const rows = editor.rows.map((row, index) => {
    const saved = editor.isUnsaved ? undefined : lineItems[index]
    return rowView(row, {
      currency,
      taxRates,
      total: saved?.lineTotal,
      taxName: lineItems.find(({ taxRateId }) => taxRateId === row.taxRateId)?.taxRate?.name,
      wrong: editor.wrong,
    })
  })
  const { discount, deposit } = record
  const rowAddress = `/${kind}s/${record.id}/row`
  return html`<form class="stack" method="post" action="${href(`/${kind}s/${record.id}`)}" id="document" data-document data-rows="${href(rowAddress)}"${!isOut && html` data-autosave`}${editor.isUnsaved && html` data-dirty`}>${csrfField}<input type="hidden" name="version" value="${editor.version}"><input type="hidden" name="rows" value="yes"><span id="was" hidden>${wasFields(editor.was)}</span>
<button name="save" value="yes" hidden>Save</button>
<section class="card"><dl class="props"><dt>Title</dt><dd>${field(editor, 'title', 'Title', line)}</dd>${
    kind === 'quote'
      ? html`<dt>Valid until</dt><dd>${field(editor, 'validUntil', 'Valid until', day)}</dd>`
      : html`<dt>Date</dt><dd>${field(editor, 'issuedAt', 'Date', day)}</dd><dt>Due</dt><dd>${field(editor, 'dueAt', 'Due', day)}</dd>`
  }</dl></section>
<section class="card" id="lines"><table class="lines taxed">${linesHead}<tbody id="rows">${rows}</tbody></table>${picker(request)}
<div class="foot"><div class="extras">${offsetFields(record, editor, 'discount', discount ? `Discount: ${offsetWords(discount, currency)}` : 'Give a discount')}${offsetFields(record, editor, 'deposit', deposit ? `Deposit: ${offsetWords(deposit, currency)}` : 'Ask for a deposit')}</div><div id="totals">${sumsView(record)}</div></div></section>
${wordsCard(editor, 'notes', 'Note for the team', 'The customer never sees it')}${wordsCard(editor, 'terms', 'Terms', 'Printed below the lines')}${kind === 'invoice' && wordsCard(editor, 'paymentInstructions', 'How to pay', 'Printed below the lines')}
${
  isOut
    ? html`<p class="soft small" id="what-follows">${changeWords(page)}</p><div class="bar-save"><button class="btn main" aria-describedby="what-follows">Change what the customer has</button></div>`
    : html`<noscript><button class="btn">Save</button></noscript>`
}</form>`
}

/** What was answered or voided is read, not changed. */
function lockedView({ record }: DocumentPage): Html {
  const words = (title: string, text: string | null | undefined) =>
    text && html`<section class="card"><header><h2>${title}</h2></header><p class="words pre">${text}</p></section>`
  return html`<div class="stack">${record.title && html`<section class="card"><dl class="props"><dt>Title</dt><dd>${record.title}</dd></dl></section>`}<section class="card" id="lines">${linesTable(record)}<div id="totals">${sumsView(record)}</div></section>${words('Note for the team', record.notes)}${words('Terms', record.terms)}${words('How to pay', record.paymentInstructions)}</div>`
}

/** There is no form any more that could hold it: it is shown, to be copied. */
function keptView(request: DeskRequest, { kind, record }: DocumentPage, editor: Editor): Html {
  const typed = documentFields(request, kind).filter(
    ({ name }) => editor.value(name).trim() !== editor.was(name).trim(),
  )
  const said = ({ name }: { name: string }) =>
    documentWords(name, editor.value(name), record.currency) || html`<span class="soft">Nothing</span>`
  return html`<section class="card" id="kept"><header><h2>What you typed</h2><span class="more">Not saved</span></header><dl class="props">${typed.map((one) => html`<dt>${one.label}</dt><dd class="pre">${said(one)}</dd>`)}</dl></section>`
}

export const bodyView = (request: DeskRequest, page: DocumentPage, editor: Editor): Html => {
  if (!isLocked(page) && request.may(`${page.kind}s:write`)) return editorView(request, page, editor)
  return html`${editor.isUnsaved && keptView(request, page, editor)}${lockedView(page)}`
}
