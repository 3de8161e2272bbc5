// The portal put together: where signing in leads, and all its pages.
import type { FastifyInstance } from 'fastify'
import { acceptForms } from '../http/forms.ts'
import { sendPage } from '../http/layout.ts'
import { addAccountRoutes } from './account.ts'
import { addAgentRoutes } from './agents.ts'
import { addAppRoutes } from './apps.ts'
import { portalScripts } from './assets.ts'
import { addAuditLogRoutes } from './audit-log.ts'
import { addCalendarFeedRoutes } from './calendar-feeds.ts'
import { addKeyRoutes } from './keys.ts'
import { addMailRoutes } from './mail.ts'
import { addMemberRoutes } from './members.ts'
import { addOverviewRoutes } from './overview.ts'
import { chooseOrganisationPage } from './overview-view.ts'
import { createRouter, findMemberships, type PortalDependencies, requireFullSession } from './router.ts'
import { addFormRoutes } from './submissions.ts'
import { addTemplateRoutes } from './templates.ts'
import { addWebhookRoutes } from './webhooks.ts'

/** A filled-in form with photos and drawn signatures. */
const maxFormBytes = 2_097_152

/** A plugin: mount it where forms are read. */
export async function portal(app: FastifyInstance, dependencies: PortalDependencies): Promise<void> {
  app.get('/portal', async (request, reply) => {
    const session = await requireFullSession(dependencies, request, reply)
    if (!session) return reply
    const memberships = await findMemberships(dependencies.database, session.personId)
    const [only] = memberships
    if (only && memberships.length === 1)
      return reply.redirect(`/portal/${only.orgId}${only.role === 'admin' ? '' : '/forms'}`, 303)
    return sendPage(
      reply,
      chooseOrganisationPage(session.email, memberships, dependencies.browser.csrfField(request, reply)),
    )
  })

  const router = createRouter(app, dependencies)
  addOverviewRoutes(router)
  addKeyRoutes(router)
  addAppRoutes(router)
  addAgentRoutes(router)
  addWebhookRoutes(router)
  addMemberRoutes(router)
  addMailRoutes(router)
  addCalendarFeedRoutes(router)
  addAuditLogRoutes(router)
  addTemplateRoutes(router)
  addAccountRoutes(router)
  await app.register(async (formPages) => {
    acceptForms(formPages, maxFormBytes)
    addFormRoutes(createRouter(formPages, dependencies))
  })
  await app.register(portalScripts)
}
