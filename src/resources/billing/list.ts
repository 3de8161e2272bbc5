// How quotes and invoices are listed: newest first, by the same filters but for one of their own.
import { Type as t } from 'typebox'
import { raw, sql } from '../../db/database.ts'
import { id } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { capitalise } from '../../operations/string-case.ts'
import { paging, type Table } from '../../operations/table.ts'
import { changedAfterFilter, filter, filterSet } from '../filters.ts'

/** `flag` is the column that says how the document ended well: a quote is accepted, an invoice paid. */
export function listOperation(documents: 'quotes' | 'invoices', table: Table, flag: 'accepted' | 'paid') {
  const [name, title] = [raw(documents), capitalise(documents)]
  const filters = filterSet({
    customerId: filter(id(), (customerId) => sql`${name}.customer_id = ${customerId}`),
    ticketId: filter(id(), (ticketId) => sql`${name}.ticket_id = ${ticketId}`),
    [flag]: filter(t.Boolean(), (value) => sql`${name}.${raw(flag)} = ${value}`),
    updatedAfter: changedAfterFilter(documents, `${title} that changed after this moment.`),
  })
  return operation(`GET /${documents}`, {
    name: `list${title}`,
    summary: `List ${documents}, newest first`,
    query: t.Object({ ...paging, ...filters.query }),
    returns: table.list,
    // They are large: on a connection of their own they do not delay other reads.
    run: ({ query }, ctx) => filters.page(table, ctx, query, { connection: 'slow' }),
  })
}
