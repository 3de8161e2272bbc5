// The load: a thousand requests a second from a thousand keys for ten minutes, and how long each of them had to wait.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { type Amount, fullAmount, loadData, type Organisation } from '../bench/data.ts'
import { createKey } from '../src/identity/keys.ts'
import { Fleet } from './fleet.ts'
import type { Load, Message, Outcome, Waits } from './load-generator.ts'
import { type Caller, requestsOf } from './load-requests.ts'
import { watch } from './meter.ts'
import { atLeast, atMost, type Figure, none, type Size, type Trial, told } from './trial.ts'

interface Pace {
  readonly amount: Amount
  readonly keysEach: number
  readonly perSecond: number
  readonly seconds: number
  readonly connections: number
}
/** A thousand keys at sixty requests a minute each stay below the quota of a hundred. */
const paces: Readonly<Record<Size, Pace>> = {
  whole: { amount: fullAmount, keysEach: 50, perSecond: 1_000, seconds: 600, connections: 100 },
  short: {
    amount: { organisations: 6, customersEach: 500 },
    keysEach: 50,
    perSecond: 300,
    seconds: 20,
    connections: 20,
  },
}
const requestCount = 20_000
const readGoalMs = 50
const writeGoalMs = 100
const growthGoal = 1.15

export const load: Trial = {
  name: 'load',
  title: 'Load',
  how:
    '1,000 requests a second for ten minutes from 1,000 keys of 20 organisations with 100,000 customers, over 100 ' +
    'connections, on one instance with the default quota. Four in five read (customers, jobs with their lines, lists, ' +
    'searches, totals, messages), one in five writes (customers, jobs, messages, payments, status changes). Each request ' +
    'has its moment on a fixed beat, and its wait counts from that moment, whether it could be sent by then or not.',
  needs: ['ps'],
  async run(size, say) {
    const pace = paces[size]
    await using fleet = await Fleet.start({ RATE_LIMIT_PER_MINUTE: '100' })
    say(`loading ${(pace.amount.organisations * pace.amount.customersEach).toLocaleString('en-GB')} customers`)
    const organisations = await loadData(fleet.connection, pace.amount)
    const { origin, port, pid } = await fleet.instance()
    const callers = await callersOf(fleet, origin, organisations, pace.keysEach)
    say(`${callers.length} keys, ${pace.perSecond} requests a second for ${pace.seconds} s`)
    const meter = watch(pid, await fleet.postgresPid())
    const requests = requestsOf(callers, requestCount, port)
    const outcome = await generated({ port, requests, ...pace }, say)
    const [server, postgres] = await meter.read()
    for (const [work, waits] of Object.entries(outcome.byWork)) say(`${work}: ${words(waits)}`)
    for (const complaint of outcome.complaints) say(complaint)
    return [
      ...counted(pace, outcome),
      ...(size === 'whole' ? timed(pace, outcome, server!.megabytes) : []),
      told('waits of reads', words(outcome.reads)),
      told('waits of writes', words(outcome.writes)),
      told('memory of the server, most', `${Math.round(Math.max(...server!.megabytes))} MB`),
      told(
        'processors used by server, PostgreSQL, load',
        [server!, postgres!, outcome].map(({ processors }) => processors.toFixed(2)).join(', '),
      ),
    ]
  },
}

/** One key after another of each organisation in turn, each with an invoice of its own. */
async function callersOf(
  fleet: Fleet,
  origin: string,
  organisations: readonly Organisation[],
  keysEach: number,
): Promise<readonly Caller[]> {
  const callers: Caller[] = []
  for (let number = 0; number < keysEach; number++) {
    callers.push(
      ...(await Promise.all(
        organisations.map(async (organisation) => {
          const { key } = await createKey(fleet.database, organisation.id, { scopes: ['full'] })
          return { organisation, key, invoiceId: await invoiced(origin, organisation, key) }
        }),
      )),
    )
  }
  return callers
}

async function invoiced(origin: string, { id, customers }: Organisation, key: string): Promise<string> {
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
/** Starting, connecting and the last answers take a moment; a service that hangs must not hold the trial. */
const graceMs = 120_000

async function generated(load: Load, say: (text: string) => void): Promise<Outcome> {
  const child = fork(generator)
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  child.on('message', (message: Message) => {
    if ('outcome' in message) return resolve(message.outcome)
    const { sent, answered, failed } = message.progress
    const left = Math.max(0, Math.round(load.seconds - sent / load.perSecond))
    say(`${answered.toLocaleString('en-GB')} answered, ${sent - answered} under way, ${failed} failed; ${left} s left`)
  })
  try {
    child.send(load)
    const outcome = await Promise.race([
      promise,
      once(child, 'exit').then(() => undefined),
      delay(load.seconds * 1_000 + graceMs, undefined, { ref: false }),
    ])
    if (!outcome) throw new Error('The load generator did not come to an end')
    return outcome
  } finally {
    child.kill('SIGKILL')
  }
}

function counted({ perSecond, seconds }: Pace, { refused, lost, unanswered }: Outcome): Figure[] {
  const total = (perSecond * seconds).toLocaleString('en-GB')
  const count = (test: (status: number) => boolean) =>
    Object.entries(refused).reduce((sum, [status, times]) => sum + (test(Number(status)) ? times : 0), 0)
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

function timed(
  { perSecond }: Pace,
  { answered, seconds, reads, writes }: Outcome,
  megabytes: readonly number[],
): Figure[] {
  return [
    atLeast('requests answered', perSecond, Math.round(answered / seconds), 'a second'),
    atMost('wait of reads, 99 in 100', readGoalMs, reads.p99Ms, 'ms'),
    atMost('wait of writes, 99 in 100', writeGoalMs, writes.p99Ms, 'ms'),
    atMost('memory of the server, last fifth against second fifth', growthGoal, growth(megabytes), 'times'),
  ]
}

/** The first fifth is left out: there it is still warming up. */
function growth(megabytes: readonly number[]): number {
  const fifth = Math.floor(megabytes.length / 5)
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  return Math.round((mean(megabytes.slice(-fifth)) / mean(megabytes.slice(fifth, 2 * fifth))) * 100) / 100
}

const words = ({ count, p50Ms, p99Ms, mostMs }: Waits) =>
  `half ≤ ${p50Ms.toFixed(1)} ms, 99 in 100 ≤ ${p99Ms.toFixed(1)} ms, most ${mostMs.toFixed(0)} ms, of ${count.toLocaleString('en-GB')}`
