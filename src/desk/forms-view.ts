// The pages of forms: the open ones, and a form to answer and sign, made for a thumb.
import { type FormAnswer, referredPhoto } from '../domain/form-answers.ts'
import type { FormField, FormStatus, SignatureRole } from '../domain/forms.ts'
import type { FormGate } from '../domain/gates.ts'
import { type Html, html } from '../http/html.ts'
import type { Scope } from '../operations/scopes.ts'
import { pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import { chip, emptyNote } from './marks.ts'
import type { DeskRequest } from './router.ts'

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

const gateSentences: Readonly<Record<FormGate, string>> = {
  start: 'The job cannot start before it is submitted.',
  completion: 'The job cannot be closed before it is submitted.',
  invoice: 'The job cannot be invoiced before it is submitted.',
  none: 'Nothing waits for it.',
}
const statusChips = {
  open: ['To fill in', 'warn'],
  inProgress: ['Begun', 'warn'],
  submitted: ['Submitted', 'good'],
  voided: ['Voided', ''],
} as const
const statusChip = (status: FormStatus): Html => {
  const [words, kind] = statusChips[status]
  return chip(words, kind)
}
/** Forms are only read through the API: who may do away with a job may do away with what it waits for. */
export const mayVoid: Scope = 'tickets:delete'

const roleLabels = { technician: 'Technician', customer: 'Customer' } as const

const jobLabel = ({ jobNumber, jobTitle, customerName }: FormSummary): string =>
  [jobNumber === null ? 'A job that was deleted' : `#${jobNumber}`, jobTitle, customerName].filter(Boolean).join(' · ')

export function formListView(
  request: DeskRequest,
  forms: readonly FormSummary[],
  isDone: boolean,
  isTruncated: boolean,
): View {
  const { href, clock } = request
  const tab = (path: string, words: string, isHere: boolean) =>
    html`<a href="${href(path)}"${isHere && html` aria-current="true"`}>${words}</a>`
  const list = html`<ul class="list">${forms.map(
    (form) =>
      html`<li id="f-${form.id}"><a href="${href(`/forms/${form.id}`)}"><span class="grow"><span class="cut">${form.templateName}</span><small class="soft cut">${jobLabel(form)}</small></span><span class="soft small desktop">${form.assignedTo}</span><span class="soft small desktop">${clock.ago(form.createdAt)}</span>${statusChip(form.status)}</a></li>`,
  )}</ul>`
  const nothing = isDone
    ? emptyNote('Nothing was submitted or voided yet', 'What is done appears here.')
    : emptyNote('Nothing waits to be filled in', 'Forms appear here when a job needs one.')
  return {
    title: 'Forms',
    place: 'forms',
    body: html`${pageHead(isDone ? 'Forms that are done' : 'Forms to fill in', { beside: html`<div class="seg" role="group" aria-label="Which forms">${tab('/forms', 'To fill in', !isDone)}${tab('/forms?show=done', 'Done', isDone)}</div>` })}
<section class="card" data-live="form-submissions tickets">${forms.length > 0 ? list : nothing}</section>${isTruncated && html`<p class="soft">These are the newest; older ones show once these are done.</p>`}`,
  }
}

export function submissionView(request: DeskRequest, form: FormDetails, wrong?: string): View {
  const isOpen = form.status === 'open' || form.status === 'inProgress'
  const { href } = request
  const job = form.jobNumber === null ? [] : [[href(`/jobs/${form.ticketId}`), `#${form.jobNumber}`] as const]
  return {
    title: form.templateName,
    place: 'forms',
    status: wrong === undefined ? 200 : 400,
    body: html`${pageHead(form.templateName, { crumbs: [[href('/forms'), 'Forms'], ...job], beside: statusChip(form.status) })}
<p class="soft under-head">${[form.jobTitle, form.customerName].filter(Boolean).join(' · ') || jobLabel(form)}</p>
${wrong && html`<div class="note danger" role="alert">${icon('warning')}<span class="grow">${wrong}</span></div>`}
<div class="narrow form-page">${isOpen ? editableForm(request, form) : completedForm(request, form)}</div>`,
  }
}

function editableForm(request: DeskRequest, form: FormDetails): Html {
  const { signatureRoles: roles, signatures } = form
  return html`<p class="soft">${gateSentences[form.gate]}</p>
<form class="stack" method="post" action="${request.href(`/forms/${form.id}`)}">${request.csrfField}
<section class="card"><div class="words questions">${form.fields.map((field) => question(request, form, field))}
<p class="row"><button class="btn" name="button" value="save">Save</button></p></div></section>
${roles.map((role, place) => signatureSection(request, form, role, place))}
<section class="card"><header><h2>Submit</h2></header><div class="words">
<p>${roles.length > signatures.length ? 'Once everybody has signed.' : 'It cannot be changed afterwards unless it is reopened.'}</p>
<p class="row"><button class="btn main wide" name="button" value="submit">Submit the form</button></p></div></section>
</form>
${request.may(mayVoid) && reasonForm(request, form, 'void', 'Void', 'It is not needed: what waits for it can go on.', 'Void the form')}`
}

/** What was typed and refused is shown again; otherwise what is kept. */
function question(request: DeskRequest, form: FormDetails, field: FormField): Html {
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
  const mark = required && html` <span class="soft small">(required)</span>`
  const input = (attributes: Html) =>
    html`<div class="field"><label for="f-${id}">${label}${mark}</label><input id="f-${id}" name="${name}"${attributes} value="${value}"></div>`
  const box = (kind: 'radio' | 'checkbox', option: string, words: string, isOn: boolean) =>
    html`<label class="choice"><input type="${kind}" name="${name}" value="${option}"${isOn && html` checked`}><span>${words}</span></label>`
  const group = (boxes: readonly Html[]) =>
    html`<fieldset class="question"><legend>${label}${mark}</legend>${boxes}</fieldset>`
  switch (type) {
    case 'section':
      return html`<h2>${label}</h2>`
    case 'text':
      return html`<div class="field"><label for="f-${id}">${label}${mark}</label><textarea id="f-${id}" name="${name}" rows="2" maxlength="10000">${value}</textarea></div>`
    case 'number':
      return input(html` inputmode="decimal" autocomplete="off"`)
    case 'date':
      return input(html` type="date"`)
    case 'boolean':
      return group([box('radio', 'yes', 'Yes', value === 'yes'), box('radio', 'no', 'No', value === 'no')])
    case 'choice':
      return options.length <= 6
        ? group(options.map((option) => box('radio', option, option, value === option)))
        : html`<div class="field"><label for="f-${id}">${label}${mark}</label><select id="f-${id}" name="${name}"><option value="">Choose…</option>${options.map(
            (option) => html`<option value="${option}"${option === value && html` selected`}>${option}</option>`,
          )}</select></div>`
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
      }<label class="soft small" for="f-${id}">Address of ${answer === undefined ? 'the' : 'another'} picture</label>
<input id="f-${id}" name="${name}" type="text" inputmode="url" autocomplete="off" placeholder="https://" value="${request.form.get(name) ?? ''}"></fieldset>`
    case 'signature':
      return input(html` autocomplete="off" placeholder="Type the name"`)
  }
}

/** Whoever has signed need not again; the way to do so is folded away. */
function signatureSection(request: DeskRequest, form: FormDetails, role: SignatureRole, place: number): Html {
  const signed = form.signatures.find((one) => one.role === role)
  const typed = request.form.getAll('signerName')[place]
  const name = typed ?? (role === 'technician' ? request.memberName : (form.customerName ?? ''))
  const fields = html`<label class="field" for="signer-${role}"><span>Name</span>
<input id="signer-${role}" name="signerName" maxlength="120" autocomplete="off" value="${name}"></label>
<div class="pad" data-signature hidden><p class="soft small">Sign with a finger or a pen; the name alone counts too.</p>
<canvas></canvas><input type="hidden" name="signature" value=""><button type="button" class="btn quiet" hidden>Clear</button></div>
<p class="row"><button class="btn" name="button" value="sign ${role}">Sign as ${roleLabels[role].toLowerCase()}</button></p>`
  return html`<section class="card"><header><h2>${roleLabels[role]}’s signature</h2></header><div class="words stack">
${
  signed
    ? html`${signatureHtml(request, signed)}<details class="edit"><summary class="link">Sign again</summary>${fields}</details>
<p class="soft small">Changed answers must be signed again.</p>`
    : fields
}</div></section>`
}

function completedForm(request: DeskRequest, form: FormDetails): Html {
  const { clock } = request
  return html`<div class="stack"><section class="card"><div class="words">${
    form.status === 'voided'
      ? html`<p>It was voided${form.voidReason && html`: ${form.voidReason}`}.</p>`
      : html`<p class="soft">Submitted ${form.submittedAt && clock.ago(form.submittedAt)}.</p>`
  }</div>
<dl class="props answers">${form.answers.map((answer) => html`<dt>${answer.label}</dt><dd>${answerHtml(request, form, answer)}</dd>`)}</dl></section>
${form.signatures.map((one) => html`<section class="card"><header><h2>${roleLabels[one.role]}’s signature</h2></header><div class="words">${signatureHtml(request, one)}</div></section>`)}
${
  form.status === 'submitted' &&
  form.jobNumber !== null &&
  request.may(mayVoid) &&
  reasonForm(
    request,
    form,
    'reopen',
    'Reopen',
    'To correct it: it must be signed and submitted again.',
    'Reopen the form',
  )
}</div>`
}

const reasonForm = (
  request: DeskRequest,
  { id }: FormDetails,
  path: string,
  title: string,
  sentence: string,
  button: string,
): Html =>
  html`<details class="edit words" id="${path}"><summary class="link">${title}</summary><p class="soft">${sentence}</p>
<form class="stack" method="post" action="${request.href(`/forms/${id}/${path}`)}">${request.csrfField}
<label class="field" for="reason-${path}"><span>Why (optional)</span><input id="reason-${path}" name="reason" maxlength="500" autocomplete="off"></label>
<p class="row"><button class="btn danger">${button}</button></p></form></details>`

const isPicture = (value: string) => /^data:image\/(png|jpeg|webp|gif);base64,/.test(value)

/** A picture elsewhere is a link: showing it would reveal to that host who looks. */
const pictureHtml = (label: string, value: string): Html =>
  isPicture(value)
    ? html`<img class="drawn" src="${value}" alt="${label}">`
    : html`<p><a href="${value}" rel="noreferrer noopener">${value}</a></p>`

function answerHtml(request: DeskRequest, { id }: FormDetails, answer: FormAnswer): Html | string {
  const { label, value } = answer
  const photoId = referredPhoto(answer)
  if (photoId !== undefined)
    return html`<img class="drawn" src="${request.href(`/forms/${id}/photos/${photoId}`)}" alt="${label}">`
  if (typeof value === 'boolean') return value ? 'Yes' : 'No'
  if (Array.isArray(value)) return value.join(', ')
  const text = String(value)
  return isPicture(text) || text.startsWith('https://') ? pictureHtml(label, text) : text
}

const signatureHtml = ({ clock }: DeskRequest, { signerName, signature, signedAt }: Signature): Html =>
  html`${isPicture(signature) && html`<img class="drawn" src="${signature}" alt="The signature of ${signerName}">`}
<p>Signed by <strong>${signerName}</strong>, ${clock.ago(signedAt)}.</p>`
