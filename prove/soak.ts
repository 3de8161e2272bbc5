// A working day of a shop, twenty times as fast, with the desk open: nothing grows, nothing is lost, nothing fails.
import { readdir } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from '../bench/percentiles.ts'
import { type Database, sql } from '../src/db/database.ts'
import { createSessions, openDesks } from './desk-people.ts'
import { Fleet, type Shop } from './fleet.ts'
import { createHttpClient } from './http-client.ts'
import { memoryGrowth, startMeter } from './resource-meter.ts'
import { atMost, info, none, type Result, type Size, type Trial } from './trial.ts'
import { waitUntil } from './wait-until.ts'

interface Plan {
  readonly seconds: number
  readonly people: number
}
const plans: Readonly<Record<Size, Plan>> = {
  whole: { seconds: 24 * 60, people: 12 },
  short: { seconds: 4, people: 3 },
}
/** A job every three minutes of the shop's day, which is nine seconds here. */
const jobEveryMs = 9_000
const shortJobEveryMs = 400
const memoryGrowthGoal = 1.15
/** Pools close what nobody needs after ten seconds. */
const settleTimeoutMs = 30_000
const warmUpJobs = 3

export const soakTrial: Trial = {
  name: 'soak',
  title: 'A day at twenty times its speed',
  how:
    'Eight hours of a shop in 24 minutes: every three minutes of its day a job comes in and is worked through (customer, device, lines, ' +
    'messages, status, quote, PDF, invoice, payment, searches and lists), with twelve people at the desk who are told of each step and fetch ' +
    'their page anew. Memory is compared over time; open files of the process and its connections to PostgreSQL before and after.',
  needs: ['ps'],
  async run(size, log) {
    const plan = plans[size]
    await using fleet = await Fleet.start()
    const shop = await fleet.createDemoShop()
    const { origin, pid } = await fleet.startInstance()
    const sessions = await createSessions(fleet, shop.orgId, plan.people)
    const count = async () => ({ files: await openFiles(pid), connections: await openConnections(fleet.database) })

    // Once before it counts: everything has been opened and loaded then that is kept.
    const failures: string[] = []
    const warmUp = openDesks(origin, shop.orgId, sessions, '/today')
    await warmUp.areAllOpen
    await Promise.all(Array.from({ length: warmUpJobs }, () => workThroughJob(origin, shop, failures)))
    await warmUp.stop()
    const before = await count()

    const meter = startMeter(pid)
    const people = openDesks(origin, shop.orgId, sessions, '/today')
    const underWay = new Set<Promise<number>>()
    let requests = 0
    const everyMs = size === 'whole' ? jobEveryMs : shortJobEveryMs
    const startedAt = performance.now()
    while (performance.now() - startedAt < plan.seconds * 1_000) {
      const job = workThroughJob(origin, shop, failures).then((sent) => {
        requests += sent
        underWay.delete(job)
        return sent
      })
      underWay.add(job)
      await delay(everyMs)
      if (size === 'whole' && Math.round((performance.now() - startedAt) / everyMs) % 20 === 0)
        log(`${requests} requests, ${JSON.stringify(await count())}`)
    }
    await Promise.all(underWay)
    const [server] = await meter.read()
    await people.stop()
    failures.push(...people.failures)
    for (const text of failures.slice(0, 10)) log(text)
    const lost = await findLost(count, before)
    const all = (requests + people.pageLatenciesMs.length).toLocaleString('en-GB')
    return [
      none('requests, pages and streams that failed', failures.length, all),
      ...lost,
      ...(size === 'whole'
        ? [
            atMost(
              'memory of the server, last fifth against second fifth',
              memoryGrowthGoal,
              memoryGrowth(server!.megabytes),
              'times',
            ),
          ]
        : []),
      info('memory of the server, max', `${Math.round(Math.max(...server!.megabytes))} MB`),
      info('latency of pages, p95', `${percentile(people.pageLatenciesMs, 0.95).toFixed(0)} ms`),
    ]
  },
}

interface Opened {
  readonly files: number
  readonly connections: number
}

/** What is still open although nobody needs it, once it has had time to be closed. */
async function findLost(count: () => Promise<Opened>, before: Opened): Promise<Result[]> {
  let now = await count()
  const isBack = async () => {
    now = await count()
    return now.files <= before.files && now.connections <= before.connections
  }
  await waitUntil(isBack, 'what is open to be closed', settleTimeoutMs).catch(() => {})
  return [
    none('open files more than before', Math.max(0, now.files - before.files), `${now.files}`),
    none(
      'connections to PostgreSQL more than before',
      Math.max(0, now.connections - before.connections),
      `${now.connections}`,
    ),
  ]
}

const openFiles = async (pid: number) => (await readdir(`/proc/${pid}/fd`)).length

async function openConnections(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(sql`
    select count(*) from pg_stat_activity where backend_type = 'client backend' and datname = current_database()`)
  return row!.count
}

/** One job from the door to the till, as a program does it. How many requests that took. */
async function workThroughJob(origin: string, { orgId, key }: Shop, failures: string[]): Promise<number> {
  using client = createHttpClient(origin, { connections: 2 })
  let requests = 0
  const call = async (method: string, path: string, body?: object) => {
    requests++
    const options = { headers: { 'x-api-key': key }, ...(body && { body }) }
    const answer = await client.call(method, `/api/v1/organisations/${orgId}${path}`, options)
    if (answer.status >= 300 || answer.status === 0)
      failures.push(`${method} ${path}: ${answer.failure ?? `${answer.status} ${JSON.stringify(answer.body)}`}`)
    return answer.body?.data ?? {}
  }
  const customer = await call('POST', '/customers', { firstName: 'Amara', lastName: 'Okafor', phone: '01632 960123' })
  const device = await call('POST', `/customers/${customer.id}/devices`, { brand: 'Acme', model: 'Phone' })
  const job = await call('POST', '/tickets', {
    customerId: customer.id,
    deviceId: device.id,
    serviceRequired: 'Screen',
  })
  const at = `/tickets/${job.id}`
  await call('POST', `${at}/messages`, { text: 'It fell into the harbour' })
  await call('GET', '/tickets?limit=50&search=harbour')
  const lineItems = [{ name: 'Screen', quantity: 1, unitPrice: 79.5 }]
  const quote = await call('POST', '/quotes', { ticketId: job.id, lineItems })
  await call('GET', `/quotes/${quote.id}/pdf`)
  await call('PUT', `${at}/status`, { status: 'In Progress' })
  await call('POST', `${at}/services`, { name: 'Screen', quantity: 1, unitPrice: 79.5 })
  await call('GET', at)
  const invoice = await call('POST', `/quotes/${quote.id}/convert`, {})
  await call('GET', `/invoices/${invoice.id}/pdf`)
  await call('POST', '/payments', { invoiceId: invoice.id, amount: 79.5 })
  await call('PUT', `${at}/status`, { status: 'Closed' })
  await call('GET', '/customers?limit=50&search=okafor')
  await call('GET', '/invoices?limit=50')
  return requests
}
