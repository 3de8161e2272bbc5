// The metrics of webhooks: what was delivered, what waits and for how long, and which webhooks fail or are paused.
import { type Database, type Sql, sql } from '../db/database.ts'
import type { WorkerMetrics } from '../worker/worker.ts'
import { createMetric, type MetricFamily, type Sample } from './prometheus.ts'

/** Beyond this nobody needs to know how many there are. */
const maxCounted = 10_000

/** Read from indexes, by those who have a worker. Where the database is away, it is left out. */
export function webhookMetrics(database: Database, worker: () => WorkerMetrics | undefined): MetricFamily[] {
  const read = async (query: Sql): Promise<Sample[]> => {
    if (worker() === undefined) return []
    const rows = await database.query<{ state?: string; value: number }>(query).catch(() => [])
    return rows.map(({ state, value }) => ({ ...(state !== undefined && { labels: { state } }), value }))
  }
  return [
    createMetric(
      'counter',
      'jobwright_webhook_deliveries_total',
      'Attempts to deliver an event to a webhook: delivered, to be repeated (retry), given up (failed).',
      () => {
        const counts = worker()?.webhooks
        if (!counts) return []
        const { delivered, retry, failed } = counts
        return Object.entries({ delivered, retry, failed }).map(([outcome, value]) => ({ labels: { outcome }, value }))
      },
    ),
    createMetric(
      'counter',
      'jobwright_webhook_first_deliveries_total',
      'Events that were delivered at the first attempt.',
      () => worker()?.webhooks.first ?? [],
    ),
    createMetric(
      'counter',
      'jobwright_webhook_lag_seconds_total',
      'How long after they were queued those were delivered, together.',
      () => worker()?.webhooks.firstLagSeconds ?? [],
    ),
    {
      name: 'jobwright_webhook_deliveries_waiting',
      kind: 'gauge',
      help: `Deliveries that wait, counted up to ${maxCounted}.`,
      read: () =>
        // A list of two parts: scalar subqueries of spread tables are refused by Citus.
        read(sql`select least(${maxCounted}::int, count(*))::int as value from (
            (select 1 as one from webhook_deliveries where status = 'waiting' and next_attempt_at is not null
              limit ${maxCounted}::int)
            union all
            (select 1 as one from webhook_deliveries where status = 'waiting' and next_attempt_at is null
              limit ${maxCounted}::int)) waiting`),
    },
    {
      name: 'jobwright_webhook_oldest_due_seconds',
      kind: 'gauge',
      help: 'How long ago the oldest queue of deliveries that nobody serves became due.',
      read: () =>
        read(sql`select coalesce(greatest(extract(epoch from now() - min(due_at)), 0), 0)::float8 as value
            from webhook_queues where due_at <= now() and (leased_until is null or leased_until <= now())`),
    },
    {
      name: 'jobwright_webhooks',
      kind: 'gauge',
      help: 'Webhooks that fail, and those that are paused because they failed or their receiver is gone.',
      read: () =>
        read(sql`
          select 'failing' as state, count(*)::int as value from webhooks where failing_since is not null and not is_paused
          union all
          select 'paused', count(*)::int from webhooks where paused_reason in ('failing', 'gone')`),
    },
  ]
}
