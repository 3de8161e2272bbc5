// Services: templates for work that is sold again and again, with price and warranty.
import { create, read, remove, update } from '../operations/crud.ts'
import { id, integer, optional, price, text } from '../operations/fields.ts'
import { operation, resource } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { entity } from '../operations/scopes.ts'
import { paging, table } from '../operations/table.ts'
import { externalFields, externalFilters, externalIdTaken } from './external-ids.ts'
import { filterSet, searchFilter } from './filters.ts'

export const services = table({
  name: 'services',
  noun: 'service',
  prefix: 'svc',
  writable: {
    name: text(200, { examples: ['Screen replacement'] }),
    description: optional(text(10_000, { examples: ['Glass and display, with a function test.'] })),
    price: price({ default: 0, examples: [89] }),
    cost: optional(price({ examples: [32.5], description: 'What it costs the shop itself.' })),
    taxRateId: optional(id({ description: 'The tax rate its lines begin with.' })),
    durationMinutes: optional(integer(1, 10_080, { examples: [45] })),
    warrantyDays: optional(integer(0, 3_650, { examples: [365] })),
    warrantyTerms: optional(text(2_000, { examples: ['Covers the part and the work, not a new drop.'] })),
    isActive: t.Boolean({ default: true, description: 'Whether it is still sold.' }),
    ...externalFields,
  },
  order: { column: 'sort_name', type: 'text', direction: 'asc' },
})

const serviceFilters = filterSet({
  search: searchFilter('services', { examples: ['screen'], description: 'Part of the name or description.' }),
  ...externalFilters('services'),
})

const serviceEntity = entity('services', {
  title: 'Services',
  description: 'Templates for work that is sold again and again, with price and warranty.',
  scopeObject: 'service templates',
})

export default resource({ entity: serviceEntity, tables: [services] }, [
  operation('GET /services', {
    name: 'listServices',
    summary: 'List services by name',
    mcp: { advice: 'The price list of work.' },
    query: t.Object({ ...paging, ...serviceFilters.query }),
    returns: services.list,
    run: ({ query }, ctx) => serviceFilters.page(services, ctx, query),
  }),

  { ...create('/services', services), conflicts: [externalIdTaken] },
  read('/services/:serviceId', services),
  { ...update('/services/:serviceId', services), conflicts: [externalIdTaken] },
  remove('/services/:serviceId', services),
])
