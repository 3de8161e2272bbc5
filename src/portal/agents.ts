// How to connect an agent, in the portal.
import { agentsPage } from './agents-view.ts'
import type { Router } from './router.ts'

export function addAgentRoutes(router: Router): void {
  router.get('/agents', async (request) => request.render(agentsPage(request, router.config.authUrl)))
}
