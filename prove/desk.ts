// A hundred people look at one board while jobs are moved: each is told, and their pages are there.
import { setTimeout as delay } from 'node:timers/promises'
import { percentile } from '../bench/percentiles.ts'
import { createSessions, openDesks } from './desk-people.ts'
import { Fleet, type Shop } from './fleet.ts'
import { createHttpClient } from './http-client.ts'
import { startMeter } from './resource-meter.ts'
import { atMost, info, none, type Size, type Trial } from './trial.ts'
import { waitUntil } from './wait-until.ts'

interface Plan {
  readonly people: number
  /** Between one move and the next. */
  readonly everyMs: number
  readonly moves: number
}
const plans: Readonly<Record<Size, Plan>> = {
  whole: { people: 100, everyMs: 2_000, moves: 60 },
  short: { people: 20, everyMs: 400, moves: 8 },
}
const goals = { toldMs: 1_000, pageMs: 1_000 }
const waitTimeoutMs = 30_000
/** Each is moved again only when everybody has long been told of the last time. */
const jobsMoved = 10
/** What was written before is numbered, and told, by then. */
const settleMs = 1_000

export const deskTrial: Trial = {
  name: 'desk',
  title: 'A hundred people at one board',
  how:
    'The demo’s shop with a hundred members, each with the board and its live stream open. Every two seconds a job is moved to another ' +
    'status, sixty times; whoever is told fetches the board anew, as a browser does: a hundred pages at once after each move. The news is timed from when the move was sent.',
  needs: ['ps'],
  async run(size, log) {
    const plan = plans[size]
    await using fleet = await Fleet.start()
    const shop = await fleet.createDemoShop()
    const { origin, pid } = await fleet.startInstance()
    const people = openDesks(origin, shop.orgId, await createSessions(fleet, shop.orgId, plan.people))
    const meter = startMeter(pid, await fleet.postgresPid())
    try {
      await people.areAllOpen
      log(`${plan.people} streams are open`)
      const moves = await moveJobs(origin, shop, plan)
      const findNews = () =>
        moves.flatMap(({ id, at }) =>
          people.told.map((told) => told.find((news) => news.id === id && news.at >= at)?.at),
        )
      await waitUntil(() => findNews().every((at) => at !== undefined), 'all news', waitTimeoutMs).catch(() => {})
      const news = findNews()
      const lags = moves.flatMap(({ at }, index) =>
        news.slice(index * plan.people, (index + 1) * plan.people).flatMap((toldAt) => (toldAt ? [toldAt - at] : [])),
      )
      await people.stop()
      const [server, postgres] = await meter.read()
      for (const text of people.failures.slice(0, 10)) log(text)
      const pages = people.pageLatenciesMs
      return [
        none('news that somebody was not told', news.length - lags.length, news.length.toLocaleString('en-GB')),
        none(
          'pages and streams that failed',
          people.failures.length,
          (pages.length + plan.people).toLocaleString('en-GB'),
        ),
        atMost('from a move to the news of it, p99', goals.toldMs, percentile(lags, 0.99), 'ms'),
        atMost('latency of pages, p95', goals.pageMs, percentile(pages, 0.95), 'ms'),
        info('pages fetched', `${pages.length.toLocaleString('en-GB')}, p50 ${percentile(pages, 0.5).toFixed(0)} ms`),
        info('memory of the server, max', `${Math.round(Math.max(...server!.megabytes))} MB`),
        info(
          'CPU cores used by server, PostgreSQL',
          `${server!.cpuCores.toFixed(2)}, ${postgres!.cpuCores.toFixed(2)}`,
        ),
      ]
    } finally {
      await people.stop()
    }
  },
}

/** One after the other, at a steady rate: which, and when each was sent. */
async function moveJobs(origin: string, { orgId, key }: Shop, { everyMs, moves }: Plan) {
  using client = createHttpClient(origin, { connections: 4 })
  const path = `/api/v1/organisations/${orgId}`
  const headers = { 'x-api-key': key }
  const call = async (method: string, at: string, body?: object) => {
    const answer = await client.call(method, path + at, { headers, ...(body && { body }) })
    if (answer.status !== 200 && answer.status !== 201)
      throw new Error(`${at}: ${answer.failure ?? JSON.stringify(answer.body)}`)
    return answer.body.data
  }
  const job = { customerName: 'Amara', serviceRequired: 'Screen is cracked' }
  const jobs = await Promise.all(Array.from({ length: jobsMoved }, () => call('POST', '/tickets', job)))
  await delay(settleMs)
  const sent: { readonly id: string; readonly at: number }[] = []
  for (let count = 0; count < moves; count++) {
    const { id } = jobs[count % jobsMoved]
    const status = count % (2 * jobsMoved) < jobsMoved ? 'In Progress' : 'Open'
    const startedAt = performance.now()
    await call('PUT', `/tickets/${id}/status`, { status })
    sent.push({ id, at: startedAt })
    await delay(Math.max(0, everyMs - (performance.now() - startedAt)))
  }
  return sent
}
