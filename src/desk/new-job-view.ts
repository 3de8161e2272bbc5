// The page of a new job, and what is offered of customers while one types.
import { type Html, html } from '../http/html.ts'
import { pageHead, type View } from './frame.ts'
import { priorities } from './job-fields.ts'
import type { DeskRequest } from './router.ts'
import type { ShopSetup } from './shop-setup.ts'

export interface FoundCustomer {
  readonly id: string
  readonly name: string
  readonly businessName: string | null
  readonly phone: string | null
  readonly email: string | null
  readonly address: string | null
}

export interface ChosenCustomer extends FoundCustomer {
  readonly devices: readonly {
    readonly id: string
    readonly name: string
    readonly type: string | null
    readonly identifier: string | null
  }[]
}

interface CustomerChoice {
  /** What stands in the form. */
  readonly typed: URLSearchParams
  readonly chosen: ChosenCustomer | undefined
  /** What was looked up without scripts; undefined where nothing was. */
  readonly found: readonly FoundCustomer[] | undefined
  readonly problem: { readonly field: string | undefined; readonly words: string } | undefined
}

export interface NewJobPage extends CustomerChoice {
  readonly setup: ShopSetup
  /** Makes two sendings of this page one job. */
  readonly key: string
}

interface FieldOptions {
  readonly label: string
  readonly attributes?: Html
  readonly isLong?: boolean
}

/** What was refused stands beside its field. */
function input(
  { typed, problem }: CustomerChoice,
  name: string,
  { label, attributes, isLong = false }: FieldOptions,
): Html {
  const isWrong = problem?.field === name
  const shared = html`name="${name}" id="n-${name}"${isWrong && html` aria-invalid="true" aria-describedby="wrong"`}${attributes}`
  const value = typed.get(name) ?? ''
  return html`<label class="field grow"><span>${label}</span>${isLong ? html`<textarea ${shared} rows="2">${value}</textarea>` : html`<input ${shared} value="${value}" autocomplete="off">`}${isWrong && wrong(problem.words)}</label>`
}

const wrong = (words: string): Html => html`<small class="danger" id="wrong" role="alert">${words}</small>`

function choice(
  { typed, problem }: CustomerChoice,
  name: string,
  label: string,
  options: readonly (readonly [string, string])[],
  usual = '',
): Html {
  const value = typed.get(name) ?? usual
  const isWrong = problem?.field === name
  return html`<label class="field grow"><span>${label}</span><select name="${name}"${isWrong && html` aria-invalid="true" aria-describedby="wrong"`}>${options.map(([one, words]) => html`<option value="${one}"${one === value && html` selected`}>${words}</option>`)}</select>${isWrong && wrong(problem.words)}</label>`
}

const contact = ({ businessName, name, phone, email }: FoundCustomer): string =>
  [businessName === name ? null : businessName, phone, email].filter(Boolean).join(' · ')

/** Under the field, while one types. */
export function customerOptions({ may }: DeskRequest, text: string, found: readonly FoundCustomer[]): Html {
  return html`${found.map(
    (one) =>
      html`<div role="option" id="o-${one.id}" aria-selected="false" data-value="${one.id}" data-label="${one.name}"><span class="grow cut">${one.name}</span><span class="soft small cut">${contact(one)}</span></div>`,
  )}${text !== '' && may('customers:write') && html`<div role="option" id="o-new" aria-selected="false" data-value="" data-label="${text}">New customer “${text}”</div>`}`
}

function chosenCustomer(page: CustomerChoice, customer: ChosenCustomer): Html {
  const devices = customer.devices.map(
    ({ id, name, type, identifier }) =>
      [id, [name, type === name ? null : type, identifier].filter(Boolean).join(', ')] as const,
  )
  return html`<input type="hidden" name="customerId" value="${customer.id}"><p class="row"><span class="grow"><strong>${customer.name}</strong> <span class="soft">${contact(customer)}</span>${customer.address && html`<br><span class="soft">${customer.address.replaceAll('\n', ', ')}</span>`}</span><button class="btn" name="other" value="yes" formnovalidate>Another customer</button></p>
${devices.length > 0 && choice(page, 'deviceId', 'Device', [['', 'None of these'], ...devices], devices.length === 1 ? devices[0]![0] : '')}`
}

function customerSearch({ href, may }: DeskRequest, page: CustomerChoice): Html {
  const { typed, found, problem } = page
  const isWrong = problem?.field === 'customer'
  const results =
    found &&
    (found.length > 0
      ? html`<fieldset class="found-customers"><legend>Which one?</legend>${found.map((one) => html`<label class="row"><input type="radio" name="customerId" value="${one.id}"> <span>${one.name} <span class="soft">${contact(one)}</span></span></label>`)}${!may('customers:write') && html`<label class="row"><input type="radio" name="nameOnly" value="yes"> None of these</label>`}</fieldset>`
      : html`<p class="soft">Nobody found. Fill in a new customer below, or try fewer letters.</p>`)
  const isOpen =
    customerFieldNames.some((name) => typed.get(name)) ||
    found?.length === 0 ||
    customerFieldNames.includes(problem?.field ?? '')
  return html`<div class="field"><label for="n-q"><span class="soft small">Name, phone or email</span></label><div class="row"><desk-pick class="grow pick-here" src="${href('/jobs/new/customers')}" stay data-customer><input id="n-q" name="q" role="combobox" aria-expanded="false" aria-autocomplete="list" aria-controls="customers" placeholder="Find a customer" autocomplete="off" maxlength="200" value="${typed.get('q') ?? ''}"${isWrong && html` aria-invalid="true" aria-describedby="wrong"`}><input type="hidden" value=""><div class="options" id="customers" role="listbox" aria-label="Customers"></div></desk-pick><noscript><button class="btn" name="find" value="yes" formnovalidate>Find</button></noscript></div>${isWrong && wrong(problem.words)}</div>${results}
${
  may('customers:write') &&
  html`<details class="new-customer" id="new-customer"${isOpen && html` open`}><summary class="link">New customer</summary><div class="stack"><div class="row wrap">${input(page, 'firstName', { label: 'First name' })}${input(page, 'lastName', { label: 'Last name' })}${input(page, 'businessName', { label: 'Business' })}</div><div class="row wrap">${input(page, 'phone', { label: 'Phone', attributes: html` type="tel"` })}${input(page, 'email', { label: 'Email', attributes: html` type="email"` })}</div>${input(page, 'address', { label: 'Address', isLong: true })}</div></details>`
}`
}

const customerFieldNames: readonly string[] = ['firstName', 'lastName', 'businessName', 'phone', 'email', 'address']
const deviceFieldNames: readonly string[] = ['type', 'brand', 'model', 'identifier']

/** The customer and the device: what a script renews once somebody was chosen. */
export function customerPart(request: DeskRequest, page: CustomerChoice): Html {
  const { chosen, typed, problem } = page
  const hasDevices = (chosen?.devices.length ?? 0) > 0
  const isOpen = deviceFieldNames.some((name) => typed.get(name) || problem?.field === name)
  return html`${chosen ? chosenCustomer(page, chosen) : customerSearch(request, page)}
${request.may('devices:write') && html`<details class="new-device"${isOpen && html` open`}><summary class="link">${hasDevices ? 'Another device' : 'Device'}</summary><div class="row wrap">${input(page, 'type', { label: 'Kind' })}${input(page, 'brand', { label: 'Brand' })}${input(page, 'model', { label: 'Model' })}${input(page, 'identifier', { label: 'Serial number' })}</div></details>`}`
}

/** The first button is the one that Enter presses, in whichever field: it makes the job. */
export function newJobView(request: DeskRequest, page: NewJobPage, status = 200): View {
  const { href, csrfField, caller } = request
  const { setup, problem, typed, key } = page
  const people = setup.people
    .filter(({ id, isActive }) => isActive && (caller.onlyJobsOf === undefined || id === caller.onlyJobsOf))
    .map(({ id, name }) => [id, name] as const)
  const stations = setup.stations.map(({ id, name }) => [id, name] as const)
  const isSaidAtTop = problem && problem.field === undefined
  return {
    title: 'New job',
    place: 'board',
    status,
    body: html`${pageHead('New job', { crumbs: [[href('/board'), 'Board']] })}
${isSaidAtTop && html`<div class="note danger" role="alert"><span class="grow">${problem.words}</span></div>`}
<form class="stack narrow new-job" method="post" action="${href('/jobs/new')}" id="new-job">${csrfField}<input type="hidden" name="key" value="${key}"><button class="sr" tabindex="-1" aria-hidden="true">Make the job</button>
<section class="card" id="who"><header><h2>Customer</h2></header><div class="words stack" id="customer-part">${customerPart(request, page)}</div></section>
<section class="card"><header><h2>What is needed</h2></header><div class="words stack">${input(page, 'serviceRequired', { label: 'In a few words', attributes: html` maxlength="500" required` })}${input(page, 'description', { label: 'What the customer said, what is known', isLong: true, attributes: html` maxlength="10000"` })}</div></section>
<section class="card"><header><h2>When and who</h2></header><div class="words stack">
<div class="row wrap">${input(page, 'day', { label: 'Day', attributes: html` type="date"` })}${input(page, 'from', { label: 'From', attributes: html` type="time" step="300"` })}${input(page, 'until', { label: 'Until', attributes: html` type="time" step="300"` })}</div>
<div class="row wrap">${choice(page, 'assignedTechnician', 'Technician', [['', 'Nobody yet'], ...people])}${choice(page, 'stationId', 'Place', [['', 'None'], ...stations])}${choice(page, 'priority', 'Priority', priorities, 'normal')}</div></div></section>
<section class="card"><header><h2>Note for the team</h2></header><div class="words">${input(page, 'note', { label: 'Only your team sees it', isLong: true, attributes: html` maxlength="10000"` })}</div></section>
<div class="row"><button class="btn main">Make the job</button><a class="btn" href="${href(typed.get('customerId') ? `/customers/${typed.get('customerId')}` : '/board')}">Cancel</a></div></form>`,
  }
}
