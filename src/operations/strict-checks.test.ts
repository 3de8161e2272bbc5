// What an operation declares is what it may do: scopes that exist, and no others while it runs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { noDependencies } from './context.ts'
import { conflictCode } from './errors.ts'
import { createExecute } from './execute.ts'
import { type Context, operation, resource, statement } from './operation.ts'
import { t } from './schemas.ts'
import { createScopeCatalogue, grantsRead, refuseUnknownScopes } from './scope-catalogue.ts'
import { entity, type Scope } from './scopes.ts'

const bikes = entity('bikes', { title: 'Bikes', description: 'What is ridden.', scopeObject: 'bikes' })
const catalogue = createScopeCatalogue([bikes])
const caller = {
  kind: 'key' as const,
  orgId: 'org_1',
  credentialId: 'key_1',
  name: 'Key',
  scopes: new Set<Scope>(catalogue.scopes),
}
const { database } = await startTestService()

/** Carries out an operation that does no more than `run`. */
async function execute(run: (ctx: Context) => void, mayNeed: readonly Scope[] = []) {
  const { operations } = resource({ entity: bikes, tables: [] }, [
    operation('GET /bikes', {
      name: 'listBikes',
      summary: 'List bikes',
      mayNeed,
      returns: t.Object({}),
      run(_, ctx) {
        run(ctx)
        return statement(sql`select 1`, () => ({}))
      },
    }),
  ])
  const request = { operation: operations[0]!, params: {}, query: {}, body: undefined }
  return createExecute(database, operations, noDependencies, { strict: true })(request, caller)
}

test('an operation requires no scope that it does not declare', async () => {
  await execute((ctx) => ctx.require('bikes:read'))
  await execute((ctx) => ctx.require('bikes:delete'), ['bikes:delete'])
  await assert.rejects(
    execute((ctx) => ctx.require('bikes:delete')),
    /listBikes did not declare that it may need bikes:delete/,
  )
})

test('an operation refuses with no conflict that it does not declare', async () => {
  const bikeInUse = conflictCode('BIKE_IN_USE', 'Somebody rides it.')
  const refusal = execute(() => {
    throw bikeInUse()
  })
  await assert.rejects(refusal, /listBikes did not declare BIKE_IN_USE/)
})

test('a scope that no resource declares is refused at boot', () => {
  const needing = (definition: { needs?: readonly Scope[]; mayNeed?: readonly Scope[] }) =>
    resource({ entity: bikes, tables: [] }, [
      operation('GET /bikes', {
        name: 'listBikes',
        summary: 'List bikes',
        returns: t.Object({}),
        run: () => statement(sql`select 1`, () => ({})),
        ...definition,
      }),
    ]).operations
  refuseUnknownScopes(catalogue, needing({}))
  assert.throws(() => refuseUnknownScopes(catalogue, needing({ needs: ['cars:read'] })), /listBikes needs cars:read/)
  assert.throws(() => refuseUnknownScopes(catalogue, needing({ mayNeed: ['cars:read'] })), /listBikes needs cars:read/)
})

test('a scope is described by what its holder can do', () => {
  const shop = entity('shop', {
    title: 'Shop',
    description: 'The shop.',
    scopeObject: 'the shop',
    actions: ['read', 'write'],
    writeVerbs: ['change'],
  })
  const { describe, verbOf, scopes } = createScopeCatalogue([shop, bikes])
  assert.deepEqual(
    scopes.map((scope) => [verbOf(scope), describe(scope)]),
    [
      ['See', 'See the shop.'],
      ['Change', 'See and change the shop.'],
      ['See', 'See bikes.'],
      ['Create and change', 'See, create and change bikes.'],
      ['Delete', 'See and delete bikes.'],
    ],
  )
})

test('what allows to read is the same whether scopes are expanded or looked at one by one', () => {
  const other = entity('parts', { title: 'Parts', description: 'What bikes are made of.', scopeObject: 'parts' })
  const { scopes, expand } = createScopeCatalogue([bikes, other])
  for (const version of [1, 2] as const)
    for (const granted of [...scopes, 'read', 'write', 'full', 'offline_access'])
      for (const { name } of [bikes, other])
        assert.equal(grantsRead([granted], name), expand([granted], version).has(`${name}:read`), `${granted} ${name}`)
})
