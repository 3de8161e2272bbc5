// One loop over every operation, every scope and bundle and both scope versions: who is allowed, and who is not.
// The loop runs in the process; the first request of each method, allowed and refused, is repeated over HTTP.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { fileKindOf, streamType } from '../src/operations/answers.ts'
import { idsIn, type Operation } from '../src/operations/operation.ts'
import type { ScopeVersion } from '../src/operations/scopes.ts'
import { operations } from '../src/resources/index.ts'
import { bundles, entities, scopeVersions } from './specification.ts'
import { startTestService } from './test-service.ts'

const { organisation, client, request, inject } = await startTestService()
const { orgId } = await organisation()

const everyScope = Object.entries(entities).flatMap(([entity, { actions }]) =>
  actions.map((action) => `${entity}:${action}`),
)

/** What the specification says a granted scope allows, worked out apart from the code that is tested. */
function allows(granted: string, version: ScopeVersion): string[] {
  const bundle = (bundles as Readonly<Record<string, readonly string[]>>)[granted]
  const scopes = bundle ? everyScope.filter((scope) => bundle.includes(scope.split(':')[1]!)) : [granted]
  const implied = scopeVersions.implies[version] as Readonly<Record<string, readonly string[]>>
  return scopes.flatMap((scope) => {
    const [entity, action] = scope.split(':') as [string, string]
    return [scope, ...(implied[action] ?? []).map((other) => `${entity}:${other}`)]
  })
}

const repeatedOverHttp = new Set<string>()
const withoutRequestId = (body: object | '') => ({ ...(body || {}), requestId: undefined })

for (const version of [1, 2] as const) {
  for (const granted of [...everyScope, 'read', 'write', 'full']) {
    test(`version ${version} ${granted}`, async () => {
      const caller = await client(orgId, { scopes: [granted], scopeVersion: version })
      const allowed = allows(granted, version)
      for (const operation of operations) {
        const path = idsIn(operation.path).reduce((filled, id) => filled.replace(`:${id}`, 'absent'), operation.path)
        const mayEnter = operation.needs.every((scope) => allowed.includes(scope))
        for (const method of methodsOf(operation.method)) {
          if (mayEnter && method === 'GET' && isStream(operation)) continue // it would not end
          const url = `/api/v1/organisations/${orgId}${path === '/' ? '' : path}`
          const call = { headers: { 'x-api-key': caller.key } }
          const { status, body, headers } = await inject(method, url, call)
          const answerKind = `${method} ${mayEnter}`
          if (!repeatedOverHttp.has(answerKind)) {
            repeatedOverHttp.add(answerKind)
            const overHttp = await request(method, url, call)
            assert.equal(overHttp.status, status, `${method} ${path} over HTTP`)
            for (const name of ['www-authenticate', 'content-type'])
              assert.equal(overHttp.headers.get(name), headers.get(name), `${method} ${path} over HTTP: ${name}`)
            if (!mayEnter) assert.deepEqual(withoutRequestId(overHttp.body), withoutRequestId(body))
          }
          if (mayEnter) {
            assert.notEqual(status, 403, `${method} ${path} is allowed`)
            continue
          }
          assert.equal(status, 403, `${method} ${path} is not allowed`)
          const challenge = `Bearer error="insufficient_scope", scope="${operation.needs.join(' ')}", resource_metadata="`
          assert.ok(headers.get('www-authenticate')?.startsWith(challenge), 'the challenge names the scopes')
          if (method === 'HEAD') continue
          assert.equal(body.code, 'insufficient_scope')
          assert.deepEqual(body.requiredScopes, operation.needs)
        }
      }
    })
  }
}

test('every method was allowed and refused over HTTP, too', () => {
  const methods = [...new Set(operations.flatMap(({ method }) => methodsOf(method)))]
  assert.deepEqual(
    [...repeatedOverHttp].sort(),
    methods.flatMap((method) => [`${method} false`, `${method} true`]).sort(),
  )
})

test('offline_access is accepted and changes nothing', async () => {
  const caller = await client(orgId, { scopes: ['offline_access', 'customers:read'] })
  assert.equal((await caller.get('/customers')).status, 200)
  assert.equal((await caller.get('')).status, 403)
})

const isStream = ({ returns }: Operation) => fileKindOf(returns)?.mediaTypes.includes(streamType)

/** HEAD needs what GET needs, PATCH what PUT needs. */
function methodsOf(method: string): string[] {
  return { GET: ['GET', 'HEAD'], PUT: ['PUT', 'PATCH'] }[method] ?? [method]
}
