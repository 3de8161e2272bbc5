// Every way to be refused with 403, over REST and MCP: each says which one it is, for programs.
import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { test } from 'node:test'
import { postMessage, rpc } from '../../test/agent.ts'
import { startTestService } from '../../test/test-service.ts'
import { type Person, person, resetTotp, totpCode } from '../../test/visitor.ts'
import { importToken } from '../identity/grants.ts'
import { updateMember } from '../identity/members.ts'
import { updateOrganisation } from '../identity/organisations.ts'
import { type PermissionCode, permissionCodes } from '../operations/errors.ts'
import { scopeCatalogue } from '../resources/index.ts'

const here = await startTestService()

interface Refusal {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
  readonly body: any
}
const read = (orgId: string, headers: Record<string, string>, path = '/customers'): Promise<Refusal> =>
  here.request('GET', `/api/v1/organisations/${orgId}${path}`, { headers })
/** What MCP answers holds what REST would have answered. */
const listTools = async (headers: Record<string, string>): Promise<Refusal> => {
  const { status, body } = await postMessage(here, rpc('tools/list'), headers)
  return { status, body: body.error?.data }
}
const bearer = (secret: string) => ({ authorization: `Bearer ${secret}` })

async function tokenOfFormerAdmin() {
  const { orgId } = await here.organisation()
  const { memberId } = await person(here, orgId)
  const wanted = { memberId, clientName: 'App', scopes: ['full'], scopeVersion: 2, audience: null, lifeSeconds: 600 }
  const { accessToken } = await here.database.transaction('test', (transaction) =>
    importToken(transaction, orgId, wanted as Parameters<typeof importToken>[2], scopeCatalogue),
  )
  await updateMember(here.database, orgId, memberId, { role: 'manager' })
  return { orgId, headers: bearer(accessToken) }
}

async function keyToRotate() {
  const client = await here.organisation()
  const admin = await person(here, client.orgId)
  const { email, password } = admin
  const { body } = await here.request('POST', '/identity/token', { body: { email, password } })
  const rotate = (headers: Record<string, string>): Promise<Refusal> =>
    here.request('POST', `/api/v1/api-keys/${client.keyId}/rotate`, {
      headers: { ...bearer(body.identity_token), ...headers },
    })
  return { client, admin, identityToken: body.identity_token as string, rotate }
}
const codeOf = async (admin: Person) => {
  await resetTotp(here, admin)
  return { 'x-totp-code': totpCode(admin) }
}

const waysToBeRefused: Record<PermissionCode, () => Promise<Refusal[]>> = {
  async insufficient_scope() {
    const { orgId } = await here.organisation()
    const client = await here.client(orgId, { scopes: ['devices:read'] })
    return [await client.get('/customers'), await client.post('/customers', {}), await client.delete('/invoices')]
  },
  async unknown_resource() {
    return [await (await here.organisation()).get('/widgets')]
  },
  async use_not_allowed() {
    const { orgId } = await here.organisation()
    const [forMcp, forRest] = [
      await here.client(orgId, { uses: ['mcp'] }),
      await here.client(orgId, { uses: ['rest'] }),
    ]
    return [await forMcp.get('/customers'), await listTools(bearer(forRest.key))]
  },
  async ip_not_allowed() {
    const { orgId } = await here.organisation()
    const { key } = await here.client(orgId, { allowlist: ['203.0.113.7'], uses: ['rest', 'mcp'] })
    return [await read(orgId, bearer(key)), await listTools(bearer(key))]
  },
  async organisation_mismatch() {
    const [mine, theirs] = [await here.organisation(), await here.organisation()]
    const foreign = ['', '/customers', '/widgets'].map((path) => read(theirs.orgId, bearer(mine.key), path))
    return Promise.all([...foreign, read('org_nobody', bearer(mine.key))])
  },
  async subscription_required() {
    const { orgId, key } = await here.organisation({ entitlement: 'basic' })
    const { client, admin, rotate } = await keyToRotate()
    await updateOrganisation(here.database, client.orgId, { entitlement: 'none' })
    return [await read(orgId, bearer(key)), await listTools(bearer(key)), await rotate(await codeOf(admin))]
  },
  async approver_not_admin() {
    const { orgId, headers } = await tokenOfFormerAdmin()
    return [await read(orgId, headers), await listTools(headers)]
  },
  async origin_not_allowed() {
    const { key } = await here.organisation()
    return [await listTools({ ...bearer(key), origin: 'https://evil.example' })]
  },
  async admin_required() {
    const { client, admin, rotate } = await keyToRotate()
    await updateMember(here.database, client.orgId, admin.memberId, { role: 'manager' })
    return [await rotate(await codeOf(admin))]
  },
  async totp_required() {
    const { rotate } = await keyToRotate()
    const without = []
    for (let index = 0; index < 6; index++) without.push(await rotate({ 'x-totp-code': ' ' }))
    return [await rotate({}), ...without]
  },
  async totp_invalid() {
    const { admin, rotate } = await keyToRotate()
    const used = await codeOf(admin)
    assert.equal((await rotate(used)).status, 200)
    return [await rotate(used), await rotate({ 'x-totp-code': '000000' })]
  },
  async totp_locked() {
    const { admin, rotate } = await keyToRotate()
    for (let index = 0; index < 5; index++) await rotate({ 'x-totp-code': '000000' })
    return [await rotate(await codeOf(admin))]
  },
}

for (const [code, refuse] of Object.entries(waysToBeRefused))
  test(`a refusal with 403 carries its code: ${code}`, async () => {
    for (const { status, body } of await refuse()) {
      assert.deepEqual([status, body?.success, body?.code], [403, false, code], JSON.stringify(body))
      assert.equal(typeof body.error, 'string')
    }
  })

test('every code is documented, in OpenAPI and in the reference', async () => {
  const { body } = await here.request('GET', '/api/v1/openapi.json')
  const { description, content } = body.components.responses.Forbidden
  for (const code of Object.keys(permissionCodes)) assert.ok(description.includes(`\`${code}\``), code)
  for (const { value } of Object.values<Refusal & { value: { code?: string } }>(content['application/json'].examples))
    assert.ok(Object.hasOwn(permissionCodes, value.code ?? ''), JSON.stringify(value))
})

test('a key is rotated without a body, however that is said, and without a Content-Type', async () => {
  const statuses = []
  for (const [headers, body] of [
    [{}, undefined],
    [{ 'content-length': '0' }, undefined],
    [{ 'transfer-encoding': 'chunked' }, undefined],
    [{ 'transfer-encoding': 'chunked' }, '{"overlapHours":1}'],
    [{ 'transfer-encoding': 'chunked', 'content-type': 'text/plain' }, 'overlapHours=1'],
    [{ 'transfer-encoding': 'chunked', 'content-type': 'application/json' }, '{"overlapHours":1}'],
  ] as const) {
    const { client, admin, identityToken } = await keyToRotate()
    const url = `${here.origin}/api/v1/api-keys/${client.keyId}/rotate`
    const all = { ...bearer(identityToken), ...(await codeOf(admin)), ...headers }
    statuses.push(
      await new Promise((resolve, reject) =>
        httpRequest(url, { method: 'POST', headers: all }, (response) => resolve(response.resume().statusCode))
          .on('error', reject)
          .end(body),
      ),
    )
  }
  assert.deepEqual(statuses, [200, 200, 200, 415, 415, 200])
})
