// The pages of forms: the open ones, and a form to answer and sign, made for a thumb.
import { type FormAnswer, referredPhoto } from '../domain/form-answers.ts'
import type { FormField, FormStatus, SignatureRole } from '../domain/forms.ts'
import type { FormGate } from '../domain/gates.ts'
import { type Html, html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import { photoScriptPath, signatureScriptPath } from './assets.ts'
import type { PortalRequest, View } from './router.ts'
import { badge, definitionList, timeTag } from './view-components.ts'

export interface FormSummary {
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
export interface FormDetails extends FormSummary {
  readonly fields: readonly FormField[]
  readonly signatureRoles: readonly SignatureRole[]
  readonly answers: readonly FormAnswer[]
  readonly signatures: readonly Signature[]
  readonly submittedAt: Date | null
  readonly voidReason: string | null
}

export const gateSentences: Readonly<Record<FormGate, string>> = {
  start: 'The job cannot start before it is submitted.',
  completion: 'The job cannot be closed before it is submitted.',
  invoice: 'The job cannot be invoiced before it is submitted.',
  none: 'Nothing waits for it.',
}
const statusBadges = {
  open: ['To fill in', 'idle'],
  inProgress: ['Begun', 'idle'],
  submitted: ['Submitted', 'good'],
  voided: ['Voided', 'bad'],
} as const
const roleLabels = { technician: 'Technician', customer: 'Customer' } as const

const jobLabel = ({ jobNumber, jobTitle, customerName }: FormSummary): string =>
  [jobNumber === null ? 'A job that was deleted' : `Job ${jobNumber}`, jobTitle, customerName]
    .filter(Boolean)
    .join(' · ')

export const formListPage = (
  request: PortalRequest,
  forms: readonly FormSummary[],
  isDone: boolean,
  isTruncated: boolean,
): View => ({
  title: 'Forms',
  section: 'forms',
  body: html`<h1>${isDone ? 'Forms that are done' : 'Forms to fill in'}</h1>
<p>${
    isDone
      ? html`<a href="${request.href('/forms')}">Forms to fill in</a>`
      : html`<a href="${request.href('/forms?show=done')}">Forms that are done</a>`
  }</p>
${
  forms.length === 0
    ? html`<p class="empty">${
        isDone
          ? 'Nothing was submitted or voided yet.'
          : request.role === 'admin'
            ? html`Nothing waits to be filled in. Forms appear here when a job matches a rule;
<a href="${request.href('/templates')}">templates and rules</a> say which.`
            : 'Nothing waits for you. The forms of your jobs appear here.'
      }</p>`
    : html`<ul class="records">${forms.map(
        (form) => html`<li>
<h2><a href="${request.href(`/forms/${form.id}`)}">${form.templateName}</a> ${badge(statusBadges[form.status])}</h2>
<p>${jobLabel(form)}</p>
<p class="quiet">${form.assignedTo ? `For ${form.assignedTo}. ` : ''}${!isDone && gateSentences[form.gate]}</p>
</li>`,
      )}</ul>${isTruncated && html`<p class="quiet">These are the newest; older ones show once these are done.</p>`}`
}`,
})

export function submissionPage(request: PortalRequest, form: FormDetails, wrong?: string): View {
  const isOpen = form.status === 'open' || form.status === 'inProgress'
  return {
    title: form.templateName,
    section: 'forms',
    status: wrong === undefined ? 200 : 400,
    scripts: isOpen ? [signatureScriptPath, photoScriptPath] : [],
    body: html`<p class="back"><a href="${request.href('/forms')}">All forms</a></p>
<h1>${form.templateName} ${badge(statusBadges[form.status])}</h1>
<p>${jobLabel(form)}</p>
${errorAlert(wrong)}
${isOpen ? editableForm(request, form) : completedForm(request, form)}`,
  }
}

function editableForm(request: PortalRequest, form: FormDetails): Html {
  const { signatureRoles: roles, signatures } = form
  return html`<p class="quiet">${gateSentences[form.gate]}</p>
<form method="post" action="${request.href(`/forms/${form.id}`)}">${request.csrfField}
${form.fields.map((field) => question(request, form, field))}
<div class="buttons"><button class="second" name="button" value="save">Save</button></div>
${roles.map((role, place) => signatureSection(request, form, role, place))}
<section><h2>Submit</h2>
<p>${roles.length > signatures.length ? 'Once everybody has signed.' : 'It cannot be changed afterwards unless an admin reopens it.'}</p>
<div class="buttons"><button name="button" value="submit">Submit the form</button></div></section>
</form>
${request.role === 'admin' && reasonForm(request, form, 'void', 'Void', 'It is not needed: what waits for it can go on.', 'Void the form')}`
}

/** What was typed and refused is shown again; otherwise what is kept. */
function question(request: PortalRequest, form: FormDetails, field: FormField): Html {
  const { id, label, type, required, options } = field
  const name = `answer.${id}`
  const answer = form.answers.find(({ fieldId }) => fieldId === id)
  const storedAnswer = answer?.value
  const value = request.form.has(name)
    ? request.form.get(name)!
    : typeof storedAnswer === 'boolean'
      ? storedAnswer
        ? 'yes'
        : 'no'
      : String(storedAnswer ?? '')
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
      const chosen = request.form.has('csrf')
        ? request.form.getAll(name)
        : ((storedAnswer as string[] | undefined) ?? [])
      return group(options.map((option) => box('checkbox', option, option, chosen.includes(option))))
    }
    case 'photo':
      return html`<fieldset class="question" data-photo><legend>${label}${mark}</legend>${
        answer !== undefined &&
        html`${answerHtml(request, form, answer)}<label class="choice"><input type="checkbox" name="remove.${id}" value="yes"><span>Take this picture away</span></label>`
      }<label for="f-${id}">Address of ${answer === undefined ? 'the' : 'another'} picture</label>
<input id="f-${id}" name="${name}" type="text" inputmode="url" autocomplete="off" placeholder="https://" value="${request.form.get(name) ?? ''}"></fieldset>`
    case 'signature':
      return input(html` autocomplete="off" placeholder="Type the name"`)
  }
}

/** Whoever has signed need not again; the way to do so is folded away. */
function signatureSection(request: PortalRequest, form: FormDetails, role: SignatureRole, place: number): Html {
  const signed = form.signatures.find((one) => one.role === role)
  const typed = request.form.getAll('signerName')[place]
  const name = typed ?? (role === 'technician' ? request.memberName : (form.customerName ?? ''))
  const fields = html`<label for="signer-${role}">Name</label>
<input id="signer-${role}" name="signerName" maxlength="120" autocomplete="off" value="${name}">
<div class="pad" data-signature hidden><p class="hint">Sign with a finger or a pen; the name alone counts too.</p>
<canvas></canvas><input type="hidden" name="signature" value=""><button type="button" class="link" hidden>Clear</button></div>
<div class="buttons"><button class="second" name="button" value="sign ${role}">Sign as ${roleLabels[role].toLowerCase()}</button></div>`
  return html`<section><h2>${roleLabels[role]}’s signature</h2>
${
  signed
    ? html`${signatureHtml(request, signed)}<details><summary>Sign again</summary>${fields}</details>
<p class="hint">Changed answers must be signed again.</p>`
    : fields
}</section>`
}

function completedForm(request: PortalRequest, form: FormDetails): Html {
  return html`${
    form.status === 'voided'
      ? html`<p>It was voided${form.voidReason && html`: ${form.voidReason}`}.</p>`
      : html`<p class="quiet">Submitted ${timeTag(form.submittedAt, request.timeZone)}.</p>`
  }
${definitionList(form.answers.map((answer) => [answer.label, answerHtml(request, form, answer)] as const))}
${form.signatures.map((one) => html`<section><h2>${roleLabels[one.role]}’s signature</h2>${signatureHtml(request, one)}</section>`)}
${
  form.status === 'submitted' &&
  form.jobNumber !== null &&
  request.role === 'admin' &&
  reasonForm(
    request,
    form,
    'reopen',
    'Reopen',
    'To correct it: it must be signed and submitted again.',
    'Reopen the form',
  )
}`
}

const reasonForm = (
  request: PortalRequest,
  { id }: FormDetails,
  path: string,
  title: string,
  sentence: string,
  button: string,
): Html =>
  html`<section><h2>${title}</h2><p>${sentence}</p>
<form method="post" action="${request.href(`/forms/${id}/${path}`)}">${request.csrfField}
<label for="reason-${path}">Why (optional)</label><input id="reason-${path}" name="reason" maxlength="500" autocomplete="off">
<div class="buttons"><button class="danger">${button}</button></div></form></section>`

const isPicture = (value: string) => /^data:image\/(png|jpeg|webp|gif);base64,/.test(value)

/** A picture elsewhere is a link: showing it would reveal to that host who looks. */
const pictureHtml = (label: string, value: string): Html =>
  isPicture(value)
    ? html`<img class="drawn" src="${value}" alt="${label}">`
    : html`<p><a href="${value}" rel="noreferrer noopener">${value}</a></p>`

function answerHtml(request: PortalRequest, { id }: FormDetails, answer: FormAnswer): Html | string {
  const { label, value } = answer
  const photoId = referredPhoto(answer)
  if (photoId !== undefined)
    return html`<img class="drawn" src="${request.href(`/forms/${id}/photos/${photoId}`)}" alt="${label}">`
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.join(', ')
  const text = String(value)
  return isPicture(text) || text.startsWith('https://') ? pictureHtml(label, text) : text
}

const signatureHtml = ({ timeZone }: PortalRequest, { signerName, signature, signedAt }: Signature): Html =>
  html`${isPicture(signature) && html`<img class="drawn" src="${signature}" alt="The signature of ${signerName}">`}
<p>Signed by <strong>${signerName}</strong>, ${timeTag(signedAt, timeZone)}.</p>`
