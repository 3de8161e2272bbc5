// How writers ask a service that may be away: what is acknowledged is counted, what is in doubt is repeated where it may be.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Shop } from './fleet.ts'
import type { Ledger } from './ledger.ts'

// biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
export type Data = any

interface More {
  readonly headers?: Readonly<Record<string, string>>
  /** The conflict that is no mistake here. */
  readonly alsoRight?: string
}

/** A create that may be repeated, and what it was answered with. */
interface Repeatable {
  readonly shop: Shop
  readonly path: string
  readonly body: object
  readonly key: string
  readonly data: Data
}

export interface Asking {
  /** The data of an acknowledged write. Undefined where the service was away, refused, or never answered. */
  write(shop: Shop, method: string, path: string, body: object, more?: More): Promise<Data>
  /** The same for what may be sent again and again until there is an answer. */
  insist(shop: Shop, path: string, body: object, more?: More): Promise<Data>
  /** Insists with an Idempotency-Key. */
  writeOnce(shop: Shop, path: string, body: object): Promise<Data>
  /** Repeats the latest of those: how many, and how many were not answered as the first time. */
  repeat(most: number): Promise<{ readonly repeated: number; readonly otherwise: number }>
  isStopped(): boolean
  /** Nothing is insisted on any longer. */
  stop(): void
}

const answerLimitMs = 15_000
const pauseMs = 50
/** How often a repetition is sent again while the service says that it is away. */
const patience = 20

export function asking(origin: string, ledger: Ledger): Asking {
  const repeatables: Repeatable[] = []
  let stopped = false

  async function ask(shop: Shop, method: string, path: string, body: object, { headers = {} }: More = {}) {
    try {
      const response = await fetch(`${origin}/api/v1/organisations/${shop.orgId}${path}`, {
        method,
        headers: { 'x-api-key': shop.key, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(answerLimitMs),
      })
      const answer = (await response.json()) as Data
      return { status: response.status, answer, isReplayed: response.headers.has('idempotent-replayed') }
    } catch {
      return undefined // the connection was refused or cut
    }
  }

  async function attempt(shop: Shop, method: string, path: string, body: object, more: More = {}) {
    const reply = await ask(shop, method, path, body, more)
    if (!reply || reply.status === 503) {
      await delay(pauseMs)
      return { isAnswered: false, data: undefined }
    }
    if (reply.status < 300) {
      ledger.acknowledged++
      return { isAnswered: true, data: reply.answer.data }
    }
    const isRight = more.alsoRight !== undefined && reply.answer.code === more.alsoRight
    if (!isRight) ledger.wrong.push(`${method} ${path}: ${reply.status} ${JSON.stringify(reply.answer)}`)
    return { isAnswered: true, data: undefined }
  }

  /** What the first attempt may not be refused with, the others may. */
  async function insist(shop: Shop, path: string, body: object, { headers = {}, alsoRight }: More = {}): Promise<Data> {
    for (let more: More = { headers }; !stopped; more = { headers, ...(alsoRight && { alsoRight }) }) {
      const { isAnswered, data } = await attempt(shop, 'POST', path, body, more)
      if (isAnswered) return data
    }
  }

  return {
    insist,
    write: async (...request) => (await attempt(...request)).data,
    async writeOnce(shop, path, body) {
      const key = randomUUID()
      const more = { headers: { 'idempotency-key': key }, alsoRight: 'IDEMPOTENCY_IN_PROGRESS' }
      for (;;) {
        const data = await insist(shop, path, body, more)
        if (data) repeatables.push({ shop, path, body, key, data })
        if (data || stopped) return data
        await delay(pauseMs) // the one before the crash is still being carried out, or was refused, which is written down
      }
    },
    async repeat(most) {
      const latest = repeatables.slice(-most)
      const same = await Promise.all(
        latest.map(async ({ shop, path, body, key, data }) => {
          const reply = await answered(() => ask(shop, 'POST', path, body, { headers: { 'idempotency-key': key } }))
          return reply?.status === 201 && reply.isReplayed && isDeepStrictEqual(reply.answer.data, data)
        }),
      )
      return { repeated: latest.length, otherwise: same.filter((isSame) => !isSame).length }
    },
    isStopped: () => stopped,
    stop() {
      stopped = true
    },
  }
}

/** "Try again later" is no answer to a repetition. */
async function answered<Reply extends { status: number }>(
  ask: () => Promise<Reply | undefined>,
): Promise<Reply | undefined> {
  for (let left = patience; ; left--) {
    const reply = await ask()
    if ((reply && reply.status !== 503) || left === 0) return reply
    await delay(pauseMs)
  }
}
