// The requests of each workload, before they take the form of any target's HTTP.
import { createRandom, type Random } from '../src/demo/build/random.ts'
import { type Customer, randomFullCustomer } from './customers.ts'
import type { Organisation } from './data.ts'

export const workloads = ['read', 'list', 'page', 'create', 'search', 'jobs', 'job', 'openJob'] as const
export type Workload = (typeof workloads)[number]

export type RequestSpec = { readonly organisation: Organisation } & (
  | { readonly workload: 'read'; readonly customerId: string }
  | { readonly workload: 'list' }
  | { readonly workload: 'page'; readonly startAfter: string }
  | { readonly workload: 'create'; readonly customer: Customer }
  | { readonly workload: 'search'; readonly term: string }
  | { readonly workload: 'jobs' }
  | { readonly workload: 'job'; readonly ticketId: string }
  | { readonly workload: 'openJob'; readonly customerId: string }
)

export const pageSize = 50

/** The same requests for every target, each for a random organisation. */
export function requestSpecs(work: Workload, organisations: readonly Organisation[], count: number): RequestSpec[] {
  const rng = createRandom(2)
  return Array.from({ length: count }, () => requestSpec(work, rng.pick(organisations), rng))
}

/** One request of the workload for this organisation. */
export function requestSpec(workload: Workload, organisation: Organisation, rng: Random): RequestSpec {
  switch (workload) {
    case 'read':
      return { workload, organisation, customerId: rng.pick(organisation.customers).id }
    case 'list':
      return { workload, organisation }
    case 'page':
      return { workload, organisation, startAfter: rng.pick(organisation.customers).id }
    case 'create':
      return { workload, organisation, customer: randomFullCustomer(rng) }
    case 'search':
      return { workload, organisation, term: searchTerm(rng.pick(organisation.customers), rng) }
    case 'jobs':
      return { workload, organisation }
    case 'job':
      return { workload, organisation, ticketId: rng.pick(organisation.jobs) }
    case 'openJob':
      return { workload, organisation, customerId: rng.pick(organisation.customers).id }
  }
}

/** What somebody types while looking for a customer: a piece, three letters at least, of a name or business. */
function searchTerm({ firstName, lastName, businessName }: Customer, { below, pick }: Random): string {
  const name = pick([firstName, lastName, ...(businessName?.split(' ') ?? [])].filter(({ length }) => length >= 3))
  const length = 3 + below(name.length - 2)
  const start = below(name.length - length + 1)
  return name.slice(start, start + length)
}
