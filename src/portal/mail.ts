// Outgoing mail in the portal: what customers were sent, and what became of it.
import { type Queryable, sql } from '../db/database.ts'
import { notFound } from '../operations/errors.ts'
import { decryptBody, type OutboxMail, outboxColumns } from '../resources/outbox.ts'
import { mailListPage, mailPage, mailPageSize } from './mail-view.ts'
import type { Router } from './router.ts'

const listMail = (database: Queryable, orgId: string, before: string | null): Promise<OutboxMail[]> =>
  database.query<OutboxMail>(sql`
    select ${outboxColumns} from outbox where org_id = ${orgId} and (${before}::text is null
      or (created_at, id) < (select created_at, id from outbox where org_id = ${orgId} and id = ${before}))
    order by created_at desc, id desc limit ${mailPageSize + 1}::int`)

export function addMailRoutes(router: Router): void {
  const { database, vault } = router
  router.get('/mail', async (request) => {
    const mails = await listMail(database, request.orgId, request.query.before ?? null)
    return request.render(mailListPage(request, mails))
  })
  router.get('/mail/:id', async (request) => {
    const [mail] = await database.query<OutboxMail>(sql`
      select ${outboxColumns} from outbox where org_id = ${request.orgId} and id = ${request.params.id}`)
    if (!mail) throw notFound('mail')
    return request.render(mailPage(request, mail, decryptBody(mail, vault).text))
  })
}
