// Requests for one operation of the document: most of them good or nearly so, some under a bent address or in odd dress.
import fc from 'fast-check'
import { type Body, bodyArbitrary, encodeBody } from './bodies.ts'
import { corrupt, corruptions } from './corruptions.ts'
import type { FuzzRequest } from './http-sender.ts'
import { headers, methods, oddIds, pathVariants, reroutingId, seldom } from './oddities.ts'
import { basePath, type DescribedOperation, type Schema } from './openapi-document.ts'
import { fillTemplate, type Pool, RecordRef } from './record-pool.ts'
import { share, type valuesOf } from './values.ts'

export interface RequestPlan {
  readonly record: number
  readonly id: { readonly at: number; readonly value: string | RecordRef } | undefined
  readonly query: readonly (readonly [string, unknown])[]
  readonly body: Body | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly credential: Credential
  readonly address: keyof typeof pathVariants | undefined
  readonly method: string | undefined
}

const credentials = ['own', 'own as bearer', 'reading only', 'foreign', 'none', 'malformed'] as const
type Credential = (typeof credentials)[number]

export function planArbitrary(operation: DescribedOperation, { valuesFor, like }: ReturnType<typeof valuesOf>) {
  const { name, body: schema, example } = operation
  const body = schema && bodyArbitrary(fc.oneof(valuesFor(schema, name), like(schema, example)))
  return fc.record<RequestPlan>({
    record: share,
    id: operation.ids.length === 0 ? fc.constant(undefined) : seldom(fc.record({ at: share, value: idArbitrary }), 6),
    query: queryArbitrary(operation, valuesFor),
    body: body ?? seldom(bodyArbitrary(fc.constantFrom({}, { a: 1 })), 20),
    headers,
    credential: fc.oneof(
      { weight: 90, arbitrary: fc.constant('own' as const) },
      { weight: 10, arbitrary: fc.constantFrom(...credentials) },
    ),
    address: seldom(fc.constantFrom(...(Object.keys(pathVariants) as (keyof typeof pathVariants)[])), 25),
    method: seldom(fc.constantFrom(...methods), 30),
  })
}

const idArbitrary = fc.oneof(
  fc.constantFrom(...oddIds),
  share.map((at) => new RecordRef('', at, 'foreign')),
  share.map((at) => new RecordRef('', at, 'other kind')),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/),
)

function queryArbitrary(
  { query }: DescribedOperation,
  valuesFor: (schema: Schema, name: string) => fc.Arbitrary<unknown>,
) {
  const stray = fc.constantFrom<readonly [string, unknown]>(
    ...([
      ['unknown', '1'],
      ['__proto__', 'x'],
      ['limit', '0'],
      ['limit[]', '5'],
      ['constructor[prototype]', 'x'],
      ['', ''],
      ['a\0', 'b'],
    ] as const),
  )
  const good = query.map(({ name, required, schema }) => {
    const some = valuesFor(schema, name).map((value): readonly (readonly [string, unknown])[] => [[name, value]])
    const corrupted = fc.tuple(some, corruptions).map(([[one], corruption]) => {
      const value = corrupt(one![1], corruption)
      return corruption.how === 'repeat'
        ? [one!, one!]
        : corruption.how === 'drop'
          ? ([[name, '']] as const)
          : [[name, value] as const]
    })
    return fc.oneof(
      { weight: required ? 1 : 6, arbitrary: fc.constant([]) },
      { weight: 6, arbitrary: some },
      { weight: 2, arbitrary: corrupted },
    )
  })
  return fc
    .tuple(
      seldom(
        stray.map((one) => [one]),
        20,
      ),
      ...good,
    )
    .map((all) => all.flatMap((some) => some ?? []))
}

export interface Parties {
  readonly orgId: string
  readonly keys: Readonly<Record<'own' | 'reading only' | 'foreign', string>>
  readonly own: Pool
  readonly foreign: Pool
}

/** The request that a plan comes to with the records there are now. */
export function buildRequest(operation: DescribedOperation, plan: RequestPlan, parties: Parties): FuzzRequest {
  const pathIds: Record<string, string> = { ...parties.own.pathIdsFor(operation, plan.record) }
  const idOf = (ref: RecordRef): string => {
    if (ref.of === 'other kind') return parties.own.anyId(ref.at)
    return (ref.of === 'own' ? parties.own : parties.foreign).idFor(ref.name, ref.at, operation)
  }
  let mayReroute = plan.address !== undefined || plan.method !== undefined
  if (plan.id) {
    const name = operation.ids[Math.floor(plan.id.at * operation.ids.length)]!
    const { value } = plan.id
    pathIds[name] = typeof value === 'string' ? value : idOf(new RecordRef(name, value.at, value.of))
    mayReroute ||= reroutingId.test(pathIds[name])
  }
  const plainPath = `${basePath}${fillTemplate(operation.template, { orgId: parties.orgId, ...pathIds })}`
  const query = plan.query.map(
    ([name, value]) =>
      `${encodeQueryValue(name)}=${encodeQueryValue(value instanceof RecordRef ? idOf(value) : value)}`,
  )
  const path = plan.address ? pathVariants[plan.address](plainPath) : plainPath
  const ordered = plan.body && plan.record > 0.2 ? orderPeriods(plan.body) : plan.body
  const body = ordered && encodeBody(withOwner(ordered, parties.own, idOf), idOf)
  return {
    method: plan.method ?? operation.method,
    path: toAscii(query.length > 0 ? `${path}?${query.join('&')}` : path),
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...Object.fromEntries(Object.entries(plan.headers).map(([name, value]) => [name, value.trim()])),
      ...credentialHeaders(plan.credential, parties.keys),
    },
    body,
    pathIds,
    mayReroute,
  }
}

/** Most periods end after they begin: the others are refused, and that is tried often enough. */
function orderPeriods(body: Body): Body {
  const value = { ...(body.value as Record<string, unknown>) }
  for (const [first, last] of [
    ['from', 'to'],
    ['scheduledFrom', 'scheduledTo'],
    ['issuedAt', 'dueAt'],
  ] as const) {
    const [begins, ends] = [parseTime(value[first]), parseTime(value[last])]
    if (begins >= ends) value[last] = new Date(begins + 3_600_000).toISOString()
  }
  return isPlain(body.value) ? { ...body, value } : body
}

const parseTime = (value: unknown) => (typeof value === 'string' ? Date.parse(value) : Number.NaN)

const isPlain = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Where a body names a device, its customer is named with it: others are refused, and that is tried elsewhere. */
function withOwner(body: Body, pool: Pool, idOf: (ref: RecordRef) => string): Body {
  const value = body.value as { deviceId?: unknown; customerId?: unknown } | null
  if (!(value?.deviceId instanceof RecordRef) || !(value.customerId instanceof RecordRef)) return body
  const deviceId = idOf(value.deviceId)
  const customerId = pool.ownerOf(deviceId)
  return customerId ? { ...body, value: { ...value, deviceId, customerId } } : body
}

function credentialHeaders(credential: Credential, keys: Parties['keys']): Record<string, string> {
  if (credential === 'none') return {}
  if (credential === 'malformed') return { 'x-api-key': 'sk_live_nonsense' }
  if (credential === 'own as bearer') return { authorization: `Bearer ${keys.own}` }
  return { 'x-api-key': keys[credential] }
}

const encodeQueryValue = (value: unknown) =>
  encodeURIComponent((typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, 4_000).toWellFormed())

/** What a client program lets through as an address. */
const toAscii = (path: string) => path.replace(/[^\x21-\x7e]/g, (one) => encodeURIComponent(one.toWellFormed()))
