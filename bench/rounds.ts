// Rounds: the contestants alternately run the same workload for a few seconds, several times over; the medians count.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ServerProcess } from '../test/programs.ts'
import type { Load, LoadResult } from './generator.ts'
import { median } from './percentiles.ts'
import { serializeRequest } from './raw-http.ts'
import type { Target } from './targets.ts'
import type { RequestSpec, Workload } from './workloads.ts'

export const connections = 32

export interface RunningTarget {
  readonly target: Target
  readonly server: ServerProcess
}

export interface MeasurementPlan {
  /** An odd number, so that there is a median. Many short ones are less sensitive to other load than few long ones. */
  readonly rounds: number
  readonly warmUpMs: number
  readonly measuredMs: number
}

export interface Measurement {
  readonly throughput: number
  readonly p99Ms: number
}

type Durations = Omit<MeasurementPlan, 'rounds'>

/** Whoever takes part: a server that is asked by HTTP, or PostgreSQL itself. */
export interface Contestant {
  readonly name: string
  /** The workloads it can do; all of them unless given. */
  readonly workloads?: readonly Workload[] | undefined
  measureRound(specs: readonly RequestSpec[], durations: Durations): Promise<Measurement>
}

export const overHttp = ({ target, server: { port } }: RunningTarget): Contestant => ({
  name: target.name,
  workloads: target.workloads,
  measureRound(specs, durations) {
    const requests = specs.map((spec) => serializeRequest(target.request(spec), port))
    const load: Load = { port, connections, requests, ...durations }
    return runLoad(target.name, generator, load)
  },
})

/** The measurements of each contestant by its name. `beforeRound` is called before every round of one. */
export async function measureAlternating(
  contestants: readonly Contestant[],
  specs: readonly RequestSpec[],
  { rounds: count, ...durations }: MeasurementPlan,
  beforeRound: (name: string, round: number) => Promise<void>,
): Promise<ReadonlyMap<string, Measurement>> {
  const rounds = new Map(contestants.map(({ name }) => [name, [] as Measurement[]]))
  for (let round = 1; round <= count; round++) {
    // The order alternates, so that nobody always runs after the same other one.
    for (const contestant of round % 2 === 1 ? contestants : contestants.toReversed()) {
      await beforeRound(contestant.name, round)
      rounds.get(contestant.name)!.push(await contestant.measureRound(specs, durations))
    }
  }
  return new Map([...rounds].map(([name, measurements]) => [name, medians(measurements)]))
}

const generator = fileURLToPath(new URL('generator.ts', import.meta.url))
/** Starting, connecting and the last answers take a moment; a target that hangs must not block the benchmark. */
const timeoutGraceMs = 15_000

/** One round in a process of its own, which is told what to do in one message and answers with one. */
export async function runLoad(name: string, program: string, load: Durations & object): Promise<Measurement> {
  const child = fork(program)
  try {
    child.send(load)
    const result = await Promise.race([
      once(child, 'message').then(([message]) => message as LoadResult),
      once(child, 'exit').then((): LoadResult => ({ failure: 'the load generator ended early' })),
      delay(
        load.warmUpMs + load.measuredMs + timeoutGraceMs,
        { failure: 'timeout: not all requests were answered' },
        { ref: false },
      ),
    ])
    if ('failure' in result) throw new Error(`${name}: ${result.failure}`)
    if (result.throughput === 0) throw new Error(`${name}: no request was answered`)
    return result
  } finally {
    killChild(child)
  }
}

function killChild(child: ChildProcess): void {
  if (child.exitCode === null && child.signalCode === null) child.kill('SIGKILL')
}

const medians = (rounds: readonly Measurement[]): Measurement => ({
  throughput: median(rounds.map(({ throughput }) => throughput)),
  p99Ms: median(rounds.map(({ p99Ms }) => p99Ms)),
})
