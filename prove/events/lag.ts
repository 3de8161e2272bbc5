// How long after a change it is told, while many are made: to a reader of the stream, and to a receiver of a webhook.
import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from '../../bench/percentiles.ts'
import type { Fleet, Shop } from '../fleet.ts'
import { createHttpClient } from '../http-client.ts'
import { atLeast, atMost, none, type Result } from '../trial.ts'
import { waitUntil } from '../wait-until.ts'
import { followStream } from './readers.ts'
import { receiveWebhook } from './webhook-reader.ts'

const perSecond = 200
const seconds = 30
const limitsMs = { stream: 250, webhook: 500 }

/** From the moment that the change's transaction began, which is a little before its commit. */
export async function measureLag(fleet: Fleet): Promise<readonly Result[]> {
  const instance = await fleet.startInstance()
  const shop = await fleet.createShop()
  await using receiver = await receiveWebhook(instance.origin, shop)
  let isStopped = false
  const stream = followStream('reader of the stream', { origin: instance.origin, shop, isStopped: () => isStopped })
  const written = await writeSteadily(instance.origin, shop, perSecond, seconds)
  const isTold = () => stream.events.length >= written && receiver.told.length >= written
  await waitUntil(isTold, 'the last events', 60_000)
  isStopped = true
  await stream.done
  const lagsOf = (told: readonly { event: { at: string }; at: number }[]) =>
    told.map(({ event, at }) => at - Date.parse(event.at))
  return [
    atLeast(`writes a second, of ${perSecond} wanted`, perSecond * 0.95, written / seconds),
    none(
      'events that the webhook was told more than once',
      receiver.told.length - new Set(receiver.told.map(({ event }) => event.id)).size,
    ),
    atMost('from the change to the stream, p99', limitsMs.stream, percentile(lagsOf(stream.told), 0.99), 'ms'),
    atMost('from the change to the webhook, p99', limitsMs.webhook, percentile(lagsOf(receiver.told), 0.99), 'ms'),
  ]
}

/** At a steady rate, however long an answer takes. Answers how many were acknowledged. */
async function writeSteadily(origin: string, shop: Shop, perSecond: number, seconds: number): Promise<number> {
  using client = createHttpClient(origin, { connections: 16 })
  const path = `/api/v1/organisations/${shop.orgId}/customers`
  const startedAt = performance.now()
  const answers: Promise<number>[] = []
  for (let count = 0; count < perSecond * seconds; count++) {
    const wait = startedAt + (count * 1_000) / perSecond - performance.now()
    if (wait > 1) await delay(wait)
    const body = { firstName: 'Amara', notes: `number ${count}` }
    answers.push(client.call('POST', path, { headers: { 'x-api-key': shop.key }, body }).then(({ status }) => status))
  }
  return (await Promise.all(answers)).filter((status) => status === 201).length
}
