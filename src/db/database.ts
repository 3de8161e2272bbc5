// Access to PostgreSQL: single statements on pipelined connections, transactions on a pool, turns for what takes long.
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import sql, { join, raw, Sql } from 'sql-template-tag'
import { chargeExcess, createShares } from '../fairness/shares.ts'
import { isBackgroundWork, type Tenant } from '../fairness/tenant.ts'
import { type Actor, systemActor } from './actor.ts'
import {
  type ConnectionOptions,
  plannedAnew,
  type Query,
  type Queryable,
  queryTimeoutMs,
  type Row,
  returning,
  TurnTimeout,
  translateError,
  Unavailable,
} from './connection.ts'
import { type CallCounters, createCounters, endCall, startCall } from './counters.ts'
import { detectEngine, type Engine } from './engine.ts'
import { createTurns, Lane } from './lane.ts'
import { createLongWork, type StepOptions } from './long-work.ts'
import { Pipeline, PipelineGroup, type SessionOptions } from './pipeline.ts'
import { type RestOptions, watchForRest } from './rest-times.ts'
import { Servers } from './servers.ts'
import { createSharedTurns } from './shared-turns.ts'
import { runLongSession, runLongTransaction, TransactionPool } from './transaction-pool.ts'
import { createWriteNotices } from './write-notices.ts'

export type { Client } from 'pg'
export type { Queryable, Row }
export {
  type ConnectionOptions,
  join,
  plannedAnew,
  type Query,
  raw,
  returning,
  Sql,
  sql,
  TurnTimeout,
  translateError,
  Unavailable,
}

/** Reads are fastest on one pipeline; a commit waits for the disk, which several connections for writes share. */
const writeConnections = 3
/** For reads that scan much, and as many for those that are planned with their values: each keeps one core busy at most. */
const slowConnections = 2
/** How many writes of one tenant are on their way at once: as many can keep a connection waiting for a lock. */
const writesPerTenant = 16
/** A write that must wait longer than this for a lock waits on a connection of its own. */
const lockTimeoutMs = 25
/** What a statement may take on a connection that everybody shares. */
const freeMs = { read: 5, slow: 10, write: lockTimeoutMs }
/** How many slow reads of one tenant are on their way at once, before it is known how slow they are. */
const slowReadsPerTenant = 4
/** What it costs to have kept a connection for writes waiting. */
const lockTimeoutChargeMs = 4 * lockTimeoutMs

const lanes = {
  read: { connections: 4, perTenant: 1 },
  customPlan: { connections: 3, perTenant: 1 },
  transaction: { connections: 20, perTenant: 8 },
}
const maxAttempts = 3

/**
 * What a read needs that not every one does: `slow` for what scans much, `custom-plan` for what is planned best with its
 * values, such as a span of time, `in-turns` for what may scan everything.
 */
export type ReadConnection = 'slow' | 'custom-plan' | 'in-turns'

export class Database implements Queryable {
  readonly #readPipeline: Pipeline
  readonly #writePipelines: PipelineGroup
  readonly #slowPipelines: PipelineGroup
  readonly #customPlanPipelines: PipelineGroup
  readonly #backgroundPipeline: Pipeline
  /** For whoever is in debt. */
  readonly #readLane: Lane
  readonly #customPlanLane: Lane
  readonly #transactionPool: TransactionPool
  readonly #transactionTurns = createTurns(lanes.transaction)
  /** The turn of a tenant among all processes on this database; answers how it is given on. */
  readonly enterTurn = createSharedTurns((statement) =>
    this.#isClosed ? Promise.reject(new Unavailable('closed')) : this.background(statement),
  )
  readonly #longWork = createLongWork(this)
  readonly #writeTurns = createTurns({ connections: Number.POSITIVE_INFINITY, perTenant: writesPerTenant })
  readonly #slowReadTurns = createTurns({ connections: Number.POSITIVE_INFINITY, perTenant: slowReadsPerTenant })
  readonly #shares = createShares()
  #isClosed = false
  readonly servers: Servers
  readonly #transactionCounters = createCounters()
  #engine: Engine | undefined
  #detecting: Promise<Engine> | undefined
  readonly #notices: ReturnType<typeof createWriteNotices>
  /** Who makes changes where nobody else is named. */
  readonly #defaultActor: Actor

  constructor(options: ConnectionOptions, defaultActor = systemActor) {
    const servers = new Servers(options)
    this.servers = servers
    this.#defaultActor = defaultActor
    this.#notices = createWriteNotices(servers)
    const generic: SessionOptions = async () => (await this.#detectEngine()).planModes.generic
    const custom: SessionOptions = async () => (await this.#detectEngine()).planModes.custom
    const writing: SessionOptions = async () => `${await generic()} -c lock_timeout=${lockTimeoutMs}ms`
    this.#readPipeline = new Pipeline(servers, generic)
    this.#writePipelines = new PipelineGroup(writeConnections, servers, writing)
    // Both scan much: they have connections of their own, so that they do not delay other statements.
    this.#slowPipelines = new PipelineGroup(slowConnections, servers, generic)
    this.#customPlanPipelines = new PipelineGroup(slowConnections, servers, custom)
    this.#backgroundPipeline = new Pipeline(servers, generic)
    this.#readLane = new Lane(servers, generic, this.#shares.ofTurns(lanes.read))
    this.#customPlanLane = new Lane(servers, custom, this.#shares.ofTurns(lanes.customPlan))
    this.#transactionPool = new TransactionPool(servers, {
      engine: () => this.#engine ?? this.#detectEngine(),
      lookUp: (query) => this.#readPipeline.query(query),
    })
  }

  /** Whether the tables are, or can be, distributed over several machines. */
  async isCitus(): Promise<boolean> {
    return (await this.#detectEngine()).isCitus
  }

  async #detectEngine(): Promise<Engine> {
    if (this.#engine) return this.#engine
    this.#detecting ??= detectEngine(this.servers).finally(() => {
      this.#detecting = undefined
    })
    this.#engine = await this.#detecting
    return this.#engine
  }

  /** One statement of the service's own, which PostgreSQL commits by itself. */
  query<R = Row>(statement: Query): Promise<R[]> {
    return this.#readPipeline.query<R>(statement, undefined, this.#defaultActor)
  }

  /** One that no request waits for, such as a look for what is due: a queue that somebody filled may take long to look through. */
  background<R = Row>(statement: Query): Promise<R[]> {
    return this.#backgroundPipeline.query<R>(statement, undefined, this.#defaultActor)
  }

  /** One that reads for a tenant. Whoever cost a shared connection too much before takes turns. */
  read<R = Row>(tenant: Tenant, statement: Query, connection?: ReadConnection): Promise<R[]> {
    this.#shares.note(tenant)
    if (connection) return this.#slowReadTurns.run(tenant, () => this.#readSlowly<R>(tenant, statement, connection))
    const debts = this.#shares.debts.read
    if (debts.isInDebt(tenant)) return this.#readLane.query<R>(tenant, statement)
    return this.#readPipeline.query<R>(statement, (ms) => chargeExcess(debts, tenant, ms - freeMs.read))
  }

  #readSlowly<R>(tenant: Tenant, statement: Query, connection: ReadConnection): Promise<R[]> {
    const [shared, lane, debts] =
      connection === 'custom-plan'
        ? [this.#customPlanPipelines, this.#customPlanLane, this.#shares.debts.customPlan]
        : [this.#slowPipelines, this.#readLane, this.#shares.debts.slow]
    if (connection === 'in-turns' || debts.isInDebt(tenant)) return lane.query<R>(tenant, statement)
    return shared.leastBusy.query<R>(statement, (ms) => chargeExcess(debts, tenant, ms - freeMs.slow))
  }

  /** One that writes. Where it must wait for a lock, it is retried on a connection of its own, in its tenant's turn. */
  async write<R = Row>(tenant: Tenant, statement: Query, actor = this.#defaultActor): Promise<R[]> {
    const engine = this.#engine ?? (await this.#detectEngine())
    const apart = () => this.transaction(tenant, (transaction) => transaction.query<R>(statement), actor)
    if (!engine.canShareWrites) return apart()
    this.#shares.note(tenant)
    try {
      const rows = await this.#writeTurns.run(tenant, () => this.#writeShared<R>(tenant, statement, actor))
      this.#notices.wrote()
      return rows
    } catch (error) {
      if (!isRetryable(error) && !isLockTimeout(error) && !(error instanceof MustTakeTurns)) throw error
      return apart()
    }
  }

  async #writeShared<R>(tenant: Tenant, statement: Query, actor: Actor): Promise<R[]> {
    const debts = this.#shares.debts.write
    if (debts.isInDebt(tenant)) throw new MustTakeTurns()
    // What a disk or an index takes keeps nobody waiting where nobody else is; a lock may be held for long.
    const charge = (ms: number) => {
      if (!this.#shares.isAlone(tenant)) chargeExcess(debts, tenant, ms - freeMs.write)
    }
    try {
      return await this.#writePipelines.leastBusy.query<R>(statement, charge, actor)
    } catch (error) {
      if (isLockTimeout(error)) debts.charge(tenant, lockTimeoutChargeMs)
      throw error
    }
  }

  /** All or nothing. Deadlocks and serialization failures are retried; nothing else is. */
  async transaction<T>(
    tenant: Tenant,
    work: (transaction: Queryable) => Promise<T>,
    actor = this.#defaultActor,
  ): Promise<T> {
    for (let attempt = 1; ; attempt++) {
      const startedAt = startCall(this.#transactionCounters)
      try {
        const run = () => this.#transactionPool.run(work, actor, isBackgroundWork(tenant))
        const result = await this.#transactionTurns.run(tenant, run)
        this.#notices.wrote()
        return result
      } catch (error) {
        if (!isRetryable(error)) throw error
        if (attempt === maxAttempts) throw new Unavailable(error)
        await delay(10 + Math.random() * 40) // or the same two meet again
      } finally {
        endCall(this.#transactionCounters, startedAt)
      }
    }
  }

  /** For operators: each kind of connection, the pool of transactions, who waits, and how many tenants take turns. */
  metrics() {
    const counters: readonly (readonly [string, CallCounters])[] = [
      ['read', this.#readPipeline.counters],
      ...this.#writePipelines.counters('write'),
      ...this.#slowPipelines.counters('slow'),
      ...this.#customPlanPipelines.counters('custom-plan'),
      ['background', this.#backgroundPipeline.counters],
      ['read in turns', this.#readLane.counters],
      ['custom-plan in turns', this.#customPlanLane.counters],
      ['transaction', this.#transactionCounters],
    ]
    const waiting: readonly (readonly [string, number])[] = [
      ['slow', this.#slowReadTurns.metrics().waiting],
      ['read in turns', this.#readLane.waiting],
      ['custom-plan in turns', this.#customPlanLane.waiting],
      ['write', this.#writeTurns.metrics().waiting],
      ['transaction', this.#transactionTurns.metrics().waiting],
    ]
    const tenantsInDebt = this.#shares.tenantsInDebt()
    return { counters, waiting, pool: this.#transactionPool.metrics(), tenantsInDebt }
  }

  /** For work in the background: answers how long to rest from what was done since. */
  readonly watchForRest = (options?: RestOptions) => watchForRest(this.#readPipeline.counters, options)

  /**
   * A step of work that takes many: one of a tenant at a time, in whichever process, and after it a rest as long as the step
   * took, so that long work of one tenant keeps PostgreSQL and the processors busy for half of the time at most, beside
   * requests for less, and for a quarter if nobody waits for it.
   */
  longWorkStep<T>(
    tenant: Tenant,
    work: (transaction: Queryable) => Promise<T>,
    options: Partial<StepOptions> = {},
  ): Promise<T> {
    return this.#longWork.step(tenant, work, { actor: this.#defaultActor, ...options })
  }

  /** The same for work of minutes: on a connection of its own, without timeouts, and never retried. */
  longTransaction<T>(mode: 'read write' | 'read only', work: (transaction: Queryable) => Promise<T>): Promise<T> {
    return runLongTransaction(this.servers, mode, this.#defaultActor, work)
  }

  /** The same outside of a transaction, for what belongs to a session: a backup, a replication slot, an advisory lock. */
  longSession<T>(work: (session: Queryable) => Promise<T>): Promise<T> {
    return runLongSession(this.servers, work)
  }

  /** Tells all processes something, apart from every transaction. Who is not listening does not hear of it later. */
  async notify(channel: string, payload: string): Promise<void> {
    await this.#notices.notify(channel, payload)
  }

  /** A connection outside the pools for what needs one to itself: migrations, LISTEN. */
  connect(): Promise<pg.Client> {
    return this.servers.connect({ query_timeout: queryTimeoutMs })
  }

  async close(): Promise<void> {
    this.#isClosed = true // whoever rests after a step gives its turn on with the connection
    await this.#notices.close()
    const shared = [this.#readPipeline, this.#writePipelines, this.#slowPipelines, this.#customPlanPipelines]
    const connections = [...shared, this.#backgroundPipeline, this.#readLane, this.#customPlanLane]
    await Promise.all(connections.map((connection) => connection.close()))
    await this.#transactionPool.close()
  }
}

/** Its tenant came into debt while it waited for its turn. */
class MustTakeTurns extends Error {}

const isRetryable = (error: unknown) =>
  error instanceof pg.DatabaseError && (error.code === '40P01' || error.code === '40001')

const isLockTimeout = (error: unknown) =>
  error instanceof Unavailable && error.cause instanceof pg.DatabaseError && error.cause.code === '55P03'
