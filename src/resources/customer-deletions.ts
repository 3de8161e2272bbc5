// The deletion of a customer with many jobs as it is written down: how far it has come, for callers and for the worker.
import type { Static } from 'typebox'
import { sql } from '../db/database.ts'
import { notFound } from '../operations/errors.ts'
import { dateTime, id, integer, nullable, oneOf } from '../operations/fields.ts'
import { type Context, type Statement, type StatementContext, statement } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'

const jobCount = (description: string) => integer(0, 2_147_483_647, { examples: [1_200], description })

export const customerDeletion = t.Object(
  {
    customerId: id(),
    status: oneOf(['running', 'finished'], { examples: ['running'] }),
    done: jobCount('How many of their jobs are deleted.'),
    total: jobCount('How many jobs they had, with those that came meanwhile.'),
    startedAt: dateTime(),
    finishedAt: nullable(dateTime()),
  },
  { title: 'CustomerDeletion' },
)

const ofCustomer = ({ orgId }: Pick<Context, 'orgId'>, customerId: string) =>
  sql`org_id = ${orgId} and customer_id = ${customerId}`

export const findDeletion = (ctx: StatementContext, customerId: string): Statement<Static<typeof customerDeletion>> =>
  statement(
    sql`select done, total, started_at as "startedAt", finished_at as "finishedAt" from customer_deletions
        where ${ofCustomer(ctx, customerId)}`,
    ([row]: { done: number; total: number; startedAt: Date; finishedAt: Date | null }[]) => {
      if (!row) throw notFound('deletion')
      const { done, total, startedAt, finishedAt } = row
      return {
        customerId,
        status: finishedAt ? ('finished' as const) : ('running' as const),
        done,
        total,
        startedAt: startedAt.toISOString(),
        finishedAt: finishedAt?.toISOString() ?? null,
      }
    },
  )

export const startDeletion = ({ orgId }: Context, customerId: string, total: number): Statement<void> =>
  statement(
    sql`insert into customer_deletions (org_id, customer_id, total) values (${orgId}, ${customerId}, ${total})
        on conflict (org_id, customer_id) do update
        set done = 0, total = excluded.total, started_at = excluded.started_at, finished_at = null,
          due_at = excluded.due_at`,
    () => {},
  )

export const selectIsBeingDeleted = (ctx: Context, customerId: string): Statement<boolean> =>
  statement(
    sql`select 1 from customer_deletions where ${ofCustomer(ctx, customerId)} and finished_at is null`,
    (rows) => rows.length > 0,
  )

/** Locked before anything else of the customer: request and worker take turns. */
export const lockDeletion = (ctx: Context, customerId: string): Statement<boolean> =>
  statement(
    sql`select 1 from customer_deletions where ${ofCustomer(ctx, customerId)} and finished_at is null for update`,
    (rows) => rows.length > 0,
  )

export const addDeletedJobs = (ctx: Context, customerId: string, count: number): Statement<void> =>
  statement(
    sql`update customer_deletions set done = done + ${count}::int, total = greatest(total, done + ${count}::int)
        where ${ofCustomer(ctx, customerId)}`,
    () => {},
  )

export const finishDeletion = (ctx: Context, customerId: string): Statement<void> =>
  statement(
    sql`update customer_deletions set finished_at = now(), due_at = null where ${ofCustomer(ctx, customerId)}`,
    () => {},
  )
