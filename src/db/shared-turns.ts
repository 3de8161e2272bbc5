// Turns among all processes on one database: what one of them begins for a tenant, the others do not begin beside it, so that
// a service of several replicas does not give to who asks for most several times as much.
import { setTimeout as delay } from 'node:timers/promises'
import sql from 'sql-template-tag'
import type { Tenant } from '../fairness/tenant.ts'
import type { Query } from './connection.ts'

/** How often it is looked whether another process has given its turn on. */
const lookAgainMs = 20

/** What is held: nothing, the place behind whoever has the turn, or the turn. */
type Held = 'nothing' | 'next' | 'turn'

/**
 * Resolves when no other process has the turn, or when it waited long enough: who has it may be frozen, and nothing depends on
 * turns but how long others wait. Answers how it is given on.
 */
export type EnterTurn = (kind: string, tenant: Tenant, maxWaitMs: number) => Promise<() => Promise<void>>

/**
 * By advisory locks of a session, which end with it whatever becomes of the process. `query` always runs on the same session, to
 * which its own locks are free: one of a tenant at a time may enter here. Whoever waits holds a place of its own, so that who
 * has just given its turn on stands behind those that wait.
 */
export function createSharedTurns(query: <R>(statement: Query) => Promise<R[]>): EnterTurn {
  const ask = async (statement: Query) => (await query<{ held: Held }>(statement))[0]!.held
  return async (kind, tenant, maxWaitMs) => {
    const locks = lockNames(kind, tenant)
    const deadline = performance.now() + maxWaitMs
    let held = await ask(begin(locks))
    while (held !== 'turn' && performance.now() < deadline) {
      await delay(lookAgainMs, undefined, { ref: false })
      held = await ask(held === 'next' ? goOn(locks) : begin(locks))
    }
    // Where the session is lost, its locks are gone already.
    const give = async (name: string) => void (await query(release(name)).catch(() => {}))
    if (held === 'next') await give(locks.next)
    return held === 'turn' ? () => give(locks.turn) : async () => {}
  }
}

interface Locks {
  readonly next: string
  readonly turn: string
}

const lockNames = (kind: string, tenant: Tenant): Locks => ({
  next: `next of ${kind} of ${tenant}`,
  turn: `${kind} of ${tenant}`,
})

const key = (name: string) => sql`hashtextextended(${name}, 0)`
const release = (name: string): Query => sql`select pg_advisory_unlock(${key(name)})`

const begin = ({ next, turn }: Locks): Query => sql`
  select case when not pg_try_advisory_lock(${key(next)}) then 'nothing'
    when not pg_try_advisory_lock(${key(turn)}) then 'next'
    when pg_advisory_unlock(${key(next)}) is not null then 'turn' end as held`

const goOn = ({ next, turn }: Locks): Query => sql`
  select case when not pg_try_advisory_lock(${key(turn)}) then 'next'
    when pg_advisory_unlock(${key(next)}) is not null then 'turn' end as held`
