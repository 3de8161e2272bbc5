// Redis, which counts for all instances, is frozen, killed, emptied, and behind a network that has died.
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createKey, revokeKey } from '../../src/identity/keys.ts'
import type { Figure } from '../trial.ts'
import { none } from '../trial.ts'
import { ask, crowd, figures, recovery, serving as served, untilServing } from './callers.ts'
import { type Fault, type Scene, serving } from './scene.ts'

const waitMs = 1_000
const settings = (url: string) => ({ RATE_LIMIT_STORE: 'redis', REDIS_URL: url })

/** What happens to Redis, and back, with callers asking all along. */
async function without(
  fault: string,
  scene: Scene,
  url: string,
  { breaks, mends }: { breaks(): Promise<void> | void; mends(): Promise<void> | void },
): Promise<readonly Figure[]> {
  await using instance = await serving(scene, settings(url))
  const callers = crowd(instance.origin, scene.shop)
  await delay(500)
  await breaks()
  const from = performance.now()
  await delay(scene.size === 'short' ? 1_200 : 2_000)
  const to = performance.now()
  await mends()
  const ms = await untilServing(instance.origin, scene.shop)
  return [
    ...figures(fault, await callers.stop(), { waitMs, away: { kinds: [...served, 'readiness'], from, to } }),
    recovery(fault, ms),
  ]
}

export const frozen: Fault = async (scene) => {
  const redis = await scene.fleet.redis()
  return without('Redis frozen', scene, redis.url, {
    breaks: () => redis.signal('SIGSTOP'),
    mends: () => redis.signal('SIGCONT'),
  })
}

export const killed: Fault = async (scene) => {
  const redis = await scene.fleet.redis()
  return without('Redis killed', scene, redis.url, {
    async breaks() {
      redis.signal('SIGKILL')
      await redis.ended
    },
    mends: async () => void (await scene.fleet.redis(String(redis.port))),
  })
}

/** Nothing is refused and nothing arrives; and what was connected stays lost, as behind a firewall that has forgotten it. */
export const deadNetwork: Fault = async (scene) => {
  const redis = await scene.fleet.redis()
  let isDead = false
  const ends = new Set<Socket>()
  const lost = new WeakSet<Socket>()
  const relay = createServer((near) => {
    const far = connect(redis.port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      ends.add(from)
      if (isDead) lost.add(from)
      from.on('data', (bytes) => void (lost.has(from) || to.write(bytes)))
      from.on('close', () => to.destroy()).on('error', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const { port } = relay.address() as { port: number }
  try {
    return await without('Network to Redis dead', scene, `redis://127.0.0.1:${port}`, {
      breaks() {
        isDead = true
        for (const end of ends) lost.add(end)
      },
      mends() {
        isDead = false
      },
    })
  } finally {
    relay.close()
    for (const end of ends) end.destroy()
  }
}

/** The quota restarts; whoever was shut out stays out. */
export const emptied: Fault = async (scene) => {
  const fault = 'Redis emptied'
  const { fleet, shop } = scene
  const redis = await fleet.redis()
  const revoked = await createKey(fleet.database, shop.orgId, { scopes: ['full'] })
  await using instance = await serving(scene, { ...settings(redis.url), RATE_LIMIT_PER_MINUTE: '10' })
  const fresh = await createKey(fleet.database, shop.orgId, { scopes: ['full'] })
  const asFresh = () => ask(instance.origin, { ...shop, key: fresh.key }, 'read')
  const asRevoked = () => ask(instance.origin, { ...shop, key: revoked.key }, 'read')
  await asRevoked()
  await revokeKey(fleet.database, shop.orgId, revoked.id)
  while ((await asRevoked()).status === 200) await delay(10)
  const before = await times(20, asFresh)
  const client = new Redis(redis.url)
  await client.flushall()
  client.disconnect()
  const after = await times(20, asFresh)
  const shutOut = await times(20, asRevoked)
  const served = (answers: readonly { status: number }[]) => answers.filter(({ status }) => status === 200).length
  return [
    none(`${fault}: requests beyond a quota of 10 before`, Math.max(0, served(before) - 10), '20'),
    none(`${fault}: requests beyond, or short of, a new quota of 10`, Math.abs(served(after) - 10), '20'),
    none(
      `${fault}: answers to a revoked key other than 401`,
      shutOut.filter(({ status }) => status !== 401).length,
      '20',
    ),
  ]
}

async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let n = 0; n < count; n++) results.push(await work())
  return results
}
