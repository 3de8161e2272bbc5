// Rounds: each target in turn does the same work for a few seconds, several times over, and the medians stand.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Served } from '../test/programs.ts'
import type { Errand } from './errands.ts'
import type { Load, Outcome } from './generator.ts'
import type { Target } from './targets.ts'
import { httpText } from './wire.ts'

export const connections = 32

export interface Contender {
  readonly target: Target
  readonly running: Served
}

export interface Pace {
  /** An odd number, so that there is a median. Many short ones bear other work on the machine better than few long ones. */
  readonly rounds: number
  readonly warmUpMs: number
  readonly measuredMs: number
}

export interface Figures {
  readonly perSecond: number
  readonly p99Ms: number
}

/** The figures of each target by its name. `before` is called before every round of one target. */
export async function alternate(
  contenders: readonly Contender[],
  errands: readonly Errand[],
  { rounds: count, ...times }: Pace,
  before: (target: Target, round: number) => Promise<void>,
): Promise<ReadonlyMap<string, Figures>> {
  const rounds = new Map(contenders.map(({ target }) => [target.name, [] as Figures[]]))
  for (let round = 1; round <= count; round++) {
    // Who comes first changes, so that nobody always runs on what the other left behind.
    for (const { target, running } of round % 2 === 1 ? contenders : contenders.toReversed()) {
      await before(target, round)
      const requests = errands.map((errand) => httpText(target.request(errand), running.port))
      rounds.get(target.name)!.push(await measured(target, { port: running.port, connections, requests, ...times }))
    }
  }
  return new Map([...rounds].map(([name, figures]) => [name, medians(figures)]))
}

const generator = fileURLToPath(new URL('generator.ts', import.meta.url))
/** Starting, connecting and the last answers take a moment; a target that hangs must not hold the bench. */
const graceMs = 15_000

async function measured({ name }: Target, load: Load): Promise<Figures> {
  const child = fork(generator)
  try {
    child.send(load)
    const outcome = await Promise.race([
      once(child, 'message').then(([message]) => message as Outcome),
      once(child, 'exit').then((): Outcome => ({ failure: 'the load generator ended early' })),
      delay(load.warmUpMs + load.measuredMs + graceMs, { failure: 'not all requests were answered' }, { ref: false }),
    ])
    if ('failure' in outcome) throw new Error(`${name}: ${outcome.failure}`)
    if (outcome.perSecond === 0) throw new Error(`${name}: no request was answered`)
    return outcome
  } finally {
    end(child)
  }
}

function end(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
}

const medians = (rounds: readonly Figures[]): Figures => ({
  perSecond: median(rounds.map(({ perSecond }) => perSecond)),
  p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
})

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)]!
