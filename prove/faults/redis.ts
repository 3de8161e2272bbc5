// Redis, which counts for all instances, is frozen, killed, emptied, and behind a network that has died.
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { createKey, revokeKey } from '../../src/identity/keys.ts'
import { scopeCatalogue } from '../../src/resources/index.ts'
import type { Result } from '../trial.ts'
import { none } from '../trial.ts'
import {
  faultResults,
  measureRecovery,
  probe,
  recoveryResult,
  servingKinds,
  startBackgroundLoad,
} from './background-load.ts'
import { type Fault, type FaultContext, startWarmInstance } from './context.ts'

const maxLatencyMs = 1_000
const settings = (url: string) => ({ RATE_LIMIT_STORE: 'redis', REDIS_URL: url })

/** Injects a fault into Redis and repairs it, under background load. */
async function withBrokenRedis(
  fault: string,
  context: FaultContext,
  url: string,
  { inject, repair }: { inject(): Promise<void> | void; repair(): Promise<void> | void },
): Promise<readonly Result[]> {
  await using instance = await startWarmInstance(context, settings(url))
  const load = startBackgroundLoad(instance.origin, context.shop)
  await delay(500)
  await inject()
  const from = performance.now()
  await delay(context.size === 'short' ? 1_200 : 2_000)
  const to = performance.now()
  await repair()
  const ms = await measureRecovery(instance.origin, context.shop)
  return [
    ...faultResults(fault, await load.stop(), {
      maxLatencyMs,
      outage: { kinds: [...servingKinds, 'readiness'], from, to },
    }),
    recoveryResult(fault, ms),
  ]
}

export const frozen: Fault = async (context) => {
  const redis = await context.fleet.startRedis()
  return withBrokenRedis('Redis frozen', context, redis.url, {
    inject: () => redis.signal('SIGSTOP'),
    repair: () => redis.signal('SIGCONT'),
  })
}

export const killed: Fault = async (context) => {
  const redis = await context.fleet.startRedis()
  return withBrokenRedis('Redis killed', context, redis.url, {
    async inject() {
      redis.signal('SIGKILL')
      await redis.exited
    },
    repair: async () => void (await context.fleet.startRedis(String(redis.port))),
  })
}

/** Nothing is refused and nothing arrives; and what was connected stays lost, as behind a firewall that has forgotten it. */
export const deadNetwork: Fault = async (context) => {
  const redis = await context.fleet.startRedis()
  let isDead = false
  const sockets = new Set<Socket>()
  const deadSockets = new WeakSet<Socket>()
  const relay = createServer((near) => {
    const far = connect(redis.port, '127.0.0.1')
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      if (isDead) deadSockets.add(from)
      from.on('data', (bytes) => void (deadSockets.has(from) || to.write(bytes)))
      from.on('close', () => to.destroy()).on('error', () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  const { port } = relay.address() as { port: number }
  try {
    return await withBrokenRedis('Network to Redis dead', context, `redis://127.0.0.1:${port}`, {
      inject() {
        isDead = true
        for (const end of sockets) deadSockets.add(end)
      },
      repair() {
        isDead = false
      },
    })
  } finally {
    relay.close()
    for (const end of sockets) end.destroy()
  }
}

/** The quota restarts; whoever was shut out stays out. */
export const flushed: Fault = async (context) => {
  const fault = 'Redis flushed'
  const { fleet, shop } = context
  const redis = await fleet.startRedis()
  const revoked = await createKey(fleet.database, shop.orgId, { scopes: ['full'] }, scopeCatalogue)
  await using instance = await startWarmInstance(context, { ...settings(redis.url), RATE_LIMIT_PER_MINUTE: '10' })
  const fresh = await createKey(fleet.database, shop.orgId, { scopes: ['full'] }, scopeCatalogue)
  const asFresh = () => probe(instance.origin, { ...shop, key: fresh.key }, 'read')
  const asRevoked = () => probe(instance.origin, { ...shop, key: revoked.key }, 'read')
  await asRevoked()
  await revokeKey(fleet.database, shop.orgId, revoked.id)
  while ((await asRevoked()).status === 200) await delay(10)
  const before = await times(20, asFresh)
  const client = new Redis(redis.url)
  await client.flushall()
  client.disconnect()
  const after = await times(20, asFresh)
  const revokedAnswers = await times(20, asRevoked)
  const countServed = (answers: readonly { status: number }[]) => answers.filter(({ status }) => status === 200).length
  return [
    none(`${fault}: requests beyond a quota of 10 before`, Math.max(0, countServed(before) - 10), '20'),
    none(`${fault}: requests beyond, or short of, a new quota of 10`, Math.abs(countServed(after) - 10), '20'),
    none(
      `${fault}: answers to a revoked key other than 401`,
      revokedAnswers.filter(({ status }) => status !== 401).length,
      '20',
    ),
  ]
}

async function times<T>(count: number, work: () => Promise<T>): Promise<T[]> {
  const results: T[] = []
  for (let n = 0; n < count; n++) results.push(await work())
  return results
}
