// Apps in the portal: those an organisation registers, and those that somebody allowed to work for it.
import { notFound } from '../api/errors.ts'
import { lineOn } from '../identity/audit.ts'
import { type Client, listClients, registerClient, removeClient, rotateClientSecret } from '../identity/clients.ts'
import { type Grant, grantRevoked, listGrants, revokeGrant } from '../identity/grants.ts'
import {
  appListPage,
  appPage,
  appSecretPage,
  connectionListPage,
  newAppPage,
  removeAppPage,
  revokeConnectionPage,
} from './app-pages.ts'
import { attempt, type Desk, type Visit } from './desk.ts'

export function appPages(desk: Desk): void {
  const { database } = desk
  const clientOf = async ({ orgId, params }: Visit): Promise<Client> => {
    const client = (await listClients(database, orgId)).find(({ id }) => id === params.id)
    if (!client) throw notFound('app')
    return client
  }
  const grantOf = async ({ orgId, params }: Visit): Promise<Grant> => {
    const grant = (await listGrants(database, orgId)).find(({ id }) => id === params.id)
    if (!grant) throw notFound('connected app')
    return grant
  }

  desk.get('/apps', async (visit) => visit.show(appListPage(visit, await listClients(database, visit.orgId))))
  desk.get('/apps/new', async (visit) => visit.show(newAppPage(visit)))
  desk.post('/apps', async (visit) => {
    const made = await attempt(() =>
      visit.act(
        (transaction) => registerClient(transaction, visit.orgId, wantedIn(visit.form)),
        (client) => lineOn('client.created', client, { redirectUris: client.redirectUris }),
      ),
    )
    return visit.show('wrong' in made ? newAppPage(visit, made.wrong) : appSecretPage(visit, made.result))
  })
  desk.get('/apps/:id', async (visit) => visit.show(appPage(visit, await clientOf(visit))))
  desk.post('/apps/:id/rotate', async (visit) => {
    const { id } = await clientOf(visit)
    const rotated = await visit.act(
      (transaction) => rotateClientSecret(transaction, visit.orgId, id),
      (client) => lineOn('client.rotated', client),
    )
    return visit.show(appSecretPage(visit, rotated))
  })
  desk.get('/apps/:id/remove', async (visit) => {
    const client = await clientOf(visit)
    const grants = (await listGrants(database, visit.orgId)).filter(({ clientId }) => clientId === client.id)
    return visit.show(removeAppPage(visit, client, grants))
  })
  desk.post('/apps/:id/remove', async (visit) => {
    const { id } = await clientOf(visit)
    await visit.act(
      (transaction) => removeClient(transaction, visit.orgId, id),
      (client) => lineOn('client.removed', client),
    )
    return visit.goTo('/apps', 'removed')
  })

  desk.get('/connections', async (visit) =>
    visit.show(connectionListPage(visit, await listGrants(database, visit.orgId))),
  )
  desk.get('/connections/:id/revoke', async (visit) => visit.show(revokeConnectionPage(visit, await grantOf(visit))))
  desk.post('/connections/:id/revoke', async (visit) => {
    const { id } = await grantOf(visit)
    await visit.act((transaction) => revokeGrant(transaction, visit.orgId, id), grantRevoked)
    return visit.goTo('/connections', 'disconnected')
  })
}

function wantedIn(form: URLSearchParams) {
  return {
    name: (form.get('name') ?? '').trim(),
    redirectUris: (form.get('redirects') ?? '').split(/\s+/).filter(Boolean),
  }
}
