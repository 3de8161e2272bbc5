// Whether somebody has begun on the job of a visit: then nothing that a schedule does may take it away.
import { raw } from '../../db/database.ts'

/** Lines that are not as the schedule wrote them, in the transaction whose moment the visit keeps. */
const hasChangedLines = (lines: string) => `exists (
  select from ${lines} line where line.org_id = ticket.org_id and line.ticket_id = ticket.id
    and (line.created_at <> visit.written_at or line.updated_at <> visit.written_at))`
const lineCount = (lines: string) =>
  `(select count(*) from ${lines} line where line.org_id = ticket.org_id and line.ticket_id = ticket.id)`

const isReferencedBy = (documents: string, condition = '') =>
  `exists (select from ${documents} document where document.org_id = ticket.org_id and document.ticket_id = ticket.id ${condition})`

const workConditions: readonly string[] = [
  'visit.left_first_status',
  'visit.was_touched',
  hasChangedLines('service_lines'),
  hasChangedLines('inventory_lines'),
  `${lineCount('service_lines')} + ${lineCount('inventory_lines')} <> visit.line_count`,
  'ticket.discount is not null',
  'exists (select from ticket_signatures signed where signed.org_id = ticket.org_id and signed.ticket_id = ticket.id)',
  'exists (select from messages message where message.org_id = ticket.org_id and message.ticket_id = ticket.id and not is_system)',
  isReferencedBy('form_submissions', "and document.status in ('inProgress', 'submitted')"),
  isReferencedBy('quotes'),
  isReferencedBy('invoices'),
]

/** A condition on `visit` (a row of recurring_occurrences) and `ticket` (the row of its job). */
export const hasWork = raw(`(${workConditions.map((condition) => `(${condition})`).join(' or ')})`)
