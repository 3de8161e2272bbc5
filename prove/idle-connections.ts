// Ten thousand idle connections and a thousand clients that never finish a request: the latency of all others must not
// suffer.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { get } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { percentile } from '../bench/percentiles.ts'
import { serializeRequest } from '../bench/raw-http.ts'
import type { ServerProcess } from '../test/programs.ts'
import type { Command, CommandReply } from './connection-clients.ts'
import { Fleet, type Shop } from './fleet.ts'
import { residentMegabytes } from './resource-meter.ts'
import { atLeast, atMost, info, none, type Result, type Size, type Trial } from './trial.ts'

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
/** The service checks its timeouts every five seconds, and a second is allowed for the answer. */
const headGoalSeconds = 10 + 5 + 1
const bodyGoalSeconds = 30 + 5 + 1
/** The timeout of the trial for the slow clients. */
const slowClientTimeoutSeconds = 60
const latencyGoalMs = 50
const requestIntervalMs = 20
/** Ten thousand who leave at the same moment keep the server busy for most of a second. */
const disconnectSettleMs = 3_000

export const idleTrial: Trial = {
  name: 'idle',
  title: 'Idle and slow connections',
  how:
    '10,000 connections send one request and then stay idle for 30 s; then 500 clients send their headers and 500 ' +
    'their body a byte a second and never finish. All the while another client sends fifty requests a second, each on a ' +
    'new connection, and now and then one on an idle connection.',
  needs: ['ps'],
  async run(size, log) {
    const plan = plans[size]
    await using fleet = await Fleet.start()
    const server = await fleet.startInstance()
    const shop = await fleet.createShop()
    await requestStatus(server, shop) // the first request fills caches
    const results = await measureIdleConnections(plan, size, server, shop, log)
    await delay(disconnectSettleMs)
    return [...results, ...(await measureSlowClients(plan, size, server, shop, log))]
  },
}

async function measureIdleConnections(
  plan: Plan,
  size: Size,
  server: ServerProcess,
  shop: Shop,
  log: Log,
): Promise<Result[]> {
  using clientPool = startClients(plan.processes)
  const memoryBefore = await residentMegabytes(server.pid)
  const request = serializeRequest(listRequest(shop), server.port)
  const perProcess = plan.idle / plan.processes
  log(`opening ${plan.idle.toLocaleString('en-GB')} connections`)
  const openReplies = await Promise.all(
    clientPool.clients.map((one) => sendCommand(one, { hold: perProcess, port: server.port, request })),
  )
  for (const { failures } of openReplies as { failures: readonly string[] }[]) for (const text of failures) log(text)
  log(`holding them for ${plan.holdSeconds} s`)
  const otherRequests = measureOtherRequests(server, shop)
  const idleStatuses: number[] = []
  const until = performance.now() + plan.holdSeconds * 1_000
  for (let turn = 0; performance.now() < until; turn++) {
    const answer = await sendCommand(clientPool.clients[turn % plan.processes]!, { ask: true })
    idleStatuses.push((answer as { status: number }).status)
    await delay(100)
  }
  const memoryDuring = await residentMegabytes(server.pid)
  const counts = await Promise.all(clientPool.clients.map((one) => sendCommand(one, { count: true })))
  const open = counts.reduce((sum, answer) => sum + (answer as { open: number }).open, 0)
  return [
    atLeast('idle connections kept', plan.idle, open),
    none(
      'requests on an idle connection that failed',
      idleStatuses.filter((status) => status !== 200).length,
      String(idleStatuses.length),
    ),
    ...(await otherRequests.results('beside the idle', size)),
    info(
      'memory of the server before and with the idle',
      `${Math.round(memoryBefore)} MB, ${Math.round(memoryDuring)} MB`,
    ),
  ]
}

async function measureSlowClients(
  plan: Plan,
  size: Size,
  server: ServerProcess,
  shop: Shop,
  log: Log,
): Promise<Result[]> {
  using clientPool = startClients(2)
  const total = plan.slow[0] + plan.slow[1]
  const { path, headers } = listRequest(shop)
  const head = `POST ${path} HTTP/1.1\r\nHost: 127.0.0.1:${server.port}\r\nX-API-Key: ${headers['X-API-Key']}\r\n`
  const beginnings = [`${head}X-Slow: a`, `${head}Content-Type: application/json\r\nContent-Length: 100000\r\n\r\n{"`]
  log(`${total} slow clients`)
  const otherRequests = measureOtherRequests(server, shop)
  const cuts = clientPool.clients.map((one, index) => {
    const cutClients: { cutAfterMs: number; status: number }[] = []
    one.on('message', (answer: CommandReply) => {
      if ('cutAfterMs' in answer) cutClients.push(answer)
    })
    one.send({ drip: plan.slow[index]!, port: server.port, beginning: beginnings[index]! } satisfies Command)
    return cutClients
  })
  for (let second = 1; second <= slowClientTimeoutSeconds && cuts.flat().length < total; second++) {
    await delay(1_000)
    if (second % 10 === 0) log(`${cuts.flat().length} of ${total} cut after ${second} s`)
  }
  const [heads, bodies] = cuts
  const cutWithout408 = cuts.flat().filter(({ status }) => status !== 408).length
  const maxSeconds = (of: typeof heads) => Math.max(0, ...of!.map(({ cutAfterMs }) => cutAfterMs)) / 1_000
  return [
    ...(await otherRequests.results('beside the slow', size)),
    none('slow clients that were never cut', total - cuts.flat().length, String(total)),
    none('slow clients cut without 408', cutWithout408, String(total)),
    ...(size === 'whole'
      ? [
          atMost('timeout for headers without an end', headGoalSeconds, maxSeconds(heads), 's'),
          atMost('timeout for a body without an end', bodyGoalSeconds, maxSeconds(bodies), 's'),
        ]
      : []),
  ]
}

type Log = (text: string) => void

const listRequest = ({ orgId, key }: Shop) => ({
  method: 'GET' as const,
  path: `/api/v1/organisations/${orgId}/customers`,
  headers: { 'X-API-Key': key },
})

const clientsFile = fileURLToPath(new URL('connection-clients.ts', import.meta.url))

function startClients(processes: number): Disposable & { readonly clients: readonly ChildProcess[] } {
  const clients = Array.from({ length: processes }, () => fork(clientsFile))
  return {
    clients,
    [Symbol.dispose]() {
      for (const one of clients) one.kill('SIGKILL')
    },
  }
}

const replyTimeoutMs = 120_000

async function sendCommand(client: ChildProcess, command: Command): Promise<CommandReply> {
  const signal = AbortSignal.timeout(replyTimeoutMs)
  const answer = once(client, 'message', { signal })
  client.send(command)
  return (await answer)[0]
}

/** Requests of others, on a new connection each time. */
function measureOtherRequests(server: ServerProcess, shop: Shop) {
  const latencies: number[] = []
  const pending = new Set<Promise<void>>()
  let failed = 0
  const timer = setInterval(() => {
    const startedAt = performance.now()
    const request = requestStatus(server, shop).then((status) => {
      if (status !== 200) failed++
      latencies.push(performance.now() - startedAt)
      pending.delete(request)
    })
    pending.add(request)
  }, requestIntervalMs)
  return {
    async results(beside: string, size: Size): Promise<Result[]> {
      clearInterval(timer)
      await Promise.all(pending)
      const p99 = percentile(latencies, 0.99)
      const what = `latency of others ${beside}, p99`
      return [
        none(`requests of others ${beside} that failed`, failed, String(latencies.length)),
        size === 'whole' ? atMost(what, latencyGoalMs, p99, 'ms') : info(what, `${p99.toFixed(1)} ms`),
      ]
    },
  }
}

/** The status, or 0 where none came. */
function requestStatus({ origin }: ServerProcess, shop: Shop): Promise<number> {
  const { path, headers } = listRequest(shop)
  return new Promise((resolve) => {
    get(`${origin}${path}`, { agent: false, headers, timeout: 30_000 }, (response) => {
      response.resume().once('end', () => resolve(response.statusCode ?? 0))
    })
      .once('timeout', () => resolve(0))
      .once('error', () => resolve(0))
  })
}
