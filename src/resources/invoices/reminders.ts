// Reminders of an invoice: when the customer is to be asked again, which the worker does if there is still a balance.
import { Type as t } from 'typebox'
import { badRequest, notFound } from '../../api/errors.ts'
import { dateTime, email, nullable, oneOf, optional, text } from '../../api/fields.ts'
import { type Context, operation, type Statement, statement } from '../../api/operation.ts'
import { read, remove } from '../../api/plain.ts'
import { paging, table } from '../../api/table.ts'
import { sql } from '../../database.ts'
import { invoices } from './record.ts'

const mostReminders = 20
const farthestYears = 2

export const reminders = table({
  name: 'reminders',
  noun: 'reminder',
  prefix: 'rem',
  parent: { table: 'invoices', column: 'invoice_id', noun: 'invoice' },
  writable: {
    remindAt: dateTime({ description: 'In the future, at most two years ahead.' }),
    message: optional(text(2_000, { examples: ['A gentle reminder: this invoice is due next week.'] })),
    to: optional(email({ examples: ['accounts@okafor-bakery.example'], description: "The invoice's if left out." })),
  },
  kept: {
    status: oneOf(['scheduled', 'sent', 'skipped', 'failed'], {
      examples: ['scheduled'],
      description: '`skipped` where nothing was owed, or the invoice was not sent, when the time came.',
    }),
    sentAt: nullable(dateTime()),
    failureReason: nullable(t.String()),
  },
  read: { to: 'reminders.to_address' },
  write: { to: 'to_address' },
  order: { column: 'remind_at', type: 'timestamptz', direction: 'asc' },
})

const path = '/invoices/:invoiceId/reminders'

export const reminderOperations = [
  operation(`GET ${path}`, {
    name: 'listReminders',
    summary: 'List the reminders of an invoice by their time',
    query: t.Object(paging),
    returns: reminders.list,
    run: ({ params: { invoiceId }, query }, ctx) => reminders.page(ctx, query, undefined, invoiceId),
  }),

  operation(`POST ${path}`, {
    name: 'createReminder',
    summary: 'Have the customer reminded of an invoice',
    body: reminders.create,
    status: 201,
    returns: reminders.record,
    async run({ params: { invoiceId }, body }, ctx) {
      await ctx.ask(invoices.lock(ctx, invoiceId))
      const { count, isSoon } = await ctx.ask(planned(ctx, invoiceId, body.remindAt))
      if (count >= mostReminders) throw badRequest(`An invoice can have at most ${mostReminders} reminders`)
      refuseWrongTime(isSoon)
      return ctx.ask(reminders.insert(ctx, body, invoiceId))
    },
  }),

  read(`${path}/:reminderId`, reminders),

  operation(`PUT ${path}/:reminderId`, {
    name: 'updateReminder',
    summary: 'Change a reminder that was not sent yet',
    body: reminders.update,
    returns: reminders.record,
    async run({ params: { invoiceId, reminderId }, body }, ctx) {
      const { status } = await ctx.ask(heldReminder(ctx, invoiceId, reminderId))
      if (status !== 'scheduled') throw badRequest('Only a scheduled reminder can be changed')
      if (body.remindAt !== undefined) {
        refuseWrongTime((await ctx.ask(planned(ctx, invoiceId, body.remindAt))).isSoon)
      }
      return ctx.ask(reminders.change(ctx, reminderId, body, invoiceId))
    },
  }),

  { ...remove(`${path}/:reminderId`, reminders), needs: ['invoices:write'] as const },
]

/** Null where the time is past, false where it is too far away. */
const planned = (
  { orgId }: Context,
  invoiceId: string,
  remindAt: string,
): Statement<{ count: number; isSoon: boolean | null }> =>
  statement(
    sql`select (select count(*) from reminders where org_id = ${orgId} and invoice_id = ${invoiceId}) as count,
        case when ${remindAt}::timestamptz > now()
          then ${remindAt}::timestamptz <= now() + make_interval(years => ${farthestYears}::int) end as "isSoon"`,
    ([row]: { count: number; isSoon: boolean | null }[]) => row!,
  )

function refuseWrongTime(isSoon: boolean | null): void {
  if (isSoon === null) throw badRequest('remindAt must be in the future')
  if (!isSoon) throw badRequest(`remindAt must be at most ${farthestYears} years ahead`)
}

const heldReminder = ({ orgId }: Context, invoiceId: string, reminderId: string): Statement<{ status: string }> =>
  statement(
    sql`select status from reminders where org_id = ${orgId} and invoice_id = ${invoiceId} and id = ${reminderId} for update`,
    ([reminder]: { status: string }[]) => {
      if (!reminder) throw notFound(reminders.noun)
      return reminder
    },
  )
