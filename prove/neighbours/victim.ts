// The shop beside the attacker: what its programs send at a steady rate, how long it took, and whether its mail leaves.
import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from '../../bench/percentiles.ts'
import { createKey } from '../../src/identity/keys.ts'
import { scopeCatalogue } from '../../src/resources/index.ts'
import type { Fleet } from '../fleet.ts'
import { createHttpClient, type HttpResponse } from '../http-client.ts'

export interface Victim extends Disposable {
  call(method: string, path: string, body?: object): Promise<HttpResponse>
  /** Its requests, one every so many milliseconds whether the last one was answered or not, until told to stop. */
  start(intervalMs: number): { stop(): Promise<VictimResult> }
  /** Sends an invoice with its PDF; resolves to the seconds until it is among the recipients of what arrived. */
  mailSeconds(arrived: ReadonlySet<string>): Promise<number>
}

export interface VictimResult {
  readonly answered: number
  readonly serverErrors: number
  /** Anything else that is no success. */
  readonly otherFailures: readonly string[]
  readonly latencies: Latencies
}

/** Of each request, in milliseconds. */
export interface Latencies {
  readonly reads: readonly number[]
  readonly writes: readonly number[]
}

export interface P99 {
  readonly reads: number
  readonly writes: number
}

export const p99 = ({ reads, writes }: Latencies): P99 => ({
  reads: percentile(reads, 0.99),
  writes: percentile(writes, 0.99),
})

/** More than the rate needs, so that the victim's own quota never matters. */
const keyCount = 60
const customerCount = 200
const mailTimeoutSeconds = 120

export async function createVictim(fleet: Fleet, origin: string): Promise<Victim> {
  const { orgId } = await fleet.createShop()
  const keys = await Promise.all(
    Array.from({ length: keyCount }, () => createKey(fleet.database, orgId, { scopes: ['full'] }, scopeCatalogue)),
  )
  const client = createHttpClient(origin, { from: '127.0.4.1', connections: 64 })
  let calls = 0
  const call: Victim['call'] = (method, path, body) =>
    client.call(method, `/api/v1/organisations/${orgId}${path}`, {
      headers: { 'x-api-key': keys[calls++ % keyCount]!.key },
      ...(body && { body }),
    })
  const customers: string[] = []
  while (customers.length < customerCount)
    customers.push((await call('POST', '/customers', { firstName: `Customer ${customers.length}` })).body.data.id)
  const job = (await call('POST', '/tickets', { customerId: customers[0], serviceRequired: 'Oven' })).body.data.id
  const requests = [
    (n: number) => call('GET', `/customers/${customers[n % customerCount]}`),
    () => call('GET', '/customers?limit=20'),
    () => call('GET', `/tickets/${job}`),
    () => call('GET', '/tickets?limit=20'),
    (n: number) => call('GET', `/customers?search=customer ${n % customerCount}`),
    () => call('GET', '/quotes?limit=20'),
    (n: number) => call('POST', '/customers', { firstName: `Walk-in ${n}` }),
    (n: number) => call('POST', '/tickets', { customerId: customers[n % customerCount], serviceRequired: 'Oven' }),
    (n: number) => call('PUT', `/customers/${customers[n % customerCount]}`, { notes: `Turn ${n}` }),
  ]

  return {
    call,
    start(intervalMs) {
      let isStopped = false
      const latencies = { reads: [] as number[], writes: [] as number[] }
      const counts = { answered: 0, serverErrors: 0 }
      const otherFailures: string[] = []
      const send = async (n: number) => {
        const startedAt = performance.now()
        const index = n % requests.length
        const { status, failure } = await requests[index]!(n)
        latencies[index < 6 ? 'reads' : 'writes'].push(performance.now() - startedAt)
        if (status >= 500) counts.serverErrors++
        else if (status === 200 || status === 201) counts.answered++
        else otherFailures.push(failure ?? String(status))
      }
      const sending = (async () => {
        const pending = new Set<Promise<void>>()
        const startedAt = performance.now()
        for (let n = 0; !isStopped; n++) {
          const one = send(n).finally(() => pending.delete(one))
          pending.add(one)
          await delay(Math.max(0, startedAt + (n + 1) * intervalMs - performance.now()))
        }
        await Promise.all(pending)
      })()
      return {
        async stop() {
          isStopped = true
          await sending
          return { ...counts, otherFailures, latencies }
        },
      }
    },
    async mailSeconds(arrived) {
      const to = `victim-${Math.random().toString(36).slice(2)}@okafor.example`
      const lineItems = [{ name: 'Work', unitPrice: 120, taxRateId: null }]
      const invoice = await call('POST', '/invoices', { customerName: 'Amara Okafor', lineItems, status: 'sent' })
      const startedAt = performance.now()
      const seconds = () => (performance.now() - startedAt) / 1_000
      const sent = await call('POST', `/invoices/${invoice.body.data.id}/send`, { to })
      if (sent.status !== 200) return Number.POSITIVE_INFINITY
      while (!arrived.has(to)) {
        if (seconds() > mailTimeoutSeconds) return Number.POSITIVE_INFINITY
        await delay(100)
      }
      return seconds()
    },
    [Symbol.dispose]: () => client[Symbol.dispose](),
  }
}
