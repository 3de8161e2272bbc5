// The figures at /metrics: what each part of the service counted, and what the database tells of waiting mail.
import type { Limits } from './api/limits.ts'
import { type Database, type Sql, sql } from './database.ts'
import type { Workshop } from './documents/pdf-workshop.ts'
import { type Answers, type Family, measured, type Sample } from './metrics.ts'
import type { Tally } from './tally.ts'
import type { WorkerFigures } from './worker/worker.ts'

interface Parts {
  readonly database: Database
  readonly limits: Limits
  readonly pdfs: Workshop
  readonly answered: Answers
  readonly toolCalls: Answers
  isReady(): Promise<boolean>
  connections(): Promise<number>
  /** Undefined where this process has no worker. */
  worker(): WorkerFigures | undefined
}

export function figures(parts: Parts): readonly Family[] {
  const { database, limits, pdfs, answered, toolCalls } = parts
  return [
    {
      name: 'jobwright_ready',
      kind: 'gauge',
      help: 'Whether requests can be served at the moment.',
      read: async () => [{ value: Number(await parts.isReady()) }],
    },
    {
      name: 'jobwright_connections',
      kind: 'gauge',
      help: 'Open connections of clients.',
      read: async () => [{ value: await parts.connections() }],
    },
    ...answered.families,
    ...toolCalls.families,
    ...limitFigures(limits),
    ...databaseFigures(database),
    measured('gauge', 'jobwright_pdfs_waiting', 'PDFs that wait or are being made.', () => pdfs.figures().waiting),
    measured('counter', 'jobwright_pdfs_total', 'PDFs made, refused for want of room or time (away), failed.', () => {
      const { waiting: _, ...outcomes } = pdfs.figures()
      return each('outcome', Object.entries(outcomes))
    }),
    ...workerFigures(parts.worker),
    ...outboxFigures(database, () => parts.worker() !== undefined),
  ]
}

const each = (label: string, values: Iterable<readonly [string, number]>): Sample[] =>
  Array.from(values, ([name, value]) => ({ labels: { [label]: name }, value }))

const limitFigures = (limits: Limits): Family[] => [
  measured('counter', 'jobwright_rate_limited_total', 'Refusals because of too many requests, by limit.', () =>
    each('limit', limits.figures().refused),
  ),
  measured(
    'counter',
    'jobwright_failed_authentications_total',
    'Requests whose key or token was missing or wrong.',
    () => limits.figures().failedAuthentications,
  ),
  measured('counter', 'jobwright_sign_ins_total', 'Sign-ins with a password: tried, and right among them.', () =>
    each('outcome', Object.entries(limits.figures().signIns)),
  ),
  measured(
    'counter',
    'jobwright_uncounted_total',
    'Requests answered 503 because the rate-limit store did not answer.',
    () => limits.figures().uncounted,
  ),
]

const databaseFigures = (database: Database): Family[] => {
  const of = (pick: (tally: Tally) => number) => () =>
    each(
      'connection',
      database.figures().tallies.map(([name, tally]) => [name, pick(tally)] as const),
    )
  return [
    measured(
      'counter',
      'jobwright_database_statements_total',
      'Statements, and transactions as one, that were answered.',
      of(({ answered }) => answered),
    ),
    measured(
      'counter',
      'jobwright_database_seconds_total',
      'How long they took, all together; for transactions with the wait for a connection.',
      of(({ ms }) => ms / 1_000),
    ),
    measured(
      'gauge',
      'jobwright_database_under_way',
      'Statements and transactions that are not answered yet.',
      of(({ underWay }) => underWay),
    ),
    measured(
      'gauge',
      'jobwright_database_pool',
      'Connections for transactions (open, idle), and those waiting for one.',
      () => each('state', Object.entries(database.figures().pool)),
    ),
  ]
}

const workerFigures = (worker: () => WorkerFigures | undefined): Family[] => {
  const chores = () => worker()?.chores ?? []
  return [
    measured(
      'gauge',
      'jobwright_chore_last_done_seconds',
      'When each chore of the worker last succeeded, in seconds since 1970; before the first time, when it started.',
      () => chores().map(({ name, lastDone }) => ({ labels: { chore: name }, value: lastDone })),
    ),
    measured('counter', 'jobwright_chore_failures_total', 'Times a chore did not succeed.', () =>
      chores().map(({ name, failures }) => ({ labels: { chore: name }, value: failures })),
    ),
    measured('counter', 'jobwright_mails_total', 'Attempts to send mail: sent, failed for good, to be repeated.', () =>
      each('outcome', Object.entries(worker()?.mail ?? {})),
    ),
  ]
}

/** Beyond this nobody needs to know how many there are. */
const mostCounted = 10_000

/** Read from an index, by those who have a worker. Where the database is away, there is nothing to tell. */
function outboxFigures(database: Database, isWorker: () => boolean): Family[] {
  const found = async (what: Sql): Promise<Sample[]> => {
    if (!isWorker()) return []
    const rows = await database
      .query<{ value: number }>(sql`
        select ${what} as value from (
          select created_at from outbox where status = 'queued' order by attempt_at limit ${mostCounted}::int) as queued`)
      .catch(() => [])
    return rows.map(({ value }) => ({ value }))
  }
  return [
    {
      name: 'jobwright_outbox_waiting',
      kind: 'gauge',
      help: `Mail that waits to be sent, counted up to ${mostCounted}.`,
      read: () => found(sql`count(*)::int`),
    },
    {
      name: 'jobwright_outbox_oldest_seconds',
      kind: 'gauge',
      help: 'How long ago the oldest mail that waits was written.',
      read: () => found(sql`coalesce(extract(epoch from now() - min(created_at)), 0)::float8`),
    },
  ]
}
