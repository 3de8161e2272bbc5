// A shop that does its worst within its quota: three keys, as many requests at once as it likes, and after a 429 the same
// again as soon as the minute allows. Each attack has keys of its own, so that it has its whole quota.
import { setTimeout as delay } from 'node:timers/promises'
import type { Database } from '../../src/db/database.ts'
import { createKey } from '../../src/identity/keys.ts'
import { createOrganisation } from '../../src/identity/organisations.ts'
import { scopeCatalogue } from '../../src/resources/index.ts'
import { createHttpClient, type HttpResponse } from '../http-client.ts'

export interface Attacker extends Disposable {
  readonly orgId: string
  /** Without a quota, to make ready. Throws unless it succeeds. */
  prepare(method: string, path: string, body?: object): Promise<HttpResponse['body']>
  /** Runs `strike` in so many loops at once until it is stopped; answers how many requests were answered by status. */
  attack(loops: number, strike: Strike): Promise<RunningAttack>
}

export interface RunningAttack {
  stop(): Promise<ReadonlyMap<number, number>>
}

/** One round of a loop; `call` keeps to the quota. */
export type Strike = (
  call: (method: string, path: string, body?: object) => Promise<HttpResponse>,
  turn: number,
) => Promise<unknown>

const keyCount = 3

export async function createAttacker(database: Database, origin: string): Promise<Attacker> {
  const { id: orgId } = await createOrganisation(database, { name: 'Next Door', entitlement: 'pro' })
  const newKey = async () => (await createKey(database, orgId, { scopes: ['full'] }, scopeCatalogue)).key
  const client = createHttpClient(origin, { from: '127.0.4.2' })
  const sender = createHttpClient(origin, { from: '127.0.4.2', connections: 256, readsBodies: false })
  const path = `/api/v1/organisations/${orgId}`
  let preparationKey = await newKey()

  return {
    orgId,
    async prepare(method, to, body) {
      for (;;) {
        const answer = await client.call(method, path + to, {
          headers: { 'x-api-key': preparationKey },
          ...(body && { body }),
        })
        if (answer.status === 429) preparationKey = await newKey()
        else if (answer.status >= 200 && answer.status < 300) return answer.body.data
        else throw new Error(`${method} ${to}: ${answer.failure ?? JSON.stringify(answer.body).slice(0, 300)}`)
      }
    },
    async attack(loops, strike) {
      const keys = await Promise.all(Array.from({ length: keyCount }, newKey))
      const stopping = new AbortController()
      const statuses = new Map<number, number>()
      let calls = 0
      const call = async (method: string, to: string, body?: object): Promise<HttpResponse> => {
        for (;;) {
          const headers = { 'x-api-key': keys[calls++ % keyCount]! }
          const answer = await sender.call(method, path + to, { headers, ...(body && { body }) })
          if (answer.status !== 429) {
            statuses.set(answer.status, (statuses.get(answer.status) ?? 0) + 1)
            return answer
          }
          const seconds = Number(answer.headers['retry-after'] ?? 1)
          await delay(seconds * 1_000, undefined, { signal: stopping.signal }).catch(() => {})
          if (stopping.signal.aborted) return answer
        }
      }
      const running = Promise.all(
        Array.from({ length: loops }, async (_, loop) => {
          for (let turn = loop; !stopping.signal.aborted; turn += loops) await strike(call, turn)
        }),
      )
      return {
        async stop() {
          stopping.abort()
          await running
          return statuses
        },
      }
    },
    [Symbol.dispose]() {
      client[Symbol.dispose]()
      sender[Symbol.dispose]()
    },
  }
}
