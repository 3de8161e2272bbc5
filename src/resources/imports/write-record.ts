// One record and its parts, written by the functions behind the operations: the same rules, and nobody is mailed.
import { sql } from '../../db/database.ts'
import type { Kind } from '../../domain/moving-in/kinds.ts'
import type { Values } from '../../domain/moving-in/verdict.ts'
import { badRequest } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { customers } from '../customers.ts'
import { devices, hasName, nameRequired } from '../devices.ts'
import { items } from '../inventory.ts'
import { createInvoice } from '../invoices/invoices.ts'
import { recordPayment } from '../payments.ts'
import { createQuote } from '../quotes/quotes.ts'
import { services } from '../services.ts'
import { messages } from '../tickets/messages.ts'
import { createTicket, updateTicket } from '../tickets/write-ticket.ts'
import { afterOf } from './candidates.ts'
import type { createParts } from './parts.ts'
import type { Plan } from './plan.ts'

type Parts = ReturnType<typeof createParts>

export async function createRecord(ctx: Context, kind: Kind, id: string, plan: Plan, parts: Parts): Promise<void> {
  const { values } = plan
  const columns = { id }
  switch (kind) {
    case 'customers':
      return void (await ctx.query(customers.insert(ctx, values, { columns })))
    case 'devices':
      if (!hasName(values)) throw badRequest(nameRequired)
      return void (await ctx.query(devices.insert(ctx, values, { parentId: plan.customerId, columns })))
    case 'services':
      return void (await ctx.query(services.insert(ctx, values, { columns })))
    case 'inventory': {
      const categoryId = plan.category === undefined ? null : await parts.category(plan.category)
      return void (await ctx.query(items.insert(ctx, { ...values, categoryId }, { columns })))
    }
    case 'jobs':
      return createJob(ctx, id, plan)
    case 'quotes':
      return createDocument(ctx, 'quote', id, plan, parts)
    default:
      return createDocument(ctx, 'invoice', id, plan, parts)
  }
}

async function createJob(ctx: Context, id: string, { values, createdAt, closedAt, message }: Plan): Promise<void> {
  await createTicket(ctx, values, { source: 'api', brought: { id, createdAt, closedAt } })
  if (message === undefined) return
  await ctx.query(
    messages.insert(
      ctx,
      { text: message, visibility: 'internal' },
      { parentId: id, columns: { author_name: ctx.caller.name } },
    ),
  )
}

async function createDocument(
  ctx: Context,
  noun: 'quote' | 'invoice',
  id: string,
  plan: Plan,
  parts: Parts,
): Promise<void> {
  const lineItems: object[] = []
  for (const [index, line] of (plan.values.lineItems as readonly object[]).entries()) {
    const rate = plan.taxRates ? plan.taxRates[index] : plan.taxRate
    const taxRateId = rate ? await parts.taxRate(rate) : null
    // Without its tax it would come to something else than was judged.
    if (rate && taxRateId === null) throw badRequest(`there are too many tax rates to add one of ${rate} %`)
    lineItems.push({ ...line, taxRateId })
  }
  const body = { ...plan.values, lineItems }
  const isFree = plan.number !== undefined && (await ctx.query(selectIsFree(ctx, noun, plan.number)))
  const brought = { id, createdAt: plan.createdAt, number: isFree ? plan.number : undefined }
  if (noun === 'quote') await createQuote(ctx, body, brought)
  else await createInvoice(ctx, body, brought)
  if (isFree) await ctx.query(passNumber(ctx, noun, plan.number!))
  if (plan.payment) {
    const { amount, paidAt, method } = plan.payment
    await recordPayment(
      ctx,
      {
        invoiceId: id,
        amount,
        paymentMethod: method ?? 'other',
        ...(paidAt !== undefined && { paidAt }),
      },
      { booked_elsewhere: true },
    )
  }
  await ctx.query(noteDeadline(ctx, noun, id))
}

export const fillRecord = (ctx: Context, kind: Kind, id: string, { changes = {} }: Plan): Promise<void> =>
  changeRecord(ctx, kind, id, afterOf(changes))

/** A job is changed as by a caller, since its visit is called after it. */
export async function changeRecord(ctx: Context, kind: Kind, id: string, values: Values): Promise<void> {
  if (kind === 'jobs') await updateTicket(ctx, id, values)
  else await ctx.query(updateFields(ctx, kind, id, values))
}

/** Fields of what can be filled, and nothing that follows from them. */
function updateFields(ctx: Context, kind: Kind, id: string, values: Values): Statement<unknown> {
  if (kind === 'customers') return customers.update(ctx, id, values)
  if (kind === 'services') return services.update(ctx, id, values)
  if (kind === 'inventory') return items.update(ctx, id, values)
  const { name, ...rest } = values
  return statement(
    sql`update devices set (updated_at, type, brand, make, model, identifier, given_name, external_id, external_source, external_number) =
          (select now(), one.type, one.brand, one.make, one.model, one.identifier, one.given_name, one.external_id,
             one.external_source, one.external_number
           from jsonb_populate_record(devices, ${JSON.stringify(toColumns({ ...rest, ...(name !== undefined && { givenName: name }) }))}::jsonb) one)
        where org_id = ${ctx.orgId} and id = ${id}`,
    () => {},
  )
}

const toColumns = (values: Values) =>
  Object.fromEntries(
    Object.entries(values).map(([field, value]) => [
      field.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`),
      value,
    ]),
  )

const selectIsFree = ({ orgId }: Context, noun: 'quote' | 'invoice', number: string): Statement<boolean> =>
  statement(
    noun === 'quote'
      ? sql`select from quotes where org_id = ${orgId} and quote_number = ${number}`
      : sql`select from invoices where org_id = ${orgId} and invoice_number = ${number}`,
    (rows) => rows.length === 0,
  )

const passNumber = ({ orgId }: Context, noun: 'quote' | 'invoice', number: string): Statement<void> =>
  statement(sql`select pass_document_number(${orgId}, ${noun}, ${number})`, () => {})

/** What was overdue or had expired before it came is no news. */
const noteDeadline = ({ orgId }: Context, noun: 'quote' | 'invoice', id: string): Statement<void> =>
  statement(
    noun === 'quote'
      ? sql`update quotes set expiry_noted_at = now() where org_id = ${orgId} and id = ${id}
            and status in ('draft', 'sent') and valid_until < now()`
      : sql`update invoices set overdue_noted_at = now() where org_id = ${orgId} and id = ${id}
            and status = 'sent' and has_balance and due_at < now()`,
    () => {},
  )
