// The form of what the shop sells, and the page that asks before something is deleted.
import { type Html, html } from '../http/html.ts'
import type { CatalogueField, CatalogueKind, CatalogueRecord } from './catalogue-kinds.ts'
import { pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import type { Worded } from './refusal-words.ts'
import type { DeskRequest } from './router.ts'

interface Choice {
  readonly id: string
  readonly name: string
}

export interface CatalogueChoices {
  readonly categories: readonly Choice[]
  readonly taxes: readonly Choice[]
}

interface CatalogueForm {
  readonly choices: CatalogueChoices
  readonly texts: Readonly<Record<string, string>>
  /** What the fields held when the form was made. */
  readonly was?: Readonly<Record<string, string>> | undefined
  readonly version?: string | undefined
  readonly wrong?: Worded
  /** The one that is changed; undefined for a new one. */
  readonly record?: CatalogueRecord | undefined
}

const option = (value: string, words: string, chosen: string): Html =>
  html`<option value="${value}"${value === chosen && html` selected`}>${words}</option>`

function control(
  { name, kind, isRequired }: CatalogueField,
  value: string,
  { categories, taxes }: CatalogueChoices,
): Html {
  const required = isRequired && html` required`
  if (kind === 'long') return html`<textarea name="${name}" rows="3">${value}</textarea>`
  if (kind === 'yes')
    return html`<select name="${name}">${option('true', 'Yes', value)}${option('false', 'No', value)}</select>`
  if (kind === 'category' || kind === 'tax')
    return html`<select name="${name}">${option('', kind === 'tax' ? 'The shop’s usual, or none' : 'None', value)}${(kind === 'tax' ? taxes : categories).map((one) => option(one.id, one.name, value))}</select>`
  const mode = kind === 'number' && html` inputmode="decimal"`
  return html`<input name="${name}" value="${value}"${mode}${required} autocomplete="off">`
}

export function catalogueFormView(request: DeskRequest, kind: CatalogueKind, form: CatalogueForm): View {
  const { href, csrfField, onceField } = request
  const { choices, texts, was, version, wrong, record } = form
  const back = record ? `${kind.path}/${record.id}` : kind.path
  const title = record ? `Edit ${record.name}` : `New ${kind.noun}`
  const fields = kind.fields.filter(({ isFirst }) => !(isFirst && record))
  const row = (field: CatalogueField) =>
    html`<label class="field"><span>${field.label}</span>${control(field, texts[field.name] ?? '', choices)}${field.hint && html`<small class="soft">${field.hint}</small>`}${wrong?.field === field.name && html`<small class="danger" role="alert">${wrong.words}</small>`}</label>${was && html`<input type="hidden" name="was.${field.name}" value="${was[field.name] ?? ''}">`}`
  return {
    title,
    place: kind.place,
    body: html`${pageHead(title, { crumbs: [[href(kind.path), kind.title]] })}
${wrong && wrong.field === undefined && html`<p class="note danger" role="alert">${icon('warning')}<span>${wrong.words}</span></p>`}
<form class="card pad stack narrow" method="post" action="${href(record ? back : kind.path)}">${csrfField}${!record && onceField}${version !== undefined && html`<input type="hidden" name="version" value="${version}">`}
${fields.map(row)}
<div class="row"><button class="btn main">Save</button><a class="btn quiet" href="${href(back)}">Cancel</a></div></form>`,
  }
}

export function catalogueDeletionView(
  { href, csrfField }: DeskRequest,
  kind: CatalogueKind,
  record: CatalogueRecord,
): View {
  const here = `${kind.path}/${record.id}`
  return {
    title: `Delete ${record.name}`,
    place: kind.place,
    body: html`${pageHead(`Delete ${record.name}?`, { crumbs: [[href(here), record.name]] })}
<div class="card asks narrow"><form method="post" action="${href(`${here}/delete`)}">${csrfField}<p>${kind.deletion}</p><p class="row"><a class="btn" href="${href(here)}">Keep it</a><button class="btn danger">Delete the ${kind.noun}</button></p></form></div>`,
  }
}
