// Reminders of an invoice: when the customer is to be reminded, which the worker does if there is still a balance.
import { sql } from '../../db/database.ts'
import { read, remove } from '../../operations/crud.ts'
import { badRequest, notFound } from '../../operations/errors.ts'
import { dateTime, email, nullable, oneOf, optional, text } from '../../operations/fields.ts'
import { type Context, operation, type Statement, statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { paging, table } from '../../operations/table.ts'
import { invoices } from './record.ts'

const maxReminders = 20
const maxYearsAhead = 2

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
  readOnly: {
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
    run: ({ params: { invoiceId }, query }, ctx) => reminders.page(ctx, query, { parentId: invoiceId }),
  }),

  operation(`POST ${path}`, {
    name: 'createReminder',
    summary: 'Have the customer reminded of an invoice',
    mcp: { isOpenWorld: true },
    body: reminders.createBody,
    status: 201,
    returns: reminders.record,
    transaction: true,
    async run({ params: { invoiceId }, body }, ctx) {
      await ctx.query(invoices.lock(ctx, invoiceId))
      const { count, isSoon } = await ctx.query(selectReminderFacts(ctx, invoiceId, body.remindAt))
      if (count >= maxReminders) throw badRequest(`An invoice can have at most ${maxReminders} reminders`)
      refuseWrongTime(isSoon)
      return ctx.query(reminders.insert(ctx, body, { parentId: invoiceId }))
    },
  }),

  read(`${path}/:reminderId`, reminders),

  operation(`PUT ${path}/:reminderId`, {
    name: 'updateReminder',
    summary: 'Change a reminder that was not sent yet',
    mcp: { isOpenWorld: true },
    body: reminders.updateBody,
    returns: reminders.record,
    transaction: true,
    async run({ params: { invoiceId, reminderId }, body }, ctx) {
      const { status } = await ctx.query(lockReminder(ctx, invoiceId, reminderId))
      if (status !== 'scheduled') throw badRequest('Only a scheduled reminder can be changed')
      if (body.remindAt !== undefined) {
        refuseWrongTime((await ctx.query(selectReminderFacts(ctx, invoiceId, body.remindAt))).isSoon)
      }
      return ctx.query(reminders.update(ctx, reminderId, body, { parentId: invoiceId }))
    },
  }),

  { ...remove(`${path}/:reminderId`, reminders), needs: ['invoices:write'] as const },
]

/** Null where the time is past, false where it is too far away. */
const selectReminderFacts = (
  { orgId }: Context,
  invoiceId: string,
  remindAt: string,
): Statement<{ count: number; isSoon: boolean | null }> =>
  statement(
    sql`select (select count(*) from reminders where org_id = ${orgId} and invoice_id = ${invoiceId}) as count,
        case when ${remindAt}::timestamptz > now()
          then ${remindAt}::timestamptz <= now() + make_interval(years => ${maxYearsAhead}::int) end as "isSoon"`,
    ([row]: { count: number; isSoon: boolean | null }[]) => row!,
  )

function refuseWrongTime(isSoon: boolean | null): void {
  if (isSoon === null) throw badRequest('remindAt must be in the future')
  if (!isSoon) throw badRequest(`remindAt must be at most ${maxYearsAhead} years ahead`)
}

const lockReminder = ({ orgId }: Context, invoiceId: string, reminderId: string): Statement<{ status: string }> =>
  statement(
    sql`select status from reminders where org_id = ${orgId} and invoice_id = ${invoiceId} and id = ${reminderId} for update`,
    ([reminder]: { status: string }[]) => {
      if (!reminder) throw notFound(reminders.noun)
      return reminder
    },
  )
