// A receiver of a webhook that keeps what it was told and when, for trials.
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { ServiceEvent } from '../../src/events/event.ts'
import type { Shop } from '../fleet.ts'
import { createHttpClient } from '../http-client.ts'

export interface Told {
  readonly event: ServiceEvent
  /** When it arrived, in milliseconds of the wall clock. */
  readonly at: number
}

export interface WebhookReader extends AsyncDisposable {
  /** In the order in which they came; an event may come more than once. */
  readonly told: Told[]
  /** From now on it answers 503, or takes what comes. */
  refuse(isRefusing: boolean): void
}

/** The service must be allowed to call this machine: `WEBHOOK_PRIVATE_NETWORKS`. */
export async function receiveWebhook(origin: string, shop: Shop): Promise<WebhookReader> {
  const told: Told[] = []
  let isRefusing = false
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (part) => {
      text += part
    })
    request.on('end', () => {
      if (!isRefusing) told.push({ event: JSON.parse(text), at: Date.now() })
      response.writeHead(isRefusing ? 503 : 204).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  using client = createHttpClient(origin, { connections: 1 })
  const made = await client.call('POST', `/api/v1/organisations/${shop.orgId}/webhooks`, {
    headers: { 'x-api-key': shop.key },
    body: { url, types: ['customer.*'] },
  })
  if (made.status !== 201) throw new Error(`The webhook was answered ${made.status}`)
  return {
    told,
    refuse(isNow) {
      isRefusing = isNow
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Each event once, by the time it first came. */
export const firstTold = (told: readonly Told[]): ServiceEvent[] => [
  ...new Map(told.map(({ event }) => [event.id, event])).values(),
]

/** Records of which a later event came before an earlier one. */
export function countDisordered(events: readonly ServiceEvent[]): number {
  const byRecord = Map.groupBy(events, ({ recordId }) => recordId)
  const isInOrder = (some: readonly ServiceEvent[]) =>
    some.every(({ position }, index) => index === 0 || position! > some[index - 1]!.position!)
  return [...byRecord.values()].filter((some) => !isInOrder(some)).length
}
