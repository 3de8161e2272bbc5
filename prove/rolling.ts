// Instances behind a proxy, restarted one after the other and then replaced by the next version, while a shop works on.
import { setTimeout as delay } from 'node:timers/promises'
import { freePort, type Served } from '../test/programs.ts'
import { Fleet } from './fleet.ts'
import { type Outcome, startTraffic, type Traffic, written } from './traffic.ts'
import { atMost, exactly, none, type Trial } from './trial.ts'
import { nextVersion, slowTransaction, upgraded } from './upgrade.ts'

const rounds = { short: 1, whole: 6 }
const traffic = { short: { clients: 8, pauseMs: 10 }, whole: { clients: 16, pauseMs: 10 } }

export const rolling: Trial = {
  name: 'rolling',
  title: 'Instances are restarted and upgraded while everybody works on',
  how: `Two instances behind HAProxy, one PostgreSQL, one Redis; clients that keep their connections and write every fourth
time. The instances are restarted one after the other with SIGTERM, in rounds. Then two of a next version, whose migrations
add a column to every table, start at the same moment while a slow transaction holds one of the tables, take over, and the
old ones are stopped. A cut connection counts as a failed request; the proxy tries again only what reached nobody.`,
  needs: ['haproxy', 'redis-server'],
  async run(size, say) {
    await using fleet = await Fleet.start()
    const { url: REDIS_URL } = await fleet.redis()
    const [front, ...ports] = await Promise.all(Array.from({ length: 5 }, freePort))
    const origin = `http://127.0.0.1:${front}`
    const shared = {
      RATE_LIMIT_STORE: 'redis',
      REDIS_URL,
      REST_ORIGIN: origin,
      AUTH_URL: origin,
      TRUST_PROXY: '127.0.0.1/32',
    }
    const start = (PORT: string, root?: URL) => fleet.instance({ ...shared, PORT }, root ? { root } : {})
    const [oldPorts, newPorts] = [ports.slice(0, 2), ports.slice(2)]
    const old = await Promise.all(oldPorts.map((port) => start(port)))
    const proxy = await fleet.proxy(
      ports.map((port) => ({ port: Number(port) })),
      front,
    )
    const shop = await fleet.shop()
    const serving = (port: string) => until(() => proxy.isServing(Number(port)), `the proxy to take in ${port}`)

    const restarts = startTraffic(origin, shop, traffic[size])
    await warmedUp(restarts)
    let longestStopMs = 0
    for (let round = 1; round <= rounds[size]; round++) {
      for (const [place, port] of oldPorts.entries()) {
        longestStopMs = Math.max(longestStopMs, await stopped(old[place]!))
        old[place] = await start(port)
        await serving(port)
      }
      say(`round ${round} of ${rounds[size]}, ${restarts.answered()} answered`)
    }
    const restarted = await restarts.stop()

    await using next = await nextVersion(fleet.database)
    const upgrade = startTraffic(origin, shop, traffic[size])
    await warmedUp(upgrade)
    await Promise.all([slowTransaction(fleet.database), ...newPorts.map((port) => start(port, next.root))])
    await Promise.all(newPorts.map(serving))
    say(`the next version serves, ${upgrade.answered()} answered`)
    for (const instance of old) longestStopMs = Math.max(longestStopMs, await stopped(instance))
    await warmedUp(upgrade)
    const replaced = await upgrade.stop()
    const { runs, noted, waited } = await upgraded(fleet.database)

    return [
      ...figures('while restarted', restarted, say),
      ...figures('while upgraded', replaced, say),
      exactly('writes in the database', restarted.writes + replaced.writes, await written(fleet.database, shop)),
      atMost('longest way from SIGTERM to the end', 10_000, longestStopMs, 'ms'),
      exactly('migrations applied, each once', next.migrations, noted),
      exactly('times that the first of them ran', 1, runs),
      exactly('processes that waited for it', 1, waited),
    ]
  },
}

function figures(when: string, { answered, failed, failures, longestMs }: Outcome, say: (text: string) => void) {
  for (const failure of failures) say(`${when}: ${failure}`)
  const all = (answered + failed).toLocaleString('en-GB')
  return [
    none(`failed requests ${when}`, failed, all),
    atMost(`longest wait for an answer ${when}`, 5_000, longestMs, 'ms'),
  ]
}

async function stopped(instance: Served): Promise<number> {
  const begun = performance.now()
  const end = await instance.stop()
  if (end !== 0) throw new Error(`an instance ended with ${end}: ${instance.said().slice(-1_000)}`)
  return performance.now() - begun
}

/** Every client has had some answers since. */
async function warmedUp(running: Traffic): Promise<void> {
  const before = running.answered()
  await until(async () => running.answered() > before + 100, 'traffic')
}

async function until(isSo: () => Promise<boolean>, what: string): Promise<void> {
  for (const end = performance.now() + 90_000; !(await isSo()); await delay(20))
    if (performance.now() > end) throw new Error(`waited in vain for ${what}`)
}
