// Constant traffic of a shop: clients that alternately write and read until they are stopped, and what became of it.
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, sql } from '../src/db/database.ts'
import type { Shop } from './fleet.ts'
import { createHttpClient, type HttpResponse } from './http-client.ts'

export interface Traffic {
  /** How many were answered so far. */
  answered(): number
  /** Comes back when every client has had its last answer. */
  stop(): Promise<TrafficResult>
}

export interface TrafficResult {
  readonly answered: number
  readonly writes: number
  readonly failed: number
  /** A few of them, for whoever looks for the reason. */
  readonly failures: readonly string[]
  readonly maxLatencyMs: number
}

interface TrafficOptions {
  readonly clients: number
  /** Between an answer and the client's next request. */
  readonly pauseMs: number
}

/** Every fourth request writes. Each client has one connection, as most programs do. */
export function startTraffic(origin: string, { orgId, key }: Shop, { clients, pauseMs }: TrafficOptions): Traffic {
  let stopped = false
  const counts = { answered: 0, writes: 0, failed: 0, maxLatencyMs: 0 }
  const failures: string[] = []

  async function runClient(index: number): Promise<void> {
    using client = createHttpClient(origin, { connections: 1 })
    const request = async (method: string, path: string, body?: object): Promise<HttpResponse> => {
      const startedAt = performance.now()
      const call = { headers: { 'x-api-key': key }, ...(body && { body }) }
      const answer = await client.call(method, `/api/v1/organisations/${orgId}${path}`, call)
      counts.maxLatencyMs = Math.max(counts.maxLatencyMs, performance.now() - startedAt)
      const isGood = answer.status === 200 || answer.status === 201
      if (isGood) counts.answered++
      else if (counts.failed++ < 5)
        failures.push(
          `${method} ${path}: ${answer.failure ?? `${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`}`,
        )
      if (isGood && method === 'POST') counts.writes++
      await delay(pauseMs)
      return answer
    }
    for (let turn = 0; !stopped; turn++) {
      const created = await request('POST', '/customers', { firstName: `Client ${index}`, lastName: `turn ${turn}` })
      const id = created.body?.data?.id
      if (id) await request('GET', `/customers/${id}`)
      await request('GET', '/customers?limit=5&search=client')
      await request('GET', '/tickets?limit=5')
    }
  }
  const clientsDone = Promise.all(Array.from({ length: clients }, (_, index) => runClient(index)))
  return {
    answered: () => counts.answered,
    async stop() {
      stopped = true
      await clientsDone
      return { ...counts, failures }
    },
  }
}

/** How many customers the traffic left behind: none may be missing, none may be there twice. */
export async function countWrites(database: Database, { orgId }: Shop): Promise<number> {
  const [row] = await database.query<{ count: number }>(sql`
    select count(*) from customers where org_id = ${orgId} and first_name like 'Client %'`)
  return row!.count
}
