// API keys in the portal: made, paused, resumed, rotated and revoked by an admin.
import { dayMs } from '../domain/durations.ts'
import { auditEntry } from '../identity/audit.ts'
import {
  createKey,
  type Key,
  keyCreatedEntry,
  listKeys,
  pauseKey,
  resumeKey,
  revokeKey,
  rotateKey,
} from '../identity/keys.ts'
import { listMembers } from '../identity/members.ts'
import { notFound } from '../operations/errors.ts'
import { scopeCatalogue } from '../resources/index.ts'
import { expiries, keyListPage, keyPage, keySecretPage, newKeyPage, overlaps, revokeKeyPage } from './keys-view.ts'
import { attempt, type PortalRequest, type Router } from './router.ts'

export function addKeyRoutes(router: Router): void {
  const { database } = router
  const findKey = async ({ orgId, params }: PortalRequest): Promise<Key> => {
    const key = (await listKeys(database, orgId)).find(({ id }) => id === params.id)
    if (!key) throw notFound('API key')
    return key
  }
  const creatorName = async ({ orgId }: PortalRequest, { createdBy }: Key): Promise<string | undefined> => {
    const member = (await listMembers(database, orgId)).find(({ id }) => id === createdBy)
    return member && [member.firstName, member.lastName].filter(Boolean).join(' ')
  }

  router.get('/keys', async (request) => request.render(keyListPage(request, await listKeys(database, request.orgId))))
  router.get('/keys/new', async (request) => request.render(newKeyPage(request)))

  router.post('/keys', async (request) => {
    const { form, orgId, memberId } = request
    const created = await attempt(() =>
      request.runAudited(
        (transaction) => createKey(transaction, orgId, { ...parseKeyForm(form), createdBy: memberId }, scopeCatalogue),
        keyCreatedEntry,
      ),
    )
    return request.render(
      'wrong' in created ? newKeyPage(request, created.wrong) : keySecretPage(request, created.result),
    )
  })

  router.get('/keys/:id', async (request) => {
    const key = await findKey(request)
    return request.render(keyPage(request, key, await creatorName(request, key)))
  })
  router.get('/keys/:id/revoke', async (request) => request.render(revokeKeyPage(request, await findKey(request))))

  const changes = [
    ['pause', pauseKey, 'key.paused', 'paused'],
    ['resume', resumeKey, 'key.resumed', 'resumed'],
    ['revoke', revokeKey, 'key.revoked', 'revoked'],
  ] as const
  for (const [path, change, action, done] of changes) {
    router.post(`/keys/:id/${path}`, async (request) => {
      const { id } = await findKey(request)
      await request.runAudited(
        (transaction) => change(transaction, request.orgId, id),
        (key) => auditEntry(action, key),
      )
      return request.redirect(`/keys/${id}`, done)
    })
  }

  router.post('/keys/:id/rotate', async (request) => {
    const key = await findKey(request)
    const overlapHours = overlaps.find(({ hours }) => String(hours) === request.form.get('overlap'))?.hours ?? 0
    const rotated = await attempt(() =>
      request.runAudited(
        (transaction) => rotateKey(transaction, request.orgId, key.id, overlapHours),
        (rotated) => auditEntry('key.rotated', rotated, { overlapHours }),
      ),
    )
    if ('wrong' in rotated) return request.render(keyPage(request, key, await creatorName(request, key), rotated.wrong))
    return request.render(keySecretPage(request, rotated.result, overlapHours))
  })
}

/** What is not said is left to the defaults of a new key; what is said wrongly is refused there, by name. */
function parseKeyForm(form: URLSearchParams) {
  const access = form.get('access') ?? 'read'
  const ticked = new Set(form.getAll('scope'))
  const scopes = access === 'chosen' ? scopeCatalogue.scopes.filter((scope) => ticked.has(scope)) : [access]
  if (scopes.length === 0) throw new Error('Tick at least one thing that the key may do')
  const allowlist = (form.get('addresses') ?? '').split(/[\s,]+/).filter(Boolean)
  if (allowlist.length > 100) throw new Error('A key can have at most 100 addresses')
  const days = expiries.find(({ value }) => value === form.get('expiry'))
  if (!days) throw new Error('Choose when the key expires')
  const name = (form.get('name') ?? '').trim()
  if (name === '' || name.length > 120 || /\p{Cc}/u.test(name))
    throw new Error('Name the key, in at most 120 characters')
  const uses = form.getAll('use')
  if (uses.length === 0) throw new Error('Tick where the key may be used')
  return {
    name,
    scopes,
    uses,
    allowlist,
    expiresAt: days.days === null ? null : new Date(Date.now() + days.days * dayMs),
  }
}
