// The page on how the books are kept.
import { dateFormats } from '../domain/books/day-formats.ts'
import { type Html, html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import type { View } from './frame.ts'
import type { Labels, Worded } from './refusal-words.ts'
import type { DeskRequest } from './router.ts'
import { settingsView } from './settings.ts'

interface AccountingField {
  readonly name: string
  readonly label: string
  readonly hint?: string
  readonly maxLength?: number
  readonly choices?: readonly (readonly [value: string, words: string])[]
  /** Within `datev` of the settings. */
  readonly isDatev?: boolean
}

const plainFields: readonly AccountingField[] = [
  { name: 'salesAccount', label: 'Account of sales', maxLength: 60, hint: 'As your program has it, such as 200.' },
  { name: 'partsAccount', label: 'Account of parts', maxLength: 60, hint: 'If parts are booked apart from work.' },
  {
    name: 'dateFormat',
    label: 'How days are written',
    choices: [['', 'As the program expects it'], ...dateFormats.map((format) => [format, format] as const)],
  },
]
const datevFields: readonly AccountingField[] = [
  { name: 'consultant', label: 'Consultant (Berater)', maxLength: 7 },
  { name: 'client', label: 'Client (Mandant)', maxLength: 5 },
  {
    name: 'debtorAccount',
    label: 'Account of customers (Debitor)',
    maxLength: 9,
    hint: 'As many digits as the account of sales, or one more.',
  },
  { name: 'revenueAccount', label: 'Account of sales (Erlöse)', maxLength: 8 },
  { name: 'fiscalYearStart', label: 'Fiscal years begin on', maxLength: 10, hint: 'Month and day, such as 01-01.' },
].map((field) => ({ ...field, isDatev: true }))

export const accountingFields: readonly AccountingField[] = [...plainFields, ...datevFields]
export const accountingLabels: Labels = Object.fromEntries(
  accountingFields.map(({ name, label }) => [name, `${label[0]!.toLowerCase()}${label.slice(1)}`]),
)

export interface NamedTax {
  readonly id: string
  readonly name: string
}

/** What lines without tax are called there. */
export const untaxed: NamedTax = { id: 'none', name: 'No tax' }

interface AccountingPage {
  readonly version: string | undefined
  readonly taxes: readonly NamedTax[]
  readonly typed: URLSearchParams
  readonly status?: number
  readonly problem?: Worded
}

export function accountingPage(request: DeskRequest, page: AccountingPage): View {
  const { href, csrfField } = request
  const { version, taxes, typed, status, problem } = page
  const field = (one: AccountingField) => fieldView(page, one)
  return settingsView(request, 'accounting', {
    title: 'Bookkeeping',
    ...(status !== undefined && { status }),
    body: html`<h1>Bookkeeping</h1>
<p>What your bookkeeper’s program calls things. <a href="${href('/exports')}">Files for the bookkeeper</a> are written with it.</p>
${errorAlert(problem?.field === undefined ? problem?.words : undefined)}
<form method="post" action="${href('/settings/accounting')}">${csrfField}<input type="hidden" name="version" value="${version ?? ''}">
${plainFields.map(field)}
<h2>Taxes</h2><p class="hint">What each is called there. What is left empty goes by its own name. For DATEV write the tax key (BU-Schlüssel), of all but the rate that the account of sales knows by itself.</p>
${taxes.map(({ id, name }) => html`<label for="tax.${id}">${name}</label><input id="tax.${id}" name="tax.${id}" maxlength="100" autocomplete="off" value="${typed.get(`tax.${id}`) ?? ''}">`)}
<h2>DATEV</h2>${datevFields.map(field)}
<div class="buttons"><button>Save</button></div></form>`,
  })
}

function fieldView(
  { typed, problem }: AccountingPage,
  { name, label, hint, maxLength, choices }: AccountingField,
): Html {
  const value = typed.get(name) ?? ''
  const isWrong = problem?.field === name
  const described = [hint && `${name}-hint`, isWrong && `${name}-wrong`].filter(Boolean).join(' ')
  const shared = html`id="${name}" name="${name}"${described !== '' && html` aria-describedby="${described}"`}${isWrong && html` aria-invalid="true"`}`
  const input = choices
    ? html`<select ${shared}>${choices.map(([one, words]) => html`<option value="${one}"${one === value && html` selected`}>${words}</option>`)}</select>`
    : html`<input ${shared} value="${value}" autocomplete="off"${maxLength && html` maxlength="${maxLength}"`}>`
  return html`<label for="${name}">${label}</label>${input}${isWrong && html`<p class="hint danger" id="${name}-wrong" role="alert">${problem.words}</p>`}${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}`
}
