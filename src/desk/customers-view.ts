// The pages of customers.
import { type Html, type HtmlPart, html } from '../http/html.ts'
import { count, money } from './formatting.ts'
import { mainButton, pageHead, type View } from './frame.ts'
import { icon } from './icons.ts'
import { chip, emptyNote, phoneLink, statusDot } from './marks.ts'
import type { Refusal } from './perform.ts'
import type { DeskRequest } from './router.ts'
import type { ShopSetup } from './shop-setup.ts'

export interface CustomerFields {
  readonly firstName?: string | null
  readonly lastName?: string | null
  readonly businessName?: string | null
  readonly phone?: string | null
  readonly email?: string | null
  readonly address?: string | null
  readonly notes?: string | null
  readonly countryCode?: string | null
  readonly vatId?: string | null
  /** As people type it: `0208:0123456749`. */
  readonly electronicAddress?: string | null
  readonly buyerReference?: string | null
}

export interface ListedCustomer extends CustomerFields {
  readonly id: string
  readonly openJobs: number
}

export interface CustomerPage {
  readonly customer: CustomerFields & {
    readonly id: string
    readonly createdAt: Date
    readonly jobCount: number
    readonly devices: readonly {
      id: string
      name: string
      type: string | null
      identifier: string | null
      jobCount: number
    }[]
    readonly agreements: readonly { id: string; name: string }[]
  }
  readonly jobs: readonly {
    readonly id: string
    readonly number: number
    readonly title: string
    readonly device: string | null
    readonly statusId: string
    readonly from: Date | null
    readonly closedAt: Date | null
  }[]
  readonly documents: readonly {
    readonly kind: 'quote' | 'invoice'
    readonly id: string
    readonly number: string
    readonly title: string
    readonly status: string
    readonly total: number
    readonly balance: number
    readonly paid: number
    readonly at: Date | null
  }[]
}

const personOf = ({ firstName, lastName }: CustomerFields): string => [firstName, lastName].filter(Boolean).join(' ')
export const titleOf = (customer: CustomerFields): string => customer.businessName || personOf(customer)

export function customerListView(
  { href, may }: DeskRequest,
  { search, customers, isMore }: { search: string; customers: readonly ListedCustomer[]; isMore: boolean },
): View {
  const row = (one: ListedCustomer) =>
    html`<tr class="go" id="c-${one.id}"><td class="cut"><a class="title" href="${href(`/customers/${one.id}`)}">${titleOf(one)}</a>${one.businessName && html` <span class="soft">${personOf(one)}</span>`}</td><td class="num">${one.phone}</td><td class="cut opt">${one.email}</td><td class="r num">${one.openJobs > 0 && count(one.openJobs, 'open job')}</td></tr>`
  return {
    title: 'Customers',
    place: 'customers',
    body: html`${pageHead('Customers', { actions: may('customers:write') && mainButton(href('/customers/new'), 'New customer', 'plus') })}
<form class="row find-row" role="search" action="${href('/customers')}"><label class="grow"><span class="sr">Find a customer</span><input type="search" name="q" value="${search}" placeholder="Name, business, phone or email"></label><button class="btn">Find</button></form>
<section class="card" data-live="customers tickets" aria-label="Customers">${
      customers.length === 0
        ? emptyNote(
            search ? 'Nobody found' : 'No customers yet',
            search
              ? 'Try a part of the name, or the last digits of the phone.'
              : 'A customer is made with their first job, or here.',
          )
        : html`<table class="fold"><thead><tr><th class="c4" scope="col">Name</th><th scope="col">Phone</th><th class="c3 opt" scope="col">Email</th><th class="r" scope="col">Jobs</th></tr></thead><tbody>${customers.map(row)}</tbody></table>`
    }</section>${isMore && html`<p class="soft small">There are more. Search to find the one you mean.</p>`}`,
  }
}

function jobTable(
  { href, clock }: DeskRequest,
  title: string,
  jobs: CustomerPage['jobs'],
  { statusById }: ShopSetup,
): Html | false {
  const row = (job: CustomerPage['jobs'][number]) => {
    const status = statusById.get(job.statusId)
    const when = job.closedAt ?? job.from
    return html`<tr class="go" id="t-${job.id}"><td class="id">#${job.number}</td><td class="cut"><a class="title" href="${href(`/jobs/${job.id}`)}">${job.title}</a></td><td class="cut opt soft">${job.device}</td><td>${status && html`<span class="status">${statusDot(status.color)}${status.name}</span>`}</td><td class="r num soft">${when && (job.closedAt ? clock.shortDay(when) : clock.nearby(when))}</td></tr>`
  }
  return (
    jobs.length > 0 &&
    html`<section class="card"><header><h2>${title}</h2><span class="n">${jobs.length}</span></header><table class="fold"><thead><tr><th scope="col">Job</th><th class="c4" scope="col">What</th><th class="opt" scope="col">Device</th><th scope="col">Status</th><th class="r" scope="col">${title === 'History' ? 'Closed' : 'Visit'}</th></tr></thead><tbody>${jobs.map(row)}</tbody></table></section>`
  )
}

function documentList({ href, clock, currency }: DeskRequest, documents: CustomerPage['documents']): Html | false {
  const state = (one: CustomerPage['documents'][number]): HtmlPart => {
    if (one.kind === 'quote') return chip(`Quote, ${one.status}`)
    if (one.status === 'void') return chip('Void')
    if (one.status === 'draft') return chip('Draft')
    if (one.balance <= 0) return chip('Paid', 'good')
    if (!one.at) return chip('Open')
    return one.at < clock.now ? chip(`Due ${clock.shortDay(one.at)}`, 'danger') : chip(`Due ${clock.shortDay(one.at)}`)
  }
  return (
    documents.length > 0 &&
    html`<section class="card"><header><h2>Quotes and invoices</h2><span class="n">${documents.length}</span></header><ul class="list">${documents.map((one) => html`<li id="d-${one.id}"><a href="${href(`/${one.kind}s/${one.id}`)}"><span class="id">${one.number}</span><span class="grow cut">${one.title}</span>${state(one)}<span class="num">${money(one.total, currency)}</span></a></li>`)}</ul></section>`
  )
}

const fact = (label: string, value: HtmlPart): Html | false => !!value && html`<dt>${label}</dt><dd>${value}</dd>`

function contactCard({ phone, email, address, notes }: CustomerFields): Html {
  return html`<section class="card"><header><h2>Contact</h2></header><dl class="props">${fact('Phone', phone && phoneLink(phone))}${fact('Email', email && html`<a class="link" href="${`mailto:${email}`}">${email}</a>`)}${fact('Address', address && html`<a class="link pre" href="${`https://www.openstreetmap.org/search?query=${encodeURIComponent(address)}`}" rel="noreferrer" target="_blank">${address}</a>`)}${fact('Note', notes && html`<span class="pre">${notes}</span>`)}</dl></section>`
}

function deviceCard({ href, may, csrfField, onceField }: DeskRequest, { id, devices }: CustomerPage['customer']): Html {
  const input = (name: string, label: string) =>
    html`<label class="field"><span>${label}</span><input name="${name}" maxlength="120"></label>`
  return html`<section class="card"><header><h2>Devices</h2><span class="n">${devices.length}</span></header>${devices.length > 0 && html`<ul class="list">${devices.map((device) => html`<li id="dev-${device.id}"><div class="line"><span class="grow"><span class="cut">${device.name}</span><small class="soft cut">${[device.type, device.identifier].filter(Boolean).join(' · ')}</small></span><span class="soft small">${count(device.jobCount, 'job')}</span></div></li>`)}</ul>`}${may('devices:write') && html`<details class="edit add-device" id="add-device"><summary>${icon('plus')} Add a device</summary><form class="stack" method="post" action="${href(`/customers/${id}/devices`)}">${csrfField}${onceField}${input('brand', 'Brand')}${input('model', 'Model')}${input('type', 'Kind')}${input('identifier', 'Serial number')}${input('name', 'What they call it')}<button class="btn">Add</button></form></details>`}</section>`
}

function agreementCard({ href, may }: DeskRequest, { id, agreements }: CustomerPage['customer']): Html | false {
  const mayWrite = may('recurring-schedules:write')
  const newAddress = href(`/recurring/new?customer=${id}`)
  return (
    (agreements.length > 0 || mayWrite) &&
    html`<section class="card"><header><h2>Agreements</h2><span class="n">${agreements.length}</span>${mayWrite && html`<a class="more" href="${newAddress}">New</a>`}</header>${agreements.length > 0 && html`<ul class="list">${agreements.map((one) => html`<li id="a-${one.id}"><a href="${href(`/recurring/${one.id}`)}"><span class="grow cut">${one.name}</span></a></li>`)}</ul>`}</section>`
  )
}

export function customerView(
  request: DeskRequest,
  { customer, jobs, documents }: CustomerPage,
  setup: ShopSetup,
): View {
  const { href, may, currency, clock } = request
  const owes = documents.reduce((sum, { status, balance }) => sum + (status === 'sent' ? balance : 0), 0)
  const paid = documents.reduce((sum, one) => sum + one.paid, 0)
  const open = jobs.filter(({ closedAt }) => !closedAt)
  const newJob = `/jobs/new?customer=${customer.id}`
  return {
    title: titleOf(customer),
    place: 'customers',
    body: html`${pageHead(
      html`${titleOf(customer)}${customer.businessName && html`<small class="under">${personOf(customer)}</small>`}`,
      {
        crumbs: [[href('/customers'), 'Customers']],
        actions: html`${may('customers:write') && html`<a class="btn" href="${href(`/customers/${customer.id}/edit`)}">Edit</a>`}${may('tickets:write') && may('customers:write') && mainButton(href(newJob), 'New job', 'plus')}`,
      },
    )}
<div data-live="customers customers/devices tickets quotes invoices payments">
<dl class="figures">${may('invoices:read') && html`<div><dt>Owes</dt><dd>${money(owes, currency)}</dd></div><div><dt>Paid so far</dt><dd>${money(paid, currency)}</dd></div>`}<div><dt>Jobs</dt><dd>${customer.jobCount}</dd></div><div><dt>Customer since</dt><dd>${clock.shortDay(customer.createdAt)}</dd></div></dl>
<div class="cols"><div class="stack">${jobTable(request, 'Open jobs', open, setup)}${documentList(request, documents)}${jobTable(
      request,
      'History',
      jobs.filter(({ closedAt }) => closedAt),
      setup,
    )}${jobs.length === 0 && html`<section class="card">${emptyNote('No job yet', 'Their first job will stand here.')}</section>`}</div>
<aside class="stack" aria-label="About the customer">${contactCard(customer)}${deviceCard(request, customer)}${agreementCard(request, customer)}</aside></div></div>`,
  }
}

interface CustomerForm {
  readonly id: string | undefined
  readonly fields: CustomerFields
  /** What the form was filled with at first, as JSON. */
  readonly seen?: string | undefined
  readonly version: string | undefined
  readonly refusal?: Refusal
  /** What somebody else made of it meanwhile. */
  readonly theirs?: CustomerFields
}

const labels: Readonly<Record<keyof CustomerFields, string>> = {
  firstName: 'First name',
  lastName: 'Last name',
  businessName: 'Business',
  phone: 'Phone',
  email: 'Email',
  address: 'Address',
  notes: 'Note',
  countryCode: 'Country',
  vatId: 'VAT id',
  electronicAddress: 'Electronic address',
  buyerReference: 'Reference they want on invoices',
}
const placeholders: Partial<typeof labels> = {
  countryCode: 'GB',
  vatId: 'GB123456789',
  electronicAddress: '0208:0123456749',
}
const eInvoiceNames: readonly (keyof CustomerFields)[] = ['countryCode', 'vatId', 'electronicAddress', 'buyerReference']

export function customerFormView(
  request: DeskRequest,
  { id, fields, seen, version, refusal, theirs }: CustomerForm,
): View {
  const { href, csrfField, onceField } = request
  const names = Object.keys(labels) as (keyof CustomerFields)[]
  const wrongField = refusal && names.find((name) => refusal.message.startsWith(name))
  const wrong = refusal && (wrongField ? refusal.message.replace(/^[\w.]+/, labels[wrongField]) : refusal.message)
  const field = (name: keyof CustomerFields) => {
    const value = fields[name] ?? ''
    const other =
      theirs &&
      (theirs[name] ?? '') !== value &&
      html`<small class="warn">Now it is: ${theirs[name] || 'empty'}</small>`
    const isLong = name === 'address' || name === 'notes'
    return html`<label class="field"><span>${labels[name]}</span>${isLong ? html`<textarea name="${name}" rows="3">${value}</textarea>` : html`<input name="${name}" value="${value}"${name === 'firstName' && html` required`}${name === 'email' && html` type="email"`}${name === 'phone' && html` type="tel"`}${placeholders[name] && html` placeholder="${placeholders[name]}"`}>`}${wrongField === name && html`<small class="danger" role="alert">${wrong}</small>`}${other}</label>`
  }
  const isOpen = eInvoiceNames.some((name) => fields[name] || theirs?.[name] || wrongField === name)
  const before = theirs ? JSON.stringify(onlyFields(theirs)) : (seen ?? JSON.stringify(onlyFields(fields)))
  return {
    title: id ? 'Edit customer' : 'New customer',
    place: 'customers',
    ...(refusal && { status: refusal.status }),
    body: html`${pageHead(id ? `Edit ${titleOf(fields)}` : 'New customer', { crumbs: [[href('/customers'), 'Customers']] })}
${theirs ? html`<p class="note danger" role="alert">${icon('warning')}<span>Somebody changed this customer while you were writing. What you typed is kept; what differs is said below each field. Save again to keep yours.</span></p>` : wrong && !wrongField && html`<p class="note danger" role="alert">${icon('warning')}<span>${wrong}</span></p>`}
<form class="card pad stack narrow" method="post" action="${href(id ? `/customers/${id}` : '/customers')}">${csrfField}${id === undefined && onceField}${version !== undefined && html`<input type="hidden" name="version" value="${version}">`}<input type="hidden" name="seen" value="${before}">
${names.filter((name) => !eInvoiceNames.includes(name)).map(field)}
<details class="edit"${isOpen && html` open`}><summary class="link">For e-invoices</summary><div class="stack">${eInvoiceNames.map(field)}</div></details>
<div class="row"><button class="btn main">Save</button><a class="btn quiet" href="${href(id ? `/customers/${id}` : '/customers')}">Cancel</a></div></form>`,
  }
}

const onlyFields = (fields: CustomerFields): CustomerFields =>
  Object.fromEntries(Object.keys(labels).map((name) => [name, fields[name as keyof CustomerFields] ?? null]))
