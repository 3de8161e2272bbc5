// Apps in the portal: those an organisation registers, and those that somebody allowed to work for it.
import { auditEntry } from '../identity/audit.ts'
import { type Client, listClients, registerClient, removeClient, rotateClientSecret } from '../identity/clients.ts'
import { type Grant, grantRevokedEntry, listGrants, revokeGrant } from '../identity/grants.ts'
import { notFound } from '../operations/errors.ts'
import {
  appListPage,
  appPage,
  appSecretPage,
  connectionListPage,
  newAppPage,
  removeAppPage,
  revokeConnectionPage,
} from './apps-view.ts'
import { attempt, type PortalRequest, type Router } from './router.ts'

export function addAppRoutes(router: Router): void {
  const { database } = router
  const findClient = async ({ orgId, params }: PortalRequest): Promise<Client> => {
    const client = (await listClients(database, orgId)).find(({ id }) => id === params.id)
    if (!client) throw notFound('app')
    return client
  }
  const findGrant = async ({ orgId, params }: PortalRequest): Promise<Grant> => {
    const grant = (await listGrants(database, orgId)).find(({ id }) => id === params.id)
    if (!grant) throw notFound('connected app')
    return grant
  }

  router.get('/apps', async (request) =>
    request.render(appListPage(request, await listClients(database, request.orgId))),
  )
  router.get('/apps/new', async (request) => request.render(newAppPage(request)))
  router.post('/apps', async (request) => {
    const made = await attempt(() =>
      request.runAudited(
        (transaction) => registerClient(transaction, request.orgId, parseAppForm(request.form)),
        (client) => auditEntry('client.created', client, { redirectUris: client.redirectUris }),
      ),
    )
    return request.render('wrong' in made ? newAppPage(request, made.wrong) : appSecretPage(request, made.result))
  })
  router.get('/apps/:id', async (request) => request.render(appPage(request, await findClient(request))))
  router.post('/apps/:id/rotate', async (request) => {
    const { id } = await findClient(request)
    const rotated = await request.runAudited(
      (transaction) => rotateClientSecret(transaction, request.orgId, id),
      (client) => auditEntry('client.rotated', client),
    )
    return request.render(appSecretPage(request, rotated))
  })
  router.get('/apps/:id/remove', async (request) => {
    const client = await findClient(request)
    const grants = (await listGrants(database, request.orgId)).filter(({ clientId }) => clientId === client.id)
    return request.render(removeAppPage(request, client, grants))
  })
  router.post('/apps/:id/remove', async (request) => {
    const { id } = await findClient(request)
    await request.runAudited(
      (transaction) => removeClient(transaction, request.orgId, id),
      (client) => auditEntry('client.removed', client),
    )
    return request.redirect('/apps', 'removed')
  })

  router.get('/connections', async (request) =>
    request.render(connectionListPage(request, await listGrants(database, request.orgId))),
  )
  router.get('/connections/:id/revoke', async (request) =>
    request.render(revokeConnectionPage(request, await findGrant(request))),
  )
  router.post('/connections/:id/revoke', async (request) => {
    const { id } = await findGrant(request)
    await request.runAudited((transaction) => revokeGrant(transaction, request.orgId, id), grantRevokedEntry)
    return request.redirect('/connections', 'disconnected')
  })
}

function parseAppForm(form: URLSearchParams) {
  return {
    name: (form.get('name') ?? '').trim(),
    redirectUris: (form.get('redirects') ?? '').split(/\s+/).filter(Boolean),
  }
}
