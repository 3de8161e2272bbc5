// The pages on which form templates and rules are written.
import {
  type FieldType,
  type FormField,
  fieldTypes,
  type RuleMatch,
  type SignatureRole,
  signatureRoles,
} from '../domain/forms.ts'
import { type FormGate, formGates } from '../domain/gates.ts'
import { type Html, html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import type { View } from './frame.ts'
import { badge } from './office-parts.ts'
import type { DeskRequest } from './router.ts'
import { settingsView } from './settings.ts'

export interface Template {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly version: number
  readonly status: 'draft' | 'published' | 'archived'
  readonly fields: readonly FormField[]
  readonly signatureRoles: readonly SignatureRole[]
}
export interface Rule {
  readonly id: string
  readonly name: string
  readonly templateId: string
  readonly gate: FormGate
  readonly isActive: boolean
  readonly match: RuleMatch
}
type NamedRecords = readonly { readonly id: string; readonly name: string }[]
/** What a rule can be about. */
export interface RuleOptions {
  readonly templates: NamedRecords
  readonly serviceIds: NamedRecords
  readonly assetCategoryIds: NamedRecords
  readonly recurringScheduleIds: NamedRecords
}

const fieldTypeLabels: Readonly<Record<FieldType, string>> = {
  text: 'Text',
  number: 'Number',
  boolean: 'Yes or no',
  choice: 'One of several',
  multiChoice: 'Some of several',
  date: 'Date',
  photo: 'Photo',
  signature: 'Signature (name)',
  section: 'Heading',
}
const statusBadges = {
  published: ['In use', 'good'],
  draft: ['Draft', 'idle'],
  archived: ['Archived', 'bad'],
} as const
const gateLabels: Readonly<Record<FormGate, string>> = {
  start: 'Starting the job',
  completion: 'Closing the job',
  invoice: 'Invoicing the job',
  none: 'Nothing',
}
const selectedIf = (is: boolean) => is && html` selected`
const checkedIf = (is: boolean) => is && html` checked`

export const templateListPage = (request: DeskRequest, templates: readonly Template[], rules: readonly Rule[]): View =>
  settingsView(request, 'forms', {
    title: 'Forms and rules',
    body: html`<h1>Forms and rules</h1>
<p>A template is a sheet with questions and signatures. A rule says which jobs need it, and what waits until it is done.</p>
<div class="buttons"><a class="button" href="${request.href('/settings/forms/new')}">Write a template</a>
${templates.length > 0 && html`<a class="button second" href="${request.href('/settings/forms/rules/new')}">Add a rule</a>`}</div>
${
  templates.length === 0
    ? html`<p class="empty">There is no template yet. Write the first, such as a gas safety record or a check-in sheet; then add
a rule that asks for it.</p>`
    : html`<ul class="records">${templates.map(
        (
          template,
        ) => html`<li><h2><a href="${request.href(`/settings/forms/${template.id}`)}">${template.name}</a> ${badge(statusBadges[template.status])}</h2>
<p class="quiet">${pluralize(template.fields.filter(({ type }) => type !== 'section').length, 'question')}, ${
          template.signatureRoles.length === 0 ? 'no signature' : `signed by ${template.signatureRoles.join(' and ')}`
        }, version ${template.version}</p></li>`,
      )}</ul>`
}
${
  templates.length > 0 &&
  html`<section><h2>Rules</h2>${
    rules.length === 0
      ? html`<p class="empty">No rule asks for a form yet, so no job gets one. <a href="${request.href('/settings/forms/rules/new')}">Add a rule</a>.</p>`
      : html`<ul class="records">${rules.map(
          (
            rule,
          ) => html`<li><h3><a href="${request.href(`/settings/forms/rules/${rule.id}`)}">${rule.name}</a> ${badge(rule.isActive ? ['On', 'good'] : ['Off', 'idle'])}</h3>
<p class="quiet">Asks for ${templates.find(({ id }) => id === rule.templateId)?.name}. Waits for it: ${gateLabels[rule.gate].toLowerCase()}.</p></li>`,
        )}</ul>`
  }</section>`
}`,
  })

const pluralize = (amount: number, noun: string) => `${amount} ${noun}${amount === 1 ? '' : 's'}`
const spareRows = 3

/** What a page is shown again with: what is wrong, and what somebody else made of it meanwhile. */
interface Again<T> {
  readonly wrong?: string | undefined
  readonly status?: number | undefined
  /** The version that the form is made from. */
  readonly version?: string | undefined
  readonly theirs?: T | undefined
}

const versionField = (version: string | undefined) =>
  version !== undefined && html`<input type="hidden" name="version" value="${version}">`

export function templatePage(
  request: DeskRequest,
  template: Template,
  { wrong, status = wrong === undefined ? 200 : 400, version, theirs }: Again<Template> = {},
): View {
  const isNew = template.id === ''
  const rows = [
    ...template.fields,
    ...Array.from({ length: Math.min(spareRows, 200 - template.fields.length) }, () => undefined),
  ]
  return settingsView(request, 'forms', {
    title: isNew ? 'Write a template' : template.name,
    status,
    body: html`<p class="back"><a href="${request.href('/settings/forms')}">All templates</a></p>
<h1>${isNew ? 'Write a template' : template.name}</h1>
${!isNew && html`<p class="quiet">Version ${template.version}. Forms that were asked for keep the sheet they have; new ones get what you save.</p>`}
${errorAlert(wrong)}${theirs && html`<section class="notice"><h2>There now</h2><p>${theirs.name}: ${theirs.fields.map(({ label }) => label).join(', ')}</p></section>`}
<form method="post" action="${request.href(isNew ? '/settings/forms' : `/settings/forms/${template.id}`)}">${request.csrfField}${versionField(version)}
<input type="hidden" name="rows" value="${rows.length}">
<label for="name">Name</label>
<input id="name" name="name" required maxlength="120" value="${template.name}">
<label for="description">What it is for (optional)</label>
<textarea id="description" name="description" rows="2" maxlength="5000">${template.description ?? ''}</textarea>
<label for="status">State</label>
<select id="status" name="status">
<option value="published"${selectedIf(template.status === 'published')}>In use: rules ask for it</option>
<option value="draft"${selectedIf(template.status === 'draft')}>Draft: nobody is asked for it yet</option>
<option value="archived"${selectedIf(template.status === 'archived')}>Archived: nobody is asked for it any more</option>
</select>
<fieldset><legend>Who signs it</legend>${signatureRoles.map(
      (role) =>
        html`<label class="choice"><input type="checkbox" name="signatureRole" value="${role}"${checkedIf(template.signatureRoles.includes(role))}><span>${role === 'technician' ? 'The technician' : 'The customer'}</span></label>`,
    )}</fieldset>
<h2>Questions</h2>
<p class="hint">Empty a question to take it off the sheet. The number before it decides where it stands.</p>
${rows.map(fieldRow)}
<div class="buttons"><button>Save the template</button><button class="second" name="button" value="more">More rows</button></div>
</form>`,
  })
}

const fieldRow = (field: FormField | undefined, index: number): Html => html`<fieldset class="question">
<legend>${field ? `Question ${index + 1}` : 'A new question'}</legend>
<input type="hidden" name="id.${index}" value="${field?.id ?? ''}">
<label for="label-${index}">Question</label>
<input id="label-${index}" name="label.${index}" maxlength="200" value="${field?.label ?? ''}">
<div class="pair"><div><label for="type-${index}">Answered with</label>
<select id="type-${index}" name="type.${index}">${fieldTypes.map(
  (type) =>
    html`<option value="${type}"${selectedIf(type === (field?.type ?? 'text'))}>${fieldTypeLabels[type]}</option>`,
)}</select></div>
<div><label for="place-${index}">Place</label>
<input id="place-${index}" name="place.${index}" inputmode="numeric" maxlength="4" value="${index + 1}"></div></div>
<label for="options-${index}">Choices, one on a line (for “of several”)</label>
<textarea id="options-${index}" name="options.${index}" rows="2">${field?.options.join('\n') ?? ''}</textarea>
<label class="choice"><input type="checkbox" name="required.${index}" value="yes"${checkedIf(field?.required ?? false)}><span>Must be answered</span></label>
</fieldset>`

export function rulePage(
  request: DeskRequest,
  rule: Rule,
  ruleOptions: RuleOptions,
  { wrong, status = wrong === undefined ? 200 : 400, version, theirs }: Again<Rule> = {},
): View {
  const isNew = rule.id === ''
  return settingsView(request, 'forms', {
    title: isNew ? 'Add a rule' : rule.name,
    status,
    body: html`<p class="back"><a href="${request.href('/settings/forms')}">All templates and rules</a></p>
<h1>${isNew ? 'Add a rule' : rule.name}</h1>
${errorAlert(wrong)}${theirs && html`<section class="notice"><h2>There now</h2><p>${theirs.name}. Waits for it: ${gateLabels[theirs.gate].toLowerCase()}. ${theirs.isActive ? 'On' : 'Off'}.</p></section>`}
${ruleOptions.templates.length === 0 && html`<p class="empty">A rule asks for a template: <a href="${request.href('/settings/forms/new')}">write one first</a>.</p>`}
<form method="post" action="${request.href(isNew ? '/settings/forms/rules' : `/settings/forms/rules/${rule.id}`)}">${request.csrfField}${versionField(version)}
<label for="name">Name</label>
<input id="name" name="name" required maxlength="120" value="${rule.name}" aria-describedby="name-hint">
<p class="hint" id="name-hint">Such as “Boilers need a gas safety record”.</p>
<label for="templateId">Which form it asks for</label>
<select id="templateId" name="templateId" required>${ruleOptions.templates.map(
      ({ id, name }) => html`<option value="${id}"${selectedIf(id === rule.templateId)}>${name}</option>`,
    )}</select>
<label for="gate">What waits until it is submitted</label>
<select id="gate" name="gate">${formGates.map(
      (gate) => html`<option value="${gate}"${selectedIf(gate === rule.gate)}>${gateLabels[gate]}</option>`,
    )}</select>
<label class="choice"><input type="checkbox" name="isActive" value="yes"${checkedIf(rule.isActive)}><span>On <small>One that is off asks for nothing.</small></span></label>
<h2>Which jobs</h2>
<p class="hint">A job must meet each of these. What you leave empty fits every job.</p>
<label for="deviceTypes">Types of device, one on a line</label>
<textarea id="deviceTypes" name="deviceTypes" rows="2">${rule.match.deviceTypes.join('\n')}</textarea>
${multiSelect('serviceIds', 'Services on the job', ruleOptions.serviceIds, rule)}
${multiSelect('assetCategoryIds', 'Categories of its device', ruleOptions.assetCategoryIds, rule)}
${multiSelect('recurringScheduleIds', 'Recurring agreements it comes from', ruleOptions.recurringScheduleIds, rule)}
<div class="buttons"><button>Save the rule</button></div>
</form>`,
  })
}

const multiSelect = (
  name: Exclude<keyof RuleMatch, 'deviceTypes'>,
  label: string,
  options: NamedRecords,
  { match }: Rule,
): Html | false =>
  options.length > 0 &&
  html`<label for="${name}">${label}</label>
<select id="${name}" name="${name}" multiple size="${Math.max(2, Math.min(6, options.length))}" aria-describedby="${name}-hint">${options.map(
    (one) => html`<option value="${one.id}"${selectedIf(match[name].includes(one.id))}>${one.name}</option>`,
  )}</select><p class="hint" id="${name}-hint">Choose several with Ctrl or ⌘; none means any.</p>`
