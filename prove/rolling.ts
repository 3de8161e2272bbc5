// Instances behind a proxy, restarted one after the other and then replaced by the next version, while a shop works on.
import { freePort, type ServerProcess } from '../test/programs.ts'
import { Fleet } from './fleet.ts'
import { countWrites, startTraffic, type Traffic, type TrafficResult } from './traffic.ts'
import { atMost, exactly, none, type Trial } from './trial.ts'
import { buildNextVersion, holdSlowTransaction, readUpgradeStats } from './upgrade.ts'
import { waitUntil } from './wait-until.ts'

const waitTimeoutMs = 90_000
const rounds = { short: 1, whole: 6 }
const trafficOptions = { short: { clients: 8, pauseMs: 40 }, whole: { clients: 16, pauseMs: 10 } }

export const rollingTrial: Trial = {
  name: 'rolling',
  title: 'Instances are restarted and upgraded while everybody works on',
  how: `Two instances behind HAProxy, one PostgreSQL, one Redis; clients that keep their connections and write every fourth
time. The instances are restarted one after the other with SIGTERM, in rounds. Then two of a next version, whose migrations
add a column to every table, start at the same moment while a slow transaction holds one of the tables, take over, and the
old ones are stopped. A cut connection counts as a failed request; the proxy retries only what reached nobody.`,
  needs: ['haproxy', 'redis-server'],
  async run(size, log) {
    await using fleet = await Fleet.start()
    const { url: REDIS_URL } = await fleet.startRedis()
    const [front, ...ports] = await Promise.all(Array.from({ length: 5 }, freePort))
    const origin = `http://127.0.0.1:${front}`
    const shared = {
      RATE_LIMIT_STORE: 'redis',
      REDIS_URL,
      REST_ORIGIN: origin,
      AUTH_URL: origin,
      TRUST_PROXY: '127.0.0.1/32',
    }
    const start = (PORT: string, root?: URL) => fleet.startInstance({ ...shared, PORT }, root ? { root } : {})
    const [oldPorts, newPorts] = [ports.slice(0, 2), ports.slice(2)]
    const old = await Promise.all(oldPorts.map((port) => start(port)))
    const proxy = await fleet.startProxy(
      ports.map((port) => ({ port: Number(port) })),
      front,
    )
    const shop = await fleet.createShop()
    const waitForProxy = (port: string) =>
      waitUntil(() => proxy.isServing(Number(port)), `the proxy to take in ${port}`, waitTimeoutMs)

    const restarts = startTraffic(origin, shop, trafficOptions[size])
    await waitForTraffic(restarts)
    let maxStopMs = 0
    for (let round = 1; round <= rounds[size]; round++) {
      for (const [index, port] of oldPorts.entries()) {
        maxStopMs = Math.max(maxStopMs, await stopInstance(old[index]!))
        old[index] = await start(port)
        await waitForProxy(port)
      }
      log(`round ${round} of ${rounds[size]}, ${restarts.answered()} answered`)
    }
    const restarted = await restarts.stop()

    await using next = await buildNextVersion(fleet.database)
    const upgrade = startTraffic(origin, shop, trafficOptions[size])
    await waitForTraffic(upgrade)
    await Promise.all([holdSlowTransaction(fleet.database), ...newPorts.map((port) => start(port, next.root))])
    await Promise.all(newPorts.map(waitForProxy))
    log(`the next version serves, ${upgrade.answered()} answered`)
    for (const instance of old) maxStopMs = Math.max(maxStopMs, await stopInstance(instance))
    await waitForTraffic(upgrade)
    const replaced = await upgrade.stop()
    const { runs, recorded, waited } = await readUpgradeStats(fleet.database)

    return [
      ...trafficResults('while restarted', restarted, log),
      ...trafficResults('while upgraded', replaced, log),
      exactly('writes in the database', restarted.writes + replaced.writes, await countWrites(fleet.database, shop)),
      atMost('longest shutdown time after SIGTERM', 10_000, maxStopMs, 'ms'),
      exactly('migrations applied, each once', next.migrations, recorded),
      exactly('times that the first of them ran', 1, runs),
      exactly('processes that waited for it', 1, waited),
    ]
  },
}

export function trafficResults(
  when: string,
  { answered, failed, failures, maxLatencyMs }: TrafficResult,
  log: (text: string) => void,
) {
  for (const failure of failures) log(`${when}: ${failure}`)
  const all = (answered + failed).toLocaleString('en-GB')
  return [none(`failed requests ${when}`, failed, all), atMost(`max latency ${when}`, 5_000, maxLatencyMs, 'ms')]
}

export async function stopInstance(instance: ServerProcess): Promise<number> {
  const startedAt = performance.now()
  const exitCode = await instance.stop()
  if (exitCode !== 0) throw new Error(`an instance ended with ${exitCode}: ${instance.output().slice(-1_000)}`)
  return performance.now() - startedAt
}

/** Every client has had some answers since. */
export async function waitForTraffic(running: Traffic): Promise<void> {
  const before = running.answered()
  await waitUntil(() => running.answered() > before + 100, 'traffic', waitTimeoutMs)
}
