// Readers of events that go on whatever happens to the service: by the feed, and by the stream where it broke off.
import { setTimeout as delay } from 'node:timers/promises'
import type { ServiceEvent } from '../../src/events/event.ts'
import type { Shop } from '../fleet.ts'
import { createHttpClient } from '../http-client.ts'

export interface EventReader {
  readonly name: string
  /** In the order in which they came. */
  readonly events: ServiceEvent[]
  /** Ends once told to; what it has by then is what it has. */
  readonly done: Promise<void>
}

interface ReaderOptions {
  readonly origin: string
  readonly shop: Shop
  isStopped(): boolean
}

export function followFeed(name: string, { origin, shop, isStopped }: ReaderOptions): EventReader {
  const events: ServiceEvent[] = []
  const read = async () => {
    using client = createHttpClient(origin, { connections: 1 })
    let cursor = ''
    while (!isStopped()) {
      const path = `/api/v1/organisations/${shop.orgId}/events?limit=100${cursor}`
      const { status, body } = await client.get(path, { 'x-api-key': shop.key })
      if (status === 200) {
        events.push(...body.data.events)
        if (body.data.pagination.nextCursor) cursor = `&startAfter=${body.data.pagination.nextCursor}`
      }
      if (status !== 200 || !body.data.pagination.hasMore) await delay(20)
    }
  }
  return { name, events, done: read() }
}

export interface StreamReader extends EventReader {
  /** The same, with the time each came, in milliseconds of the wall clock. */
  readonly told: readonly { readonly event: ServiceEvent; readonly at: number }[]
}

export function followStream(name: string, { origin, shop, isStopped }: ReaderOptions): StreamReader {
  const events: ServiceEvent[] = []
  const told: { event: ServiceEvent; at: number }[] = []
  const readOnce = async (signal: AbortSignal) => {
    const last = events.at(-1)?.id
    const response = await fetch(`${origin}/api/v1/organisations/${shop.orgId}/events/stream`, {
      headers: { 'x-api-key': shop.key, ...(last !== undefined && { 'last-event-id': last }) },
      signal,
    })
    if (!response.ok) return
    let text = ''
    for await (const piece of response.body!.pipeThrough(new TextDecoderStream())) {
      text += piece
      const messages = text.split('\n\n')
      text = messages.pop()!
      for (const message of messages) {
        const data = /^data: (.*)$/m.exec(message)?.[1]
        if (data === undefined) continue
        const event = JSON.parse(data) as ServiceEvent
        events.push(event)
        told.push({ event, at: Date.now() })
      }
    }
  }
  const read = async () => {
    while (!isStopped()) {
      const ending = new AbortController()
      const watch = setInterval(() => isStopped() && ending.abort(), 50)
      await readOnce(ending.signal).catch(() => {})
      clearInterval(watch)
      await delay(20)
    }
  }
  return { name, events, told, done: read() }
}
