// The OpenAPI document: valid by two linters, complete, with examples that hold, and as fresh as the code.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import linter, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { Type as t } from 'typebox'
import { Compile } from 'typebox/compile'
import { staleFiles } from '../../../test/generate.ts'
import { readConfig } from '../../config/config.ts'
import { conflictCode, withoutData } from '../../operations/errors.ts'
import { id } from '../../operations/fields.ts'
import { deletionMessage, operation, resource } from '../../operations/operation.ts'
import { entity } from '../../operations/scopes.ts'
import { operations, resources, scopeCatalogue } from '../../resources/index.ts'
import { createOpenApi } from './openapi.ts'

// biome-ignore lint/suspicious/noExplicitAny: a document is a tree of anything, and tests look deep into it
type Tree = any
interface Described {
  readonly path: string
  readonly method: string
  readonly operation: Tree
}

const config = readConfig({ REST_ORIGIN: 'http://127.0.0.1:3000', AUTH_URL: 'https://id.harbour.example' })
const document: Tree = createOpenApi(resources, scopeCatalogue, config)

const things = entity('tickets', { title: 'Things', description: 'What is rare.', scopeObject: 'things' })
const ticketIds = t.Object({ ticketIds: t.Array(id()) })
const gateDelete = conflictCode('FORM_GATE_DELETE', 'Forms are open.', ticketIds)
const hasTickets = conflictCode('CUSTOMER_HAS_TICKETS', 'There are jobs.', ticketIds)
const gateTransition = conflictCode(
  'FORM_GATE_TRANSITION',
  'Forms are open.',
  t.Object({ gate: t.Enum(['start', 'completion']), outstanding: t.Integer(), submissionIds: t.Array(id()) }),
)
const inUse = conflictCode('STATION_IN_USE', 'It is in use.')

/** What no resource may happen to use today. */
const rare = resource({ entity: things, tables: [] }, [
  operation('POST /tickets/:ticketId/things', {
    name: 'addThing',
    summary: 'Add a thing',
    mayNeed: ['invoices:write'],
    query: t.Object({ force: t.Boolean({ default: false }), kind: t.String({ examples: ['large'] }) }),
    body: t.Object({ count: t.Integer({ default: 1 }), customerId: id(), zone: t.String({ format: 'time-zone' }) }),
    status: 201,
    returns: t.Unsafe<object | null>({ ...t.Object({ id: id() }, { title: 'Thing' }), type: ['object', 'null'] }),
    conflicts: [gateTransition, withoutData(gateDelete), inUse],
    transaction: true,
    run: () => Promise.resolve(null),
  }),
  operation('PUT /tickets/:ticketId/things/:thingId', {
    name: 'setThing',
    summary: 'Set a thing',
    body: t.Object({ name: t.String() }),
    returns: t.Object({ id: id() }, { title: 'Thing' }),
    transaction: true,
    run: () => Promise.resolve({}),
  }),
  operation('DELETE /tickets', {
    name: 'deleteThings',
    summary: 'Delete things',
    returns: deletionMessage,
    conflicts: [gateDelete, hasTickets],
    transaction: true,
    run: () => Promise.resolve({}),
  }),
])
const rareDocument: Tree = createOpenApi([rare], scopeCatalogue, config)

for (const [name, subject] of Object.entries({ 'the document': document, 'a document of rare things': rareDocument })) {
  describe(name, () => {
    test("has nothing that Redocly's recommended rules object to", async () => {
      const problems = await lintFromString({
        source: JSON.stringify(subject),
        config: await createConfig({ extends: ['recommended'] }),
      })
      assert.deepEqual(
        problems.map(({ ruleId, message, location }) => ({ ruleId, message, at: location[0]?.pointer })),
        [],
      )
    })

    test("has nothing that Spectral's OpenAPI rules object to", async () => {
      const spectral = new linter.Spectral()
      spectral.setRuleset({ extends: [rulesets.oas as unknown as RulesetDefinition] })
      const problems = await spectral.run(subject)
      assert.deepEqual(
        problems.map(({ code, message, path }) => ({ code, message, path })),
        [],
      )
    })

    test('shows a request and an answer for every operation, and each example fits its own schema', () => {
      for (const { method, operation } of describedOperations(subject)) {
        if (['post', 'put', 'patch'].includes(method)) assertExamples(subject, operation.requestBody, operation)
        for (const answer of Object.values<Tree>(operation.responses)) {
          assertExamples(subject, resolved(subject, answer), operation)
        }
      }
    })
  })
}

test('every operation is there once, under its own address, and nothing else is', () => {
  const listed = describedOperations(document).map(
    ({ path, method, operation }) => `${method} ${path} ${operation.operationId}`,
  )
  const expected = operations.flatMap(({ method, path, name }) => {
    const address = `/organisations/{orgId}${path === '/' ? '' : path.replace(/:(\w+)/g, '{$1}')}`
    const own = `${method.toLowerCase()} ${address} ${name}`
    const patch = name.startsWith('update') ? name.replace('update', 'patch') : `${name}ByPatch`
    return method === 'PUT' ? [own, `patch ${address} ${patch}`] : [own]
  })
  const byIdentity = ['post /api-keys/{id}/rotate rotateApiKey', 'post /identity/token createIdentityToken']
  assert.deepEqual(listed.sort(), [...expected, ...byIdentity].sort())
  assert.equal(new Set(listed.map((line) => line.split(' ')[2])).size, listed.length)
})

test('PATCH says what PUT says', () => {
  for (const item of Object.values<Tree>(document.paths)) {
    const { operationId: _put, summary: _same, ...put } = item.put ?? {}
    const { operationId: _patch, summary: _as, ...patch } = item.patch ?? {}
    assert.deepEqual(patch, put)
  }
})

test('an operation names its scopes, and its conditional ones in words', () => {
  const { description, ...rest } = find(rareDocument, 'addThing')
  assert.deepEqual(rest['x-scopes'], ['tickets:write'])
  assert.match(description, /`invoices:write`/)
})

test('what has a default need not be sent', () => {
  const { parameters, requestBody } = find(rareDocument, 'addThing')
  const required = parameters.filter((one: Tree) => one.required).map((one: Tree) => one.name)
  assert.deepEqual(required, ['kind'])
  assert.deepEqual(requestBody.content['application/json'].schema.required, ['customerId', 'zone'])
})

test('an example of a filter is told in words, so that tools do not send it', () => {
  const [, kind] = find(rareDocument, 'addThing').parameters
  assert.equal(kind.description, 'For example `large`.')
  assert.equal(kind.example ?? kind.schema.examples, undefined)
})

test('a conflict names its codes, their meaning and their data, and POST adds the one of its repetition', () => {
  const { description, content } = find(rareDocument, 'addThing').responses[409]
  const { schema, examples } = content['application/json']
  const codes = ['FORM_GATE_TRANSITION', 'FORM_GATE_DELETE', 'STATION_IN_USE', 'IDEMPOTENCY_IN_PROGRESS']
  assert.deepEqual(schema.properties.code.enum, codes)
  for (const code of codes) assert.match(description, new RegExp(`\`${code}\`: .+`))
  assert.deepEqual(Object.keys(schema.properties.data.properties), ['gate', 'outstanding', 'submissionIds'])
  assert.deepEqual(examples.FORM_GATE_TRANSITION.value.data.gate, 'start')
  assert.equal(examples.FORM_GATE_DELETE.value.data, undefined, 'who named the job need not be told which')
  const deletion = find(rareDocument, 'deleteThings').responses[409].content['application/json']
  assert.equal(deletion.examples.FORM_GATE_DELETE.value.data.ticketIds.length, 1)
  assert.equal(find(document, 'getCustomer').responses[409], undefined)
})

test('404 stands where something named may not be there', () => {
  const missing = (name: string, subject = document) => find(subject, name).responses[404] !== undefined
  assert.deepEqual(
    ['listCustomers', 'createCustomer', 'lookupCustomers', 'getCustomer', 'listDevices'].map((name) => missing(name)),
    [false, false, true, true, true],
  )
  assert.equal(missing('deleteThings', rareDocument), false)
})

test('a titled schema is written once, may be null where it is used, and a second one of that title is refused', () => {
  assert.deepEqual(Object.keys(rareDocument.components.schemas), ['Thing', 'Error'])
  const answer = find(rareDocument, 'addThing').responses[201].content['application/json'].schema
  assert.deepEqual(answer.properties.data, { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] })
  const other = operation('GET /tickets', {
    name: 'getThing',
    summary: 'Read a thing',
    returns: t.Object({ name: t.String() }, { title: 'Thing' }),
    transaction: true,
    run: () => Promise.resolve({}),
  })
  const second = resource({ entity: things, tables: [] }, [other])
  assert.throws(() => createOpenApi([rare, second], scopeCatalogue, config), /Two schemas are titled Thing/)
})

test('only members and formats that others know are shown', () => {
  const text = JSON.stringify([document, rareDocument])
  assert.doesNotMatch(text, /"~/)
  const formats = new Set([...text.matchAll(/"format":"([^"]+)"/g)].map(([, format]) => format!))
  assert.deepEqual(
    [...formats].filter((format) => !['email', 'date-time', 'date', 'uri'].includes(format)),
    [],
  )
})

test('the ids in examples begin as real ones do', () => {
  const prefixes = new Set([
    ...resources.flatMap(({ tables, parts = [] }) => [...tables, ...parts].map(({ prefix }) => prefix)),
    ...['key', 'req'],
  ])
  const ids = [...JSON.stringify(document).matchAll(/"(?:(\w+)_)?01m7f6\w+"/g)]
  assert.ok(ids.length > 100)
  assert.deepEqual(
    ids.filter(([, prefix]) => !prefixes.has(prefix!)).map(([id]) => id),
    [],
  )
})

test('the generated files are fresh: run `npm run generate` if not', () => assert.deepEqual(staleFiles(), []))

function describedOperations(subject: Tree): Described[] {
  return Object.entries<Tree>(subject.paths).flatMap(([path, { parameters: _, ...methods }]) =>
    Object.entries<Tree>(methods).map(([method, operation]) => ({ path, method, operation })),
  )
}

const find = (subject: Tree, name: string): Tree =>
  describedOperations(subject).find(({ operation }) => operation.operationId === name)!.operation

function assertExamples(subject: Tree, { content }: Tree, { operationId }: Tree): void {
  if (!content['application/json']) return // a file has no example
  const { schema, example, examples } = content['application/json']
  const values: Tree[] = examples ? Object.values<Tree>(examples).map(({ value }) => value) : [example]
  const check = Compile(resolved(subject, schema))
  for (const value of values) {
    assert.notEqual(value, undefined, `${operationId} has no example`)
    assert.deepEqual([...check.Errors(value)], [], `${operationId}: ${JSON.stringify(value)}`)
  }
}

/** With what it refers to in place of every reference. */
function resolved(subject: Tree, part: Tree): Tree {
  if (Array.isArray(part)) return part.map((entry) => resolved(subject, entry))
  if (typeof part !== 'object' || part === null) return part
  if (typeof part.$ref === 'string') {
    const steps: string[] = part.$ref.split('/').slice(1)
    return resolved(
      subject,
      steps.reduce((place, step) => place[step], subject),
    )
  }
  return Object.fromEntries(Object.entries(part).map(([name, member]) => [name, resolved(subject, member)]))
}
