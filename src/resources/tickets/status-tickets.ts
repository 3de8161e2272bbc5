// The jobs of a status whose stage changes: they are closed, or open again, from then on.
import { sql } from '../../db/database.ts'
import type { Stage } from '../../domain/gates.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'

export const restageTickets = ({ orgId }: Context, statusId: string, stage: Stage): Statement<void> =>
  statement(
    sql`update tickets set closed_at = case when ${stage} = 'closed' then coalesce(closed_at, now()) end, updated_at = now()
        where org_id = ${orgId} and status_id = ${statusId} and (closed_at is null) = (${stage} = 'closed')`,
    () => {},
  )
