// Whether somebody has begun on the job of a visit: then nothing that a schedule does may take it away.
import { raw } from '../../database.ts'

/** Lines that are not as the schedule wrote them, in the transaction whose moment the visit keeps. */
const isChanged = (lines: string) => `exists (
  select from ${lines} line where line.org_id = ticket.org_id and line.ticket_id = ticket.id
    and (line.created_at <> visit.written_at or line.updated_at <> visit.written_at))`
const count = (lines: string) =>
  `(select count(*) from ${lines} line where line.org_id = ticket.org_id and line.ticket_id = ticket.id)`

const names = (documents: string, condition = '') =>
  `exists (select from ${documents} document where document.org_id = ticket.org_id and document.ticket_id = ticket.id ${condition})`

const signs: readonly string[] = [
  'visit.left_first_status',
  'visit.was_touched',
  isChanged('service_lines'),
  isChanged('inventory_lines'),
  `${count('service_lines')} + ${count('inventory_lines')} <> visit.line_count`,
  'ticket.discount is not null',
  'exists (select from ticket_signatures signed where signed.org_id = ticket.org_id and signed.ticket_id = ticket.id)',
  'exists (select from messages message where message.org_id = ticket.org_id and message.ticket_id = ticket.id and not is_system)',
  names('form_submissions', "and document.status in ('inProgress', 'submitted')"),
  names('quotes'),
  names('invoices'),
]

/** A condition on `visit` (a row of recurring_occurrences) and `ticket` (the row of its job). */
export const hasWork = raw(`(${signs.map((sign) => `(${sign})`).join(' or ')})`)
