// The log of a webhook: what was sent, what came back, and when it is tried again.

import { badge, definitionList, fromNow, timeTag } from '../desk/office-parts.ts'
import { type Html, html } from '../http/html.ts'
import type { Webhook } from '../resources/webhooks/actions.ts'
import type { PortalRequest, View } from './router.ts'
import { typeSentence } from './webhook-types.ts'

interface DeliveryAttempt {
  readonly at: string
  readonly statusCode: number | null
  readonly durationMs: number
  readonly response: string | null
  readonly error: string | null
}

interface ListedDelivery {
  readonly id: string
  readonly eventType: string
  readonly status: 'waiting' | 'delivered' | 'failed'
  readonly attempts: readonly DeliveryAttempt[]
  /** A moment as JSON has it. */
  readonly nextAttemptAt: string | null
  readonly createdAt: string
}

export interface DeliveryList {
  readonly deliveries: readonly ListedDelivery[]
  readonly pagination: { readonly nextCursor: string | null }
}

export interface Delivery extends Omit<ListedDelivery, 'nextAttemptAt' | 'createdAt'> {
  readonly eventId: string
  readonly nextAttemptAt: Date | null
  readonly createdAt: Date
  /** The event; null once it is no longer kept. */
  readonly body: string | null
}

const statusBadges = {
  waiting: ['Waits', 'idle'],
  delivered: ['Delivered', 'good'],
  failed: ['Given up', 'bad'],
} as const

const attemptResult = ({ statusCode, error }: DeliveryAttempt): string =>
  [statusCode === null ? null : `Answered ${statusCode}`, error].filter(Boolean).join('. ') || 'No answer'

export const deliveryLog = (request: PortalRequest, { id }: Webhook, { deliveries, pagination }: DeliveryList): Html =>
  deliveries.length === 0
    ? html`<p class="empty">Nothing was sent yet. Send a test, or change something that it is told of.</p>`
    : html`<ul class="records">${deliveries.map((delivery) => {
        const last = delivery.attempts.at(-1)
        return html`<li>
<h3><a href="${request.href(`/webhooks/${id}/deliveries/${delivery.id}`)}">${typeSentence(delivery.eventType)}</a> ${badge(statusBadges[delivery.status])}</h3>
<p class="quiet">${timeTag(new Date(delivery.createdAt), request.timeZone)}${last && `. ${attemptResult(last)}`}${nextTry(delivery)}</p>
</li>`
      })}</ul>${
        pagination.nextCursor !== null &&
        html`<p><a href="${request.href(`/webhooks/${id}?before=${pagination.nextCursor}`)}">Older</a></p>`
      }`

const nextTry = ({ status, nextAttemptAt, attempts }: ListedDelivery): string | false =>
  status === 'waiting' &&
  attempts.length > 0 &&
  nextAttemptAt !== null &&
  `; tried again ${fromNow(new Date(nextAttemptAt))}`

export const deliveryPage = (request: PortalRequest, webhook: Webhook, delivery: Delivery): View => ({
  title: 'Delivery',
  section: 'webhooks',
  body: html`<p class="back"><a href="${request.href(`/webhooks/${webhook.id}`)}">The webhook</a></p>
<h1>${typeSentence(delivery.eventType)} ${badge(statusBadges[delivery.status])}</h1>
${definitionList([
  ['Type', html`<code>${delivery.eventType}</code>`],
  ['Event', html`<code>${delivery.eventId}</code>`],
  ['Sent to', webhook.url],
  ['Queued', timeTag(delivery.createdAt, request.timeZone)],
  ...(delivery.status === 'waiting'
    ? [['Next try', delivery.nextAttemptAt ? fromNow(delivery.nextAttemptAt) : whenFirst] as const]
    : []),
])}
<form method="post" action="${request.href(`/webhooks/${webhook.id}/deliveries/${delivery.id}/retry`)}">${request.csrfField}
<div class="buttons"><button class="second">${delivery.status === 'delivered' ? 'Send it again' : 'Try it now'}</button></div></form>
<h2>What came back</h2>
${
  delivery.attempts.length === 0
    ? html`<p class="empty">It was not tried yet.</p>`
    : html`<ol class="lines">${delivery.attempts.toReversed().map(
        (
          attempt,
        ) => html`<li><p class="quiet">${timeTag(new Date(attempt.at), request.timeZone)}, after ${String(attempt.durationMs)} ms</p>
<p>${attemptResult(attempt)}</p>
${attempt.response && html`<pre class="letter">${attempt.response}</pre>`}</li>`,
      )}</ol>`
}
<h2>What was sent</h2>
${
  delivery.body === null
    ? html`<p class="empty">The event is no longer kept.</p>`
    : html`<pre class="letter">${JSON.stringify(JSON.parse(delivery.body), null, 2)}</pre>`
}`,
})

const whenFirst = 'once the one before it, about the same record, is through'
