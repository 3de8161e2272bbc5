// What is asked in each work, before it takes the form of any target's HTTP.
import { type Chance, chance } from '../src/demo/random.ts'
import { type Customer, fullCustomer } from './customers.ts'
import type { Organisation } from './data.ts'

export const works = ['read', 'list', 'create', 'search', 'jobs', 'job', 'openJob'] as const
export type Work = (typeof works)[number]

export type Errand = { readonly organisation: Organisation } & (
  | { readonly work: 'read'; readonly customerId: string }
  | { readonly work: 'list' }
  | { readonly work: 'create'; readonly customer: Customer }
  | { readonly work: 'search'; readonly term: string }
  | { readonly work: 'jobs' }
  | { readonly work: 'job'; readonly ticketId: string }
  | { readonly work: 'openJob'; readonly customerId: string }
)

export const pageSize = 50

/** The same errands for every target, each for a random organisation. */
export function errandsOf(work: Work, organisations: readonly Organisation[], count: number): Errand[] {
  const luck = chance(2)
  return Array.from({ length: count }, () => errand(work, luck.pick(organisations), luck))
}

/** One errand of the work for this organisation. */
export function errand(work: Work, organisation: Organisation, luck: Chance): Errand {
  switch (work) {
    case 'read':
      return { work, organisation, customerId: luck.pick(organisation.customers).id }
    case 'list':
      return { work, organisation }
    case 'create':
      return { work, organisation, customer: fullCustomer(luck) }
    case 'search':
      return { work, organisation, term: term(luck.pick(organisation.customers), luck) }
    case 'jobs':
      return { work, organisation }
    case 'job':
      return { work, organisation, ticketId: luck.pick(organisation.jobs) }
    case 'openJob':
      return { work, organisation, customerId: luck.pick(organisation.customers).id }
  }
}

/** What somebody types while looking for a customer: a piece, three letters at least, of a name or business. */
function term({ firstName, lastName, businessName }: Customer, { below, pick }: Chance): string {
  const name = pick([firstName, lastName, ...(businessName?.split(' ') ?? [])].filter(({ length }) => length >= 3))
  const length = 3 + below(name.length - 2)
  const start = below(name.length - length + 1)
  return name.slice(start, start + length)
}
