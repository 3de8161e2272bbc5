// Numbers what changed, organisation by organisation, and notes what became overdue or expired by the clock alone.
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, raw, sql } from '../db/database.ts'
import { maxBatch, type NumberedBatch, numberBatch, type Sequencer } from '../events/sequencer.ts'
import { moveSharedChanges } from '../events/shared-inbox.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import { takeTurns } from './fair-turns.ts'

/** For operators, since the process started. */
export interface EventCounts {
  numbered: number
  /** How long the oldest change of the last batch had waited, in seconds. */
  lagSeconds: number
}

interface RunOptions {
  isStopped?(): boolean
}

interface NumberOptions extends RunOptions {
  /** Hears of each batch that is committed. */
  onNumbered?(): void
}

/** Everything that was captured, a batch of one organisation after a batch of another; several processes may do this at once. */
export async function numberEvents(
  sequencer: Sequencer,
  counts: EventCounts = { numbered: 0, lagSeconds: 0 },
  { isStopped = () => false, onNumbered = () => {} }: NumberOptions = {},
): Promise<EventCounts> {
  const limits = new Map<string, number>()
  await takeTurns({
    maxConcurrent: 4, // those that wait for their turn or rest must not hold up the others
    isStopped,
    async findOrgs() {
      await moveSharedChanges(sequencer.database)
      const rows = await sequencer.database.background<{ orgId: string }>(
        sql`select distinct org_id as "orgId" from event_inbox`,
      )
      return rows.map(({ orgId }) => orgId)
    },
    async serve(orgId) {
      const startedAt = performance.now()
      const rest = sequencer.database.watchForRest()
      const limit = limits.get(orgId)
      const batch = await numberBatch(sequencer, orgId, limit === undefined ? {} : { limit, isBehind: true })
      if (!batch) return false
      counts.numbered += batch.numbered
      if (batch.numbered > 0) onNumbered()
      if (batch.taken > 0) counts.lagSeconds = batch.lagMs / 1_000
      limits.set(orgId, fittingBatch(batch))
      await restIfBusy(performance.now() - startedAt, batch, rest)
      return batch.hasMore
    },
  })
  return counts
}

/**
 * As many as come to about so much: documents and forms can be a thousand times as long as other records, and what is told
 * keeps the event loop from requests for some milliseconds.
 */
const fittingBatch = ({ taken, length }: NumberedBatch) =>
  Math.min(maxBatch, Math.max(minBatch, Math.floor((maxBatchLength * taken) / Math.max(1, length))))
const maxBatchLength = 200_000
const minBatch = 10

/**
 * Where requests keep the process busy, they go first: what is told a little later is numbered in larger batches, at less cost
 * for each. Rests of several organisations follow each other, so that numbering takes a ninth of the time, or a third once
 * something has waited for long. Whoever is behind has changed a great deal, and rests as other long work does.
 */
async function restIfBusy(batchMs: number, { hasMore, lagMs }: NumberedBatch, rest: () => number): Promise<void> {
  const { utilization } = performance.eventLoopUtilization(loopAtLastRest)
  loopAtLastRest = performance.eventLoopUtilization()
  if (utilization <= 0.5) return hasMore ? delay(rest()) : undefined
  const now = performance.now()
  restsUntil = Math.max(restsUntil, now) + Math.min(batchMs * (lagMs > longWaitMs ? 2 : 8), maxRestMs)
  return delay(restsUntil - now)
}
let loopAtLastRest = performance.eventLoopUtilization()
let restsUntil = 0
const maxRestMs = 120
const longWaitMs = 5_000

/** What the clock alone does to a document, told once for as long as it is so: the triggers see the column change. */
const deadlines = [
  { table: 'invoices', column: 'overdue_noted_at', isPast: `status = 'sent' and has_balance and due_at < now()` },
  { table: 'quotes', column: 'expiry_noted_at', isPast: `status in ('draft', 'sent') and valid_until < now()` },
] as const
const batchSize = 100

export async function noteDeadlines(database: Database, { isStopped = () => false }: RunOptions = {}): Promise<void> {
  for (const { table, column, isPast } of deadlines) {
    const isNews = raw(`${isPast} and ${column} is null`)
    await takeTurns({
      isStopped,
      async findOrgs() {
        const rows = await database.background<{ orgId: string }>(
          sql`select distinct org_id as "orgId" from ${raw(table)} where ${isNews}`,
        )
        return rows.map(({ orgId }) => orgId)
      },
      async serve(orgId) {
        const noted = await database.write(
          backgroundWork(orgId),
          sql`update ${raw(table)} set ${raw(column)} = now() where org_id = ${orgId} and ${isNews} and id in (
                select id from ${raw(table)} where org_id = ${orgId} and ${isNews} limit ${batchSize}::int) returning id`,
        )
        return noted.length === batchSize
      },
    })
  }
}
