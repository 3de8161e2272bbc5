// Outgoing mail in the portal: what customers were sent, and what became of it.
import { type Queryable, sql } from '../db/database.ts'
import { notFound } from '../operations/errors.ts'
import { type Mail, mailListPage, mailPage, mailPageSize } from './mail-view.ts'
import type { Router } from './router.ts'

const mailColumns = sql`id, to_address as "to", cc, subject, status, failure_reason as "failureReason", attempts,
  created_at as "createdAt", sent_at as "sentAt", attempt_at as "attemptAt", sealed_body as "encryptedBody"`

const listMail = (database: Queryable, orgId: string, before: string | null): Promise<Mail[]> =>
  database.query<Mail>(sql`
    select ${mailColumns} from outbox where org_id = ${orgId} and (${before}::text is null
      or (created_at, id) < (select created_at, id from outbox where org_id = ${orgId} and id = ${before}))
    order by created_at desc, id desc limit ${mailPageSize + 1}::int`)

export function addMailRoutes(router: Router): void {
  const { database, vault } = router
  router.get('/mail', async (request) => {
    const mails = await listMail(database, request.orgId, request.query.before ?? null)
    return request.render(mailListPage(request, mails))
  })
  router.get('/mail/:id', async (request) => {
    const [mail] = await database.query<Mail>(sql`
      select ${mailColumns} from outbox where org_id = ${request.orgId} and id = ${request.params.id}`)
    if (!mail) throw notFound('mail')
    return request.render(mailPage(request, mail, JSON.parse(vault.decrypt(mail.encryptedBody)).text))
  })
}
