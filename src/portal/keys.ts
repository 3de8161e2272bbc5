// API keys in the portal: made, paused, resumed, rotated and revoked by an admin.
import { notFound } from '../api/errors.ts'
import { scopes as allScopes } from '../api/scopes.ts'
import { lineOn } from '../identity/audit.ts'
import { createKey, type Key, keyMade, listKeys, pauseKey, resumeKey, revokeKey, rotateKey } from '../identity/keys.ts'
import { listMembers } from '../identity/members.ts'
import { attempt, type Desk, type Visit } from './desk.ts'
import { expiries, keyListPage, keyPage, madePage, newKeyPage, overlaps, revokePage } from './key-pages.ts'

export function keyPages(desk: Desk): void {
  const { database } = desk
  const keyOf = async ({ orgId, params }: Visit): Promise<Key> => {
    const key = (await listKeys(database, orgId)).find(({ id }) => id === params.id)
    if (!key) throw notFound('API key')
    return key
  }
  const maker = async ({ orgId }: Visit, { createdBy }: Key): Promise<string | undefined> => {
    const member = (await listMembers(database, orgId)).find(({ id }) => id === createdBy)
    return member && [member.firstName, member.lastName].filter(Boolean).join(' ')
  }

  desk.get('/keys', async (visit) => visit.show(keyListPage(visit, await listKeys(database, visit.orgId))))
  desk.get('/keys/new', async (visit) => visit.show(newKeyPage(visit)))

  desk.post('/keys', async (visit) => {
    const { form, orgId, memberId } = visit
    const made = await attempt(() =>
      visit.act((transaction) => createKey(transaction, orgId, { ...wantedIn(form), createdBy: memberId }), keyMade),
    )
    return visit.show('wrong' in made ? newKeyPage(visit, made.wrong) : madePage(visit, made.result))
  })

  desk.get('/keys/:id', async (visit) => {
    const key = await keyOf(visit)
    return visit.show(keyPage(visit, key, await maker(visit, key)))
  })
  desk.get('/keys/:id/revoke', async (visit) => visit.show(revokePage(visit, await keyOf(visit))))

  const changes = [
    ['pause', pauseKey, 'key.paused', 'paused'],
    ['resume', resumeKey, 'key.resumed', 'resumed'],
    ['revoke', revokeKey, 'key.revoked', 'revoked'],
  ] as const
  for (const [path, change, action, done] of changes) {
    desk.post(`/keys/:id/${path}`, async (visit) => {
      const { id } = await keyOf(visit)
      await visit.act(
        (transaction) => change(transaction, visit.orgId, id),
        (key) => lineOn(action, key),
      )
      return visit.goTo(`/keys/${id}`, done)
    })
  }

  desk.post('/keys/:id/rotate', async (visit) => {
    const key = await keyOf(visit)
    const overlapHours = overlaps.find(({ hours }) => String(hours) === visit.form.get('overlap'))?.hours ?? 0
    const rotated = await attempt(() =>
      visit.act(
        (transaction) => rotateKey(transaction, visit.orgId, key.id, overlapHours),
        (rotated) => lineOn('key.rotated', rotated, { overlapHours }),
      ),
    )
    if ('wrong' in rotated) return visit.show(keyPage(visit, key, await maker(visit, key), rotated.wrong))
    return visit.show(madePage(visit, rotated.result, overlapHours))
  })
}

/** What is not said is left to the defaults of a new key; what is said wrongly is refused there, by name. */
function wantedIn(form: URLSearchParams) {
  const access = form.get('access') ?? 'read'
  const ticked = new Set(form.getAll('scope'))
  const scopes = access === 'chosen' ? allScopes.filter((scope) => ticked.has(scope)) : [access]
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
    expiresAt: days.days === null ? null : new Date(Date.now() + days.days * 86_400_000),
  }
}
