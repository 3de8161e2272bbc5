// The release before is upgraded: its data folder, its processes and today's on one database, while a shop works on.
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client } from 'pg'
import { sql } from '../src/db/database.ts'
import { startEmbeddedPostgres } from '../src/db/embedded/launcher.ts'
import { migrationFiles } from '../src/db/migrate.ts'
import { createKey } from '../src/identity/keys.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import { freePort } from '../test/programs.ts'
import {
  findDifferences,
  readAll,
  readablePaths,
  readPath,
  releasedSkipReason,
  unpackReleased,
} from '../test/released.ts'
import { startReleasedShop } from '../test/released-shop.ts'
import { Fleet } from './fleet.ts'
import { insertLargeShop } from './old-rows.ts'
import { stopInstance, trafficResults, waitForTraffic } from './rolling.ts'
import { countWrites, startTraffic } from './traffic.ts'
import { atMost, exactly, none, type Trial } from './trial.ts'
import { waitUntil } from './wait-until.ts'

const jobs = { short: 500, whole: 100_000 }
const trafficOptions = { short: { clients: 4, pauseMs: 40 }, whole: { clients: 8, pauseMs: 20 } }
const waitTimeoutMs = 300_000

export const releaseUpgradeTrial: Trial = {
  name: 'upgrade',
  title: 'The release before is upgraded while everybody works on',
  how: `A data folder that the release before has made, with its demo and a shop of 100,000 jobs (200,000 messages, 50,000 invoices). Two
of its processes serve behind HAProxy when two of today's start at the same moment on the same database: one of those migrates, both take over, and the
old ones are stopped. Clients write every fourth time. What the demo's API answered before is compared with what it answers afterwards.`,
  needs: ['haproxy', 'redis-server', 'git'],
  skipReason: releasedSkipReason,
  async run(size, log) {
    await using cleanUp = new AsyncDisposableStack()
    const released = cleanUp.use(await unpackReleased())
    const dataDir = await mkdtemp(join(tmpdir(), 'jobwright-upgrade-'))
    cleanUp.defer(() => rm(dataDir, { recursive: true, force: true, maxRetries: 20 }))
    const { shop: demo, stop } = await startReleasedShop(released.root, dataDir)
    const before = await readAll(demo, await readablePaths(demo.origin))
    await stop()
    log(`the release before has answered ${Object.keys(before).length} questions about its demo`)

    const postgres = await startEmbeddedPostgres({ dataDir, mode: 'serve', settings: { max_connections: '200' } })
    cleanUp.defer(() => postgres.stop())
    const SECRETS_KEY = (await readFile(join(dataDir, 'secrets.key'), 'utf8')).trim()
    const fleet = cleanUp.use(await Fleet.on(postgres.connection, { SECRETS_KEY }))
    const client = new Client(postgres.connection)
    await client.connect()
    const orgId = await insertLargeShop(client, jobs[size])
    await client.end()
    const { key } = await createKey(fleet.database, orgId, { scopes: ['full'] }, scopeCatalogue)
    const shop = { orgId, key }
    log(`a shop of ${jobs[size].toLocaleString('en-GB')} jobs is there`)

    const { url: REDIS_URL } = await fleet.startRedis()
    const [front, ...ports] = await Promise.all(Array.from({ length: 5 }, freePort))
    const origin = `http://127.0.0.1:${front}`
    const proxied = { REST_ORIGIN: origin, AUTH_URL: origin, TRUST_PROXY: '127.0.0.1/32' }
    const shared = { ...proxied, RATE_LIMIT_STORE: 'redis', REDIS_URL, DEMO: 'off' }
    const [oldPorts, newPorts] = [ports.slice(0, 2), ports.slice(2)]
    const old = await Promise.all(
      oldPorts.map((PORT) => fleet.startInstance({ ...shared, PORT }, { root: released.root })),
    )
    const proxy = await fleet.startProxy(
      ports.map((port) => ({ port: Number(port) })),
      front,
    )
    const traffic = startTraffic(origin, shop, trafficOptions[size])
    await waitForTraffic(traffic)
    const startedAt = performance.now()
    await Promise.all(newPorts.map((PORT) => fleet.startInstance({ ...shared, PORT })))
    const upgradeSeconds = (performance.now() - startedAt) / 1_000
    for (const port of newPorts)
      await waitUntil(() => proxy.isServing(Number(port)), `the proxy to take in ${port}`, waitTimeoutMs)
    log(`today's version serves, ${traffic.answered()} answered`)
    for (const instance of old) await stopInstance(instance)
    await waitForTraffic(traffic)
    const outcome = await traffic.stop()

    const differences: string[] = []
    for (const [path, data] of Object.entries(before))
      differences.push(...findDifferences(data, await readPath({ ...demo, origin }, path), path))
    for (const text of differences.slice(0, 10)) log(text)
    const applied = await fleet.database.query(sql`select name from migrations`)
    return [
      ...trafficResults('while upgraded', outcome, log),
      exactly('writes in the database', outcome.writes, await countWrites(fleet.database, shop)),
      exactly('migrations applied, each once', (await migrationFiles()).length, applied.length),
      none('records that read otherwise than before', differences.length, `${Object.keys(before).length} answers`),
      atMost('until both of today’s version serve', 120, upgradeSeconds, 's'),
    ]
  },
}
