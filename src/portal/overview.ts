// The first page of an organisation in the portal: counts of what there is, and of what needs somebody.
import { sql } from '../db/database.ts'
import { type OverviewCounts, overviewPage } from './overview-view.ts'
import type { Router } from './router.ts'

export function addOverviewRoutes(router: Router): void {
  router.get('', async (request) => {
    const [counts] = await router.database.query<OverviewCounts>(sql`
      select
        (select count(*) from api_keys where org_id = ${request.orgId} and revoked_at is null
          and (expires_at is null or expires_at > now())) as keys,
        (select count(*) from api_keys where org_id = ${request.orgId} and revoked_at is null
          and expires_at between now() and now() + interval '14 days') as expiring,
        (select count(*) from grants where org_id = ${request.orgId} and revoked_at is null
          and (expires_at is null or expires_at > now())) as apps,
        (select count(*) from members where org_id = ${request.orgId} and is_active) as members,
        (select count(*) from form_submissions where org_id = ${request.orgId} and status in ('open', 'inProgress')) as forms,
        (select count(*) from outbox where org_id = ${request.orgId} and status = 'failed') as "failedMail"`)
    return request.render(overviewPage(request, counts!))
  })
}
