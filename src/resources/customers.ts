// Customers: the people and businesses the work is done for.
import { Type as t } from 'typebox'
import { badRequest, notFound } from '../api/errors.ts'
import { email, optional, text } from '../api/fields.ts'
import { type Context, Json, message, operation, resource, statement } from '../api/operation.ts'
import { create, read, update } from '../api/plain.ts'
import { paging, table } from '../api/table.ts'
import { raw, type Sql, sql } from '../database.ts'

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
      search: t.Optional(
        t.String({ maxLength: 100, examples: ['okafor'], description: 'Part of a name, email or business name.' }),
      ),
    }),
    returns: customers.list,
    run: ({ query: { search, ...page } }, ctx) => ({
      ...customers.page(ctx, page, search ? matching(search) : undefined),
      searches: Boolean(search),
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
      return statement(
        withContact(ctx, phone ?? null, email ?? null),
        ([found]: { count: number; matches: string }[]) => {
          if (found!.count === 0) throw notFound('customer')
          return new Json(`{"matches":[${found!.matches}],"count":${found!.count}}`)
        },
      )
    },
  }),

  read('/customers/:customerId', customers),
  update('/customers/:customerId', customers),

  operation('DELETE /customers/:customerId', {
    name: 'deleteCustomer',
    summary: 'Delete a customer and, unless cascade=false, everything that lies under them',
    query: t.Object({ cascade: t.Boolean({ default: true, description: 'Whether devices go too.' }) }),
    returns: message,
    run: ({ params: { customerId } }, ctx) => customers.remove(ctx, customerId), // the foreign keys take the devices along
  }),
])

/** Text of fewer than three characters has no trigrams: walking the list in its order finds such matches sooner. */
function matching(search: string): Sql {
  const pattern = search.replace(/[\\%_]/g, '\\$&')
  const column = search.length < 3 ? raw(`(customers.search_text || '')`) : raw('customers.search_text')
  return sql`${column} like '%' || folded(${pattern}) || '%'`
}

/** Up to ten by phone, then up to ten by email; who matches both comes once. */
const withContact = ({ orgId }: Context, phone: string | null, email: string | null) => sql`
  select count(*)::int as count, string_agg(${customers.data}, ',' order by by_phone desc, sort_name, id) as matches
  from (
    select distinct on (id) * from (
      (select *, true as by_phone from customers
       where org_id = ${orgId} and phone = ${phone} order by sort_name, id limit 10)
      union all
      (select *, false as by_phone from customers
       where org_id = ${orgId} and lower(email) = lower(${email}) order by sort_name, id limit 10)
    ) found order by id, by_phone desc
  ) customers`
