// The client of one organisation: its collections as properties, each with its methods.
import { type FollowQuery, follow, type JobwrightEvent } from './events.ts'
import type { Collections, EventsCollection } from './generated/collections.ts'
import { routes } from './generated/routes.ts'
import { createMethods, type Routes } from './methods.ts'
import type { JobwrightOptions, Options } from './options.ts'
import { createTransport } from './transport.ts'
import { verifyWebhook } from './webhooks.ts'

/** In place of the stream itself, which is followed. */
export interface Events extends Omit<EventsCollection, 'stream'> {
  /**
   * What changes, as it happens: `for await (const event of jobwright.events.follow({ from: 'now' }))`. It goes on until the loop is
   * left or the signal aborted, over connections that break, without gaps.
   */
  follow(query?: FollowQuery, options?: Options): AsyncIterable<JobwrightEvent>
}

export interface Jobwright extends Omit<Collections, 'events'> {
  readonly events: Events
}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor makes every property that the interface names
export class Jobwright {
  /** The event that was posted to a webhook, or a `WebhookError`: `await Jobwright.verifyWebhook(body, headers, secret)`. */
  static readonly verifyWebhook = verifyWebhook

  constructor(options: JobwrightOptions) {
    const { baseUrl, organisation, apiKey, accessToken } = options
    if (!/\/api\/v1\/*$/.test(baseUrl)) throw new TypeError('baseUrl must end in /api/v1')
    if (!organisation) throw new TypeError('organisation is required')
    if ((apiKey === undefined) === (accessToken === undefined)) throw new TypeError('Give apiKey or accessToken')
    const transport = createTransport(options)
    for (const [name, own] of Object.entries(routes as unknown as Readonly<Record<string, Routes>>)) {
      const { stream, ...methods } = createMethods(own, transport)
      const more = stream && { follow: (query?: FollowQuery, given?: Options) => follow(transport, query, given) }
      Object.defineProperty(this, name, { value: { ...methods, ...(more as object) }, enumerable: true })
    }
  }
}
