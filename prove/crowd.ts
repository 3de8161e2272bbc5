// A crowd at the door: ten thousand connections that say nothing, a thousand clients that never come to an end, and
// everybody else, who must not notice.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { httpText } from '../bench/wire.ts'
import type { Served } from '../test/programs.ts'
import type { Answer, Order } from './crowd-clients.ts'
import { Fleet, type Shop } from './fleet.ts'
import { megabytesOf } from './meter.ts'
import { atLeast, atMost, type Figure, none, type Size, type Trial, told } from './trial.ts'

interface Plan {
  readonly processes: number
  readonly idle: number
  readonly holdSeconds: number
  /** Clients that never end their headers, and clients that never end their body. */
  readonly slow: readonly [heads: number, bodies: number]
}
const plans: Readonly<Record<Size, Plan>> = {
  whole: { processes: 4, idle: 10_000, holdSeconds: 30, slow: [500, 500] },
  short: { processes: 2, idle: 400, holdSeconds: 2, slow: [40, 0] },
}
/** The service looks for the slow every five seconds, and a second is allowed for what they are told. */
const headGoalSeconds = 10 + 5 + 1
const bodyGoalSeconds = 30 + 5 + 1
/** How long the slow are waited for. */
const patienceSeconds = 60
const waitGoalMs = 50
const askEveryMs = 20
/** Ten thousand who leave at the same moment keep the server busy for most of a second. */
const partingMs = 3_000

export const idle: Trial = {
  name: 'idle',
  title: 'Idle and slow connections',
  how:
    '10,000 connections ask once and are then kept for 30 s without a word; then 500 clients send their headers and 500 ' +
    'their body a byte a second and never come to an end. All the while somebody else asks fifty times a second, each ' +
    'time on a new connection, and now and then somebody on one of the idle ones.',
  needs: ['ps'],
  async run(size, say) {
    const plan = plans[size]
    await using fleet = await Fleet.start()
    const server = await fleet.instance()
    const shop = await fleet.shop()
    await asked(server, shop) // what the first request has to fetch is not the crowd's doing
    const figures = await idleOnes(plan, size, server, shop, say)
    await delay(partingMs)
    return [...figures, ...(await slowOnes(plan, size, server, shop, say))]
  },
}

async function idleOnes(plan: Plan, size: Size, server: Served, shop: Shop, say: Say): Promise<Figure[]> {
  using crowd = crowdOf(plan.processes)
  const before = await megabytesOf(server.pid)
  const request = httpText(requestOf(shop), server.port)
  const each = plan.idle / plan.processes
  say(`opening ${plan.idle.toLocaleString('en-GB')} connections`)
  const opened = await Promise.all(crowd.clients.map((one) => reply(one, { hold: each, port: server.port, request })))
  for (const { failures } of opened as { failures: readonly string[] }[]) for (const text of failures) say(text)
  say(`holding them for ${plan.holdSeconds} s`)
  const others = watchOthers(server, shop)
  const onIdle: number[] = []
  const until = performance.now() + plan.holdSeconds * 1_000
  for (let turn = 0; performance.now() < until; turn++) {
    const answer = await reply(crowd.clients[turn % plan.processes]!, { ask: true })
    onIdle.push((answer as { status: number }).status)
    await delay(100)
  }
  const during = await megabytesOf(server.pid)
  const counts = await Promise.all(crowd.clients.map((one) => reply(one, { count: true })))
  const open = counts.reduce((sum, answer) => sum + (answer as { open: number }).open, 0)
  return [
    atLeast('idle connections kept', plan.idle, open),
    none(
      'requests on an idle connection that failed',
      onIdle.filter((status) => status !== 200).length,
      String(onIdle.length),
    ),
    ...(await others.figures('beside the idle', size)),
    told('memory of the server before and with the idle', `${Math.round(before)} MB, ${Math.round(during)} MB`),
  ]
}

async function slowOnes(plan: Plan, size: Size, server: Served, shop: Shop, say: Say): Promise<Figure[]> {
  using crowd = crowdOf(2)
  const total = plan.slow[0] + plan.slow[1]
  const { path, headers } = requestOf(shop)
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX-API-Key: ${headers['X-API-Key']}\r\n`
  const beginnings = [`${head}X-Slow: a`, `${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"`]
  say(`${total} slow clients`)
  const others = watchOthers(server, shop)
  const cuts = crowd.clients.map((one, index) => {
    const seen: { cutAfterMs: number; status: number }[] = []
    one.on('message', (answer: Answer) => {
      if ('cutAfterMs' in answer) seen.push(answer)
    })
    one.send({ drip: plan.slow[index]!, port: server.port, beginning: beginnings[index]! } satisfies Order)
    return seen
  })
  for (let second = 1; second <= patienceSeconds && cuts.flat().length < total; second++) {
    await delay(1_000)
    if (second % 10 === 0) say(`${cuts.flat().length} of ${total} cut after ${second} s`)
  }
  const [heads, bodies] = cuts
  const notTold = cuts.flat().filter(({ status }) => status !== 408).length
  const longest = (of: typeof heads) => Math.max(0, ...of!.map(({ cutAfterMs }) => cutAfterMs)) / 1_000
  return [
    ...(await others.figures('beside the slow', size)),
    none('slow clients that were never cut', total - cuts.flat().length, String(total)),
    none('slow clients cut without being told 408', notTold, String(total)),
    ...(size === 'whole'
      ? [
          atMost('headers without an end are cut after', headGoalSeconds, longest(heads), 's'),
          atMost('a body without an end is cut after', bodyGoalSeconds, longest(bodies), 's'),
        ]
      : []),
  ]
}

type Say = (text: string) => void

const requestOf = ({ orgId, key }: Shop) => ({
  method: 'GET' as const,
  path: `/api/v1/organisations/${orgId}/customers`,
  headers: { 'X-API-Key': key },
})

const clientsFile = fileURLToPath(new URL('crowd-clients.ts', import.meta.url))

function crowdOf(processes: number): Disposable & { readonly clients: readonly ChildProcess[] } {
  const clients = Array.from({ length: processes }, () => fork(clientsFile))
  return {
    clients,
    [Symbol.dispose]() {
      for (const one of clients) one.kill('SIGKILL')
    },
  }
}

const replyLimitMs = 120_000

async function reply(client: ChildProcess, order: Order): Promise<Answer> {
  const signal = AbortSignal.timeout(replyLimitMs)
  const answer = once(client, 'message', { signal })
  client.send(order)
  return (await answer)[0]
}

/** Somebody who has nothing to do with the crowd, on a new connection each time. */
function watchOthers(server: Served, shop: Shop) {
  const waits: number[] = []
  const pending = new Set<Promise<void>>()
  let failed = 0
  const timer = setInterval(() => {
    const since = performance.now()
    const one = asked(server, shop).then((status) => {
      if (status !== 200) failed++
      waits.push(performance.now() - since)
      pending.delete(one)
    })
    pending.add(one)
  }, askEveryMs)
  return {
    async figures(beside: string, size: Size): Promise<Figure[]> {
      clearInterval(timer)
      await Promise.all(pending)
      const sorted = waits.toSorted((a, b) => a - b)
      const p99 = sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN
      const what = `wait of others ${beside}, 99 in 100`
      return [
        none(`requests of others ${beside} that failed`, failed, String(waits.length)),
        size === 'whole' ? atMost(what, waitGoalMs, p99, 'ms') : told(what, `${p99.toFixed(1)} ms`),
      ]
    },
  }
}

/** The status, or 0 where none came. */
function asked({ origin }: Served, shop: Shop): Promise<number> {
  const { path, headers } = requestOf(shop)
  return new Promise((resolve) => {
    get(`${origin}${path}`, { agent: false, headers, timeout: 30_000 }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
      .once('timeout', () => resolve(0))
      .once('error', () => resolve(0))
  })
}
