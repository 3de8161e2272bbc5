// Services: the price list of work, found by name, made, changed and deleted.
import { type Sql, sql } from '../db/database.ts'
import { type Html, html } from '../http/html.ts'
import { connectionOf, searchForWords, type TextSearch } from '../operations/text-search.ts'
import { addCatalogueRoutes } from './catalogue.ts'
import { type CatalogueRecord, serviceKind } from './catalogue-kinds.ts'
import { money } from './formatting.ts'
import { mainButton, pageHead, type View } from './frame.ts'
import { seesPrices } from './job-data.ts'
import { byName, pageOfRows } from './list-page.ts'
import { chip, emptyNote } from './marks.ts'
import type { DeskRequest, DeskRouter } from './router.ts'

const perPage = 50

interface ListedService {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly price: number
  readonly cost: number | null
  readonly minutes: number | null
  readonly isActive: boolean
}

interface ServicePage {
  readonly search: string
  readonly services: readonly ListedService[]
  readonly next: string | undefined
}

export function addServiceRoutes(router: DeskRouter): void {
  router.get('/services', ['services:read'], async (request) => {
    const { orgId, database, query } = request
    const search = (query.q ?? '').trim().slice(0, 100)
    const looksFor = search === '' ? undefined : searchForWords('services', search)
    const statement = selectServices(orgId, looksFor, query.after)
    const found = await database.read<ListedService>(orgId, statement, connectionOf(looksFor))
    const services = found.slice(0, perPage)
    const next = found.length > perPage ? services.at(-1)!.id : undefined
    return request.render(serviceListView(request, { search, services, next }))
  })

  addCatalogueRoutes(router, serviceKind)

  router.get('/services/:id', ['services:read'], async (request) => {
    const { data } = await request.readRecord<CatalogueRecord>('getService', { serviceId: request.params.id! })
    return request.render(serviceView(request, data as unknown as ServiceRecord))
  })
}

const selectServices = (orgId: string, search: TextSearch | undefined, after: string | undefined): Sql => sql`
  select id, name, description, price::float8 as price, cost::float8 as cost, duration_minutes as minutes, is_active as "isActive"
  from ${pageOfRows({ table: 'services', orgId, search, after, order: byName, limit: perPage + 1 })}
  order by services.sort_name, services.id`

function serviceListView(request: DeskRequest, { search, services, next }: ServicePage): View {
  const { href, may, currency } = request
  const hasPrices = seesPrices(request)
  const row = ({ id, name, description, price, cost, minutes, isActive }: ListedService) =>
    html`<tr class="go" id="s-${id}"><td class="cut"><a class="title strong" href="${href(`/services/${id}`)}">${name}</a>${!isActive && html` ${chip('No longer sold')}`}</td><td class="soft opt cut">${description}</td><td class="r num soft opt">${minutes !== null && `${minutes} min`}</td>${hasPrices && html`<td class="r num opt soft">${cost !== null && money(cost, currency)}</td><td class="r num">${money(price, currency)}</td>`}</tr>`
  const more = new URLSearchParams({ ...(search !== '' && { q: search }), after: next ?? '' })
  return {
    title: 'Services',
    place: 'services',
    body: html`${pageHead('Services', { actions: may('services:write') && mainButton(href('/services/new'), 'New service', 'plus') })}
<form class="row find-row" role="search" action="${href('/services')}"><label class="grow"><span class="sr">Find a service</span><input type="search" name="q" value="${search}" placeholder="Name or description"></label><button class="btn">Find</button></form>
<section class="card" data-live="services" aria-label="Services">${
      services.length === 0
        ? emptyNote(
            search ? 'Nothing found' : 'No services yet',
            search ? 'Try a part of the name.' : 'Work that you sell again and again, with its price.',
          )
        : html`<table class="fold"><thead><tr><th class="c3" scope="col">Name</th><th class="c4 opt" scope="col">What it is</th><th class="r opt" scope="col">Takes</th>${hasPrices && html`<th class="r opt" scope="col">Cost</th><th class="r" scope="col">Price</th>`}</tr></thead><tbody>${services.map(row)}</tbody></table>`
    }</section>
${next && html`<p class="row"><a class="btn" href="${href(`/services?${more}`)}">More services</a></p>`}`,
  }
}

interface ServiceRecord {
  readonly id: string
  readonly name: string
  readonly description: string | null
  readonly price: number
  readonly cost: number | null
  readonly durationMinutes: number | null
  readonly warrantyDays: number | null
  readonly warrantyTerms: string | null
  readonly isActive: boolean
}

function serviceView(request: DeskRequest, service: ServiceRecord): View {
  const { href, may, currency } = request
  const { id, name, description, price, cost, durationMinutes, warrantyDays, warrantyTerms, isActive } = service
  const fact = (label: string, value: string | false | null): Html | false =>
    value !== null && value !== false && html`<dt>${label}</dt><dd class="pre">${value}</dd>`
  return {
    title: name,
    place: 'services',
    body: html`${pageHead(name, {
      crumbs: [[href('/services'), 'Services']],
      beside: !isActive && chip('No longer sold'),
      actions: html`${may('services:delete') && html`<a class="btn quiet" href="${href(`/services/${id}/delete`)}">Delete</a>`}${may('services:write') && html`<a class="btn main" href="${href(`/services/${id}/edit`)}">Edit</a>`}`,
    })}
<div data-live="services">${seesPrices(request) && html`<dl class="figures"><div><dt>Price</dt><dd>${money(price, currency)}</dd></div>${cost !== null && html`<div><dt>Cost</dt><dd>${money(cost, currency)}</dd></div>`}</dl>`}
<section class="card narrow"><dl class="props">${fact('What it is', description)}${fact('Takes', durationMinutes !== null && `${durationMinutes} minutes`)}${fact('Warranty', warrantyDays !== null && `${warrantyDays} days`)}${fact('Terms', warrantyTerms)}</dl></section></div>`,
  }
}
