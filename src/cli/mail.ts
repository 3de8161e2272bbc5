// The commands that show and send outgoing mail and reminders.
import { sql } from '../db/database.ts'
import { parseInstant } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import { decryptBody, type OutboxMail, outboxColumns } from '../resources/outbox.ts'
import { deliverMail } from '../worker/mail.ts'
import { createMailTransport } from '../worker/mail-transport.ts'
import { sendDueReminders } from '../worker/reminders.ts'
import { command, UsageError } from './command.ts'
import type { CommandContext } from './context.ts'
import { minute, table } from './layout.ts'
import { databaseWithOrganisation, organisationId } from './organisations.ts'

const maxListed = 200

export default [
  command('mail list', {
    summary: `List the newest ${maxListed} outgoing mails of an organisation`,
    options: { org: organisationId },
    async run({ org }, ctx) {
      const database = await databaseWithOrganisation(org, ctx)
      const vault = await ctx.vault()
      const rows = await database.query<OutboxMail>(sql`
        select ${outboxColumns} from outbox where org_id = ${org} order by created_at desc, id desc limit ${maxListed}::int`)
      const messages = rows.map((row) => {
        const { id, to, cc, subject, status, failureReason, createdAt, sentAt } = row
        return { id, to, cc, subject, status, failureReason, createdAt, sentAt, ...decryptBody(row, vault) }
      })
      return { messages }
    },
    render({ messages }) {
      if (messages.length === 0) return 'The organisation has sent no mail yet.'
      const rows = messages.map(({ createdAt, to, subject, status, failureReason }) => [
        minute(createdAt, ''),
        to,
        subject,
        failureReason ? `${status}: ${failureReason}` : status,
      ])
      return table(['Written', 'To', 'Subject', 'Status'], rows)
    },
  }),

  command('mail flush', {
    summary: 'Send all mail that waits, also what would be tried again later',
    run: (_, ctx) => flushMail(ctx),
    render: ({ sent, failed, waiting }) =>
      `${sent} sent, ${failed} failed, ${waiting} not taken and tried again later.`,
    isSuccess: ({ failed, waiting }) => failed + waiting === 0,
  }),

  command('reminders run', {
    summary: 'Send the reminders whose time has come',
    options: {
      now: t.Optional(
        t.String({ maxLength: 40, description: 'as if it were this moment, such as 2027-01-31T09:00:00Z' }),
      ),
    },
    async run({ now }, ctx) {
      const moment = now === undefined ? null : parseInstant(now)
      if (moment === undefined) throw new UsageError('--now must be a date-time with an offset')
      const { sent, skipped } = await sendDueReminders(await ctx.database(), await ctx.dependencies(), { now: moment })
      if (sent > 0) await flushMail(ctx)
      return { sent, skipped }
    },
    render: ({ sent, skipped }) => `${sent} sent, ${skipped} skipped: the reminder says why.`,
  }),
]

async function flushMail(ctx: CommandContext) {
  const config = ctx.config()
  const transport = createMailTransport(config)
  try {
    return await deliverMail(
      { ...(await ctx.dependencies()), database: await ctx.database(), transport, mailFrom: config.mailFrom },
      { all: true },
    )
  } finally {
    transport.close()
  }
}
