// Writes what happened to a job onto its timeline, in the transaction in which it happened.
import { newId } from '../../api/ids.ts'
import { type Statement, statement } from '../../api/operation.ts'
import { sql } from '../../database.ts'
import { type Note, sentenceOf } from '../../domain/timeline.ts'

/** Who did it, and where: an operation's context is one. */
export interface Doing {
  readonly orgId: string
  readonly caller: { readonly credentialId: string | null; readonly name: string }
}

/** A document outlives its job: where there is no job any more, there is nothing to note. */
export function noted({ orgId, caller }: Doing, ticketId: string, notes: readonly Note[]): Statement<void> {
  const rows = notes.map((note) => ({ id: newId('msg'), text: sentenceOf(note), event: note.event, data: note.data }))
  return statement(
    sql`insert into messages (org_id, id, ticket_id, text, is_system, system_event, system_data, author_id, author_name)
        select ${orgId}, note.id, ticket.id, text, true, event, data, ${caller.credentialId}, ${caller.name}
        from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as note (id text, text text, event text, data jsonb),
          (select id from tickets where org_id = ${orgId} and id = ${ticketId} for key share) ticket`,
    () => {},
  )
}
