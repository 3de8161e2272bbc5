// Customers: the people and businesses the work is done for.
import { sql } from '../db/database.ts'
import { isBlockedByForms } from '../domain/gates.ts'
import { Accepted, Json } from '../operations/answers.ts'
import { create, read, update } from '../operations/crud.ts'
import { badRequest, conflictCode, notFound } from '../operations/errors.ts'
import { email, optional, text } from '../operations/fields.ts'
import { exampleId } from '../operations/ids.ts'
import { type Context, deletionMessage, operation, resource, statement } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { entity } from '../operations/scopes.ts'
import { paging, table } from '../operations/table.ts'
import {
  addDeletedJobs,
  customerDeletion,
  findDeletion,
  finishDeletion,
  lockDeletion,
  selectIsBeingDeleted,
  startDeletion,
} from './customer-deletions.ts'
import { externalFields, externalFilters, externalIdTaken } from './external-ids.ts'
import { changedAfterFilter, filterSet, searchFilter } from './filters.ts'
import { formGateDelete } from './forms/gate-conflicts.ts'
import { endSchedulesOfCustomer, lockSchedulesOfCustomer } from './recurring/customer-schedules.ts'
import { lockTicketsOfCustomer, selectHasMoreTickets } from './tickets/customer-tickets.ts'
import { deleteTickets } from './tickets/visit-tickets.ts'
import { tradingFields } from './trading-fields.ts'

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
    ...tradingFields,
    buyerReference: optional(
      text(100, {
        examples: ['04011000-12345-03'],
        description: 'Stands on e-invoices, such as a Leitweg-ID.',
      }),
    ),
    ...externalFields,
  },
  order: { column: 'sort_name', type: 'text', direction: 'asc' },
})

/** The search comes first: a list that is both searched and limited to changes needs its connection. */
const customerFilters = filterSet({
  search: searchFilter('customers', { examples: ['okafor'], description: 'Part of a name, email or business name.' }),
  updatedAfter: changedAfterFilter('customers', 'Customers that changed after this moment.'),
  ...externalFilters('customers'),
})
const { search, ...otherFilters } = customerFilters.query

const customerHasTickets = conflictCode(
  'CUSTOMER_HAS_TICKETS',
  'The customer still has jobs; delete them first, or delete with cascade=true.',
  t.Object({ ticketIds: t.Array(t.String(), { examples: [[exampleId('tkt')]] }) }),
)

const customerEntity = entity('customers', {
  title: 'Customers',
  description: 'The people and businesses the work is done for.',
  scopeObject: 'customers',
})

export default resource({ entity: customerEntity, tables: [customers] }, [
  operation('GET /customers', {
    name: 'listCustomers',
    summary: 'List customers by first name',
    mcp: { advice: 'Use search for part of a name, email or business.' },
    query: t.Object({ ...paging, ...otherFilters, search }),
    returns: customers.list,
    run: ({ query }, ctx) => customerFilters.page(customers, ctx, query),
  }),

  {
    ...create('/customers', customers),
    conflicts: [externalIdTaken],
    mcp: { advice: 'Look the customer up first, so that nobody is entered twice.' },
  },

  operation('GET /customers/lookup', {
    name: 'lookupCustomers',
    summary: 'Find customers by their exact phone number, email address or both: one is required',
    mcp: { advice: 'Use it first when a phone number or email is known. 404 means that nobody has it.' },
    query: t.Object({
      phone: t.Optional(t.String({ maxLength: 40, format: 'phone', examples: ['+44 7700 900123'] })),
      email: t.Optional(email({ examples: ['amara@okafor-bakery.example'] })),
    }),
    returns: t.Object({ matches: t.Array(customers.record), count: t.Integer() }),
    run({ query: { phone, email } }, ctx) {
      if (!phone && !email) throw badRequest('phone or email is required')
      return statement(contactMatches(ctx, phone ?? null, email ?? null), (rows: { encoded: string }[]) => {
        if (rows.length === 0) throw notFound('customer')
        const matches = rows.map((row) => customers.decodeOne(ctx)([row]).text)
        return new Json(`{"matches":[${matches}],"count":${matches.length}}`)
      })
    },
  }),

  {
    ...read('/customers/:customerId', customers),
    async lock({ customerId = '' }, ctx) {
      await ctx.query(lockSchedulesOfCustomer(ctx, customerId))
      await ctx.query(customers.lock(ctx, customerId))
    },
  },
  {
    ...update('/customers/:customerId', customers),
    conflicts: [externalIdTaken],
    mcp: { advice: 'Send only the fields that change; an empty text empties one.' },
  },

  operation('DELETE /customers/:customerId', {
    name: 'deleteCustomer',
    summary:
      'Delete a customer and, unless cascade=false, their devices, jobs and calendar events; their recurring schedules end',
    mayNeed: ['tickets:delete'],
    query: t.Object({
      cascade: t.Boolean({ default: true, description: 'Whether jobs go too; false refuses instead.' }),
    }),
    returns: deletionMessage,
    conflicts: [customerHasTickets, formGateDelete],
    steps: true,
    async run({ params: { customerId }, query: { cascade } }, ctx) {
      let state = await ctx.step((step) => beginDeletion(step, customerId, cascade))
      while (state === 'begun') {
        const isFinished = await ctx.stepInTime((step) => continueDeletion(step, customerId))
        if (isFinished === undefined) break
        if (isFinished) state = 'finished'
      }
      if (state === 'finished') return { message: 'Customer deleted', id: customerId }
      return new Accepted({ message: 'Customer is being deleted', id: customerId })
    },
  }),

  operation('GET /customers/:customerId/deletion', {
    name: 'getCustomerDeletion',
    summary: 'Read how far the deletion of a customer with many jobs has come; it can be read for a week after its end',
    returns: customerDeletion,
    run: ({ params: { customerId } }, ctx) => findDeletion(ctx, customerId),
  }),
])

/** So many jobs are deleted in one transaction, well within a second. */
const jobsPerStep = 50

/** Judges all jobs of a customer at one moment. Few of them go at once; for many it is written down that they will. */
async function beginDeletion(
  ctx: Context,
  customerId: string,
  cascade: boolean,
): Promise<'finished' | 'begun' | 'running'> {
  await ctx.query(lockSchedulesOfCustomer(ctx, customerId))
  await ctx.query(customers.lock(ctx, customerId)) // no job can be added to a customer that is locked
  const tickets = await ctx.query(lockTicketsOfCustomer(ctx, customerId))
  const ids = (some: readonly { id: string }[]) => some.slice(0, maxNamed).map(({ id }) => id)
  if (tickets.length > 0 && !cascade) throw customerHasTickets({ ticketIds: ids(tickets) })
  if (tickets.length > 0) ctx.require('tickets:delete')
  if (await ctx.query(selectIsBeingDeleted(ctx, customerId))) return 'running'
  const blocked = tickets.filter(isBlockedByForms)
  if (blocked.length > 0) throw formGateDelete({ ticketIds: ids(blocked) })
  await ctx.query(endSchedulesOfCustomer(ctx, customerId))
  if (tickets.length > jobsPerStep) {
    await ctx.query(startDeletion(ctx, customerId, tickets.length))
    return 'begun'
  }
  await ctx.query(customers.remove(ctx, customerId)) // the foreign keys take devices, jobs and events along
  return 'finished'
}

/**
 * A few of the jobs, and the customer with the last of them; answers whether that was the end. Nothing is judged again:
 * what was added since goes along.
 */
export async function continueDeletion(ctx: Context, customerId: string): Promise<boolean> {
  if (!(await ctx.query(lockDeletion(ctx, customerId)))) return true
  if (await ctx.query(selectHasMoreTickets(ctx, customerId, jobsPerStep))) {
    const tickets = await ctx.query(lockTicketsOfCustomer(ctx, customerId, jobsPerStep))
    const ids = tickets.map(({ id }) => id)
    await ctx.query(deleteTickets(ctx, ids))
    await ctx.query(addDeletedJobs(ctx, customerId, ids.length))
    return false
  }
  await ctx.query(lockSchedulesOfCustomer(ctx, customerId))
  await ctx.query(customers.lock(ctx, customerId))
  const last = await ctx.query(lockTicketsOfCustomer(ctx, customerId))
  await ctx.query(endSchedulesOfCustomer(ctx, customerId))
  await ctx.query(customers.remove(ctx, customerId))
  await ctx.query(addDeletedJobs(ctx, customerId, last.length))
  await ctx.query(finishDeletion(ctx, customerId))
  return true
}

/** How many jobs a refusal names. */
const maxNamed = 100

/** Up to ten by phone, then up to ten by email; who matches both comes once. */
const contactMatches = ({ orgId }: Context, phone: string | null, email: string | null) => sql`
  select ${customers.encoded} from (
    select distinct on (id) * from (
      (select *, true as by_phone from customers
       where org_id = ${orgId} and phone = ${phone} order by sort_name, id limit 10)
      union all
      (select *, false as by_phone from customers
       where org_id = ${orgId} and lower(email) = lower(${email}) order by sort_name, id limit 10)
    ) found order by id, by_phone desc
  ) customers order by by_phone desc, sort_name, id`
