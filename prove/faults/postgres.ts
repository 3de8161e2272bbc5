// PostgreSQL is away when the service starts, killed while it serves, and frozen.
import { execFileSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { createKey } from '../../src/identity/keys.ts'
import { none } from '../trial.ts'
import { ask, crowd, figures, isUnavailable, recovery, serving as served, untilServing } from './callers.ts'
import { type Fault, serving } from './scene.ts'

const waitMs = 5_000

export const absentAtBoot: Fault = async ({ fleet, shop }) => {
  const fault = 'PostgreSQL absent at boot'
  await fleet.killPostgres()
  const instance = await fleet.instance({}, { until: 'live' })
  const callers = crowd(instance.origin, shop)
  const from = performance.now()
  await delay(2_500)
  const to = performance.now()
  await fleet.startPostgres()
  const ms = await untilServing(instance.origin, shop)
  const answers = await callers.stop()
  await instance.stop()
  return [
    ...figures(fault, answers, { waitMs, away: { kinds: [...served, 'readiness'], from, to } }),
    recovery(fault, ms),
  ]
}

export const killed: Fault = async (scene) => {
  const fault = 'PostgreSQL killed while serving'
  await using instance = await serving(scene)
  const callers = crowd(instance.origin, scene.shop)
  await delay(500)
  await scene.fleet.killPostgres()
  const from = performance.now()
  await delay(scene.size === 'short' ? 1_000 : 2_000)
  const to = performance.now()
  await scene.fleet.startPostgres()
  const ms = await untilServing(instance.origin, scene.shop)
  const answers = await callers.stop()
  return [
    ...figures(fault, answers, { waitMs, away: { kinds: [...served, 'readiness'], from, to } }),
    recovery(fault, ms),
  ]
}

export const frozen: Fault = async (scene) => {
  const fault = 'PostgreSQL frozen'
  const { fleet, shop } = scene
  await using instance = await serving(scene)
  const stranger = await createKey(fleet.database, shop.orgId, { scopes: ['full'] })
  const callers = crowd(instance.origin, shop)
  await delay(500)
  const processes = await withDescendants(await fleet.postgresPid())
  for (const pid of processes) process.kill(pid, 'SIGSTOP')
  const from = performance.now()
  // A key that nobody has used yet must be looked up, which is one thing more to wait for.
  const unknown = ask(instance.origin, { ...shop, key: stranger.key }, 'read')
  await delay(scene.size === 'short' ? 5_500 : 7_000)
  const to = performance.now()
  for (const pid of processes) process.kill(pid, 'SIGCONT')
  const ms = await untilServing(instance.origin, shop)
  const first = await unknown
  const answers = [...(await callers.stop()), first]
  return [
    ...figures(fault, answers, { waitMs, away: { kinds: [...served, 'readiness'], from, to } }),
    none(`${fault}: other answers than 503 to a key that was never used before`, isUnavailable(first) ? 0 : 1, '1'),
    recovery(fault, ms),
  ]
}

/** A process and all that came from it. */
function withDescendants(ancestor: number): number[] {
  const pairs = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/).map(Number))
  const found = [ancestor]
  for (const parent of found) for (const [pid, ppid] of pairs) if (ppid === parent) found.push(pid!)
  return found
}
