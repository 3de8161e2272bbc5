// The specification's tables against the operations there are: nothing missing, nothing extra.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import type { TObject } from 'typebox'
import { readConfig } from '../src/config/config.ts'
import { idempotencyInProgress } from '../src/operations/idempotency.ts'
import type { Operation } from '../src/operations/operation.ts'
import { operations, scopeCatalogue } from '../src/resources/index.ts'
import * as specification from './specification.ts'

/** What is not built yet. It only ever shrinks: an entry that exists already fails the test. */
const awaitedSegments: readonly string[] = []

const routeOf = ({ method, path }: { method: string; path: string }) => `${method} ${path}`
const isAwaited = ({ path }: { path: string }) => awaitedSegments.includes(path.split('/')[1] ?? '')
const expected = specification.endpoints.filter((endpoint) => !isAwaited(endpoint))
const built = new Map(operations.map((operation) => [routeOf(operation), operation]))
const properties = (schema: TObject) => Object.keys(schema.properties)

test('every row of the endpoint tables is an operation, and every operation is a row', () => {
  assert.deepEqual([...built.keys()].sort(), expected.map(routeOf).sort())
  assert.equal(built.size, operations.length, 'no route is there twice')
  assert.equal(new Set(operations.map(({ name }) => name)).size, operations.length, 'no name is there twice')
})

test('what is awaited does not exist yet', () => {
  assert.deepEqual(operations.filter(isAwaited).map(routeOf), [])
})

for (const endpoint of expected) {
  const route = routeOf(endpoint)
  describe(route, () => {
    const operation = built.get(route) as Operation

    test('needs the scopes of its row', () => {
      assert.deepEqual([...operation.needs].sort(), [...endpoint.needs].sort())
      assert.deepEqual(operation.mayNeed, endpoint.mayNeed ?? [])
    })
    test('answers with the status of its row', () => {
      assert.equal(operation.status, endpoint.status)
      assert.equal(operation.mayExist, endpoint.mayAnswer === 200)
      assert.equal(operation.steps, endpoint.mayAnswer === 202)
    })
    test('takes the parameters of its row', () => {
      const paging = endpoint.paged ? ['limit', 'startAfter'] : []
      assert.deepEqual(
        properties(operation.query).sort(),
        [...paging, ...(endpoint.query ?? []), ...(endpoint.beyond ?? [])].sort(),
      )
    })
    test('takes the fields of its row', () => {
      const taken = properties(operation.body)
      assert.deepEqual(
        (endpoint.body ?? []).filter((field) => !taken.includes(field)),
        [],
      )
    })
    test('keys its list as the tables say', () => {
      const list = specification.listKeys[endpoint.path]
      if (endpoint.method !== 'GET' || !list) return
      assert.deepEqual(properties(operation.returns as TObject).sort(), [list.key, list.beside ?? 'pagination'].sort())
    })
    test('declares the conflicts of its row', () => {
      const codes = Object.entries(specification.conflicts)
        .filter(([, { endpoints, designed }]) => [...endpoints, ...(designed?.endpoints ?? [])].includes(route))
        .map(([code]) => code)
      assert.deepEqual(operation.conflicts.map(({ code }) => code).sort(), codes.sort())
    })
  })
}

test('the catalogue of conflicts is the specification’s, and the one of repeated requests', () => {
  const declared = [...operations.flatMap(({ conflicts }) => conflicts), idempotencyInProgress]
  assert.deepEqual(
    [...new Set(declared.map(({ code }) => code))].sort(),
    [...Object.keys(specification.conflicts), 'IDEMPOTENCY_IN_PROGRESS'].sort(),
  )
})

test('the scopes are the specification’s', () => {
  const { scopes, bundles } = scopeCatalogue
  const listed = Object.entries(specification.entities).flatMap(([entity, { actions }]) =>
    actions.map((action) => `${entity}:${action}`),
  )
  assert.deepEqual([...scopes].sort(), listed.sort())
  for (const [bundle, actions] of Object.entries(specification.bundles)) {
    const held = listed.filter((scope) => (actions as readonly string[]).includes(scope.split(':')[1]!))
    assert.deepEqual([...bundles[bundle as keyof typeof bundles]].sort(), held.sort(), bundle)
  }
})

test('the limits are the specification’s unless an operator changes them', () => {
  const config = readConfig({})
  assert.equal(config.rateLimitPerMinute, specification.limits.requestsPerMinute)
  assert.equal(config.failedAuthPerMinute, specification.limits.failedAuthenticationsPerMinute)
})

test('records carry the fields the specification names', () => {
  const records: Readonly<Record<string, string>> = {
    organisation: 'GET /',
    customer: 'GET /customers/:customerId',
    device: 'GET /customers/:customerId/devices/:deviceId',
    ticket: 'GET /tickets/:ticketId',
    signature: 'GET /tickets/:ticketId/signature',
    calendarEvent: 'GET /calendar-events/:eventId',
    inventoryItem: 'GET /inventory/:itemId',
    quote: 'GET /quotes/:quoteId',
    invoice: 'GET /invoices/:invoiceId',
    payment: 'GET /payments/:paymentId',
    station: 'GET /stations/:stationId',
    taxRate: 'GET /tax-rates/:taxRateId',
    ticketStatus: 'GET /ticket-statuses/:statusId',
  }
  for (const [noun, named] of Object.entries(specification.fields)) {
    const route = records[noun]
    if (named.length === 0) continue
    assert.ok(route, `${noun}: the route that reads it`)
    const given = properties(built.get(route)!.returns as TObject)
    assert.deepEqual(
      named.filter((field) => !given.includes(field)),
      [],
      noun,
    )
  }
})

test('every text a caller can send is bounded', () => {
  interface Shape {
    type?: string | string[]
    maxLength?: number
    pattern?: string
    enum?: unknown[]
    format?: string
    readOnly?: boolean
    items?: Shape
    properties?: Record<string, Shape>
  }
  const unboundedTexts = (shape: Shape, path: string): string[] => {
    if (shape.readOnly) return []
    const isText = [shape.type].flat().includes('string')
    const isBounded =
      shape.maxLength || shape.enum || shape.format === 'date-time' || shape.pattern?.includes('{1,128}')
    return [
      ...(isText && !isBounded ? [path] : []),
      ...(shape.items ? unboundedTexts(shape.items, `${path}[]`) : []),
      ...Object.entries(shape.properties ?? {}).flatMap(([name, member]) => unboundedTexts(member, `${path}.${name}`)),
    ]
  }
  const found = operations.flatMap(({ name, query, body }) => [
    ...unboundedTexts(query as Shape, name),
    ...unboundedTexts(body as Shape, name),
  ])
  assert.deepEqual(found, [])
})
