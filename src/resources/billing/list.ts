// How quotes and invoices are listed: newest first, by the same filters but for one of their own.
import { raw, sql } from '../../db/database.ts'
import { id, oneOf } from '../../operations/fields.ts'
import { operation } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { capitalise } from '../../operations/string-case.ts'
import { paging, type Table } from '../../operations/table.ts'
import { externalFilters } from '../external-ids.ts'
import { changedAfterFilter, filter, filterSet, wordsFilter } from '../filters.ts'

export interface DocumentList {
  /** The column that says how the document ended well: a quote is accepted, an invoice paid. */
  readonly flag: 'accepted' | 'paid'
  /** What a document is at the moment, in one word, and the condition for it. */
  readonly states: Readonly<Record<string, string>>
  /** What a caller should know of them. */
  readonly meaning: string
}

export function listOperation(documents: 'quotes' | 'invoices', table: Table, { flag, states, meaning }: DocumentList) {
  const [name, title] = [raw(documents), capitalise(documents)]
  const filters = filterSet({
    customerId: filter(id(), (customerId) => sql`${name}.customer_id = ${customerId}`),
    ticketId: filter(id(), (ticketId) => sql`${name}.ticket_id = ${ticketId}`),
    state: filter(oneOf(Object.keys(states), { description: meaning }), (state) => raw(states[state]!)),
    search: wordsFilter(documents, {
      examples: ['okafor'],
      description: 'Words that the number, the customer’s name or the title hold, in any order.',
    }),
    [flag]: filter(t.Boolean(), (value) => sql`${name}.${raw(flag)} = ${value}`),
    updatedAfter: changedAfterFilter(documents, `${title} that changed after this moment.`),
    ...externalFilters(documents),
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
