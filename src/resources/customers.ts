// Customers: the people and businesses the work is done for.
import { Type as t } from 'typebox'
import { badRequest, conflict, notFound } from '../api/errors.ts'
import { dateTime, email, optional, text } from '../api/fields.ts'
import { type Context, Json, message, operation, resource, statement } from '../api/operation.ts'
import { create, read, update } from '../api/plain.ts'
import { paging, table } from '../api/table.ts'
import { sql } from '../database.ts'
import { isHeldByForms } from '../domain/gates.ts'
import { schedulesEnded, schedulesHeld } from './recurring/of-customer.ts'
import { all, changedAfter, matching, searchText } from './search.ts'
import { ticketsOf } from './tickets/of-customer.ts'

export const customers = table({
  name: 'customers',
  noun: 'customer',
  prefix: 'cus',
  writable: {
    firstName: text(100, { examples: ['Amara'] }),
    lastName: optional(text(100, { examples: ['Okafor'] })),
    email: optional(email({ examples: ['amara@okafor-bakery.example'] })),
    phone: optional(text(40, { examples: ['+44 7700 900123'] })),
    businessName: optional(text(150, { examples: ['Okafor Bakery'] })),
    address: optional(text(500, { examples: ['12 Mill Lane\nLeeds LS1 4AP'] })),
    notes: optional(text(5_000, { examples: ['Rings twice; the dog is friendly.'], description: 'For staff only.' })),
  },
  order: { column: 'sort_name', type: 'text', direction: 'asc' },
})

export default resource('customers', [
  operation('GET /customers', {
    name: 'listCustomers',
    summary: 'List customers by first name',
    query: t.Object({
      ...paging,
      updatedAfter: t.Optional(dateTime({ description: 'Customers that changed after this moment.' })),
      search: searchText({ examples: ['okafor'], description: 'Part of a name, email or business name.' }),
    }),
    returns: customers.list,
    run: ({ query: { search, updatedAfter, ...page } }, ctx) => ({
      ...customers.page(
        ctx,
        page,
        all(search && matching('customers', search), updatedAfter && changedAfter('customers', updatedAfter)),
      ),
      way: search ? 'search' : updatedAfter ? 'vary' : undefined,
    }),
  }),

  create('/customers', customers),

  operation('GET /customers/lookup', {
    name: 'lookupCustomers',
    summary: 'Find customers by their exact phone number or email address',
    query: t.Object({
      phone: t.Optional(t.String({ maxLength: 40, format: 'phone', examples: ['+44 7700 900123'] })),
      email: t.Optional(email({ examples: ['amara@okafor-bakery.example'] })),
    }),
    returns: t.Object({ matches: t.Array(customers.record), count: t.Integer() }),
    run({ query: { phone, email } }, ctx) {
      if (!phone && !email) throw badRequest('phone or email is required')
      return statement(withContact(ctx, phone ?? null, email ?? null), (rows: { packed: string }[]) => {
        if (rows.length === 0) throw notFound('customer')
        const matches = rows.map((row) => customers.answer(ctx)([row]).text)
        return new Json(`{"matches":[${matches}],"count":${matches.length}}`)
      })
    },
  }),

  read('/customers/:customerId', customers),
  update('/customers/:customerId', customers),

  operation('DELETE /customers/:customerId', {
    name: 'deleteCustomer',
    summary:
      'Delete a customer and, unless cascade=false, their devices, jobs and calendar events; their recurring schedules end',
    mayNeed: ['tickets:delete'],
    query: t.Object({
      cascade: t.Boolean({ default: true, description: 'Whether jobs go too; false refuses instead.' }),
    }),
    returns: message,
    conflicts: ['CUSTOMER_HAS_TICKETS', 'FORM_GATE_DELETE'],
    async run({ params: { customerId }, query: { cascade } }, ctx) {
      await ctx.ask(schedulesHeld(ctx, customerId))
      await ctx.ask(customers.lock(ctx, customerId)) // no job can be added to a customer that is held
      const tickets = await ctx.ask(ticketsOf(ctx, customerId))
      const ids = (some: readonly { id: string }[]) => some.slice(0, mostNamed).map(({ id }) => id)
      if (tickets.length > 0 && !cascade) throw conflict('CUSTOMER_HAS_TICKETS', { ticketIds: ids(tickets) })
      if (tickets.length > 0) ctx.require('tickets:delete')
      const held = tickets.filter(isHeldByForms)
      if (held.length > 0) throw conflict('FORM_GATE_DELETE', { ticketIds: ids(held) })
      await ctx.ask(schedulesEnded(ctx, customerId))
      return ctx.ask(customers.remove(ctx, customerId)) // the foreign keys take devices, jobs and events along
    },
  }),
])

/** How many jobs a refusal names. */
const mostNamed = 100

/** Up to ten by phone, then up to ten by email; who matches both comes once. */
const withContact = ({ orgId }: Context, phone: string | null, email: string | null) => sql`
  select ${customers.packed} from (
    select distinct on (id) * from (
      (select *, true as by_phone from customers
       where org_id = ${orgId} and phone = ${phone} order by sort_name, id limit 10)
      union all
      (select *, false as by_phone from customers
       where org_id = ${orgId} and lower(email) = lower(${email}) order by sort_name, id limit 10)
    ) found order by id, by_phone desc
  ) customers order by by_phone desc, sort_name, id`
