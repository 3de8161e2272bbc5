// One shop does its worst within its quota, another works beside it: no error, no long wait, and its mail leaves.
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { watchStolen } from '../../bench/machine.ts'
import { limits, startReplicas } from '../deployment.ts'
import { Fleet } from '../fleet.ts'
import { atMost, info, none, type Result, type Size, type Trial } from '../trial.ts'
import type { AttackCommand, AttackReply } from './attacker-process.ts'
import { type Attack, attacks } from './attacks.ts'
import { createVictim, type P99, p99, type Victim, type VictimResult } from './victim.ts'

interface Plan {
  readonly attacks: readonly Attack[]
  /** Before and after the attack is prepared, and again until two agree, so many times at most. */
  readonly aloneSeconds: number
  readonly maxAloneRuns: number
  readonly restSeconds: number
  /** What happens by chance decides the p99 of one time; that of several says what the neighbour does. */
  readonly attackRuns: number
  /** As many more as the host disturbs, up to so many in all. */
  readonly maxAttackRuns: number
  readonly attackSeconds: number
}
const plans: Readonly<Record<Size, Plan>> = {
  whole: {
    attacks,
    aloneSeconds: 20,
    maxAloneRuns: 6,
    restSeconds: 5,
    attackRuns: 3,
    maxAttackRuns: 8,
    attackSeconds: 40,
  },
  short: {
    attacks: attacks.slice(1, 2),
    aloneSeconds: 1,
    maxAloneRuns: 2,
    restSeconds: 0,
    attackRuns: 1,
    maxAttackRuns: 1,
    attackSeconds: 4,
  },
}
const requestIntervalMs = 25
const mailIntervalSeconds = 20
/** How much slower a neighbour may make the slowest hundredth of the requests. */
const maxSlowdown = 3
const mailGoalSeconds = 60
/** Two times alone that differ by more say nothing: the machine has other work. */
const maxDifferenceAlone = 1.5
/** What the host of a virtual machine takes is no neighbour of ours: an attack meanwhile is repeated. */
const maxStolen = 0.005

export const neighboursTrial: Trial = {
  name: 'neighbours',
  title: 'Neighbours',
  how: `Two shops on one instance, then on two behind HAProxy. One sends forty requests a second (reads, lists, searches,
new customers and jobs) and every ${mailIntervalSeconds} seconds a mail with its PDF; the other attacks with three keys of ${limits.perMinute} requests a minute each, as many at
once as it says, again as soon as the quota allows. Each attack has a database and instances of its own; the first shop is
measured there alone, before and after the attack is prepared and until two times agree, then beside such attacks one after the other, of ${plans.whole.attackSeconds} seconds and three new keys each, until the
host gave less than ${toPercent(maxStolen)} to others in ${plans.whole.attackRuns} of them, ${plans.whole.maxAttackRuns} at most. Errors and mail are counted in all of them, times in the ${plans.whole.attackRuns} in which the host gave least. The attacker and the mail server run at the lowest
priority: elsewhere they are other machines.`,
  needs: ['haproxy', 'redis-server'],
  async run(size, log) {
    using mail = await startMail()
    const { arrived } = mail
    const settings = { SMTP_URL: mail.url, MAIL_FROM: 'office@jobs.example' }
    const { attacks, ...seconds } = plans[size]
    const results: Result[] = []
    for (const attack of attacks) {
      await using fleet = await Fleet.start({ ...settings, RATE_LIMIT_PER_MINUTE: String(limits.perMinute) })
      const { origin } = await fleet.startInstance()
      results.push(...(await measure(attack, seconds, fleet, { name: 'one instance', origin, arrived }, log)))
    }
    if (size === 'short') return results
    for (const attack of attacks) {
      await using fleet = await Fleet.start(settings)
      const { proxyOrigin, name } = await startReplicas(fleet, (await fleet.startRedis()).url)
      results.push(...(await measure(attack, seconds, fleet, { name, origin: proxyOrigin, arrived }, log)))
    }
    return results
  },
}

interface Place {
  readonly name: string
  readonly origin: string
  /** The recipients of all mail that arrived. */
  readonly arrived: ReadonlySet<string>
}

async function measure(
  attack: Attack,
  seconds: Omit<Plan, 'attacks'>,
  fleet: Fleet,
  { name, origin, arrived }: Place,
  log: (text: string) => void,
): Promise<Result[]> {
  using victim = await createVictim(fleet, origin)
  const run = (seconds: number) => runFor(victim, seconds, arrived)
  await run(2) // the first requests fill caches
  const stolenAlone = watchStolen()
  const runsAlone = [await run(seconds.aloneSeconds)]
  using attacker = startAttacker()
  await attacker.send({ prepare: attack.name, origin, connection: fleet.connection })
  await delay(seconds.restSeconds * 1_000) // what the preparation left to the worker
  do runsAlone.push(await run(seconds.aloneSeconds))
  while (!aloneOf(runsAlone).isSteady && runsAlone.length < seconds.maxAloneRuns)
  const alone = aloneOf(runsAlone)
  const sharesStolen = [stolenAlone()]
  const all: VictimRun[] = []
  const statuses = new Map<number, number>()
  while (all.filter(isQuiet).length < seconds.attackRuns && all.length < seconds.maxAttackRuns) {
    await attacker.send({ attack: true })
    await delay(500)
    all.push(await run(seconds.attackSeconds))
    for (const [status, count] of (await attacker.send({ stop: true })) as Exclude<AttackReply, true>)
      statuses.set(status, (statuses.get(status) ?? 0) + count)
  }
  const attacked = all.toSorted((a, b) => (a.stolen ?? 0) - (b.stolen ?? 0)).slice(0, seconds.attackRuns)
  sharesStolen.push(...attacked.map(({ stolen }) => stolen))
  const mailSeconds = Math.max(...all.map((one) => one.mailSeconds))
  const what = `${name}, beside ${attack.name}:`
  log(
    `${what} ${describe(p99OfAll(attacked))}, each ${all.map((one) => `${describe(p99(one.latencies))} (host ${toPercent(one.stolen)})`).join('; ')} (alone ${describe(alone)}), mail ${mailSeconds.toFixed(1)} s; attacker ${[...statuses].map(([status, count]) => `${count} × ${status}`).join(', ')}`,
  )
  const serverErrors = all.reduce((sum, one) => sum + one.serverErrors, 0)
  const otherFailures = all.flatMap((one) => one.otherFailures)
  const answered = all.reduce((sum, one) => sum + one.answered, 0)
  const total = (answered + serverErrors + otherFailures.length).toLocaleString('en-GB')
  return [
    info(`${what} p99 alone`, describe(alone)),
    ...(sharesStolen.includes(undefined)
      ? []
      : [
          info(`${what} the host gave to others, alone and beside each attack`, sharesStolen.map(toPercent).join(', ')),
        ]),
    none(`${what} answers 5xx`, serverErrors, total),
    none(`${what} other failures`, otherFailures.length, total),
    slowdown(what, 'reads', alone, attacked),
    slowdown(what, 'writes', alone, attacked),
    atMost(`${what} a mail with its PDF arrives after`, mailGoalSeconds, mailSeconds, 's'),
  ]
}

async function startMail() {
  const server = fork(fileURLToPath(new URL('./mail-process.ts', import.meta.url)))
  const arrived = new Set<string>()
  const [{ url }] = (await once(server, 'message')) as [{ url: string }]
  server.on('message', ({ recipients }: { recipients: string[] }) => {
    for (const recipient of recipients) arrived.add(recipient)
  })
  return { url, arrived, [Symbol.dispose]: () => void server.kill() }
}

function startAttacker() {
  const attacker = fork(fileURLToPath(new URL('./attacker-process.ts', import.meta.url)))
  const ended = once(attacker, 'exit').then(([code]) => {
    throw new Error(`the attacker ended with ${code}`)
  })
  ended.catch(() => {}) // whoever waits for an answer hears of it
  return {
    async send(command: AttackCommand): Promise<AttackReply> {
      const answered = once(attacker, 'message')
      attacker.send(command)
      const [answer] = await Promise.race([answered, ended])
      return answer
    },
    [Symbol.dispose]: () => void attacker.kill(),
  }
}

interface VictimRun extends VictimResult {
  /** Until its slowest mail had arrived. */
  readonly mailSeconds: number
  /** Which share of all cores the host gave to others meanwhile, where it tells. */
  readonly stolen: number | undefined
}

const isQuiet = ({ stolen = 0 }: VictimRun) => stolen <= maxStolen

/** The same alone and beside others. */
async function runFor(victim: Victim, seconds: number, arrived: ReadonlySet<string>): Promise<VictimRun> {
  const stolenSince = watchStolen()
  const traffic = victim.start(requestIntervalMs)
  const mails: Promise<number>[] = []
  for (let left = seconds; left > 0; left -= mailIntervalSeconds) {
    mails.push(victim.mailSeconds(arrived))
    await delay(Math.min(left, mailIntervalSeconds) * 1_000)
  }
  const result = await traffic.stop()
  const stolen = stolenSince()
  return { ...result, stolen, mailSeconds: Math.max(...(await Promise.all(mails))) }
}

const p99OfAll = (runs: readonly VictimResult[]): P99 =>
  p99({
    reads: runs.flatMap(({ latencies }) => latencies.reads),
    writes: runs.flatMap(({ latencies }) => latencies.writes),
  })

interface Alone extends P99 {
  readonly isSteady: boolean
}

/** Of the two quietest times: what is slow by chance must not excuse what is slow beside others. */
function aloneOf(runs: readonly VictimResult[]): Alone {
  const reads = (run: VictimResult) => p99(run.latencies).reads
  const [first, second] = runs.toSorted((a, b) => reads(a) - reads(b)) as [VictimResult, VictimResult]
  return { ...p99OfAll([first, second]), isSteady: reads(second) <= maxDifferenceAlone * reads(first) }
}

function slowdown(what: string, kind: keyof P99, alone: Alone, attacked: readonly VictimRun[]): Result {
  const besideMs = p99OfAll(attacked)[kind]
  const times = (ms: number) => (ms / alone[kind]).toFixed(1)
  const each = attacked.map((run) => times(p99(run.latencies)[kind])).join(', ')
  const measured = `${times(besideMs)} × (${besideMs.toFixed(1)} ms), each attack ${each}`
  const isWithin = besideMs <= maxSlowdown * alone[kind]
  const isSteady = alone.isSteady && (isWithin || attacked.every(isQuiet))
  return {
    what: `${what} p99 of ${kind}`,
    goal: `≤ ${maxSlowdown} × alone`,
    measured: isSteady ? measured : `${measured}, but the machine was too unsteady to tell`,
    holds: isSteady && isWithin,
    isTimed: true,
  }
}

const describe = ({ reads, writes }: P99) => `reads ${reads.toFixed(1)} ms, writes ${writes.toFixed(1)} ms`

function toPercent(share = 0): string {
  return `${(share * 100).toFixed(1)} %`
}
