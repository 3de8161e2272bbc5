// The pages of the short lists of settings: the list, one record, and the question before it is deleted.
import { type Html, html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import type { View } from './frame.ts'
import { icon } from './icons.ts'
import { statusDot } from './marks.ts'
import type { Refusal } from './perform.ts'
import type { Worded } from './refusal-words.ts'
import type { DeskRequest } from './router.ts'
import { settingsView } from './settings.ts'
import type { SettingsField, SettingsKind, SettingsRecord } from './settings-kinds.ts'

interface RecordList {
  readonly kind: SettingsKind
  readonly records: readonly SettingsRecord[]
}

/** One list, or two of one section. */
export function recordListPage(
  request: DeskRequest,
  section: SettingsKind['section'],
  lists: readonly RecordList[],
  refusal?: Pick<Refusal, 'status' | 'message'>,
): View {
  const [first] = lists
  const isOne = lists.length === 1
  const title = isOne ? first!.kind.title : 'Categories'
  return settingsView(request, section, {
    title,
    scripts: ['order'],
    ...(refusal && { status: refusal.status }),
    body: html`<h1>${title}</h1>${errorAlert(refusal?.message)}
${isOne ? listView(request, first!) : lists.map((list) => html`<section><h2>${list.kind.title}</h2>${listView(request, list)}</section>`)}`,
  })
}

function listView(request: DeskRequest, list: RecordList): Html {
  const { sentence, path, noun } = list.kind
  return html`<p>${sentence}</p>${list.records.length > 0 ? entriesView(request, list) : html`<p class="empty">There is none yet.</p>`}
<div class="buttons"><a class="button" href="${request.href(`/settings/${path}/new`)}">Add a ${noun}</a></div>`
}

function entriesView(request: DeskRequest, { kind, records }: RecordList): Html {
  const { href } = request
  const path = href(`/settings/${kind.path}`)
  const seen = records.map(({ id }) => id).join(' ')
  const row = (record: SettingsRecord, index: number) => {
    const { id, name, color } = record
    return html`<li class="entry" data-id="${id}" data-drop="${id}" id="e-${id}">${kind.orderedDone !== null && html`<span class="grip" aria-hidden="true">${icon('more')}</span>`}${color !== undefined && color !== null && statusDot(Number(color))}<a class="grow cut" href="${`${path}/${id}`}">${name}</a><span class="quiet">${kind.about(record)}</span>${kind.orderedDone !== null && orderButtons(request, kind, record, seen, index, records.length)}</li>`
  }
  const list = html`<ol class="entries">${records.map(row)}</ol>`
  return kind.orderedDone
    ? html`<desk-order data-path="${`${path}/order`}" data-seen="${seen}">${list}</desk-order>`
    : list
}

/** Without a mouse and without scripts. */
function orderButtons(
  { href, csrfField }: DeskRequest,
  { path }: SettingsKind,
  { id, name }: SettingsRecord,
  seen: string,
  index: number,
  length: number,
): Html {
  const button = (way: 'up' | 'down', isOff: boolean) =>
    html`<button class="btn quiet icon ${way}" name="${way}" value="yes" aria-label="Move ${name} ${way}"${isOff && html` disabled`}>${icon('left')}</button>`
  return html`<form class="order" method="post" action="${href(`/settings/${path}/order`)}">${csrfField}<input type="hidden" name="seen" value="${seen}"><input type="hidden" name="move" value="${id}">${button('up', index === 0)}${button('down', index === length - 1)}</form>`
}

interface RecordPage {
  /** Undefined for a new one. */
  readonly record?: SettingsRecord
  readonly version?: string | undefined
  readonly typed: URLSearchParams
  readonly status?: number
  readonly problem?: Worded
}

export function recordPage(request: DeskRequest, kind: SettingsKind, page: RecordPage): View {
  const { href, csrfField, onceField } = request
  const { record, version, status, problem } = page
  const title = record ? record.name : `New ${kind.noun}`
  const path = `/settings/${kind.path}`
  return settingsView(request, kind.section, {
    title,
    ...(status !== undefined && { status }),
    body: html`<p class="back"><a href="${href(`/settings/${kind.section}`)}">${kind.title}</a></p>
<h1>${title}</h1>${errorAlert(problem?.field === undefined ? problem?.words : undefined)}
<form method="post" action="${href(record ? `${path}/${record.id}` : path)}">${csrfField}${!record && onceField}${record && html`<input type="hidden" name="version" value="${version ?? ''}">`}
${kind.fields.map((field) => fieldView(page, field))}
<div class="buttons"><button>${record ? 'Save' : `Add the ${kind.noun}`}</button><a class="button second" href="${href(`/settings/${kind.section}`)}">Cancel</a></div></form>
${record && html`<p><a class="danger" href="${href(`${path}/${record.id}/delete`)}">Delete the ${kind.noun}</a></p>`}`,
  })
}

function fieldView({ record, typed, problem }: RecordPage, field: SettingsField): Html {
  const { name, label, kind, hint, maxLength, choices = [], usual } = field
  const value = typed.get(name) ?? ''
  const isWrong = problem?.field === name
  const described = [hint && `${name}-hint`, isWrong && `${name}-wrong`].filter(Boolean).join(' ')
  const shared = html`id="${name}" name="${name}"${described !== '' && html` aria-describedby="${described}"`}${isWrong && html` aria-invalid="true"`}`
  const options =
    kind === 'flag'
      ? ([
          ['no', 'No'],
          ['yes', 'Yes'],
        ] as const)
      : choices
  const input =
    kind === 'choice' || kind === 'flag'
      ? html`<select ${shared}>${options.map(([one, words]) => html`<option value="${one}"${one === value && html` selected`}>${words}</option>`)}</select>`
      : kind === 'color' && usual !== ''
        ? html`<input ${shared} type="color" value="${value}">`
        : html`<input ${shared} value="${value}" autocomplete="off"${name === 'name' && html` required`}${maxLength && html` maxlength="${maxLength}"`}${kind === 'number' && html` inputmode="decimal"`}${kind === 'color' && html` pattern="#[0-9a-fA-F]{6}" placeholder="#2196f3, or nothing"`}>`
  const was = record && (typed.get(`was.${name}`) ?? value)
  return html`<label for="${name}">${label}</label>${input}${was !== undefined && html`<input type="hidden" name="was.${name}" value="${was}">`}${isWrong && html`<p class="hint danger" id="${name}-wrong" role="alert">${problem.words}</p>`}${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}`
}

/** What cannot be taken back is asked about first. */
export function deletionPage(
  request: DeskRequest,
  kind: SettingsKind,
  { id, name }: SettingsRecord,
  version: string | undefined,
  refusal?: Refusal,
): View {
  const { href, csrfField } = request
  const back = href(`/settings/${kind.section}`)
  return settingsView(request, kind.section, {
    title: `Delete ${name}`,
    ...(refusal && { status: refusal.status }),
    body: html`<p class="back"><a href="${back}">${kind.title}</a></p>
<h1>Delete ${name}?</h1>${errorAlert(refusal?.message)}
<p>${kind.consequence}</p>
<form method="post" action="${href(`/settings/${kind.path}/${id}/delete`)}">${csrfField}<input type="hidden" name="version" value="${version ?? ''}">
<div class="buttons"><button class="danger">Delete it</button><a class="button second" href="${back}">Keep it</a></div></form>`,
  })
}
