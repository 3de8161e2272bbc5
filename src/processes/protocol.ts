// What the first process and the others ask of each other.
import type { ConnectionOptions } from '../db/database.ts'
import type { WindowCount } from '../http/memory-rate-limiter.ts'
import type { FamilySamples } from '../metrics/prometheus.ts'
import type { PlannedProcess } from './plan.ts'

/** What a process is told when it begins. */
export interface ProcessStart extends PlannedProcess {
  readonly connection: ConnectionOptions
  /** How networks are put into buckets, in base64: the same in all processes. */
  readonly bucketSecret: string
  /** Nobody else serves yet: it listens at once, and answers that it is not ready. Later ones listen once they are. */
  readonly isFirstStart: boolean
}

/** One more, or one less, for a key of a limit. */
export interface Count {
  readonly limit: string
  readonly points: number
  readonly seconds: number
  readonly key: string
  readonly by: 1 | -1
}

export interface Counted extends WindowCount {
  /** As many more of the same key as the process may count by itself. */
  readonly lease: number
}

/** `announced`: a proxy hears of it first. `replaced`: others serve meanwhile. `now`: somebody waits for the end. */
export type StopReason = 'announced' | 'replaced' | 'now'

/** Type aliases and not interfaces, so that they are records of functions. */
export type PrimaryCalls = {
  start(): ProcessStart
  /** It is ready to work. */
  ready(): void
  /** It cannot begin, for this reason, and ends. */
  failed(reason: string): void
  /** In the order in which they were given. */
  count(counts: readonly Count[]): Promise<readonly Counted[]>
  /** Those of all processes, as text. */
  metrics(): Promise<string>
}

export type ProcessCalls = {
  /** What the start says; the first one may make a demo for it. */
  greet(): Promise<string>
  /** Its own metrics. */
  samples(): Promise<readonly FamilySamples[]>
  /** Takes back what it was given to count by itself and has not used: how many that is. */
  recall(limit: string, key: string): Promise<number>
  /** Begins to end; the process is gone some time after the answer. */
  stop(reason: StopReason): void
}
