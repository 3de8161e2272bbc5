// Work that takes many steps: whose turn it is, here and among all processes, and how long it rests after each.
import { setTimeout as delay } from 'node:timers/promises'
import { backgroundWork, type Tenant } from '../fairness/tenant.ts'
import type { Actor } from './actor.ts'
import { connectTimeoutMs, type Queryable } from './connection.ts'
import { createTurns } from './lane.ts'
import type { RestOptions } from './rest-times.ts'
import type { EnterTurn } from './shared-turns.ts'

const lane = { connections: 3, perTenant: 1 }
/** How long a step waits for those of other processes, each of which ends within a second and rests for half of one. */
const maxSharedWaitMs = 2_000

type Work<T> = (transaction: Queryable) => Promise<T>

interface LongWorkDependencies {
  readonly enterTurn: EnterTurn
  /** Answers how long to rest from what was done since. */
  watchForRest(options: RestOptions): () => number
  transaction<T>(tenant: Tenant, work: Work<T>, actor: Actor): Promise<T>
}

export interface StepOptions extends RestOptions {
  /** How long it waits for its turn. */
  readonly maxWaitMs?: number
  readonly actor: Actor
}

export function createLongWork(database: LongWorkDependencies) {
  const turns = createTurns(lane)
  return {
    step<T>(tenant: Tenant, work: Work<T>, { maxWaitMs = connectTimeoutMs, actor, ...rests }: StepOptions): Promise<T> {
      const { promise, resolve, reject } = Promise.withResolvers<T>()
      const takeStep = async () => {
        const leave = await database.enterTurn('long work', tenant, maxSharedWaitMs)
        const rest = database.watchForRest(rests)
        await database.transaction(backgroundWork(tenant), work, actor).then(resolve, reject)
        await delay(rest(), undefined, { ref: false })
        await leave()
      }
      turns.run(tenant, takeStep, maxWaitMs).catch(reject)
      return promise
    },
  }
}
