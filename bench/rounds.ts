// Rounds: the targets alternately run the same workload for a few seconds, several times over; the medians count.
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { ServerProcess } from '../test/programs.ts'
import type { Load, LoadResult } from './generator.ts'
import { median } from './percentiles.ts'
import { serializeRequest } from './raw-http.ts'
import type { Target } from './targets.ts'
import type { RequestSpec } from './workloads.ts'

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

/** The measurements of each target by its name. `before` is called before every round of one target. */
export async function measureAlternating(
  runningTargets: readonly RunningTarget[],
  specs: readonly RequestSpec[],
  { rounds: count, ...durations }: MeasurementPlan,
  beforeRound: (target: Target, round: number) => Promise<void>,
): Promise<ReadonlyMap<string, Measurement>> {
  const rounds = new Map(runningTargets.map(({ target }) => [target.name, [] as Measurement[]]))
  for (let round = 1; round <= count; round++) {
    // The order alternates, so that no target always runs after the same other one.
    for (const { target, server } of round % 2 === 1 ? runningTargets : runningTargets.toReversed()) {
      await beforeRound(target, round)
      const requests = specs.map((spec) => serializeRequest(target.request(spec), server.port))
      rounds
        .get(target.name)!
        .push(await measureRound(target, { port: server.port, connections, requests, ...durations }))
    }
  }
  return new Map([...rounds].map(([name, measurements]) => [name, medians(measurements)]))
}

const generator = fileURLToPath(new URL('generator.ts', import.meta.url))
/** Starting, connecting and the last answers take a moment; a target that hangs must not block the benchmark. */
const timeoutGraceMs = 15_000

async function measureRound({ name }: Target, load: Load): Promise<Measurement> {
  const child = fork(generator)
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
