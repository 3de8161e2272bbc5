// Keys made and changed on the command line, used against a service that is running meanwhile.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { assertEventually, commandLine, settingsFor } from '../../test/command-line.ts'
import { startTestService } from '../../test/test-service.ts'
import { dayMs, hourMs } from '../domain/durations.ts'

const here = await startTestService()
const jobwright = commandLine(settingsFor(here))
const { orgId: org } = await here.organisation()

const createKey = async (...options: string[]) =>
  (await jobwright('key', 'create', '--org', org, ...options, '--json')).json

async function status(key: string, method = 'GET', path = '/customers'): Promise<number> {
  const reply = await here.request(method, `/api/v1/organisations/${org}${path}`, {
    headers: { 'x-api-key': key },
    ...(method === 'POST' && { body: { firstName: 'Ann' } }),
  })
  return reply.status
}

describe('key create', () => {
  it('makes a key that can read for 90 days, unless told otherwise', async () => {
    const { id, key, scopes, expiresAt } = await createKey()
    assert.match(id, /^key_/)
    assert.match(key, /^sk_live_[0-9A-Za-z]{46}$/)
    assert.deepEqual(scopes, ['read'])
    assert.ok(Math.abs(Date.parse(expiresAt) - Date.now() - 90 * dayMs) < 60_000)
    assert.equal(await status(key), 200)
    assert.equal(await status(key, 'POST'), 403)
  })

  it('makes a key with exactly what was asked for', async () => {
    const { key, ...record } = await createKey(
      ...[
        '--name',
        'Web shop',
        '--scopes',
        'customers:write, devices:read',
        '--uses',
        'rest',
        '--ip',
        '127.0.0.1,10.0.0.0/8',
      ],
      ...['--expires', '2099-01-31T12:00:00+01:00', '--scope-version', '1'],
    )
    assert.equal(record.name, 'Web shop')
    assert.deepEqual(record.scopes, ['customers:write', 'devices:read'])
    assert.deepEqual(record.allowedUses, ['rest'])
    assert.deepEqual(record.ipAllowlist, ['127.0.0.1/32', '10.0.0.0/8'])
    assert.equal(record.expiresAt, '2099-01-31T11:00:00.000Z')
    assert.equal(record.scopeVersion, 1)
    assert.equal(await status(key, 'POST'), 201)
  })

  it('makes keys that end after hours, on a day, or never', async () => {
    const [hours, day, never] = await Promise.all([
      createKey('--expires', '12h'),
      createKey('--expires', '2099-01-31'),
      createKey('--expires', 'never'),
    ])
    assert.ok(Math.abs(Date.parse(hours.expiresAt) - Date.now() - 12 * hourMs) < 60_000)
    assert.equal(day.expiresAt, '2099-01-31T00:00:00.000Z')
    assert.equal(never.expiresAt, null)
  })

  it('makes a key that is refused from elsewhere', async () => {
    assert.equal(await status((await createKey('--ip', '10.0.0.0/8')).key), 403)
  })

  it('shows people the key once, and says so', async () => {
    const { stdout } = await jobwright('key', 'create', '--org', org)
    assert.equal(stdout.match(/sk_live_\w{46}/g)?.length, 1)
    assert.match(stdout, /only time its value is shown/)
    const [key] = stdout.match(/sk_live_\w{46}/)!
    const { stdout: list } = await jobwright('key', 'list', '--org', org, '--json')
    assert.ok(!list.includes(key))
  })
})

describe('a key in use', () => {
  it('is refused within a second of its pause and accepted within a second of its resumption', async () => {
    const { id, key } = await createKey()
    assert.equal(await status(key), 200)
    assert.equal((await jobwright('key', 'pause', org, id, '--json')).json.status, 'paused')
    await assertEventually(401, () => status(key))
    assert.equal((await jobwright('key', 'resume', org, id, '--json')).json.status, 'active')
    await assertEventually(200, () => status(key))
  })

  it('is refused within a second of its revocation, for ever', async () => {
    const { id, key } = await createKey()
    assert.equal(await status(key), 200)
    assert.equal((await jobwright('key', 'revoke', org, id, '--json')).json.status, 'revoked')
    await assertEventually(401, () => status(key))
    assert.equal((await jobwright('key', 'resume', org, id, '--json')).json.status, 'revoked')
    await assertEventually(401, () => status(key))
    const { code, stderr } = await jobwright('key', 'rotate', org, id)
    assert.deepEqual([code, stderr], [1, 'A revoked key cannot be rotated; make a new one\n'])
  })

  it('is refused within a second of a rotation, and its new value is accepted', async () => {
    const { id, key } = await createKey()
    assert.equal(await status(key), 200)
    const { json } = await jobwright('key', 'rotate', org, id, '--json')
    assert.equal(json.id, id)
    assert.notEqual(json.key, key)
    await assertEventually(401, () => status(key))
    assert.equal(await status(json.key), 200)
  })

  it('stays good beside its new value for the hours of an overlap', async () => {
    const { id, key } = await createKey()
    assert.equal(await status(key), 200)
    const { json } = await jobwright('key', 'rotate', org, id, '--overlap-hours', '1', '--json')
    assert.deepEqual([await status(key), await status(json.key)], [200, 200])
    const again = await jobwright('key', 'rotate', org, id, '--json')
    await assertEventually(401, () => status(key))
    await assertEventually(401, () => status(json.key))
    assert.equal(await status(again.json.key), 200)
  })
})

describe('key list', () => {
  it('lists every key of the organisation with its state', async () => {
    const { orgId } = await here.organisation()
    const create = ['key', 'create', '--org', orgId, '--json']
    const first = (await jobwright(...create, '--name', 'First')).json
    const second = (await jobwright(...create, '--name', 'Second', '--expires', 'never')).json
    await jobwright('key', 'pause', orgId, first.id)
    const { keys } = (await jobwright('key', 'list', '--org', orgId, '--json')).json
    const shown = keys.map(({ id, status }: { id: string; status: string }) => [id, status])
    assert.deepEqual(shown.slice(0, 2), [
      [second.id, 'active'],
      [first.id, 'paused'],
    ])
    const { stdout } = await jobwright('key', 'list', '--org', orgId)
    assert.match(stdout, new RegExp(`^${second.id} +Second +read +active +never +never$`, 'm'))
  })
})
