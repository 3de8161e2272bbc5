// The requests of the load: what programs of many shops send in a day, four reads to one write, each with one of many keys.
import type { Organisation } from '../bench/data.ts'
import { type HttpRequest, serializeRequest } from '../bench/raw-http.ts'
import { restRequest } from '../bench/targets.ts'
import { requestSpec, type Workload } from '../bench/workloads.ts'
import { createRandom } from '../src/demo/build/random.ts'
import type { Load } from './load-generator.ts'

/** A program with a key of its own, and the invoice that it takes payments for. */
export interface LoadClient {
  readonly organisation: Organisation
  readonly key: string
  readonly invoiceId: string
}

type LoadWorkload = Workload | 'totals' | 'messages' | 'message' | 'payment' | 'status'

/** Of a hundred requests. */
const workloadMix: Readonly<Record<LoadWorkload, number>> = {
  read: 22,
  job: 18,
  jobs: 12,
  totals: 10,
  list: 6,
  page: 2,
  search: 5,
  messages: 5,
  create: 4,
  openJob: 4,
  message: 4,
  payment: 4,
  status: 4,
}
const weightedWorkloads = Object.entries(workloadMix).flatMap(([workload, count]) =>
  Array<LoadWorkload>(count).fill(workload as LoadWorkload),
)

/** Round robin, so that all callers send equally many. */
export function createRequests(clients: readonly LoadClient[], count: number, port: number): Load['requests'] {
  const rng = createRandom(3)
  return Array.from({ length: count }, (_, number) => {
    const client = clients[number % clients.length]!
    const workload = rng.pick(weightedWorkloads)
    const request = createRequest(workload, client, rng)
    return { workload, isWrite: request.method !== 'GET', text: serializeRequest(request, port) }
  })
}

function createRequest(workload: LoadWorkload, client: LoadClient, rng: ReturnType<typeof createRandom>): HttpRequest {
  const { organisation, key, invoiceId } = client
  const headers = { 'X-API-Key': key }
  const path = `/api/v1/organisations/${organisation.id}`
  const job = `${path}/tickets/${rng.pick(organisation.jobs)}`
  const write = (method: 'POST' | 'PUT', path: string, body: object): HttpRequest => ({
    method,
    path,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  switch (workload) {
    case 'totals':
      return { method: 'GET', path: `${job}/totals`, headers }
    case 'messages':
      return { method: 'GET', path: `${job}/messages`, headers }
    case 'message':
      return write('POST', `${job}/messages`, { text: 'The part has arrived; ready on Thursday.' })
    case 'payment':
      return write('POST', `${path}/payments`, { invoiceId, amount: 5, paymentMethod: 'card' })
    case 'status':
      return write('PUT', `${job}/status`, { status: rng.pick(['Open', 'In Progress', 'Closed']) })
    default:
      return restRequest(requestSpec(workload, organisation, rng), headers)
  }
}
