// The pages of forms: what waits, and a sheet to answer and sign, made for a thumb.
import type { Answer } from '../domain/form-answers.ts'
import type { Field, FormStatus, SignatureRole } from '../domain/forms.ts'
import type { FormGate } from '../domain/gates.ts'
import { type Html, html } from '../pages/html.ts'
import { photoScriptPath, signatureScriptPath } from './assets.ts'
import type { Sheet, Visit } from './desk.ts'
import { badge, complaint, facts, moment } from './wording.ts'

export interface Listed {
  readonly id: string
  readonly templateName: string
  readonly gate: FormGate
  readonly status: FormStatus
  readonly ticketId: string
  readonly createdAt: Date
  /** Null: the job is gone. */
  readonly jobNumber: number | null
  readonly jobTitle: string | null
  readonly customerName: string | null
  readonly assignedTo: string | null
}
export interface Signature {
  readonly role: SignatureRole
  readonly signerName: string
  readonly signature: string
  readonly signedAt: Date
}
export interface Form extends Listed {
  readonly fields: readonly Field[]
  readonly signatureRoles: readonly SignatureRole[]
  readonly answers: readonly Answer[]
  readonly signatures: readonly Signature[]
  readonly submittedAt: Date | null
  readonly voidReason: string | null
}

export const gateWords: Readonly<Record<FormGate, string>> = {
  start: 'The job cannot start before it is submitted.',
  completion: 'The job cannot be closed before it is submitted.',
  invoice: 'The job cannot be invoiced before it is submitted.',
  none: 'Nothing waits for it.',
}
const states = {
  open: ['To fill in', 'idle'],
  inProgress: ['Begun', 'idle'],
  submitted: ['Submitted', 'good'],
  voided: ['Voided', 'bad'],
} as const
const roleWords = { technician: 'Technician', customer: 'Customer' } as const

const jobOf = ({ jobNumber, jobTitle, customerName }: Listed): string =>
  [jobNumber === null ? 'A job that was deleted' : `Job ${jobNumber}`, jobTitle, customerName]
    .filter(Boolean)
    .join(' · ')

export const listPage = (visit: Visit, forms: readonly Listed[], isDone: boolean, isCut: boolean): Sheet => ({
  title: 'Forms',
  section: 'forms',
  body: html`<h1>${isDone ? 'Forms that are done' : 'Forms to fill in'}</h1>
<p>${
    isDone
      ? html`<a href="${visit.at('/forms')}">Forms to fill in</a>`
      : html`<a href="${visit.at('/forms?show=done')}">Forms that are done</a>`
  }</p>
${
  forms.length === 0
    ? html`<p class="empty">${
        isDone
          ? 'Nothing was submitted or voided yet.'
          : visit.role === 'admin'
            ? html`Nothing waits to be filled in. Forms appear here when a job matches a rule;
<a href="${visit.at('/templates')}">templates and rules</a> say which.`
            : 'Nothing waits for you. The forms of your jobs appear here.'
      }</p>`
    : html`<ul class="records">${forms.map(
        (form) => html`<li>
<h2><a href="${visit.at(`/forms/${form.id}`)}">${form.templateName}</a> ${badge(states[form.status])}</h2>
<p>${jobOf(form)}</p>
<p class="quiet">${form.assignedTo ? `For ${form.assignedTo}. ` : ''}${!isDone && gateWords[form.gate]}</p>
</li>`,
      )}</ul>${isCut && html`<p class="quiet">These are the newest; older ones show once these are done.</p>`}`
}`,
})

export function submissionPage(visit: Visit, form: Form, wrong?: string): Sheet {
  const isOpen = form.status === 'open' || form.status === 'inProgress'
  return {
    title: form.templateName,
    section: 'forms',
    status: wrong === undefined ? 200 : 400,
    scripts: isOpen ? [signatureScriptPath, photoScriptPath] : [],
    body: html`<p class="back"><a href="${visit.at('/forms')}">All forms</a></p>
<h1>${form.templateName} ${badge(states[form.status])}</h1>
<p>${jobOf(form)}</p>
${complaint(wrong)}
${isOpen ? sheetToFill(visit, form) : sheetAsFilled(visit, form)}`,
  }
}

function sheetToFill(visit: Visit, form: Form): Html {
  const { signatureRoles: roles, signatures } = form
  return html`<p class="quiet">${gateWords[form.gate]}</p>
<form method="post" action="${visit.at(`/forms/${form.id}`)}">${visit.seal}
${form.fields.map((field) => question(visit, field, form.answers))}
<div class="buttons"><button class="second" name="button" value="save">Save</button></div>
${roles.map((role, place) => signing(visit, form, role, place))}
<section><h2>Submit</h2>
<p>${roles.length > signatures.length ? 'Once everybody has signed.' : 'It cannot be changed afterwards unless an admin reopens it.'}</p>
<div class="buttons"><button name="button" value="submit">Submit the form</button></div></section>
</form>
${visit.role === 'admin' && withReason(visit, form, 'void', 'Void', 'It is not needed: what waits for it can go on.', 'Void the form')}`
}

/** What was typed and refused is shown again; otherwise what is kept. */
function question(visit: Visit, field: Field, answers: readonly Answer[]): Html {
  const { id, label, type, required, options } = field
  const name = `answer.${id}`
  const kept = answers.find(({ fieldId }) => fieldId === id)?.value
  const value = visit.form.has(name)
    ? visit.form.get(name)!
    : typeof kept === 'boolean'
      ? kept
        ? 'yes'
        : 'no'
      : String(kept ?? '')
  const mark = required && html` <span class="hint">(required)</span>`
  const input = (attributes: Html) =>
    html`<label for="f-${id}">${label}${mark}</label><input id="f-${id}" name="${name}"${attributes} value="${value}">`
  const box = (kind: 'radio' | 'checkbox', option: string, words: string, isOn: boolean) =>
    html`<label class="choice"><input type="${kind}" name="${name}" value="${option}"${isOn && html` checked`}><span>${words}</span></label>`
  const group = (boxes: readonly Html[]) =>
    html`<fieldset class="question"><legend>${label}${mark}</legend>${boxes}</fieldset>`
  switch (type) {
    case 'section':
      return html`<h2>${label}</h2>`
    case 'text':
      return html`<label for="f-${id}">${label}${mark}</label><textarea id="f-${id}" name="${name}" rows="2" maxlength="10000">${value}</textarea>`
    case 'number':
      return input(html` inputmode="decimal" autocomplete="off"`)
    case 'date':
      return input(html` type="date"`)
    case 'boolean':
      return group([box('radio', 'yes', 'Yes', value === 'yes'), box('radio', 'no', 'No', value === 'no')])
    case 'choice':
      return options.length <= 6
        ? group(options.map((option) => box('radio', option, option, value === option)))
        : html`<label for="f-${id}">${label}${mark}</label><select id="f-${id}" name="${name}"><option value="">Choose…</option>${options.map(
            (option) => html`<option value="${option}"${option === value && html` selected`}>${option}</option>`,
          )}</select>`
    case 'multiChoice': {
      const chosen = visit.form.has('csrf') ? visit.form.getAll(name) : ((kept as string[] | undefined) ?? [])
      return group(options.map((option) => box('checkbox', option, option, chosen.includes(option))))
    }
    case 'photo':
      return html`<fieldset class="question" data-photo><legend>${label}${mark}</legend>${
        kept !== undefined &&
        html`${shownPicture(label, String(kept))}<label class="choice"><input type="checkbox" name="remove.${id}" value="yes"><span>Take this picture away</span></label>`
      }<label for="f-${id}">Address of ${kept === undefined ? 'the' : 'another'} picture</label>
<input id="f-${id}" name="${name}" type="text" inputmode="url" autocomplete="off" placeholder="https://" value="${visit.form.get(name) ?? ''}"></fieldset>`
    case 'signature':
      return input(html` autocomplete="off" placeholder="Type the name"`)
  }
}

/** Whoever has signed need not again; the way to do so is folded away. */
function signing(visit: Visit, form: Form, role: SignatureRole, place: number): Html {
  const signed = form.signatures.find((one) => one.role === role)
  const typed = visit.form.getAll('signerName')[place]
  const name = typed ?? (role === 'technician' ? visit.memberName : (form.customerName ?? ''))
  const fields = html`<label for="signer-${role}">Name</label>
<input id="signer-${role}" name="signerName" maxlength="120" autocomplete="off" value="${name}">
<div class="pad" data-signature hidden><p class="hint">Sign with a finger or a pen; the name alone counts too.</p>
<canvas></canvas><input type="hidden" name="signature" value=""><button type="button" class="link" hidden>Clear</button></div>
<div class="buttons"><button class="second" name="button" value="sign ${role}">Sign as ${roleWords[role].toLowerCase()}</button></div>`
  return html`<section><h2>${roleWords[role]}’s signature</h2>
${
  signed
    ? html`${shownSignature(visit, signed)}<details><summary>Sign again</summary>${fields}</details>
<p class="hint">Changed answers must be signed again.</p>`
    : fields
}</section>`
}

function sheetAsFilled(visit: Visit, form: Form): Html {
  return html`${
    form.status === 'voided'
      ? html`<p>It was voided${form.voidReason && html`: ${form.voidReason}`}.</p>`
      : html`<p class="quiet">Submitted ${moment(form.submittedAt, visit.timeZone)}.</p>`
  }
${facts(form.answers.map(({ label, value }) => [label, shownAnswer(label, value)] as const))}
${form.signatures.map((one) => html`<section><h2>${roleWords[one.role]}’s signature</h2>${shownSignature(visit, one)}</section>`)}
${
  form.status === 'submitted' &&
  form.jobNumber !== null &&
  visit.role === 'admin' &&
  withReason(
    visit,
    form,
    'reopen',
    'Reopen',
    'To correct it: it must be signed and submitted again.',
    'Reopen the form',
  )
}`
}

const withReason = (visit: Visit, { id }: Form, path: string, title: string, sentence: string, button: string): Html =>
  html`<section><h2>${title}</h2><p>${sentence}</p>
<form method="post" action="${visit.at(`/forms/${id}/${path}`)}">${visit.seal}
<label for="reason-${path}">Why (optional)</label><input id="reason-${path}" name="reason" maxlength="500" autocomplete="off">
<div class="buttons"><button class="danger">${button}</button></div></form></section>`

const isPicture = (value: string) => /^data:image\/(png|jpeg|webp|gif);base64,/.test(value)

/** A picture elsewhere is a link: showing it would tell that place who looks. */
const shownPicture = (label: string, value: string): Html =>
  isPicture(value)
    ? html`<img class="drawn" src="${value}" alt="${label}">`
    : html`<p><a href="${value}" rel="noreferrer noopener">${value}</a></p>`

function shownAnswer(label: string, value: unknown): Html | string {
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.join(', ')
  const text = String(value)
  return isPicture(text) || text.startsWith('https://') ? shownPicture(label, text) : text
}

const shownSignature = ({ timeZone }: Visit, { signerName, signature, signedAt }: Signature): Html =>
  html`${isPicture(signature) && html`<img class="drawn" src="${signature}" alt="The signature of ${signerName}">`}
<p>Signed by <strong>${signerName}</strong>, ${moment(signedAt, timeZone)}.</p>`
