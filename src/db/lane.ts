// Connections where tenants take turns: each carries out one statement at a time, and nobody has all of them.
import { createFairSemaphore, SemaphoreFull } from '../fairness/fair-semaphore.ts'
import type { Tenant } from '../fairness/tenant.ts'
import { connectTimeoutMs, type Query, TurnTimeout } from './connection.ts'
import type { CallCounters } from './counters.ts'
import { Pipeline, type SessionOptions } from './pipeline.ts'
import type { Servers } from './servers.ts'

interface LaneSize {
  readonly connections: number
  readonly perTenant: number | ((tenant: Tenant) => number)
}

/** The turns of tenants at connections. Waiting for one ends like waiting for a connection that cannot be had. */
export function createTurns({ connections, perTenant }: LaneSize) {
  const semaphore = createFairSemaphore({
    maxConcurrent: connections,
    maxPerKey: perTenant,
    maxQueued: 1_000,
  })
  return {
    metrics: semaphore.metrics,
    run: <T>(tenant: Tenant, work: () => Promise<T>, maxWaitMs = connectTimeoutMs): Promise<T> =>
      semaphore.run(tenant, work, maxWaitMs).catch((error: unknown) => {
        throw error instanceof SemaphoreFull ? new TurnTimeout(error) : error
      }),
  }
}

export class Lane {
  readonly #free: Pipeline[]
  readonly #all: readonly Pipeline[]
  readonly #turns: ReturnType<typeof createTurns>

  constructor(servers: Servers, sessionOptions: SessionOptions, size: LaneSize) {
    this.#all = Array.from({ length: size.connections }, () => new Pipeline(servers, sessionOptions))
    this.#free = [...this.#all]
    this.#turns = createTurns(size)
  }

  query<R>(tenant: Tenant, statement: Query): Promise<R[]> {
    return this.#turns.run(tenant, async () => {
      // The one used last: others may never need to be opened.
      const connection = this.#free.pop()!
      try {
        return await connection.query<R>(statement)
      } finally {
        this.#free.push(connection)
      }
    })
  }

  /** Those of all its connections together. */
  get counters(): CallCounters {
    const sum = (pick: (counters: CallCounters) => number) =>
      this.#all.reduce((total, { counters }) => total + pick(counters), 0)
    return {
      inFlight: sum(({ inFlight }) => inFlight),
      completed: sum(({ completed }) => completed),
      totalMs: sum(({ totalMs }) => totalMs),
    }
  }

  get waiting(): number {
    return this.#turns.metrics().waiting
  }

  async close(): Promise<void> {
    await Promise.all(this.#all.map((connection) => connection.close()))
  }
}
