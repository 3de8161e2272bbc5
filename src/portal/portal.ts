// The portal put together: where signing in leads, and all its pages.
import type { FastifyInstance } from 'fastify'
import { missingStep } from '../domain/second-factor.ts'
import { sendPage } from '../http/layout.ts'
import { leadTo, requireSignedIn } from '../sign-in/member-session.ts'
import { addAccountRoutes } from './account.ts'
import { addAgentRoutes } from './agents.ts'
import { addAppRoutes } from './apps.ts'
import { addAuditLogRoutes } from './audit-log.ts'
import { addKeyRoutes } from './keys.ts'
import { addOverviewRoutes } from './overview.ts'
import { chooseOrganisationPage } from './overview-view.ts'
import { createRouter, type PortalDependencies } from './router.ts'
import { addWebhookRoutes } from './webhooks.ts'

/** A plugin: mount it where forms are read. */
export async function portal(app: FastifyInstance, dependencies: PortalDependencies): Promise<void> {
  app.get('/portal', async (request, reply) => {
    const signedIn = await requireSignedIn(dependencies, request, reply, 'developer pages')
    if (!signedIn) return reply
    const memberships = signedIn.memberships.filter(({ isEntitled }) => isEntitled)
    const [best, ...others] = memberships
    // Admins come first: who runs the portal anywhere shows both factors before it is said where.
    const step = best?.role === 'admin' ? missingStep('developer pages', best, signedIn) : undefined
    if (step !== undefined) return leadTo(step, signedIn, request, reply, 'developer pages')
    if (best && others.length === 0)
      return reply.redirect(`/portal/${best.orgId}${best.role === 'admin' ? '' : '/forms'}`, 303)
    return sendPage(
      reply,
      chooseOrganisationPage(signedIn.email, memberships, dependencies.browser.csrfField(request, reply)),
    )
  })

  const router = createRouter(app, dependencies)
  addOverviewRoutes(router)
  addKeyRoutes(router)
  addAppRoutes(router)
  addAgentRoutes(router)
  addWebhookRoutes(router)
  addAuditLogRoutes(router)
  addAccountRoutes(router)
  // What moved to the desk: addresses that people kept lead there.
  for (const [old, place] of Object.entries(movedPages))
    app.get<{ Params: { org: string } }>(`/portal/:org/${old}*`, async ({ params, url }, reply) => {
      const rest = url.slice(url.indexOf(`/${old}`) + old.length + 1)
      return reply.redirect(`/desk/${encodeURIComponent(params.org)}/${place}${rest}`, 303)
    })
}

const movedPages: Readonly<Record<string, string>> = {
  forms: 'forms',
  members: 'settings/members',
  templates: 'settings/forms',
  rules: 'settings/forms/rules',
  mail: 'settings/mail',
  feeds: 'settings/calendars',
}
