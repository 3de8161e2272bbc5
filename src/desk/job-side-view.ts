// What stands beside the work on the page of a job: who, when and where; customer, device, forms, documents, signature.
import { type Html, type HtmlPart, html } from '../http/html.ts'
import { money } from './formatting.ts'
import { isOpenForm, type JobDocument, type JobForm, type JobPage, photosOf } from './job-data.ts'
import { fieldWords, priorities, visitText, visitWords } from './job-fields.ts'
import { chip, phoneLink } from './marks.ts'
import type { DeskRequest } from './router.ts'

export const mapAddress = (address: string): string =>
  `https://www.openstreetmap.org/search?query=${encodeURIComponent(address)}`

const property = (term: string, words: HtmlPart): Html => html`<dt>${term}</dt><dd>${words}</dd>`

/** What a form that changes a job carries: the version it was made from, and the value it had then. */
const changeForm = (
  { href, csrfField }: DeskRequest,
  { job, version }: JobPage,
  name: string,
  was: string,
  inside: Html,
): Html =>
  html`<form method="post" action="${href(`/jobs/${job.id}`)}" id="set-${name}" data-quick="${name}">${csrfField}<input type="hidden" name="version" value="${version ?? ''}"><input type="hidden" name="was.${name}" value="${was}">${inside}</form>`

interface Choice {
  readonly name: 'assignedTechnician' | 'stationId' | 'priority'
  readonly label: string
  readonly options: readonly (readonly [value: string, words: string])[]
}

function chooser(request: DeskRequest, page: JobPage, { name, label, options }: Choice): Html {
  const value = page.job[name] ?? ''
  return changeForm(
    request,
    page,
    name,
    value,
    html`<select name="${name}" aria-label="${label}" data-submit>${options.map(
      ([one, words]) => html`<option value="${one}"${one === value && html` selected`}>${words}</option>`,
    )}</select><noscript><button class="btn">Save</button></noscript>`,
  )
}

/** Those who work here now, and whoever has the job. A technician takes a job or gives it back. */
const technicians = ({ caller }: DeskRequest, { job, setup: { people } }: JobPage) =>
  people.filter(
    ({ id, isActive }) =>
      id === job.assignedTechnician || (isActive && (caller.onlyJobsOf === undefined || id === caller.onlyJobsOf)),
  )

function visitEditor(request: DeskRequest, page: JobPage): Html {
  const { clock, href } = request
  const { job } = page
  const was = visitText(clock, job)
  const [from = '', to = ''] = was.split('/')
  const [day = '', fromTime = ''] = from.split('T')
  const [lastDay = '', toTime = ''] = to.split('T')
  const inside = html`<label class="field"><span>Day</span><input type="date" name="day" value="${day}"></label>
<div class="row"><label class="field grow"><span>From</span><input type="time" name="from" value="${fromTime}" step="300"></label><label class="field grow"><span>Until</span><input type="time" name="until" value="${toTime}" step="300"></label></div>
<label class="field"><span>Until another day</span><input type="date" name="lastDay" value="${lastDay === day ? '' : lastDay}"></label>
<label class="row"><input type="checkbox" name="allDay" value="yes"${job.scheduledAllDay && html` checked`}> All day</label>
<p class="row"><button class="btn">Save</button></p>`
  return html`<details class="edit" id="visit"><summary>${visitWords(clock, job)}</summary>${changeForm(request, page, 'visit', was, inside)}</details>${job.recurringScheduleId && html`<a class="link small" href="${href(`/recurring/${job.recurringScheduleId}`)}">One visit of an agreement</a>`}`
}

export function propertiesCard(request: DeskRequest, page: JobPage, mayWrite: boolean): Html {
  const { job, setup } = page
  if (!mayWrite)
    return html`<section class="card" aria-label="Properties"><dl class="props">${property('Technician', fieldWords('assignedTechnician', job.assignedTechnician ?? '', setup))}${property('Visit', visitWords(request.clock, job))}${property('Place', fieldWords('stationId', job.stationId ?? '', setup))}${property('Priority', fieldWords('priority', job.priority, setup))}</dl></section>`
  const people = technicians(request, page).map(({ id, name }) => [id, name] as const)
  const stations = setup.stations.map(({ id, name }) => [id, name] as const)
  return html`<section class="card" aria-label="Properties"><dl class="props">
${property('Technician', chooser(request, page, { name: 'assignedTechnician', label: 'Technician', options: [['', 'Nobody'], ...people] }))}
${property('Visit', visitEditor(request, page))}
${property('Place', chooser(request, page, { name: 'stationId', label: 'Place', options: [['', 'None'], ...stations] }))}
${property('Priority', chooser(request, page, { name: 'priority', label: 'Priority', options: priorities }))}
</dl></section>`
}

/** Who works on a job knows whom to call; others see the name. */
export function customerCard({ href, may }: DeskRequest, { job, customer }: JobPage, mayWrite: boolean): Html {
  const name = customer?.name ?? job.customerName ?? 'No customer'
  const title =
    customer && may('customers:read') && mayWrite
      ? html`<a class="title" href="${href(`/customers/${customer.id}`)}">${name}</a>`
      : name
  const address = job.address ?? customer?.address
  const rows = [
    customer?.businessName && customer.businessName !== name && property('Business', customer.businessName),
    mayWrite && customer?.phone && property('Phone', phoneLink(customer.phone)),
    mayWrite &&
      customer?.email &&
      property('Email', html`<a class="link" href="mailto:${customer.email}">${customer.email}</a>`),
    address &&
      property(
        'Address',
        html`<a class="link pre" href="${mapAddress(address)}" rel="noreferrer" target="_blank">${address}</a>`,
      ),
    mayWrite && customer?.notes && property('Note', html`<span class="pre staff">${customer.notes}</span>`),
  ]
  return html`<section class="card" id="customer"><header><h2>${title}</h2></header>${rows.some(Boolean) && html`<dl class="props">${rows}</dl>`}</section>`
}

export function deviceCard({ href }: DeskRequest, { job, device, before }: JobPage): Html | false {
  const name = device?.name ?? job.customerDeviceName
  if (!name && !job.customerDeviceType) return false
  const kind = device?.type ?? job.customerDeviceType
  return html`<section class="card" id="device"><header><h2>${name ?? kind}</h2></header><dl class="props">${kind && property('Kind', kind)}${device?.identifier && property('Serial', html`<span class="num">${device.identifier}</span>`)}${
    before.length > 0 &&
    property(
      'Before',
      html`<ul>${before.map(({ id, number, title }) => html`<li id="before-${id}"><a class="link" href="${href(`/jobs/${id}`)}">#${number} ${title}</a></li>`)}</ul>`,
    )
  }</dl></section>`
}

const formChips = {
  open: ['To fill in', 'warn'],
  inProgress: ['Begun', 'warn'],
  submitted: ['Submitted', 'good'],
  voided: ['Voided', ''],
} as const

/** Who may not work on the job may not open its forms either. */
export function formsCard({ href }: DeskRequest, { forms }: JobPage, mayWrite: boolean): Html | false {
  if (forms.length === 0) return false
  const row = (form: JobForm) => {
    const [words, kind] = formChips[form.status]
    const photos = photosOf(form)
    const inside = html`<span class="grow cut">${form.name}</span>${chip(words, isOpenForm(form) && form.gate === 'none' ? '' : kind)}`
    if (!mayWrite) return html`<li id="form-${form.id}"><div class="line">${inside}</div></li>`
    return html`<li id="form-${form.id}"><a href="${href(`/forms/${form.id}`)}">${inside}</a>${
      photos.length > 0 &&
      html`<p class="photos">${photos.map(({ id, label }) => html`<a href="${href(`/forms/${form.id}/photos/${id}`)}" target="_blank"><img src="${href(`/forms/${form.id}/photos/${id}`)}" alt="${label}" loading="lazy" width="72" height="72"></a>`)}</p>`
    }</li>`
  }
  return html`<section class="card" id="forms"><header><h2>Forms</h2></header><ul class="list">${forms.map(row)}</ul></section>`
}

const documentChip = ({ status, isPaid }: JobDocument): Html =>
  isPaid
    ? chip('Paid', 'good')
    : chip(
        `${status[0]!.toUpperCase()}${status.slice(1)}`,
        status === 'accepted' ? 'good' : status === 'declined' ? 'danger' : '',
      )

export function documentsCard(
  { href, may, currency, csrfField, onceField }: DeskRequest,
  { job, documents, lines }: JobPage,
): Html | false {
  if (!may('quotes:read')) return false
  const make = (kind: 'quote' | 'invoice', words: string) =>
    may(`${kind}s:write`) &&
    html`<form class="inline" method="post" action="${href(`/jobs/${job.id}/${kind}`)}">${csrfField}${onceField}<button class="btn">${words}</button></form>`
  const list = html`<ul class="list">${documents.map(
    (one) =>
      html`<li id="d-${one.id}"><a href="${href(`/${one.kind}s/${one.id}`)}"><span class="id">${one.number}</span><span class="grow">${documentChip(one)}</span><span class="num">${money(one.total, currency)}</span></a></li>`,
  )}</ul>`
  return html`<section class="card" id="documents"><header><h2>Quote and invoice</h2></header>${documents.length > 0 ? list : html`<p class="words soft">${lines.length > 0 ? 'None yet. Both take over the lines of the job.' : 'None yet. Add what is to be done first.'}</p>`}${
    lines.length > 0 &&
    html`<div class="row wrap words">${make('quote', 'Make a quote')}${make('invoice', 'Make an invoice')}</div>`
  }</section>`
}

const isPicture = (value: string) => /^data:image\/(png|jpeg|webp|gif);base64,/.test(value)

/** The pad draws on a canvas: a refresh must leave it alone, so it is the job's own and permanent. */
export function signatureCard(
  { href, csrfField, clock }: DeskRequest,
  { job, customer, signature }: JobPage,
  mayWrite: boolean,
): Html | false {
  if (!signature && !mayWrite) return false
  const signed =
    signature &&
    html`<div class="words">${isPicture(signature.picture) && html`<img class="drawn" src="${signature.picture}" alt="The signature of ${signature.name ?? 'the customer'}">`}<p>Signed${signature.name && html` by <strong>${signature.name}</strong>`}, <span class="soft">${clock.ago(new Date(signature.at))}</span></p></div>`
  const action = href(`/jobs/${job.id}/signature`)
  const form = html`<form class="words" method="post" action="${action}" id="sign">${csrfField}<label class="field"><span>Name</span><input name="signedByName" maxlength="120" autocomplete="off" value="${signature?.name ?? customer?.name ?? job.customerName ?? ''}" required></label>
<div class="pad" id="pad-${job.id}" data-turbo-permanent data-signature hidden><p class="soft small">Sign with a finger or a pen; the name alone counts too.</p><canvas></canvas><input type="hidden" name="signature" value=""><button type="button" class="btn quiet" hidden>Clear</button></div>
<p class="row"><button class="btn">Keep the signature</button></p></form>`
  return html`<section class="card" id="signature"><header><h2>Signature</h2></header>${signed}${
    mayWrite &&
    html`<details class="edit words" id="sign-again"><summary class="link">${signed ? 'Sign again' : 'Let the customer sign'}</summary>${form}${signed && html`<form method="post" action="${action}">${csrfField}<button class="btn quiet" name="clear" value="yes">Take the signature away</button></form>`}</details>`
  }</section>`
}
