// Whoever follows the events of a shop has each of them once, in order, whatever is killed meanwhile.
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../../src/db/database.ts'
import type { ServiceEvent } from '../../src/events/event.ts'
import { Fleet, type Shop } from '../fleet.ts'
import { createHttpClient } from '../http-client.ts'
import { atLeast, exactly, info, none, type Size, type Trial } from '../trial.ts'
import { waitUntil } from '../wait-until.ts'
import { measureLag } from './lag.ts'
import { followFeed, followStream } from './readers.ts'
import { measureBesideWaiting } from './waiting.ts'
import { countDisordered, firstTold, receiveWebhook } from './webhook-reader.ts'

const sizes = {
  short: { writes: 400, workerKills: 1, postgresKills: 0, pauseMs: 50 },
  whole: { writes: 50_000, workerKills: 20, postgresKills: 2, pauseMs: 0 },
}
const writers = 16

export const eventsTrial: Trial = {
  name: 'events',
  title: 'Every change is told once, in order, whatever dies meanwhile',
  how:
    'Sixteen writers make, change and delete customers while two workers are killed (kill -9) and started again one after ' +
    'the other, and PostgreSQL crashes. Three readers of the feed, one of the stream and a webhook follow. Each value that was ' +
    'acknowledged must be told, none that was rolled back, and what a record was said to have been must follow from what ' +
    'it was said to be. Then 200 customers are made a second, and the time to each reader is taken; and a neighbour reads beside ' +
    '100,000 deliveries that wait for a receiver.',
  async run(size, log) {
    await using fleet = await Fleet.start({ WEBHOOK_PRIVATE_NETWORKS: '127.0.0.0/8' })
    const instance = await fleet.startInstance({ ROLE: 'rest,auth' })
    const shop = await fleet.createShop()
    await using receiver = await receiveWebhook(instance.origin, shop)
    let isStopped = false
    const options = { origin: instance.origin, shop, isStopped: () => isStopped }
    const readers = [
      ...['first', 'second', 'third'].map((name) => followFeed(`${name} reader of the feed`, options)),
      followStream('reader of the stream', options),
    ]
    let isDisturbed = true
    const writing = write(instance.origin, shop, sizes[size], () => isDisturbed)
    const faults = await disturb(fleet, sizes[size], log)
    isDisturbed = false
    const acknowledged = await writing
    const newest = await numberedInFull(fleet, shop)
    await waitUntil(
      () => readers.every(({ events }) => (events.at(-1)?.position ?? 0) >= newest),
      'the readers',
      60_000,
    )
    const told = readers[0]!.events.filter(({ type }) => type.startsWith('customer.')).length
    const delivered = () => firstTold(receiver.told)
    await waitUntil(() => delivered().length >= told, 'the webhook', 600_000)
    isStopped = true
    await Promise.all(readers.map(({ done }) => done))
    const [truth] = readers
    log('how soon events are told')
    return [
      atLeast('writes that were acknowledged', sizes[size].writes * 0.9, acknowledged.length),
      info('killed meanwhile', `${faults.workers} workers, PostgreSQL ${faults.postgres} times`),
      exactly('events that were numbered', newest, truth!.events.length),
      ...readers.map(({ name, events }) =>
        none(`${name}: events missing, double or out of order`, countMisplaced(events)),
      ),
      none('acknowledged values that were not told', countUntold(acknowledged, truth!.events)),
      none(
        'values told that were rolled back',
        truth!.events.filter((event) => JSON.stringify(event).includes(rolledBack)).length,
      ),
      none('records whose events contradict each other', await countContradictions(fleet, shop, truth!.events)),
      exactly('events that a webhook was told', told, delivered().length),
      none('records that it was told of out of order', countDisordered(delivered())),
      ...(size === 'whole' ? [...(await measureLag(fleet)), ...(await measureBesideWaiting(fleet))] : []),
    ]
  },
}

const rolledBack = 'rolled back on purpose'

interface Written {
  readonly id: string
  /** The value of `notes` that was acknowledged. */
  readonly value: string
}

/** At least so many. Answers what was acknowledged; what failed is in doubt and counts for nothing. */
async function write(
  origin: string,
  shop: Shop,
  { writes, pauseMs }: (typeof sizes)[Size],
  mustGoOn: () => boolean,
): Promise<Written[]> {
  using client = createHttpClient(origin, { connections: writers })
  const acknowledged: Written[] = []
  let attempts = 0
  const call = async (method: string, path: string, body?: object) => {
    attempts++
    const address = `/api/v1/organisations/${shop.orgId}${path}`
    const reply = await client.call(method, address, { headers: { 'x-api-key': shop.key }, body })
    await delay(reply.status >= 500 || reply.status === 0 ? 50 : pauseMs)
    return reply
  }
  const runWriter = async (writer: number) => {
    for (let round = 0; attempts < writes || mustGoOn(); round++) {
      const value = (step: number) => `${writer}/${round}/${step}`
      const made = await call('POST', '/customers', { firstName: 'Amara', notes: value(0) })
      if (made.status !== 201) continue
      const { id } = made.body.data
      acknowledged.push({ id, value: value(0) })
      for (let step = 1; step < 5; step++) {
        const { status } = await call('PUT', `/customers/${id}`, { notes: value(step) })
        if (status === 200) acknowledged.push({ id, value: value(step) })
      }
      if (round % 4 === 0) await call('DELETE', `/customers/${id}`)
    }
  }
  await Promise.all(Array.from({ length: writers }, (_, writer) => runWriter(writer)))
  return acknowledged
}

/** Two workers share the work; each is killed in its turn. */
async function disturb(
  fleet: Fleet,
  { workerKills, postgresKills }: (typeof sizes)[Size],
  log: (text: string) => void,
): Promise<{ workers: number; postgres: number }> {
  const killed = { workers: 0, postgres: 0 }
  const startWorker = () => fleet.startInstance({ ROLE: 'worker' })
  const workers = [await startWorker(), await startWorker()]
  while (killed.workers < workerKills) {
    await delay(100 + Math.random() * 300)
    await rollBack(fleet)
    const index = killed.workers % 2
    workers[index]!.signal('SIGKILL')
    await workers[index]!.exited
    killed.workers++
    if (killed.postgres < postgresKills && killed.workers % 7 === 6) {
      await fleet.killPostgres()
      await fleet.startPostgres()
      killed.postgres++
    }
    workers[index] = await startWorker()
    log(`${killed.workers} workers killed`)
  }
  return killed
}

/** A change that never was. */
async function rollBack(fleet: Fleet): Promise<void> {
  await fleet.database
    .transaction('prove', async (transaction) => {
      await transaction.query(sql`update customers set notes = ${rolledBack}
        where (org_id, id) in (select org_id, id from customers limit 3 for update skip locked)`)
      throw new Error(rolledBack)
    })
    .catch(() => {})
}

async function numberedInFull(fleet: Fleet, { orgId }: Shop): Promise<number> {
  const count = async (query: ReturnType<typeof sql>) =>
    (await fleet.database.query<{ count: number }>(query))[0]!.count
  await waitUntil(
    async () => (await count(sql`select count(*) from event_inbox where org_id = ${orgId}`)) === 0,
    'the numbering',
    120_000,
  )
  return count(sql`select position as count from event_counters where org_id = ${orgId}`)
}

const countMisplaced = (events: readonly ServiceEvent[]) =>
  events.filter(({ position }, index) => position !== index + 1).length

/** A value is told when a later event says that it was so, or when the record has it to the end. */
function countUntold(acknowledged: readonly Written[], events: readonly ServiceEvent[]): number {
  const told = new Set(
    events.flatMap(({ recordId, previous, data }) => [`${recordId} ${previous?.notes}`, `${recordId} ${data?.notes}`]),
  )
  return acknowledged.filter(({ id, value }) => !told.has(`${id} ${value}`)).length
}

/** Created first, changed from what it was, deleted last; and what remains is what the database has. */
async function countContradictions(fleet: Fleet, { orgId }: Shop, events: readonly ServiceEvent[]): Promise<number> {
  const rows = await fleet.database.query<{ id: string; notes: string }>(
    sql`select id, notes from customers where org_id = ${orgId}`,
  )
  const stored = new Map(rows.map(({ id, notes }) => [id, notes]))
  const byRecord = Map.groupBy(
    events.filter(({ resource }) => resource === 'customers'),
    ({ recordId }) => recordId,
  )
  const stepOf = (value: unknown) => Number(String(value).split('/')[2])
  const isConsistent = ([id, told]: [string, ServiceEvent[]]) => {
    const kinds = told.map(({ type }) => type.split('.')[1])
    const isDeleted = kinds.at(-1) === 'deleted'
    const steps = told.slice(1).map(({ previous }) => stepOf(previous?.notes))
    return (
      kinds[0] === 'created' &&
      kinds.slice(1, isDeleted ? -1 : undefined).every((kind) => kind === 'updated') &&
      steps.every((step, index) => index === 0 || step > steps[index - 1]!) &&
      (isDeleted ? !stored.has(id) : stored.get(id) === told.at(-1)!.data?.notes)
    )
  }
  return (
    [...byRecord].filter((record) => !isConsistent(record)).length +
    [...stored.keys()].filter((id) => !byRecord.has(id)).length
  )
}
