// What somebody writes with each generated client: it is compiled, not run.
import { listCustomers as byHeyApi } from './out/hey-api/index.js'
import type { components, operations } from './out/openapi-typescript.js'
import { listCustomers as byOrval } from './out/orval.js'

type Customer = components['schemas']['Customer']
type Query = NonNullable<operations['listCustomers']['parameters']['query']>

const query: Query = { search: 'okafor', limit: 50 }
const nameOf = (customer: Customer): string | null => customer.businessName

export async function names(orgId: string): Promise<(string | null)[]> {
  const { data } = await byHeyApi({ path: { orgId }, query })
  const answer = await byOrval(orgId, query)
  const found = answer.status === 200 ? answer.data.data.customers : []
  return [...(data?.data.customers ?? []), ...found].map(nameOf)
}
