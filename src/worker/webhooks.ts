// Delivers events to webhooks: few at once for each, fair by organisation, and a receiver that fails does not take the place of
// those that work.

import { sql, Unavailable } from '../db/database.ts'
import { createFairSemaphore } from '../fairness/fair-semaphore.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import { serializeError } from '../http/log-error.ts'
import { newId } from '../operations/ids.ts'
import type { Maker } from '../webhooks/makers.ts'
import { placeDeliveries } from '../webhooks/queue.ts'
import type { Log } from './task.ts'
import { attemptDelivery } from './webhook-delivery.ts'
import {
  type DueDelivery,
  findDueDeliveries,
  findQueues,
  findUnplaced,
  findWebhook,
  leaseQueue,
  type QueueEnd,
  releaseQueue,
  renewEveryMs,
  renewLease,
  takeDueMark,
  type WebhookQueue,
} from './webhook-queues.ts'
import { createSettler, type DeliveryDependencies, type DeliveryOutcome } from './webhook-settlement.ts'

const maxPerWebhook = 8
/** Those that are on their way, and those that are answered and not settled yet. */
const maxUnsettled = 64
const maxPerProcess = 64
const maxPerOrganisation = 16
/** A webhook that fails is tried with one delivery at a time, and all of those together have this many places. */
const maxFailing = 24
/** Between two attempts at a receiver that fails: what waits for it may be much, and is no reason to keep trying without a pause. */
const failingRestMs = 100
/** How many queues one process leases; the others are for other processes, or for later. */
const maxQueues = 256
const fetchSize = 32
/** How many queues are given their new deliveries at a time. */
const placedAtOnce = 8
/** While deliveries are on their way, what has become due meanwhile is looked for this often. */
const lookAgainMs = 1_000
/** What is on its way when the service is asked to stop is given a little longer, and then left for the next start. */
const graceMs = 3_000

/** For operators, since the process started. */
export interface DeliveryCounts {
  readonly delivered: number
  readonly retry: number
  readonly failed: number
  /** Of those delivered at the first attempt: how many, and how long after they were queued, in seconds together. */
  readonly first: number
  readonly firstLagSeconds: number
}

type DelivererOptions = Omit<DeliveryDependencies, 'lease' | 'stopSignal'> & { readonly log: Log }

export function createDeliverer({ log, ...options }: DelivererOptions) {
  const { database } = options
  const stopping = new AbortController()
  const context: DeliveryDependencies = { ...options, lease: newId('lse'), stopSignal: stopping.signal }
  const turns = createFairSemaphore({
    maxConcurrent: maxPerProcess,
    maxPerKey: maxPerOrganisation,
    maxQueued: Number.POSITIVE_INFINITY,
  })
  const failingTurns = createFairSemaphore({
    maxConcurrent: maxFailing,
    maxPerKey: maxPerOrganisation / 2,
    maxQueued: Number.POSITIVE_INFINITY,
  })
  const drains = new Map<string, { wake(): void; readonly ended: Promise<void> }>()
  const counts = { delivered: 0, retry: 0, failed: 0, first: 0, firstLagSeconds: 0 }
  let isStopping = false

  function count(outcome: DeliveryOutcome, { tries, createdAt }: DueDelivery): void {
    if (outcome !== 'delivered' && outcome !== 'retry' && outcome !== 'failed') return
    counts[outcome]++
    if (outcome !== 'delivered' || tries > 0) return
    counts.first++
    counts.firstLagSeconds += (Date.now() - createdAt.getTime()) / 1_000
  }

  /** Until nothing is due. The queue is ours meanwhile, and given back whatever happens. */
  function drain(queue: WebhookQueue) {
    const active = new Map<string, Promise<void>>()
    const settle = createSettler(context, queue)
    let due: readonly DueDelivery[] = []
    /** On their way. What is answered leaves its place to the next while it is settled together with others. */
    let sending = 0
    let end: QueueEnd = 'left'
    let isOver = false
    let isFailing = false
    let restsUntil = 0
    let hasNews = false
    let failure: { readonly error: unknown } | undefined
    let wake = () => {}

    const fail = (error: unknown): void => {
      failure ??= { error }
      isOver = true
      // What is away may be back in a moment; anything else would fail again at once.
      if (!(error instanceof Unavailable)) end = 'held'
    }
    const send = async (maker: Maker, delivery: DueDelivery) => {
      const attempt = () =>
        turns.run(queue.orgId, async () =>
          isStopping || isOver ? ('left' as const) : attemptDelivery(context, queue, maker, delivery),
        )
      sending++
      try {
        return await (isFailing ? failingTurns.run(queue.orgId, attempt) : attempt())
      } finally {
        sending--
        wake()
      }
    }
    const deliver = async (maker: Maker, delivery: DueDelivery): Promise<DeliveryOutcome> => {
      const result = await send(maker, delivery)
      return result === 'paused' || result === 'held' || result === 'left' ? result : settle(delivery, result)
    }
    const start = (maker: Maker, delivery: DueDelivery): void => {
      const ended = deliver(maker, delivery)
        .then((outcome) => {
          count(outcome, delivery)
          if (outcome === 'paused' || outcome === 'held' || outcome === 'left') isOver = true
          if (outcome === 'held') end = 'held'
          if (outcome === 'delivered') isFailing = false
          if (outcome !== 'retry' && outcome !== 'failed') return
          isFailing = true
          restsUntil = performance.now() + failingRestMs
        })
        .catch(fail)
        .finally(() => active.delete(delivery.id))
      active.set(delivery.id, ended)
    }
    const restMs = () => (isFailing ? Math.max(0, restsUntil - performance.now()) : 0)
    const mayStart = () =>
      isFailing ? active.size < 1 && restMs() === 0 : sending < maxPerWebhook && active.size < maxUnsettled
    const fetchDue = async () => {
      if (hasNews) {
        hasNews = false
        await takeDueMark(database, queue, context.lease)
      }
      // One that is settled while the answer is on its way may still be in it.
      const started = new Set(active.keys())
      const found = await findDueDeliveries(database, queue, fetchSize + started.size)
      due = found.filter(({ id }) => !started.has(id))
    }
    const untilSomethingHappens = async () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      wake = resolve
      const timer = setTimeout(resolve, active.size === 0 ? restMs() : lookAgainMs)
      await Promise.race([...active.values(), promise])
      clearTimeout(timer)
    }

    const work = async (): Promise<void> => {
      if (!(await leaseQueue(database, queue, context.lease))) return
      const renewal = setInterval(() => renewLease(database, queue, context.lease).catch(() => {}), renewEveryMs)
      try {
        const webhook = await findWebhook(database, queue)
        isFailing = webhook?.isFailing ?? false
        isOver = webhook === undefined
        while (!isStopping && !isOver) {
          if (due.length === 0) await fetchDue()
          while (due.length > 0 && mayStart()) {
            const [next, ...rest] = due
            due = rest
            start(webhook!.maker, next!)
          }
          if (active.size > 0 || due.length > 0) await untilSomethingHappens()
          else if (await releaseQueue(database, queue, context.lease, 'done')) return
        }
      } catch (error) {
        fail(error)
      } finally {
        await Promise.all(active.values())
        clearInterval(renewal)
      }
      await releaseQueue(database, queue, context.lease, end)
      if (failure) throw failure.error
    }
    return {
      work,
      wake() {
        hasNews = true
        wake()
      },
    }
  }

  /** A batch of each, so that one with many does not hold up the others. */
  async function placeAdded(): Promise<void> {
    const place = ({ orgId, webhookId }: WebhookQueue) =>
      database
        .transaction(backgroundWork(orgId), async (transaction) => {
          await Promise.all([
            // Somebody who replays much has the queue for a while: that is no reason for others to wait.
            transaction.query(sql`set local lock_timeout = '200ms'`),
            // Nobody who waits for the queue waits for the disk. What a power cut takes away is given its place again.
            transaction.query(sql`set local synchronous_commit = off`),
          ])
          return placeDeliveries(transaction, orgId, webhookId)
        })
        .catch((error: unknown) => {
          if (error instanceof Unavailable) return false // at the next look
          throw error
        })
    let hasMore = false
    for (const some of chunksOf(await findUnplaced(database, maxQueues), placedAtOnce))
      hasMore = (await Promise.all(some.map(place))).includes(true) || hasMore
    if (hasMore && !isStopping) await placeAdded()
  }

  return {
    counts: counts as DeliveryCounts,
    metrics: () => turns.metrics(),

    /** Takes up what is due; the deliveries themselves go on behind it. */
    async look(): Promise<void> {
      if (isStopping) return
      await placeAdded()
      for (const { isOwn, ...queue } of await findQueues(database, context.lease, maxQueues)) {
        const key = `${queue.orgId} ${queue.webhookId}`
        const running = drains.get(key)
        if (running) {
          if (isOwn) running.wake()
          continue
        }
        if (drains.size >= maxQueues) break
        const { work, wake } = drain(queue)
        const ended = work()
          .catch((error: unknown) => {
            // A database that is away shows in the requests that fail.
            if (!(error instanceof Unavailable)) log.error({ err: serializeError(error) }, 'a webhook was not served')
          })
          .finally(() => drains.delete(key))
        drains.set(key, { wake, ended })
      }
    },

    async close(): Promise<void> {
      isStopping = true
      const timer = setTimeout(() => stopping.abort(new Error('The service was stopped')), graceMs)
      for (const { wake } of drains.values()) wake()
      await Promise.all([...drains.values()].map(({ ended }) => ended))
      clearTimeout(timer)
    },
  }
}

const chunksOf = <T>(all: readonly T[], size: number): T[][] =>
  Array.from({ length: Math.ceil(all.length / size) }, (_, index) => all.slice(index * size, (index + 1) * size))
