// The pages on which form templates and rules are written.
import {
  type Field,
  type FieldType,
  fieldTypes,
  type Match,
  type SignatureRole,
  signatureRoles,
} from '../domain/forms.ts'
import { type FormGate, formGates } from '../domain/gates.ts'
import { type Html, html } from '../pages/html.ts'
import type { Sheet, Visit } from './desk.ts'
import { badge, complaint } from './wording.ts'

export interface Template {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly version: number
  readonly status: 'draft' | 'published' | 'archived'
  readonly fields: readonly Field[]
  readonly signatureRoles: readonly SignatureRole[]
}
export interface Rule {
  readonly id: string
  readonly name: string
  readonly templateId: string
  readonly gate: FormGate
  readonly isActive: boolean
  readonly match: Match
}
type Named = readonly { readonly id: string; readonly name: string }[]
/** What a rule can be about. */
export interface Offer {
  readonly templates: Named
  readonly serviceIds: Named
  readonly assetCategoryIds: Named
  readonly recurringScheduleIds: Named
}

const typeWords: Readonly<Record<FieldType, string>> = {
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
const statusWords = {
  published: ['In use', 'good'],
  draft: ['Draft', 'idle'],
  archived: ['Archived', 'bad'],
} as const
const gateWords: Readonly<Record<FormGate, string>> = {
  start: 'Starting the job',
  completion: 'Closing the job',
  invoice: 'Invoicing the job',
  none: 'Nothing',
}
const selected = (is: boolean) => is && html` selected`
const checked = (is: boolean) => is && html` checked`

export const listPage = (visit: Visit, templates: readonly Template[], rules: readonly Rule[]): Sheet => ({
  title: 'Form templates',
  section: 'templates',
  body: html`<h1>Form templates</h1>
<p>A template is a sheet with questions and signatures. A rule says which jobs need it, and what waits until it is done.</p>
<div class="buttons"><a class="button" href="${visit.at('/templates/new')}">Write a template</a>
${templates.length > 0 && html`<a class="button second" href="${visit.at('/rules/new')}">Add a rule</a>`}</div>
${
  templates.length === 0
    ? html`<p class="empty">There is no template yet. Write the first, such as a gas safety record or a check-in sheet; then add
a rule that asks for it.</p>`
    : html`<ul class="records">${templates.map(
        (
          template,
        ) => html`<li><h2><a href="${visit.at(`/templates/${template.id}`)}">${template.name}</a> ${badge(statusWords[template.status])}</h2>
<p class="quiet">${count(template.fields.filter(({ type }) => type !== 'section').length, 'question')}, ${
          template.signatureRoles.length === 0 ? 'no signature' : `signed by ${template.signatureRoles.join(' and ')}`
        }, version ${template.version}</p></li>`,
      )}</ul>`
}
${
  templates.length > 0 &&
  html`<section><h2>Rules</h2>${
    rules.length === 0
      ? html`<p class="empty">No rule asks for a form yet, so no job gets one. <a href="${visit.at('/rules/new')}">Add a rule</a>.</p>`
      : html`<ul class="records">${rules.map(
          (
            rule,
          ) => html`<li><h3><a href="${visit.at(`/rules/${rule.id}`)}">${rule.name}</a> ${badge(rule.isActive ? ['On', 'good'] : ['Off', 'idle'])}</h3>
<p class="quiet">Asks for ${templates.find(({ id }) => id === rule.templateId)?.name}. Waits for it: ${gateWords[rule.gate].toLowerCase()}.</p></li>`,
        )}</ul>`
  }</section>`
}`,
})

const count = (many: number, noun: string) => `${many} ${noun}${many === 1 ? '' : 's'}`
const spareRows = 3

export function templatePage(visit: Visit, template: Template, wrong?: string): Sheet {
  const isNew = template.id === ''
  const rows = [
    ...template.fields,
    ...Array.from({ length: Math.min(spareRows, 200 - template.fields.length) }, () => undefined),
  ]
  return {
    title: isNew ? 'Write a template' : template.name,
    section: 'templates',
    status: wrong === undefined ? 200 : 400,
    body: html`<p class="back"><a href="${visit.at('/templates')}">All templates</a></p>
<h1>${isNew ? 'Write a template' : template.name}</h1>
${!isNew && html`<p class="quiet">Version ${template.version}. Forms that were asked for keep the sheet they have; new ones get what you save.</p>`}
${complaint(wrong)}
<form method="post" action="${visit.at(isNew ? '/templates' : `/templates/${template.id}`)}">${visit.seal}
<input type="hidden" name="rows" value="${rows.length}">
<label for="name">Name</label>
<input id="name" name="name" required maxlength="120" value="${template.name}">
<label for="description">What it is for (optional)</label>
<textarea id="description" name="description" rows="2" maxlength="5000">${template.description ?? ''}</textarea>
<label for="status">State</label>
<select id="status" name="status">
<option value="published"${selected(template.status === 'published')}>In use: rules ask for it</option>
<option value="draft"${selected(template.status === 'draft')}>Draft: nobody is asked for it yet</option>
<option value="archived"${selected(template.status === 'archived')}>Archived: nobody is asked for it any more</option>
</select>
<fieldset><legend>Who signs it</legend>${signatureRoles.map(
      (role) =>
        html`<label class="choice"><input type="checkbox" name="signatureRole" value="${role}"${checked(template.signatureRoles.includes(role))}><span>${role === 'technician' ? 'The technician' : 'The customer'}</span></label>`,
    )}</fieldset>
<h2>Questions</h2>
<p class="hint">Empty a question to take it off the sheet. The number before it decides where it stands.</p>
${rows.map(row)}
<div class="buttons"><button>Save the template</button><button class="second" name="button" value="more">More rows</button></div>
</form>`,
  }
}

const row = (field: Field | undefined, index: number): Html => html`<fieldset class="question">
<legend>${field ? `Question ${index + 1}` : 'A new question'}</legend>
<input type="hidden" name="id.${index}" value="${field?.id ?? ''}">
<label for="label-${index}">Question</label>
<input id="label-${index}" name="label.${index}" maxlength="200" value="${field?.label ?? ''}">
<div class="pair"><div><label for="type-${index}">Answered with</label>
<select id="type-${index}" name="type.${index}">${fieldTypes.map(
  (type) => html`<option value="${type}"${selected(type === (field?.type ?? 'text'))}>${typeWords[type]}</option>`,
)}</select></div>
<div><label for="place-${index}">Place</label>
<input id="place-${index}" name="place.${index}" inputmode="numeric" maxlength="4" value="${index + 1}"></div></div>
<label for="options-${index}">Choices, one on a line (for “of several”)</label>
<textarea id="options-${index}" name="options.${index}" rows="2">${field?.options.join('\n') ?? ''}</textarea>
<label class="choice"><input type="checkbox" name="required.${index}" value="yes"${checked(field?.required ?? false)}><span>Must be answered</span></label>
</fieldset>`

export function rulePage(visit: Visit, rule: Rule, offer: Offer, wrong?: string): Sheet {
  const isNew = rule.id === ''
  return {
    title: isNew ? 'Add a rule' : rule.name,
    section: 'templates',
    status: wrong === undefined ? 200 : 400,
    body: html`<p class="back"><a href="${visit.at('/templates')}">All templates and rules</a></p>
<h1>${isNew ? 'Add a rule' : rule.name}</h1>
${complaint(wrong)}
${offer.templates.length === 0 && html`<p class="empty">A rule asks for a template: <a href="${visit.at('/templates/new')}">write one first</a>.</p>`}
<form method="post" action="${visit.at(isNew ? '/rules' : `/rules/${rule.id}`)}">${visit.seal}
<label for="name">Name</label>
<input id="name" name="name" required maxlength="120" value="${rule.name}" aria-describedby="name-hint">
<p class="hint" id="name-hint">Such as “Boilers need a gas safety record”.</p>
<label for="templateId">Which form it asks for</label>
<select id="templateId" name="templateId" required>${offer.templates.map(
      ({ id, name }) => html`<option value="${id}"${selected(id === rule.templateId)}>${name}</option>`,
    )}</select>
<label for="gate">What waits until it is submitted</label>
<select id="gate" name="gate">${formGates.map(
      (gate) => html`<option value="${gate}"${selected(gate === rule.gate)}>${gateWords[gate]}</option>`,
    )}</select>
<label class="choice"><input type="checkbox" name="isActive" value="yes"${checked(rule.isActive)}><span>On <small>One that is off asks for nothing.</small></span></label>
<h2>Which jobs</h2>
<p class="hint">A job must meet each of these. What you leave empty fits every job.</p>
<label for="deviceTypes">Types of device, one on a line</label>
<textarea id="deviceTypes" name="deviceTypes" rows="2">${rule.match.deviceTypes.join('\n')}</textarea>
${many('serviceIds', 'Services on the job', offer.serviceIds, rule)}
${many('assetCategoryIds', 'Categories of its device', offer.assetCategoryIds, rule)}
${many('recurringScheduleIds', 'Recurring agreements it comes from', offer.recurringScheduleIds, rule)}
<div class="buttons"><button>Save the rule</button></div>
</form>`,
  }
}

const many = (
  name: Exclude<keyof Match, 'deviceTypes'>,
  label: string,
  offered: Named,
  { match }: Rule,
): Html | false =>
  offered.length > 0 &&
  html`<label for="${name}">${label}</label>
<select id="${name}" name="${name}" multiple size="${Math.max(2, Math.min(6, offered.length))}" aria-describedby="${name}-hint">${offered.map(
    (one) => html`<option value="${one.id}"${selected(match[name].includes(one.id))}>${one.name}</option>`,
  )}</select><p class="hint" id="${name}-hint">Choose several with Ctrl or ⌘; none means any.</p>`
