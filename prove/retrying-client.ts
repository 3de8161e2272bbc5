// A client for a service that may be away: acknowledged writes are recorded, those in doubt are retried where that is safe.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { isDeepStrictEqual } from 'node:util'
import type { Shop } from './fleet.ts'
import type { Ledger } from './ledger.ts'

// biome-ignore lint/suspicious/noExplicitAny: whatever the service answers
export type Data = any

interface RequestOptions {
  readonly headers?: Readonly<Record<string, string>>
  /** The conflict that is no mistake here. */
  readonly acceptedConflict?: string
}

/** A create that may be repeated, and what it was answered with. */
interface IdempotentRequest {
  readonly shop: Shop
  readonly path: string
  readonly body: object
  readonly key: string
  readonly data: Data
}

export interface RetryingClient {
  /** The data of an acknowledged write. Undefined where the service was away, refused, or never answered. */
  write(shop: Shop, method: string, path: string, body: object, options?: RequestOptions): Promise<Data>
  /** The same for what may be sent again and again until there is an answer. */
  writeUntilAnswered(shop: Shop, path: string, body: object, options?: RequestOptions): Promise<Data>
  /** Insists with an Idempotency-Key. */
  writeIdempotently(shop: Shop, path: string, body: object): Promise<Data>
  /** Repeats the latest of those: how many, and how many were not answered as the first time. */
  replay(max: number): Promise<{ readonly replayed: number; readonly mismatched: number }>
  isStopped(): boolean
  /** Nothing is insisted on any longer. */
  stop(): void
}

const requestTimeoutMs = 15_000
const retryDelayMs = 50
/** How often a repetition is sent again while the service says that it is away. */
const maxRetries = 20

export function createRetryingClient(origin: string, ledger: Ledger): RetryingClient {
  const idempotentRequests: IdempotentRequest[] = []
  let stopped = false

  async function send(shop: Shop, method: string, path: string, body: object, { headers = {} }: RequestOptions = {}) {
    try {
      const response = await fetch(`${origin}/api/v1/organisations/${shop.orgId}${path}`, {
        method,
        headers: { 'x-api-key': shop.key, 'content-type': 'application/json', ...headers },
        body: JSON.stringify(body),
        signal: AbortSignal.timeout(requestTimeoutMs),
      })
      const answer = (await response.json()) as Data
      return { status: response.status, answer, isReplayed: response.headers.has('idempotent-replayed') }
    } catch {
      return undefined // the connection was refused or cut
    }
  }

  async function attempt(shop: Shop, method: string, path: string, body: object, options: RequestOptions = {}) {
    const response = await send(shop, method, path, body, options)
    if (!response || response.status === 503) {
      await delay(retryDelayMs)
      return { isAnswered: false, data: undefined }
    }
    if (response.status < 300) {
      ledger.acknowledged++
      return { isAnswered: true, data: response.answer.data }
    }
    const isAccepted = options.acceptedConflict !== undefined && response.answer.code === options.acceptedConflict
    if (!isAccepted)
      ledger.unexpectedAnswers.push(`${method} ${path}: ${response.status} ${JSON.stringify(response.answer)}`)
    return { isAnswered: true, data: undefined }
  }

  /** What the first attempt may not be refused with, the others may. */
  async function writeUntilAnswered(
    shop: Shop,
    path: string,
    body: object,
    { headers = {}, acceptedConflict }: RequestOptions = {},
  ): Promise<Data> {
    for (
      let options: RequestOptions = { headers };
      !stopped;
      options = { headers, ...(acceptedConflict && { acceptedConflict }) }
    ) {
      const { isAnswered, data } = await attempt(shop, 'POST', path, body, options)
      if (isAnswered) return data
    }
  }

  return {
    writeUntilAnswered,
    write: async (...request) => (await attempt(...request)).data,
    async writeIdempotently(shop, path, body) {
      const key = randomUUID()
      const options = { headers: { 'idempotency-key': key }, acceptedConflict: 'IDEMPOTENCY_IN_PROGRESS' }
      for (;;) {
        const data = await writeUntilAnswered(shop, path, body, options)
        if (data) idempotentRequests.push({ shop, path, body, key, data })
        if (data || stopped) return data
        await delay(retryDelayMs) // the one before the crash is still being carried out, or was refused, which is written down
      }
    },
    async replay(max) {
      const latest = idempotentRequests.slice(-max)
      const matches = await Promise.all(
        latest.map(async ({ shop, path, body, key, data }) => {
          const response = await retryUnavailable(() =>
            send(shop, 'POST', path, body, { headers: { 'idempotency-key': key } }),
          )
          return response?.status === 201 && response.isReplayed && isDeepStrictEqual(response.answer.data, data)
        }),
      )
      return { replayed: latest.length, mismatched: matches.filter((isSame) => !isSame).length }
    },
    isStopped: () => stopped,
    stop() {
      stopped = true
    },
  }
}

/** "Try again later" is no answer to a repetition. */
async function retryUnavailable<Reply extends { status: number }>(
  send: () => Promise<Reply | undefined>,
): Promise<Reply | undefined> {
  for (let retriesLeft = maxRetries; ; retriesLeft--) {
    const response = await send()
    if ((response && response.status !== 503) || retriesLeft === 0) return response
    await delay(retryDelayMs)
  }
}
