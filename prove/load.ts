// The load: a throughput of a thousand requests a second from a thousand keys for ten minutes, and their latency.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type DatasetSize, fullDataset, loadData, type Organisation } from '../bench/data.ts'
import { createKey } from '../src/identity/keys.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import { Fleet } from './fleet.ts'
import type { LatencyStats, Load, LoadResult, Message } from './load-generator.ts'
import { createRequests, type LoadClient } from './load-requests.ts'
import { memoryGrowth, startMeter } from './resource-meter.ts'
import { atLeast, atMost, info, none, type Result, type Size, type Trial } from './trial.ts'

interface LoadProfile {
  readonly dataset: DatasetSize
  readonly keysPerOrganisation: number
  readonly requestsPerSecond: number
  readonly seconds: number
  readonly connections: number
}
/** A thousand keys at sixty requests a minute each stay below the quota of a hundred. */
const profiles: Readonly<Record<Size, LoadProfile>> = {
  whole: { dataset: fullDataset, keysPerOrganisation: 50, requestsPerSecond: 1_000, seconds: 600, connections: 100 },
  short: {
    dataset: { organisations: 6, customersPerOrganisation: 500 },
    keysPerOrganisation: 50,
    requestsPerSecond: 300,
    seconds: 8,
    connections: 20,
  },
}
const requestCount = 20_000
const readGoalMs = 50
const writeGoalMs = 100
const memoryGrowthGoal = 1.15

export const loadTrial: Trial = {
  name: 'load',
  title: 'Load',
  how:
    '1,000 requests a second for ten minutes from 1,000 keys of 20 organisations with 100,000 customers, over 100 ' +
    'connections, on one instance with the default quota. Four in five read (customers, jobs with their lines, lists, ' +
    'searches, totals, messages), one in five writes (customers, jobs, messages, payments, status changes). Each request ' +
    'is due at a fixed rate, and its latency counts from the time it was due, whether it could be sent by then or not.',
  needs: ['ps'],
  async run(size, log) {
    const profile = profiles[size]
    await using fleet = await Fleet.start({ RATE_LIMIT_PER_MINUTE: '100' })
    log(
      `loading ${(profile.dataset.organisations * profile.dataset.customersPerOrganisation).toLocaleString('en-GB')} customers`,
    )
    const organisations = await loadData(fleet.connection, profile.dataset)
    const { origin, port, pid } = await fleet.startInstance()
    const clients = await createLoadClients(fleet, origin, organisations, profile.keysPerOrganisation)
    log(`${clients.length} keys, ${profile.requestsPerSecond} requests a second for ${profile.seconds} s`)
    const meter = startMeter(pid, await fleet.postgresPid())
    const requests = createRequests(clients, requestCount, port)
    const result = await runGenerator({ port, requests, ...profile }, log)
    const [server, postgres] = await meter.read()
    for (const [workload, latency] of Object.entries(result.byWorkload)) log(`${workload}: ${formatLatency(latency)}`)
    for (const error of result.errors) log(error)
    return [
      ...errorResults(profile, result),
      ...(size === 'whole' ? latencyResults(profile, result, server!.megabytes) : []),
      info('latency of reads', formatLatency(result.reads)),
      info('latency of writes', formatLatency(result.writes)),
      info('memory of the server, max', `${Math.round(Math.max(...server!.megabytes))} MB`),
      info(
        'CPU cores used by server, PostgreSQL, load',
        [server!, postgres!, result].map(({ cpuCores }) => cpuCores.toFixed(2)).join(', '),
      ),
    ]
  },
}

/** Keys of each organisation, round robin, each with an invoice of its own. */
async function createLoadClients(
  fleet: Fleet,
  origin: string,
  organisations: readonly Organisation[],
  keysEach: number,
): Promise<readonly LoadClient[]> {
  const clients: LoadClient[] = []
  for (let number = 0; number < keysEach; number++) {
    clients.push(
      ...(await Promise.all(
        organisations.map(async (organisation) => {
          const { key } = await createKey(fleet.database, organisation.id, { scopes: ['full'] }, scopeCatalogue)
          return { organisation, key, invoiceId: await createInvoice(origin, organisation, key) }
        }),
      )),
    )
  }
  return clients
}

async function createInvoice(origin: string, { id, customers }: Organisation, key: string): Promise<string> {
  const response = await fetch(`${origin}/api/v1/organisations/${id}/invoices`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ customerId: customers[0]!.id, lineItems: [{ name: 'Labour', unitPrice: 100 }] }),
  })
  if (!response.ok) throw new Error(`No invoice: ${await response.text()}`)
  const { data } = (await response.json()) as { data: { id: string } }
  return data.id
}

const generator = fileURLToPath(new URL('load-generator.ts', import.meta.url))
/** Starting, connecting and the last answers take a moment; a service that hangs must not block the trial. */
const timeoutGraceMs = 120_000

async function runGenerator(load: Load, log: (text: string) => void): Promise<LoadResult> {
  const child = fork(generator)
  const { promise, resolve } = Promise.withResolvers<LoadResult>()
  child.on('message', (message: Message) => {
    if ('outcome' in message) return resolve(message.outcome)
    const { sent, answered, failed } = message.progress
    const left = Math.max(0, Math.round(load.seconds - sent / load.requestsPerSecond))
    log(`${answered.toLocaleString('en-GB')} answered, ${sent - answered} under way, ${failed} failed; ${left} s left`)
  })
  try {
    child.send(load)
    const result = await Promise.race([
      promise,
      once(child, 'exit').then(() => undefined),
      delay(load.seconds * 1_000 + timeoutGraceMs, undefined, { ref: false }),
    ])
    if (!result) throw new Error('Timeout: the load generator did not come to an end')
    return result
  } finally {
    child.kill('SIGKILL')
  }
}

function errorResults(
  { requestsPerSecond, seconds }: LoadProfile,
  { errorStatuses, lost, unanswered }: LoadResult,
): Result[] {
  const total = (requestsPerSecond * seconds).toLocaleString('en-GB')
  const count = (test: (status: number) => boolean) =>
    Object.entries(errorStatuses).reduce((sum, [status, times]) => sum + (test(Number(status)) ? times : 0), 0)
  return [
    none(
      'answers 5xx',
      count((status) => status >= 500),
      total,
    ),
    none(
      'other answers that are no success',
      count((status) => status < 500),
      total,
    ),
    none('connections lost under a request', lost, total),
    none('requests without an answer', unanswered, total),
  ]
}

function latencyResults(
  { requestsPerSecond }: LoadProfile,
  { answered, seconds, reads, writes, warm }: LoadResult,
  megabytes: readonly number[],
): Result[] {
  return [
    atLeast('throughput: requests answered', requestsPerSecond, Math.round(answered / seconds), 'a second'),
    atMost('latency of reads, p99', readGoalMs, reads.p99Ms, 'ms'),
    atMost('latency of writes, p99', writeGoalMs, writes.p99Ms, 'ms'),
    atMost('memory of the server, last fifth against second fifth', memoryGrowthGoal, memoryGrowth(megabytes), 'times'),
    info('latency of reads after the first ten seconds', formatLatency(warm.reads)),
    info('latency of writes after the first ten seconds', formatLatency(warm.writes)),
  ]
}

const formatLatency = ({ count, p50Ms, p99Ms, maxMs }: LatencyStats) =>
  `p50 ${p50Ms.toFixed(1)} ms, p99 ${p99Ms.toFixed(1)} ms, max ${maxMs.toFixed(0)} ms, of ${count.toLocaleString('en-GB')}`
