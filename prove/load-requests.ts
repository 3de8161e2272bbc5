// The requests of the load: what programs of many shops ask in a day, four reads to one write, each with one of many keys.
import type { Organisation } from '../bench/data.ts'
import { errand, type Work } from '../bench/errands.ts'
import { restRequest } from '../bench/targets.ts'
import { type HttpRequest, httpText } from '../bench/wire.ts'
import { chance } from '../src/demo/random.ts'
import type { Load } from './load-generator.ts'

/** A program with a key of its own, and the invoice that it takes payments for. */
export interface Caller {
  readonly organisation: Organisation
  readonly key: string
  readonly invoiceId: string
}

type Asked = Work | 'totals' | 'messages' | 'message' | 'payment' | 'status'

/** Of a hundred requests. */
const shares: Readonly<Record<Asked, number>> = {
  read: 22,
  job: 18,
  jobs: 12,
  totals: 10,
  list: 8,
  search: 5,
  messages: 5,
  create: 4,
  openJob: 4,
  message: 4,
  payment: 4,
  status: 4,
}
const hundred = Object.entries(shares).flatMap(([work, count]) => Array<Asked>(count).fill(work as Asked))

/** Callers take turns, so that all of them ask equally often. */
export function requestsOf(callers: readonly Caller[], count: number, port: number): Load['requests'] {
  const luck = chance(3)
  return Array.from({ length: count }, (_, number) => {
    const caller = callers[number % callers.length]!
    const work = luck.pick(hundred)
    const request = requestOf(work, caller, luck)
    return { work, isWrite: request.method !== 'GET', text: httpText(request, port) }
  })
}

function requestOf(work: Asked, caller: Caller, luck: ReturnType<typeof chance>): HttpRequest {
  const { organisation, key, invoiceId } = caller
  const headers = { 'X-API-Key': key }
  const path = `/api/v1/organisations/${organisation.id}`
  const job = `${path}/tickets/${luck.pick(organisation.jobs)}`
  const write = (method: 'POST' | 'PUT', path: string, body: object): HttpRequest => ({
    method,
    path,
    headers: { ...headers, 'Content-Type': 'application/json' },
    body: JSON.stringify(body),
  })
  switch (work) {
    case 'totals':
      return { method: 'GET', path: `${job}/totals`, headers }
    case 'messages':
      return { method: 'GET', path: `${job}/messages`, headers }
    case 'message':
      return write('POST', `${job}/messages`, { text: 'The part has arrived; ready on Thursday.' })
    case 'payment':
      return write('POST', `${path}/payments`, { invoiceId, amount: 5, paymentMethod: 'card' })
    case 'status':
      return write('PUT', `${job}/status`, { status: luck.pick(['Open', 'In Progress', 'Closed']) })
    default:
      return restRequest(errand(work, organisation, luck), headers)
  }
}
