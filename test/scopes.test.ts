// One loop over every operation, every scope and bundle and both scope versions: who may come in, and who may not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { idsIn } from '../src/operations/operation.ts'
import type { ScopeVersion } from '../src/operations/scopes.ts'
import { operations } from '../src/resources/index.ts'
import { bundles, entities, scopeVersions } from './specification.ts'
import { startTestService } from './test-service.ts'

const { organisation, client } = await startTestService()
const { orgId } = await organisation()

const everyScope = Object.entries(entities).flatMap(([entity, { actions }]) =>
  actions.map((action) => `${entity}:${action}`),
)

/** What the specification says a granted scope allows, worked out apart from the code that is tested. */
function allows(granted: string, version: ScopeVersion): string[] {
  const bundle = (bundles as Readonly<Record<string, readonly string[]>>)[granted]
  const held = bundle ? everyScope.filter((scope) => bundle.includes(scope.split(':')[1]!)) : [granted]
  const implied = scopeVersions.implies[version] as Readonly<Record<string, readonly string[]>>
  return held.flatMap((scope) => {
    const [entity, action] = scope.split(':') as [string, string]
    return [scope, ...(implied[action] ?? []).map((other) => `${entity}:${other}`)]
  })
}

for (const version of [1, 2] as const) {
  for (const granted of [...everyScope, 'read', 'write', 'full']) {
    test(`version ${version} ${granted}`, async () => {
      const caller = await client(orgId, { scopes: [granted], scopeVersion: version })
      const allowed = allows(granted, version)
      for (const operation of operations) {
        const path = idsIn(operation.path).reduce((filled, id) => filled.replace(`:${id}`, 'absent'), operation.path)
        const mayEnter = operation.needs.every((scope) => allowed.includes(scope))
        for (const method of methodsOf(operation.method)) {
          const { status, body, headers } = await caller.call(method, path === '/' ? '' : path)
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

test('offline_access is accepted and changes nothing', async () => {
  const caller = await client(orgId, { scopes: ['offline_access', 'customers:read'] })
  assert.equal((await caller.get('/customers')).status, 200)
  assert.equal((await caller.get('')).status, 403)
})

/** HEAD is held to what GET needs, PATCH to what PUT needs. */
function methodsOf(method: string): string[] {
  return { GET: ['GET', 'HEAD'], PUT: ['PUT', 'PATCH'] }[method] ?? [method]
}
