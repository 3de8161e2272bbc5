// PostgreSQL is away when the service starts, killed while it serves, and frozen.
import { setTimeout as delay } from 'node:timers/promises'
import { createKey } from '../../src/identity/keys.ts'
import { scopeCatalogue } from '../../src/resources/index.ts'
import { listProcesses } from '../resource-meter.ts'
import { none } from '../trial.ts'
import {
  faultResults,
  isUnavailable,
  measureRecovery,
  probe,
  recoveryResult,
  servingKinds,
  startBackgroundLoad,
} from './background-load.ts'
import { type Fault, startWarmInstance } from './context.ts'

const maxLatencyMs = 5_000

export const absentAtBoot: Fault = async ({ fleet, shop }) => {
  const fault = 'PostgreSQL absent at boot'
  await fleet.killPostgres()
  const instance = await fleet.startInstance({}, { until: 'live' })
  const load = startBackgroundLoad(instance.origin, shop)
  const from = performance.now()
  await delay(2_500)
  const to = performance.now()
  await fleet.startPostgres()
  const ms = await measureRecovery(instance.origin, shop)
  const answers = await load.stop()
  await instance.stop()
  return [
    ...faultResults(fault, answers, { maxLatencyMs, outage: { kinds: [...servingKinds, 'readiness'], from, to } }),
    recoveryResult(fault, ms),
  ]
}

export const killed: Fault = async (context) => {
  const fault = 'PostgreSQL killed while serving'
  await using instance = await startWarmInstance(context)
  const load = startBackgroundLoad(instance.origin, context.shop)
  await delay(500)
  await context.fleet.killPostgres()
  const from = performance.now()
  await delay(context.size === 'short' ? 1_000 : 2_000)
  const to = performance.now()
  await context.fleet.startPostgres()
  const ms = await measureRecovery(instance.origin, context.shop)
  const answers = await load.stop()
  return [
    ...faultResults(fault, answers, { maxLatencyMs, outage: { kinds: [...servingKinds, 'readiness'], from, to } }),
    recoveryResult(fault, ms),
  ]
}

export const frozen: Fault = async (context) => {
  const fault = 'PostgreSQL frozen'
  const { fleet, shop } = context
  await using instance = await startWarmInstance(context)
  const unusedKey = await createKey(fleet.database, shop.orgId, { scopes: ['full'] }, scopeCatalogue)
  const load = startBackgroundLoad(instance.origin, shop)
  await delay(500)
  const first = await fleet.postgresPid()
  process.kill(first, 'SIGSTOP') // it starts no other process from here on
  const processes = await withDescendants(first)
  for (const pid of processes) process.kill(pid, 'SIGSTOP')
  const from = performance.now()
  // A key that is not cached yet must be looked up, which is one more query that can hang.
  const pendingProbe = probe(instance.origin, { ...shop, key: unusedKey.key }, 'read')
  await delay(context.size === 'short' ? 5_500 : 7_000)
  const to = performance.now()
  for (const pid of processes) process.kill(pid, 'SIGCONT')
  const ms = await measureRecovery(instance.origin, shop)
  const probed = await pendingProbe
  const answers = [...(await load.stop()), probed]
  return [
    ...faultResults(fault, answers, { maxLatencyMs, outage: { kinds: [...servingKinds, 'readiness'], from, to } }),
    none(`${fault}: other answers than 503 to a key that was never used before`, isUnavailable(probed) ? 0 : 1, '1'),
    recoveryResult(fault, ms),
  ]
}

/** A process and all its descendants. */
async function withDescendants(ancestor: number): Promise<number[]> {
  const processes = await listProcesses()
  const found = [ancestor]
  for (const parent of found) for (const { pid, parent: its } of processes) if (its === parent) found.push(pid)
  return found
}
