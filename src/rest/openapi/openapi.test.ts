// The OpenAPI document: valid by two linters, complete, with examples that hold, and as fresh as the code.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import linter, { type RulesetDefinition } from '@stoplight/spectral-core'
import rulesets from '@stoplight/spectral-rulesets'
import { Compile } from 'typebox/compile'
import { staleFiles } from '../../../test/generate.ts'
import { readConfig } from '../../config/config.ts'
import { conflictCode, permissionCodes, withoutData } from '../../operations/errors.ts'
import { id } from '../../operations/fields.ts'
import { deletionMessage, operation, resource } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
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
let turns = 0
const watch = setInterval(() => turns++, 0)
const document: Tree = await createOpenApi(resources, scopeCatalogue, config)
clearInterval(watch)

test('others have their turn while the document is made', () => {
  assert.ok(turns >= 5, `${turns} turns`)
})

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
  operation('GET /tickets/:ticketId/things/:thingId', {
    name: 'getThing',
    summary: 'Read a thing',
    returns: t.Object({ id: id() }, { title: 'Thing' }),
    transaction: true,
    run: () => Promise.resolve({}),
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
const rareDocument: Tree = await createOpenApi([rare], scopeCatalogue, config)

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

test('a list says how it goes on, and every operation how the client calls it', () => {
  const { 'x-pagination': pagination, 'x-codeSamples': samples } = find(document, 'listDevices')
  assert.deepEqual(pagination, {
    cursor: 'startAfter',
    limit: 'limit',
    items: 'data.devices',
    nextCursor: 'data.pagination.nextCursor',
    hasMore: 'data.pagination.hasMore',
  })
  assert.match(
    samples[0].source,
    /^for await \(const record of jobwright\.customers\.devices\('cus_\w+'\)\.list\(\)\) \{/,
  )
  const source = (name: string) => find(document, name)['x-codeSamples'][0].source
  assert.equal(source('createCustomer'), "const answer = await jobwright.customers.create({ firstName: 'Amara' })")
  assert.match(source('setTicketStatus'), /^const answer = await jobwright\.tickets\.setStatus\('tkt_\w+', \{ status: /)
  assert.match(source('streamEvents'), /jobwright\.events\.follow\(\{ from: 'now' \}\)/)
  for (const name of ['listStations', 'getCustomer']) assert.equal(find(document, name)['x-pagination'], undefined)
})

test('a refusal of the credential says which codes there are', () => {
  const { code } = document.components.schemas.PermissionError.properties
  assert.deepEqual(code.enum, Object.keys(permissionCodes))
  const { schema } = document.components.responses.Forbidden.content['application/json']
  assert.equal(schema.$ref, '#/components/schemas/PermissionError')
})

test('what has a default need not be sent, and no body has a default that generators take for a value', () => {
  assert.doesNotMatch(JSON.stringify(document.components.schemas), /"default":/)
  const { count } = find(rareDocument, 'addThing').requestBody.content['application/json'].schema.properties
  assert.deepEqual(count, { type: 'integer', description: '`1` unless given.' })
  assert.equal(find(rareDocument, 'addThing').parameters[0].schema.default, false, 'of a parameter it is none')
  const { parameters, requestBody } = find(rareDocument, 'addThing')
  const required = parameters.filter((one: Tree) => one.required).map((one: Tree) => one.name)
  assert.deepEqual(required, ['kind'])
  assert.deepEqual(requestBody.content['application/json'].schema.required, ['customerId', 'zone'])
})

test('a change has to change something, and what excludes each other says so', () => {
  const { schemas } = document.components
  const changes = Object.entries<Tree>(schemas).filter(
    ([name, { type }]) => name.endsWith('Update') && type === 'object',
  )
  assert.ok(changes.length > 20)
  for (const [name, { minProperties }] of changes) assert.equal(minProperties, 1, name)
  const { minProperties, maxProperties } = schemas.OccurrenceResize
  assert.deepEqual([minProperties, maxProperties], [1, 1])
  assert.deepEqual(schemas.InventoryItemUpdate.not.required, ['quantityOnHand', 'quantityDelta'])
  assert.deepEqual(
    [schemas.Discount.properties.value.minimum, schemas.Discount.properties.value.maximum],
    [0, 100_000_000],
  )
})

test('what is one of a few words has a name, the same in the record and in its bodies', () => {
  const { schemas } = document.components
  assert.deepEqual(schemas.TicketPriority, { type: 'string', enum: ['low', 'normal', 'high', 'urgent'] })
  for (const name of ['Ticket', 'TicketCreate', 'TicketUpdate'])
    assert.equal(schemas[name].properties.priority.$ref, '#/components/schemas/TicketPriority')
  for (const [name, schema] of Object.entries<Tree>(schemas))
    for (const [field, { enum: words }] of Object.entries<Tree>(schema.properties ?? {}))
      assert.ok(!words || /Error$|^Event/.test(name) || words.length < 2, `${name}.${field}`)
})

test('no two fields would be given the same name by generators, which join that of the record and that of the field', () => {
  const names = Object.entries<Tree>(document.components.schemas).flatMap(([title, { properties = {} }]) =>
    Object.entries<Tree>(properties)
      .filter(
        ([, { type, $ref }]) =>
          !$ref && ['object', 'undefined'].includes(Array.isArray(type) ? 'object' : String(type)),
      )
      .map(([field]) => `${title}${field.charAt(0).toUpperCase()}${field.slice(1)}`),
  )
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  )
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
  const named = (code: string) => rareDocument.components.schemas[schema.discriminator.mapping[code].split('/').at(-1)]
  assert.deepEqual(Object.keys(schema.discriminator.mapping), codes)
  assert.deepEqual(
    schema.oneOf.map(({ $ref }: Tree) => $ref),
    Object.values(schema.discriminator.mapping),
  )
  for (const code of codes) assert.equal(named(code).properties.code.const, code)
  for (const code of codes) assert.match(description, new RegExp(`\`${code}\`: .+`))
  const transition = named('FORM_GATE_TRANSITION')
  assert.deepEqual(Object.keys(transition.properties.data.properties), ['gate', 'outstanding', 'submissionIds'])
  assert.ok(transition.required.includes('data'))
  assert.ok(!named('FORM_GATE_DELETE').required.includes('data'), 'one operation tells it, another does not')
  assert.equal(named('STATION_IN_USE').properties.data, undefined)
  assert.deepEqual(examples.FORM_GATE_TRANSITION.value.data.gate, 'start')
  assert.equal(examples.FORM_GATE_DELETE.value.data, undefined, 'who named the job need not be told which')
  const deletion = find(rareDocument, 'deleteThings').responses[409].content['application/json']
  assert.equal(deletion.examples.FORM_GATE_DELETE.value.data.ticketIds.length, 1)
  assert.equal(find(document, 'getCustomer').responses[409], undefined)
})

test('what is one record carries an ETag; changes take If-Match and reads If-None-Match', () => {
  const about = (name: string) => {
    const { parameters = [], responses } = find(document, name)
    const success = responses[200] ?? responses[201]
    return {
      tag: success.headers?.ETag !== undefined,
      takes: parameters.flatMap(({ $ref = '' }: Tree) => (/if/i.test($ref) ? [$ref.split('/').at(-1)] : [])),
      answers: ['304', '412'].filter((status) => responses[status]),
    }
  }
  const change = { tag: true, takes: ['ifMatch'], answers: ['412'] }
  for (const name of ['updateCustomer', 'patchCustomer', 'setTicketStatus', 'setTicketDiscount', 'updateOrganisation'])
    assert.deepEqual(about(name), change, name)
  for (const name of ['getCustomer', 'getTicket', 'getTicketTotals'])
    assert.deepEqual(about(name), { tag: true, takes: ['ifNoneMatch'], answers: ['304'] }, name)
  for (const name of ['deleteCustomer', 'removeQuoteShareLink'])
    assert.deepEqual(about(name), { ...change, tag: false }, name)
  for (const name of ['createCustomer', 'sendQuote', 'convertQuote'])
    assert.deepEqual(about(name), { tag: true, takes: [], answers: [] }, name)
  for (const name of ['listCustomers', 'lookupCustomers', 'getQuotePdf', 'createWebhook'])
    assert.deepEqual(about(name), { tag: false, takes: [], answers: [] }, name)
})

test('404 stands where something named may not be there', () => {
  const missing = (name: string, subject = document) => find(subject, name).responses[404] !== undefined
  assert.deepEqual(
    ['listCustomers', 'createCustomer', 'lookupCustomers', 'getCustomer', 'listDevices'].map((name) => missing(name)),
    [false, false, true, true, true],
  )
  assert.equal(missing('deleteThings', rareDocument), false)
})

test('a titled schema is written once, may be null where it is used, and a second one of that title is refused', async () => {
  assert.deepEqual(
    Object.keys(rareDocument.components.schemas).filter((name) => !name.endsWith('Conflict')),
    ['Thing', 'ErrorResponse', 'PermissionError'],
  )
  const answer = find(rareDocument, 'addThing').responses[201].content['application/json'].schema
  assert.deepEqual(answer.properties.data, { anyOf: [{ $ref: '#/components/schemas/Thing' }, { type: 'null' }] })
  const other = operation('GET /tickets', {
    name: 'getOtherThing',
    summary: 'Read a thing',
    returns: t.Object({ name: t.String() }, { title: 'Thing' }),
    transaction: true,
    run: () => Promise.resolve({}),
  })
  const second = resource({ entity: things, tables: [] }, [other])
  await assert.rejects(createOpenApi([rare, second], scopeCatalogue, config), /Two schemas are titled Thing/)
})

test('only members and formats that others know are shown', () => {
  const text = JSON.stringify([document, rareDocument])
  assert.doesNotMatch(text, /"~/)
  // Beside a type it is a schema's; in an example it is a field that is called so.
  const formats = new Set([...text.matchAll(/"type":[^{}]*?"format":"([^"]+)"/g)].map(([, format]) => format!))
  assert.ok(formats.has('date-time') && formats.has('email'))
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
  if (!content?.['application/json']) return // a file has no example, and what is not modified has no content
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
