// Mail of the shop: how it goes out, what customers and members were sent, what became of it, and a test.
import type { Config } from '../config/config.ts'
import { type Sql, sql } from '../db/database.ts'
import { auditEntry } from '../identity/audit.ts'
import { notFound } from '../operations/errors.ts'
import { testMail } from '../rendering/test-mail.ts'
import { decryptBody, enqueueMail, type OutboxMail, outboxColumns } from '../resources/outbox.ts'
import type { DeskDependencies, DeskRouter } from './router.ts'
import { needsOf } from './settings.ts'
import { type MailSetup, mailListPage, mailPage, mailPageSize } from './settings-mail-view.ts'

const states: readonly string[] = ['queued', 'sent', 'failed']

export function addMailSettings(router: DeskRouter, { config, vault }: DeskDependencies): void {
  const needs = needsOf('mail')
  router.get('/settings/mail', needs, async (request) => {
    const { database, orgId, query } = request
    const state = states.find((one) => one === query.state) ?? ''
    const mails = await database.read<OutboxMail>(orgId, selectMail(orgId, state, query.before ?? null))
    return request.render(mailListPage(request, { setup: mailSetupOf(config), mails, state }))
  })
  router.get('/settings/mail/:id', needs, async (request) => {
    const { database, orgId, params } = request
    const [mail] = await database.read<OutboxMail>(
      orgId,
      sql`select ${outboxColumns} from outbox where org_id = ${orgId} and id = ${params.id!}`,
    )
    if (!mail) throw notFound('mail')
    return request.render(mailPage(request, mail, mail.isPrivate ? null : decryptBody(mail, vault).text))
  })
  router.post('/settings/mail/test', needs, async (request) => {
    const { orgId, orgName, memberName, email } = request
    const performed = await request.audited(
      async (ctx, transaction) => {
        const [organisation] = await transaction.query<{ email: string | null }>(
          sql`select email from organisations where org_id = ${orgId}`,
        )
        const from = { name: orgName, email: organisation!.email }
        const listUrl = `${config.authUrl}${request.href('/settings/mail')}`
        await ctx.query(enqueueMail(ctx, { ...testMail({ orgName, memberName, listUrl }), from, to: email }))
      },
      auditEntry('mail.tested', { id: request.memberId, name: email }),
    )
    return request.answer(performed, { to: '/settings/mail', done: 'tested' })
  })
}

/** Where mail goes: the host alone, since the address holds a name and a password. */
export const mailSetupOf = ({ smtpUrl, mailFrom }: Pick<Config, 'smtpUrl' | 'mailFrom'>): MailSetup => ({
  server: smtpUrl === null ? null : new URL(smtpUrl).hostname,
  from: mailFrom,
})

const selectMail = (orgId: string, state: string, before: string | null): Sql => sql`
  select ${outboxColumns} from outbox where org_id = ${orgId} and (${state} = '' or status = ${state}) and (${before}::text is null
    or (created_at, id) < (select created_at, id from outbox where org_id = ${orgId} and id = ${before}))
  order by created_at desc, id desc limit ${mailPageSize + 1}::int`
