// Holds a job while something on it changes, and marks it as changed for those who ask what changed since.
import { notFound } from '../../api/errors.ts'
import { type Context, type Statement, statement } from '../../api/operation.ts'
import { sql } from '../../database.ts'

export const ticketTouched = ({ orgId }: Pick<Context, 'orgId'>, ticketId: string): Statement<void> =>
  statement(
    sql`update tickets set updated_at = now() where org_id = ${orgId} and id = ${ticketId} returning id`,
    (rows) => {
      if (rows.length === 0) throw notFound('job')
    },
  )
