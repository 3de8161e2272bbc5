// Locks a job while something on it changes, and marks it as changed for `updatedAfter`.
import { sql } from '../../db/database.ts'
import { notFound } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'

export const touchTicket = ({ orgId }: Pick<Context, 'orgId'>, ticketId: string): Statement<void> =>
  statement(
    sql`update tickets set updated_at = now() where org_id = ${orgId} and id = ${ticketId} returning id`,
    (rows) => {
      if (rows.length === 0) throw notFound('job')
    },
  )
