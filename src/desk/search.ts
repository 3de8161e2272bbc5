// Search over jobs, customers, devices and documents, and the commands: for the palette, and as a page without scripts.
import { type Sql, sql } from '../db/database.ts'
import { type Html, html } from '../http/html.ts'
import { connectionOf, searchForText } from '../operations/text-search.ts'
import { pageHead } from './frame.ts'
import { type Icon, icon } from './icons.ts'
import { isKnownCustomer } from './known-customers.ts'
import { byName, newestFirst, pageOfRows } from './list-page.ts'
import { emptyNote } from './marks.ts'
import { placePath, placesFor } from './places.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

interface Found {
  readonly kind: 'job' | 'customer' | 'device' | 'quote' | 'invoice'
  readonly id: string
  readonly label: string
  readonly title: string
  readonly detail: string | null
}

const perKind = 6
const kinds: Readonly<Record<Found['kind'], { heading: string; path: string }>> = {
  job: { heading: 'Jobs', path: '/jobs/' },
  customer: { heading: 'Customers', path: '/customers/' },
  device: { heading: 'Devices', path: '/customers/' },
  quote: { heading: 'Quotes', path: '/quotes/' },
  invoice: { heading: 'Invoices', path: '/invoices/' },
}

/** One statement for all kinds that the member may see; the newest first. */
function selectFound(request: DeskRequest, text: string): Sql {
  const { orgId, may } = request
  const number = /^#?(\d{1,9})$/.exec(text)?.[1]
  const newest = (table: string) =>
    pageOfRows({ table, orgId, search: searchForText(table, text), order: newestFirst, limit: perKind })
  const customers = {
    table: 'customers',
    orgId,
    search: searchForText('customers', text),
    order: byName,
    limit: perKind,
  }
  const parts = [
    sql`select 1 as rank, 'job' as kind, id, '#' || ticket_number as label, coalesce(service_required, 'Job') as title,
        customer_name as detail
      from ${number === undefined ? newest('tickets') : sql`tickets where org_id = ${orgId} and ticket_number = ${number}::int`}
      order by created_at desc, id desc`,
    sql`select 2, 'customer', id, '', coalesce(nullif(concat_ws(' ', first_name, last_name), ''), business_name, ''),
        concat_ws(' · ', nullif(business_name, ''), phone, email)
      from ${pageOfRows({ ...customers, where: isKnownCustomer(request) })} order by sort_name, id`,
  ]
  if (may('quotes:read'))
    parts.push(sql`select 4, 'quote', id, quote_number, coalesce(customer_name, ''), title from ${newest('quotes')}
      order by created_at desc, id desc`)
  if (may('invoices:read'))
    parts.push(sql`select 5, 'invoice', id, invoice_number, coalesce(customer_name, ''), title from ${newest('invoices')}
      order by created_at desc, id desc`)
  const all = parts.map((part) => sql`(${part})`).reduce((some, one) => sql`${some} union all ${one}`)
  return sql`select kind, id, label, title, detail from (${all}) found order by rank`
}

interface Command {
  readonly words: string
  readonly path: string
  readonly icon: Icon
}

const commandsFor = (request: DeskRequest, text: string): Command[] =>
  [
    ...(request.may('tickets:write')
      ? [{ words: 'New job', path: request.href('/jobs/new'), icon: 'plus' as const }]
      : []),
    ...placesFor(request.may, request).map((place) => ({
      words: `Go to ${place.words}`,
      path: placePath(place, request.orgId),
      icon: place.icon,
    })),
  ].filter(({ words }) => words.toLowerCase().includes(text.toLowerCase()))

const option = (id: string, href: string, mark: Html | string, title: string, detail: string | null): Html =>
  html`<div role="option" id="${id}" aria-selected="false" data-href="${href}"><span class="id">${mark}</span><span class="grow cut">${title}</span>${detail && html`<span class="soft small cut">${detail}</span>`}</div>`

function optionList({ href }: DeskRequest, found: readonly Found[], commands: readonly Command[]): Html {
  const groups = [...Map.groupBy(found, ({ kind }) => kind)]
  return html`${groups.map(
    ([kind, some]) =>
      html`<h3>${kinds[kind].heading}</h3>${some.map(({ id, label, title, detail }) => option(`f-${id}`, href(`${kinds[kind].path}${id}`), label, title, detail))}`,
  )}${commands.length > 0 && html`<h3>Commands</h3>${commands.map(({ words, path, icon: mark }, index) => option(`c-${index}`, path, icon(mark), words, null))}`}`
}

function resultList({ href }: DeskRequest, found: readonly Found[]): Html {
  return html`<div class="stack">${[...Map.groupBy(found, ({ kind }) => kind)].map(
    ([kind, some]) => html`<section class="card"><header><h2>${kinds[kind].heading}</h2></header>
<ul class="list">${some.map(({ id, label, title, detail }) => html`<li><a href="${href(`${kinds[kind].path}${id}`)}"><span class="id">${label}</span><span class="grow"><span class="cut">${title}</span>${detail && html`<small class="soft cut">${detail}</small>`}</span></a></li>`)}</ul></section>`,
  )}</div>`
}

export function addSearchRoutes(router: DeskRouter): void {
  router.get('/search', ['tickets:read'], async (request) => {
    const text = (request.query.q ?? '').trim().slice(0, 100)
    const found =
      text.length > 0
        ? await request.database.read<Found>(
            request.orgId,
            selectFound(request, text),
            connectionOf(searchForText('tickets', text)),
          )
        : []
    if (request.query.part !== undefined)
      return request.fragment(optionList(request, found, commandsFor(request, text)))
    return request.render({
      title: 'Search',
      place: 'search',
      body: html`${pageHead('Search')}
<form class="row find-row" role="search" action="${request.href('/search')}"><label class="grow field"><span class="sr">What to look for</span><input type="search" name="q" value="${text}" placeholder="Job number, customer, device, quote" autofocus></label><button class="btn">Search</button></form>
${text.length > 0 && (found.length > 0 ? resultList(request, found) : html`<div class="card">${emptyNote('Nothing found', 'Try fewer words, or a number.')}</div>`)}`,
    })
  })
}
