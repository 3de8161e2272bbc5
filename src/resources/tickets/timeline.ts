// Writes what happened to a job onto its timeline, in the transaction in which it happened.
import { sql } from '../../db/database.ts'
import { type TimelineEntry, timelineSentence } from '../../domain/timeline.ts'
import { newId } from '../../operations/ids.ts'
import { type Statement, statement } from '../../operations/operation.ts'

/** Who did it, and where: an operation's context is one. */
export interface TimelineActor {
  readonly orgId: string
  readonly caller: { readonly credentialId: string | null; readonly name: string }
}

/** A document outlives its job: where there is no job any more, there is nothing to note. */
export function addTimelineEntries(
  { orgId, caller }: TimelineActor,
  ticketId: string,
  entries: readonly TimelineEntry[],
): Statement<void> {
  const rows = entries.map((entry) => ({
    id: newId('msg'),
    text: timelineSentence(entry),
    event: entry.event,
    data: entry.data,
  }))
  return statement(
    sql`insert into messages (org_id, id, ticket_id, text, is_system, system_event, system_data, author_id, author_name)
        select ${orgId}, entry.id, ticket.id, text, true, event, data, ${caller.credentialId}, ${caller.name}
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as entry (id text, text text, event text, data jsonb),
          (select id from tickets where org_id = ${orgId} and id = ${ticketId} for key share) ticket`,
    () => {},
  )
}
