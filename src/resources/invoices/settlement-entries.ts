// What the timeline says when an invoice becomes paid, or is no longer.
import type { TimelineEntry } from '../../domain/timeline.ts'
import type { Invoice } from './record.ts'

export function settlementEntries(
  wasPaid: boolean,
  { id: invoiceId, invoiceNumber, paid, status }: Pick<Invoice, 'id' | 'invoiceNumber' | 'paid' | 'status'>,
): TimelineEntry[] {
  if (wasPaid === paid || status === 'void') return []
  return [{ event: paid ? 'invoicePaid' : 'invoiceReopened', data: { invoiceId, invoiceNumber } }]
}
