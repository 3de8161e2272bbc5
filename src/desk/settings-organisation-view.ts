// The page of the organisation's settings.
import { type Html, html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import type { View } from './frame.ts'
import {
  type Organisation,
  type OrganisationField,
  organisationGroups,
  organisationText,
} from './organisation-fields.ts'
import type { Worded } from './refusal-words.ts'
import type { DeskRequest } from './router.ts'
import { settingsView } from './settings.ts'

interface OrganisationPage {
  readonly record: Organisation
  readonly version: string | undefined
  readonly typed: URLSearchParams
  readonly status?: number
  readonly problem?: Worded
  /** What each field was when the page was first made. */
  readonly was?: (name: string) => string | undefined
}

const planWords: Readonly<Record<string, string>> = {
  pro: 'Pro: the desk, and the API for programs and agents.',
  trial: 'A trial of Pro: the desk, and the API for programs and agents.',
  basic: 'Basic: the desk. Programs and agents need Pro.',
  none: 'No plan: the desk. Programs and agents need Pro.',
}

export function organisationPage(request: DeskRequest, page: OrganisationPage): View {
  const { href, csrfField } = request
  const { record, version, problem, status } = page
  return settingsView(request, 'organisation', {
    title: 'Organisation',
    ...(status !== undefined && { status }),
    body: html`<h1>Organisation</h1>
<p class="quiet">${planWords[String(record.entitlement)]}</p>
${errorAlert(problem?.field === undefined ? problem?.words : undefined)}
<form method="post" action="${href('/settings/organisation')}">${csrfField}<input type="hidden" name="version" value="${version ?? ''}">
${organisationGroups.map(([title, fields]) => html`<h2>${title}</h2>${Object.entries(fields).map(([name, field]) => fieldView(page, name, field))}`)}
<div class="buttons"><button>Save</button></div></form>`,
  })
}

function fieldView({ record, typed, problem, was }: OrganisationPage, name: string, field: OrganisationField): Html {
  const { label, kind, hint, type, maxLength, isRequired, offers, choices = [] } = field
  const value = typed.get(name) ?? ''
  const isWrong = problem?.field === name
  const described = [hint && `${name}-hint`, isWrong && `${name}-wrong`].filter(Boolean).join(' ')
  const shared = html`id="${name}" name="${name}"${isRequired && html` required`}${maxLength && html` maxlength="${maxLength}"`}${described !== '' && html` aria-describedby="${described}"`}${isWrong && html` aria-invalid="true"`}`
  const input =
    kind === 'area'
      ? html`<textarea ${shared} rows="3">${value}</textarea>`
      : kind === 'choice'
        ? html`<select ${shared}>${choices.map(([one, words]) => html`<option value="${one}"${one === value && html` selected`}>${words}</option>`)}</select>`
        : html`<input ${shared} value="${value}" autocomplete="off"${type && html` type="${type}"`}${kind === 'number' && html` inputmode="numeric"`}${offers && html` list="${name}-offers"`}>`
  return html`<label for="${name}">${label}</label>${input}${offers && html`<datalist id="${name}-offers">${offers().map((one) => html`<option value="${one}">`)}</datalist>`}
<input type="hidden" name="was.${name}" value="${was?.(name) ?? organisationText(record, name)}">${isWrong && html`<p class="hint danger" id="${name}-wrong" role="alert">${problem.words}</p>`}${hint && html`<p class="hint" id="${name}-hint">${hint}</p>`}`
}
