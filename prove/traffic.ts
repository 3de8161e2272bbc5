// Constant traffic of a shop: clients that read and write by turns until they are told to stop, and what became of it.
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, sql } from '../src/database.ts'
import { type Answer, caller } from './caller.ts'
import type { Shop } from './fleet.ts'

export interface Traffic {
  /** How many were answered so far. */
  answered(): number
  /** Comes back when every client has had its last answer. */
  stop(): Promise<Outcome>
}

export interface Outcome {
  readonly answered: number
  readonly writes: number
  readonly failed: number
  /** A few of them, for whoever looks for the reason. */
  readonly failures: readonly string[]
  readonly longestMs: number
}

interface Wish {
  readonly clients: number
  /** Between an answer and the client's next request. */
  readonly pauseMs: number
}

/** Every fourth request writes. Each client has one connection, as most programs do. */
export function startTraffic(origin: string, { orgId, key }: Shop, { clients, pauseMs }: Wish): Traffic {
  let stopped = false
  const count = { answered: 0, writes: 0, failed: 0, longestMs: 0 }
  const failures: string[] = []

  async function client(place: number): Promise<void> {
    using program = caller(origin, { connections: 1 })
    const ask = async (method: string, path: string, body?: object): Promise<Answer> => {
      const begun = performance.now()
      const call = { headers: { 'x-api-key': key }, ...(body && { body }) }
      const answer = await program.call(method, `/api/v1/organisations/${orgId}${path}`, call)
      count.longestMs = Math.max(count.longestMs, performance.now() - begun)
      const isGood = answer.status === 200 || answer.status === 201
      if (isGood) count.answered++
      else if (count.failed++ < 5)
        failures.push(
          `${method} ${path}: ${answer.failure ?? `${answer.status} ${JSON.stringify(answer.body).slice(0, 200)}`}`,
        )
      if (isGood && method === 'POST') count.writes++
      await delay(pauseMs)
      return answer
    }
    for (let turn = 0; !stopped; turn++) {
      const made = await ask('POST', '/customers', { firstName: `Client ${place}`, lastName: `turn ${turn}` })
      const id = made.body?.data?.id
      if (id) await ask('GET', `/customers/${id}`)
      await ask('GET', '/customers?limit=5&search=client')
      await ask('GET', '/tickets?limit=5')
    }
  }
  const running = Promise.all(Array.from({ length: clients }, (_, place) => client(place)))
  return {
    answered: () => count.answered,
    async stop() {
      stopped = true
      await running
      return { ...count, failures }
    },
  }
}

/** How many customers the traffic left behind: none may be missing, none may be there twice. */
export async function written(database: Database, { orgId }: Shop): Promise<number> {
  const [row] = await database.query<{ count: number }>(sql`
    select count(*) from customers where org_id = ${orgId} and first_name like 'Client %'`)
  return row!.count
}
