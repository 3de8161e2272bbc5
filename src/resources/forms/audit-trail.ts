// The audit trail of forms: who did what to which form, in the transaction in which it happened.
import { sql } from '../../db/database.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, type Statement, type StatementContext, statement } from '../../operations/operation.ts'

/** What code that fills forms in may touch: one organisation, and a transaction through `query`. */
export type FormContext = StatementContext & Pick<Context, 'query'>

/** A member, a key, or the command line, which has no id. */
export interface Actor {
  readonly id: string | null
  readonly name: string
}

export const actorOf = ({ caller }: Pick<Context, 'caller'>): Actor => ({ id: caller.credentialId, name: caller.name })

export const eventTypes = ['created', 'opened', 'answered', 'signed', 'submitted', 'reopened', 'voided'] as const

export interface FormEvent {
  readonly submissionId: string
  readonly type: (typeof eventTypes)[number]
  readonly detail?: object | null
}

/** The forms are locked, so the order of writing is the order of happening. */
export function insertFormEvents(
  { orgId }: Pick<Context, 'orgId'>,
  actor: Actor,
  events: readonly FormEvent[],
): Statement<void> {
  const rows = events.map((event) => ({ id: newId('fev'), ...event }))
  return statement(
    sql`insert into form_events (org_id, id, submission_id, type, actor_id, actor_name, detail)
        select ${orgId}, id, "submissionId", type, ${actor.id}, ${actor.name}, nullif(detail, 'null')
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
          as event (id text, "submissionId" text, type text, detail jsonb)`,
    () => {},
  )
}
