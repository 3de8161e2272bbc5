// Deliveries to real receivers: what arrives, in which order, and what one that is slow, dead or refusing means for others.
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { after, afterEach, beforeEach, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type Client, startOwnTestService } from '../../test/test-service.ts'
import { tellEvents } from '../../test/told-events.ts'
import { answers, startWebhookReceiver, takes, until } from '../../test/webhook-receiver.ts'
import { sql } from '../db/database.ts'
import { hourMs, minuteMs, secondMs } from '../domain/durations.ts'
import { createDestinations } from '../http/safe-fetch.ts'
import { createVault } from '../identity/secrets.ts'
import { noDependencies } from '../operations/context.ts'
import { signatureHeaders } from '../webhooks/signature.ts'
import { keepWebhooks } from './webhook-upkeep.ts'
import { createDeliverer } from './webhooks.ts'

const networks = '127.0.0.0/8'
// Queues are the database's: what is delivered here must be of this file.
const here = await startOwnTestService({ WEBHOOK_PRIVATE_NETWORKS: networks })
const { database, config } = here
const vault = await createVault(config)
const log = { info() {}, error: (details: object) => logged.push(details) }
const logged: object[] = []
const createTestDeliverer = (destinations = createDestinations([networks])) =>
  createDeliverer({
    database,
    destinations,
    dependencies: { ...noDependencies, vault },
    portalOrigin: config.authUrl,
    log,
  })

/** Looks as often as the worker does, or somewhat more. */
function run(deliverer = createTestDeliverer()) {
  let isStopped = false
  const looking = (async () => {
    for (; !isStopped; await delay(50)) await deliverer.look()
  })()
  const stop = async () => {
    isStopped = true
    await Promise.all([looking, deliverer.close()])
  }
  running.push(stop)
  return { ...deliverer, stop }
}
const running: (() => Promise<void>)[] = []

interface Delivery {
  readonly id: string
  readonly eventId: string
  readonly status: string
  readonly attempts: {
    at: string
    statusCode: number | null
    durationMs: number
    response: string | null
    error: string | null
  }[]
  readonly nextAttemptAt: string | null
}
const webhookTo = async (client: Client, url: string, body: object = {}) =>
  (await client.post('/webhooks', { url, ...body })).body.data as { id: string; secret: string }
const deliveriesOf = async (client: Client, id: string): Promise<Delivery[]> =>
  (await client.get(`/webhooks/${id}/deliveries?limit=100`)).body.data.deliveries
const webhookOf = async (client: Client, id: string) => (await client.get(`/webhooks/${id}`)).body.data
const settled = (client: Client, id: string, status: string, count = 1) =>
  until(async () => (await deliveriesOf(client, id)).filter((one) => one.status === status).length === count)
const attempted = (client: Client, id: string, count = 1) =>
  until(async () => (await deliveriesOf(client, id)).some(({ attempts }) => attempts.length >= count))

beforeEach(() => {
  logged.length = 0
})
afterEach(async () => {
  await Promise.all(running.splice(0).map((stop) => stop()))
  await database.query(sql`delete from webhooks`)
  await database.query(sql`delete from webhook_deliveries`)
  assert.deepEqual(logged, [])
})

describe('a delivery', () => {
  test('is a POST of the event as the feed has it, and its log says what came back', async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    receiver.answer = answers(202, 'thank you')
    const { id } = await webhookTo(shop, receiver.url)
    const [event] = await tellEvents(database, shop.orgId, [{}])
    run()
    await settled(shop, id, 'delivered')
    const [message] = receiver.received
    const { body } = (await database.query<{ body: string }>(sql`select body from events where id = ${event!.id}`))[0]!
    assert.deepEqual([message!.method, message!.text], ['POST', body])
    assert.equal(message!.headers['content-type'], 'application/json')
    assert.match(message!.headers['user-agent']!, /^Jobwright\/\d/)
    assert.equal(message!.headers['webhook-id'], event!.id)
    const [delivery] = await deliveriesOf(shop, id)
    assert.equal(delivery!.nextAttemptAt, null)
    const [{ at, durationMs, ...attempt } = assert.fail()] = delivery!.attempts
    assert.deepEqual(attempt, { statusCode: 202, response: 'thank you', error: null })
    assert.ok(Date.parse(at) > 0 && durationMs >= 0)
    assert.notEqual((await webhookOf(shop, id)).lastDeliveredAt, null)
  })

  test('of a test arrives like any other, without a position', async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    const { id } = await webhookTo(shop, receiver.url, { types: ['ticket.created'] })
    const { data } = (await shop.post(`/webhooks/${id}/test`)).body
    run()
    await receiver.waitFor(1)
    const { event, headers } = receiver.received[0]!
    assert.deepEqual(
      [event.id, headers['webhook-id'], event.type, event.position, event.recordId, event.actor],
      [data.eventId, data.eventId, 'webhook.test', null, id, { kind: 'key', id: shop.keyId, name: 'API key' }],
    )
    assert.deepEqual(event.data, { id, url: receiver.url, types: ['ticket.created'], description: null })
  })

  test('is signed with both secrets while one replaces the other, and with one after that', async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    const { id, secret } = await webhookTo(shop, receiver.url)
    run()
    const rotate = async (overlapHours: number): Promise<string> =>
      (await shop.post(`/webhooks/${id}/rotate-secret`, { overlapHours })).body.data.secret
    const signedWith = async (secrets: string[]) => {
      const before = receiver.received.length
      await tellEvents(database, shop.orgId, [{}])
      await receiver.waitFor(before + 1)
      const { headers, text } = receiver.received[before]!
      const now = Number(headers['webhook-timestamp']) * 1_000
      const expected = signatureHeaders(secrets, { id: headers['webhook-id'] as string, body: text, now })
      assert.equal(headers['webhook-signature'], expected['webhook-signature'])
    }
    await signedWith([secret])
    const second = await rotate(24)
    await signedWith([second, secret])
    const third = await rotate(0)
    await signedWith([third])
    await settled(shop, id, 'delivered', 3)
  })

  test('keeps the first thousand characters of an answer, however long it is', async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    receiver.answer = (_, response) => {
      response.writeHead(200)
      const more = () => {
        while (response.write('ü\0'.repeat(1_000)));
        response.once('drain', more)
      }
      more() // without an end
    }
    const { id } = await webhookTo(shop, receiver.url)
    await tellEvents(database, shop.orgId, [{}])
    run()
    await settled(shop, id, 'delivered')
    assert.equal((await deliveriesOf(shop, id))[0]!.attempts[0]!.response, 'ü'.repeat(1_000))
  })
})

describe('what is not delivered', () => {
  for (const [what, answer, expected] of [
    ['an error', answers(500, 'broken'), { statusCode: 500, response: 'broken', error: null }],
    [
      'a redirect',
      answers(302, '', { location: 'http://127.0.0.1:1/elsewhere' }),
      { statusCode: 302, response: '', error: 'Redirects are not followed: give the webhook the address it leads to' },
    ],
  ] as const)
    test(`because of ${what} is tried again after five seconds`, async () => {
      const shop = await here.organisation()
      const receiver = await startWebhookReceiver()
      receiver.answer = answer
      const { id } = await webhookTo(shop, receiver.url)
      await tellEvents(database, shop.orgId, [{}])
      run()
      await attempted(shop, id)
      const [{ attempts, status, nextAttemptAt } = assert.fail()] = await deliveriesOf(shop, id)
      const [{ at, durationMs: _, ...attempt } = assert.fail()] = attempts
      assert.deepEqual([status, attempt], ['waiting', expected])
      const waitMs = Date.parse(nextAttemptAt!) - Date.parse(at)
      assert.ok(waitMs >= 4.5 * secondMs && waitMs < minuteMs, String(waitMs))
      assert.notEqual((await webhookOf(shop, id)).failingSince, null)
      receiver.answer = takes
      await settled(shop, id, 'delivered')
      assert.equal((await deliveriesOf(shop, id))[0]!.attempts.length, 2)
      assert.equal((await webhookOf(shop, id)).failingSince, null, 'what works again does not fail')
    })

  test('waits as long as a busy receiver asks', async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    receiver.answer = answers(503, '', { 'retry-after': '1800' })
    const { id } = await webhookTo(shop, receiver.url)
    await tellEvents(database, shop.orgId, [{}])
    run()
    await attempted(shop, id)
    const [{ nextAttemptAt, attempts } = assert.fail()] = await deliveriesOf(shop, id)
    const waitMs = Date.parse(nextAttemptAt!) - Date.parse(attempts[0]!.at)
    assert.ok(waitMs >= 30 * minuteMs && waitMs < 31 * minuteMs, String(waitMs))
  })

  test('has failed after the tenth attempt, and the next about its record is told', async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    receiver.answer = ({ event }, response) =>
      void response.writeHead(event.type === 'customer.created' ? 500 : 204).end()
    const { id } = await webhookTo(shop, receiver.url)
    const record = { recordId: 'cus_one' }
    await tellEvents(database, shop.orgId, [record, { ...record, type: 'customer.updated' }])
    await database.query(sql`update webhook_deliveries set tries = 9 where webhook_id = ${id}`)
    run()
    await settled(shop, id, 'failed')
    await settled(shop, id, 'delivered')
    const failed = (await deliveriesOf(shop, id)).find(({ status }) => status === 'failed')!
    assert.equal(failed.nextAttemptAt, null)
    assert.equal((await shop.post(`/webhooks/${id}/replay`, { failedOnly: true })).body.data.count, 1)
    receiver.answer = takes
    await settled(shop, id, 'delivered', 2)
  })

  test('because nobody answers in time says so', { timeout: 60_000 }, async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    receiver.answer = () => {}
    const { id } = await webhookTo(shop, receiver.url)
    await tellEvents(database, shop.orgId, [{}])
    run()
    await attempted(shop, id)
    const [{ statusCode, error } = assert.fail()] = (await deliveriesOf(shop, id))[0]!.attempts
    assert.deepEqual([statusCode, error], [null, 'There was no answer within 15 seconds'])
  })

  test('pauses the webhook where the receiver says that it is gone', async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    receiver.answer = answers(410)
    const { id } = await webhookTo(shop, receiver.url)
    await tellEvents(database, shop.orgId, [{}])
    run()
    await settled(shop, id, 'failed')
    const { isPaused, pausedReason } = await webhookOf(shop, id)
    assert.deepEqual([isPaused, pausedReason], [true, 'gone'])
    await tellEvents(database, shop.orgId, [{}])
    assert.equal((await deliveriesOf(shop, id)).length, 1, 'nothing is queued while it is paused')
    receiver.answer = takes
    await shop.put(`/webhooks/${id}`, { isPaused: false })
    await shop.post(`/webhooks/${id}/replay`, { from: 1, to: 2 })
    await settled(shop, id, 'delivered', 2)
  })

  test('for five days pauses the webhook, and the admins are told once', async () => {
    const shop = await here.organisation({ name: 'Harbour Repairs' })
    await database.query(sql`
      with person as (insert into people (id, email) values ('per_boss', 'boss@harbour.example'), ('per_tech', 'tech@harbour.example')
        returning id)
      insert into members (org_id, id, person_id, first_name, role)
      select ${shop.orgId}, replace(id, 'per', 'mem'), id, 'Ann', case id when 'per_boss' then 'admin' else 'technician' end from person`)
    const receiver = await startWebhookReceiver()
    receiver.answer = answers(500)
    const { id } = await webhookTo(shop, receiver.url)
    await database.query(
      sql`update webhooks set failing_since = now() - interval '5 days' - interval '1 second' where id = ${id}`,
    )
    await tellEvents(database, shop.orgId, [{}, {}, {}])
    run()
    await until(async () => (await webhookOf(shop, id)).isPaused)
    assert.equal((await webhookOf(shop, id)).pausedReason, 'failing')
    const mails = await database.query<{ to: string; subject: string; body: string }>(sql`
      select to_address as "to", subject, sealed_body as body from outbox where org_id = ${shop.orgId}`)
    assert.deepEqual(
      mails.map(({ to, subject }) => [to, subject]),
      [['boss@harbour.example', `The webhook to ${new URL(receiver.url).host} is paused`]],
    )
    assert.match(vault.decrypt(mails[0]!.body), new RegExp(`/portal/${shop.orgId}/webhooks/${id}`))
  })

  test('is not connected to where the address is private, by number or by name, and the log says so', async () => {
    const shop = await here.organisation()
    let connections = 0
    const inside = createServer((_, response) => void response.end())
    inside.on('connection', () => connections++)
    await new Promise<void>((resolve) => inside.listen(0, '127.0.0.1', resolve))
    after(() => void inside.close())
    const { port } = inside.address() as { port: number }
    const destinations = createDestinations([], {
      isPublic: () => false,
      resolve: async (name) => (name === 'rebound.example' ? [{ address: '127.0.0.1', family: 4 }] : []),
    })
    const ids = []
    // They were allowed when they were made; the operator has named no network since.
    for (const url of [`http://127.0.0.1:${port}/`, `http://rebound.example:${port}/`, 'https://nowhere.example/'])
      ids.push((await webhookTo(shop, url)).id)
    await tellEvents(database, shop.orgId, [{}])
    run(createTestDeliverer(destinations))
    const errors = []
    for (const id of ids) {
      await attempted(shop, id)
      errors.push((await deliveriesOf(shop, id))[0]!.attempts[0]!.error)
    }
    assert.deepEqual(errors, [
      'The address must be https',
      'The address must be https',
      'The address has a name that does not resolve',
    ])
    await database.query(sql`update webhooks set url = replace(url, 'http:', 'https:')`)
    await database.query(sql`update webhook_deliveries set next_attempt_at = now()`)
    await database.query(sql`update webhook_queues set due_at = now() where lease is null`)
    for (const id of ids.slice(0, 2)) await attempted(shop, id, 2)
    assert.match((await deliveriesOf(shop, ids[1]!))[0]!.attempts[1]!.error!, /not public/)
    assert.equal(connections, 0)
  })
})

describe('order', () => {
  test('is kept for each record: the next waits for the one before, and other records do not', async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    let failures = 2
    receiver.answer = ({ event }, response) => {
      const isRefused = event.recordId === 'cus_one' && failures-- > 0
      response.writeHead(isRefused ? 503 : 204, isRefused ? { 'retry-after': '1' } : {}).end()
    }
    const { id } = await webhookTo(shop, receiver.url)
    const types = ['customer.created', 'customer.updated', 'customer.updated', 'customer.deleted']
    await tellEvents(
      database,
      shop.orgId,
      types.flatMap((type) => [
        { type, recordId: 'cus_one' },
        { type, recordId: 'cus_two' },
      ]),
    )
    run()
    await settled(shop, id, 'delivered', 8)
    const positionsOf = (recordId: string) =>
      receiver.received.filter(({ event }) => event.recordId === recordId).map(({ event }) => event.position)
    assert.deepEqual(positionsOf('cus_two'), [2, 4, 6, 8])
    assert.deepEqual(positionsOf('cus_one'), [1, 1, 1, 3, 5, 7])
    const lastOfTwo = receiver.received.findIndex(({ event }) => event.position === 8)
    const firstAfter = receiver.received.findIndex(({ event }) => event.position === 3)
    assert.ok(lastOfTwo < firstAfter, 'the other record did not wait')
  })
})

describe('turns', () => {
  test('at most eight are on their way to one webhook, also with two workers', async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    let [now, most] = [0, 0]
    const held: (() => void)[] = []
    receiver.answer = (_, response) => {
      most = Math.max(most, ++now)
      held.push(() => {
        now--
        response.writeHead(204).end()
      })
    }
    const { id } = await webhookTo(shop, receiver.url)
    await tellEvents(database, shop.orgId, Array(40).fill({}))
    run()
    run()
    await until(() => held.length >= 8)
    // While these are held another organisation is told of much: whatever could start has started by then.
    const other = await here.organisation()
    const { id: quick } = await webhookTo(other, (await startWebhookReceiver()).url)
    await tellEvents(database, other.orgId, Array(30).fill({}))
    await settled(other, quick, 'delivered', 30)
    while (receiver.received.length < 40 || held.length > 0) {
      held.shift()?.()
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
    await settled(shop, id, 'delivered', 40)
    assert.equal(most, 8)
    assert.equal(receiver.received.length, 40, 'each was sent once')
  })

  test('receivers that never answer do not delay another organisation', async () => {
    const [slow, quick] = [await here.organisation(), await here.organisation()]
    const silent = await startWebhookReceiver()
    silent.answer = () => {}
    for (let count = 0; count < 10; count++) await webhookTo(slow, silent.url)
    const receiver = await startWebhookReceiver()
    const { id } = await webhookTo(quick, receiver.url)
    await tellEvents(database, slow.orgId, Array(50).fill({}))
    const { stop } = run()
    await silent.waitFor(16)
    await tellEvents(database, quick.orgId, Array(20).fill({}))
    await settled(quick, id, 'delivered', 20)
    assert.equal(silent.received.length, 16, 'one organisation has sixteen places')
    await stop()
  })

  test('a webhook that fails is tried with one delivery at a time', async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    const waiting: (() => void)[] = []
    receiver.answer = (_, response) => void waiting.push(() => response.writeHead(500).end())
    const { id } = await webhookTo(shop, receiver.url)
    await database.query(sql`update webhooks set failing_since = now() where id = ${id}`)
    await tellEvents(database, shop.orgId, Array(6).fill({}))
    run()
    for (let count = 1; count <= 6; count++) {
      await receiver.waitFor(count)
      assert.equal(receiver.received.length, count)
      waiting.shift()!()
    }
    await until(async () => (await deliveriesOf(shop, id)).every(({ attempts }) => attempts.length === 1))
  })
})

test('a receiver that fails is left alone for a moment between two attempts', async () => {
  const shop = await here.organisation()
  const receiver = await startWebhookReceiver()
  const times: number[] = []
  receiver.answer = (_, response) => {
    times.push(performance.now())
    response.writeHead(500).end()
  }
  const { id } = await webhookTo(shop, receiver.url)
  await database.query(sql`update webhooks set failing_since = now() where id = ${id}`)
  await tellEvents(database, shop.orgId, Array(4).fill({}))
  run()
  await receiver.waitFor(4)
  const rests = times.slice(1).map((at, index) => at - times[index]!)
  assert.ok(Math.min(...rests) >= 99, rests.join())
})

describe('the maker', () => {
  test('may read less than was queued: nothing of it is told', async () => {
    const shop = await here.organisation()
    const maker = await here.client(shop.orgId, { scopes: ['webhooks:write', 'customers:read', 'tickets:read'] })
    const receiver = await startWebhookReceiver()
    const { id } = await webhookTo(maker, receiver.url)
    await tellEvents(database, shop.orgId, [{ type: 'ticket.created', entity: 'tickets' }, {}])
    await database.query(sql`update api_keys set scopes = '{webhooks:write,customers:read}' where id = ${maker.keyId}`)
    run()
    await settled(shop, id, 'delivered')
    await until(async () => (await deliveriesOf(shop, id)).length === 1)
    assert.deepEqual(
      receiver.received.map(({ event }) => event.type),
      ['customer.created'],
    )
  })

  test('has ended: the webhook is paused and nothing is sent', async () => {
    const shop = await here.organisation()
    const maker = await here.client(shop.orgId)
    const receiver = await startWebhookReceiver()
    const { id } = await webhookTo(maker, receiver.url)
    const { id: own } = await webhookTo(shop, receiver.url, { types: ['ticket.created'] })
    await tellEvents(database, shop.orgId, [{}])
    await database.query(sql`update api_keys set expires_at = now() where id = ${maker.keyId}`)
    run()
    await until(async () => (await webhookOf(shop, id)).isPaused)
    assert.equal((await webhookOf(shop, id)).pausedReason, 'maker_revoked')
    assert.equal(receiver.received.length, 0)
    assert.equal((await webhookOf(shop, own)).isPaused, false)
  })

  test('expires without a word: the worker notices', async () => {
    const shop = await here.organisation()
    const maker = await here.client(shop.orgId)
    const { id } = await webhookTo(maker, 'https://shop.example/')
    await database.query(sql`update api_keys set expires_at = now() where id = ${maker.keyId}`)
    await keepWebhooks(database, { days: 30, isStopped: () => false })
    assert.equal((await webhookOf(shop, id)).pausedReason, 'maker_revoked')
  })

  test('is paused: what waits goes on when it is resumed', async () => {
    const shop = await here.organisation()
    const maker = await here.client(shop.orgId)
    const receiver = await startWebhookReceiver()
    const { id } = await webhookTo(maker, receiver.url)
    await database.query(sql`update api_keys set paused_at = now() where id = ${maker.keyId}`)
    await tellEvents(database, shop.orgId, [{}])
    run()
    await until(async () => {
      const [queue] = await database.query<{ isHeld: boolean }>(sql`
        select due_at > now() and lease is null as "isHeld" from webhook_queues where webhook_id = ${id}`)
      return queue!.isHeld
    })
    assert.equal(receiver.received.length, 0)
    await database.query(sql`update api_keys set paused_at = null where id = ${maker.keyId}`)
    await database.query(sql`update webhook_queues set due_at = now() where webhook_id = ${id}`)
    await settled(shop, id, 'delivered')
  })
})

describe('stopping', () => {
  test('lets deliveries on their way come to their end, and leaves the rest to the next start', async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    const answersLater: (() => void)[] = []
    receiver.answer = (_, response) => void answersLater.push(() => response.writeHead(204).end())
    const { id } = await webhookTo(shop, receiver.url)
    await tellEvents(database, shop.orgId, Array(20).fill({}))
    const { stop } = run()
    await receiver.waitFor(8)
    const stopped = stop()
    for (const answer of answersLater) answer()
    await stopped
    assert.equal((await deliveriesOf(shop, id)).filter(({ status }) => status === 'delivered').length, 8)
    const [queue] = await database.query<{ lease: string | null }>(
      sql`select lease from webhook_queues where webhook_id = ${id}`,
    )
    assert.equal(queue!.lease, null, 'somebody else can go on at once')
    receiver.answer = takes
    run()
    await settled(shop, id, 'delivered', 20)
    assert.equal(receiver.received.length, 20)
  })

  test('does not count what could not come to an end', async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    receiver.answer = () => {}
    const { id } = await webhookTo(shop, receiver.url)
    await tellEvents(database, shop.orgId, [{}])
    const { stop } = run()
    await receiver.waitFor(1)
    await stop()
    const [{ attempts, status } = assert.fail()] = await deliveriesOf(shop, id)
    assert.deepEqual([attempts, status], [[], 'waiting'])
  })

  test('by SIGKILL loses nothing: what was on its way is sent again', { timeout: 120_000 }, async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    receiver.answer = () => {}
    const { id } = await webhookTo(shop, receiver.url)
    const told = await tellEvents(database, shop.orgId, Array(12).fill({}))
    const other = deliveringProcess()
    await receiver.waitFor(8)
    other.kill('SIGKILL')
    receiver.answer = takes
    run()
    await settled(shop, id, 'delivered', 12)
    const arrived = new Set(receiver.received.map(({ event }) => event.id))
    assert.deepEqual([...arrived].sort(), told.map(({ id: eventId }) => eventId).sort())
  })
})

describe('upkeep', () => {
  test('sweeps settled deliveries that are older than events are kept, and those of deleted webhooks', async () => {
    const shop = await here.organisation()
    const [{ id }, { id: deleted }] = [
      await webhookTo(shop, 'https://shop.example/'),
      await webhookTo(shop, 'https://other.example/'),
    ]
    await tellEvents(database, shop.orgId, [{}, {}, {}])
    await database.query(sql`
      update webhook_deliveries set created_at = now() - interval '31 days' where webhook_id = ${id} and position < 3`)
    await database.query(sql`
      update webhook_deliveries set status = 'delivered', next_attempt_at = null where webhook_id = ${id} and position < 2`)
    await shop.delete(`/webhooks/${deleted}`)
    await keepWebhooks(database, { days: 30, isStopped: () => false })
    const left = await database.query<{ position: number }>(sql`
      select position::int from webhook_deliveries where org_id = ${shop.orgId} order by 1`)
    assert.deepEqual(
      left.map(({ position }) => position),
      [2, 3],
    )
    assert.deepEqual(await database.query(sql`select from deleted_webhooks`), [])
  })

  test('a delivery whose event is no longer kept has failed', async () => {
    const shop = await here.organisation()
    const receiver = await startWebhookReceiver()
    const { id } = await webhookTo(shop, receiver.url)
    await tellEvents(database, shop.orgId, [{}])
    await database.query(sql`delete from events where org_id = ${shop.orgId}`)
    run()
    await settled(shop, id, 'failed')
    assert.equal((await deliveriesOf(shop, id))[0]!.attempts[0]!.error, 'The event is no longer kept')
    assert.ok(Date.now() > hourMs && receiver.received.length === 0)
  })
})

/** Another process that delivers what is due, until it is killed. */
function deliveringProcess(): ChildProcess {
  const at = (path: string) => JSON.stringify(new URL(path, import.meta.url))
  const program = `
    const { Database } = await import(${at('../db/database.ts')})
    const { readConfig } = await import(${at('../config/config.ts')})
    const { createVault } = await import(${at('../identity/secrets.ts')})
    const { createDestinations } = await import(${at('../http/safe-fetch.ts')})
    const { noDependencies } = await import(${at('../operations/context.ts')})
    const { createDeliverer } = await import(${at('./webhooks.ts')})
    const config = readConfig(process.env)
    const deliverer = createDeliverer({ database: new Database(${JSON.stringify(here.connection)}),
      destinations: createDestinations(config.webhookPrivateNetworks), portalOrigin: config.authUrl,
      dependencies: { ...noDependencies, vault: await createVault(config) }, log: console })
    setInterval(() => deliverer.look(), 50)`
  return spawn(process.execPath, ['--input-type=module', '-e', program], {
    stdio: ['ignore', 'inherit', 'inherit'],
    env: {
      PATH: process.env.PATH,
      WEBHOOK_PRIVATE_NETWORKS: networks,
      SECRETS_KEY: config.secretsKey![0]!.toString('base64'),
    },
  })
}
