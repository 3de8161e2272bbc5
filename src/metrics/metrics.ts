// The metrics at /metrics: what each part of the service counts, and the queued mail in the database.
import type { CallCounters } from '../db/counters.ts'
import { type Database, type Sql, sql } from '../db/database.ts'
import type { EventStreams } from '../events/streams.ts'
import type { RateLimits } from '../http/rate-limits.ts'
import type { PdfQueue } from '../rendering/pdf/pdf-queue.ts'
import type { WorkerMetrics } from '../worker/worker.ts'
import { type CallMetrics, createMetric, type MetricFamily, type Sample } from './prometheus.ts'
import { webhookMetrics } from './webhook-metrics.ts'

interface ServingSources {
  readonly limits: RateLimits
  readonly requestMetrics: CallMetrics
  readonly toolCallMetrics: CallMetrics
  isReady(): Promise<boolean>
  connections(): Promise<number>
  readonly streams: EventStreams
}

/** Of a process that serves requests. */
export function servingMetrics(sources: ServingSources): readonly MetricFamily[] {
  return [
    {
      name: 'jobwright_ready',
      kind: 'gauge',
      help: 'Whether requests can be served at the moment.',
      read: async () => [{ value: Number(await sources.isReady()) }],
    },
    {
      name: 'jobwright_connections',
      kind: 'gauge',
      help: 'Open connections of clients.',
      read: async () => [{ value: await sources.connections() }],
    },
    ...sources.requestMetrics.families,
    ...sources.toolCallMetrics.families,
    ...rateLimitMetrics(sources.limits),
    createMetric('gauge', 'jobwright_event_streams', 'Open streams of events.', () => sources.streams.metrics().open),
  ]
}

interface BackgroundSources {
  readonly database: Database
  readonly pdfs: PdfQueue
  /** Undefined where this process has no worker. */
  worker(): WorkerMetrics | undefined
}

/** Of every process: its connections to PostgreSQL, its PDFs, and its worker where it has one. */
export function backgroundMetrics({ database, pdfs, worker }: BackgroundSources): readonly MetricFamily[] {
  return [
    ...databaseMetrics(database),
    createMetric('gauge', 'jobwright_pdfs_waiting', 'PDFs queued or being rendered.', () => pdfs.metrics().waiting),
    createMetric(
      'counter',
      'jobwright_pdfs_total',
      'PDFs rendered, refused because the queue is full or time ran out (unavailable), failed.',
      () => {
        const { waiting: _, ...outcomes } = pdfs.metrics()
        return samplesBy('outcome', Object.entries(outcomes))
      },
    ),
    ...workerMetrics(worker),
    ...outboxMetrics(database, () => worker() !== undefined),
    ...eventMetrics(database, worker),
    ...webhookMetrics(database, worker),
  ]
}

const samplesBy = (label: string, values: Iterable<readonly [string, number]>): Sample[] =>
  Array.from(values, ([name, value]) => ({ labels: { [label]: name }, value }))

const rateLimitMetrics = (limits: RateLimits): MetricFamily[] => [
  createMetric('counter', 'jobwright_rate_limited_total', 'Refusals because of too many requests, by limit.', () =>
    samplesBy('limit', limits.metrics().refused),
  ),
  createMetric(
    'counter',
    'jobwright_failed_authentications_total',
    'Requests whose key or token was missing or wrong.',
    () => limits.metrics().failedAuthentications,
  ),
  createMetric(
    'counter',
    'jobwright_sign_ins_total',
    'Sign-ins with a password: attempted, and succeeded among them.',
    () => samplesBy('outcome', Object.entries(limits.metrics().signIns)),
  ),
  createMetric(
    'counter',
    'jobwright_rate_limit_store_failures_total',
    'Requests answered 503 because the rate-limit store did not answer.',
    () => limits.metrics().storeFailures,
  ),
]

const databaseMetrics = (database: Database): MetricFamily[] => {
  const perConnection = (pick: (counters: CallCounters) => number) => () =>
    samplesBy(
      'connection',
      database.metrics().counters.map(([name, counters]) => [name, pick(counters)] as const),
    )
  return [
    createMetric(
      'counter',
      'jobwright_database_statements_total',
      'Statements, and transactions as one, that completed.',
      perConnection(({ completed }) => completed),
    ),
    createMetric(
      'counter',
      'jobwright_database_seconds_total',
      'Their total latency; for transactions including the wait for a connection of the pool.',
      perConnection(({ totalMs }) => totalMs / 1_000),
    ),
    createMetric(
      'gauge',
      'jobwright_database_in_flight',
      'Statements and transactions in flight.',
      perConnection(({ inFlight }) => inFlight),
    ),
    createMetric('gauge', 'jobwright_database_pool', 'Pool connections for transactions: open, idle.', () =>
      samplesBy('state', Object.entries(database.metrics().pool)),
    ),
    createMetric(
      'gauge',
      'jobwright_database_waiting',
      "Statements and transactions that wait for their organisation's turn.",
      () => samplesBy('connection', database.metrics().waiting),
    ),
    createMetric(
      'gauge',
      'jobwright_tenants_in_debt',
      'Organisations that kept the shared connections busy and take turns until that is paid off.',
      () => database.metrics().tenantsInDebt,
    ),
  ]
}

const workerMetrics = (worker: () => WorkerMetrics | undefined): MetricFamily[] => {
  const tasks = () => worker()?.tasks ?? []
  return [
    createMetric(
      'gauge',
      'jobwright_task_last_success_seconds',
      'When each worker task last succeeded, in seconds since 1970; before the first time, when it started.',
      () => tasks().map(({ name, lastSuccess }) => ({ labels: { task: name }, value: lastSuccess })),
    ),
    createMetric('counter', 'jobwright_task_failures_total', 'Failed runs of each worker task.', () =>
      tasks().map(({ name, failures }) => ({ labels: { task: name }, value: failures })),
    ),
    createMetric(
      'counter',
      'jobwright_mails_total',
      'Attempts to send mail: sent, failed for good, to be retried (waiting).',
      () => samplesBy('outcome', Object.entries(worker()?.mail ?? {})),
    ),
    createMetric(
      'gauge',
      'jobwright_backup_last_seconds',
      'When the newest backup was begun, in seconds since 1970; 0 while there is none. Only where BACKUP_DIR is set.',
      () => {
        const newestAt = worker()?.backups.newestAt
        return newestAt === undefined ? [] : [{ value: newestAt }]
      },
    ),
  ]
}

/** Beyond this nobody needs to know how many there are. */
const maxCounted = 10_000

/** Read from an index, by those who have a worker. Where the database is away, it is left out. */
function outboxMetrics(database: Database, isWorker: () => boolean): MetricFamily[] {
  const readOutbox = async (expression: Sql): Promise<Sample[]> => {
    if (!isWorker()) return []
    const rows = await database
      .query<{ value: number }>(sql`
        select ${expression} as value from (
          select created_at from outbox where status = 'queued' order by attempt_at limit ${maxCounted}::int) as queued`)
      .catch(() => [])
    return rows.map(({ value }) => ({ value }))
  }
  return [
    {
      name: 'jobwright_outbox_waiting',
      kind: 'gauge',
      help: `Mail that waits to be sent, counted up to ${maxCounted}.`,
      read: () => readOutbox(sql`count(*)::int`),
    },
    {
      name: 'jobwright_outbox_oldest_seconds',
      kind: 'gauge',
      help: 'How long ago the oldest mail that waits was written.',
      read: () => readOutbox(sql`coalesce(extract(epoch from now() - min(created_at)), 0)::float8`),
    },
  ]
}

/** The same of changes that are captured and not numbered yet. */
function eventMetrics(database: Database, worker: () => WorkerMetrics | undefined): MetricFamily[] {
  const readInbox = async (expression: Sql): Promise<Sample[]> => {
    if (!worker()) return []
    const rows = await database
      .query<{ value: number }>(sql`
        select ${expression} as value from (select at from event_inbox limit ${maxCounted}::int) as waiting`)
      .catch(() => [])
    return rows.map(({ value }) => ({ value }))
  }
  const ofWorker = (pick: (events: WorkerMetrics['events']) => number) => () => {
    const events = worker()?.events
    return events ? [{ value: pick(events) }] : []
  }
  return [
    createMetric(
      'counter',
      'jobwright_events_numbered_total',
      'Events that this process numbered.',
      ofWorker(({ numbered }) => numbered),
    ),
    createMetric(
      'gauge',
      'jobwright_events_lag_seconds',
      'How long the oldest change of the last batch waited to be numbered.',
      ofWorker(({ lagSeconds }) => lagSeconds),
    ),
    {
      name: 'jobwright_events_waiting',
      kind: 'gauge',
      help: `Changes that wait to be numbered, counted up to ${maxCounted}.`,
      read: () => readInbox(sql`count(*)::int`),
    },
    {
      name: 'jobwright_events_oldest_seconds',
      kind: 'gauge',
      help: 'How long ago the oldest of them was made.',
      read: () => readInbox(sql`coalesce(extract(epoch from now() - min(at)), 0)::float8`),
    },
  ]
}
