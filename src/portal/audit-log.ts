// The audit log in the portal, page by page.
import { listAuditEntries } from '../identity/audit.ts'
import { auditLogPage } from './audit-log-view.ts'
import type { Router } from './router.ts'

export function addAuditLogRoutes(router: Router): void {
  router.get('/audit', async (request) => {
    const entries = await listAuditEntries(router.database, request.orgId, request.query.before ?? null)
    return request.render(auditLogPage(request, entries))
  })
}
