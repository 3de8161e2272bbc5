// Requests for one operation of the document: most of them good or nearly so, some under a bent address or in odd dress.
import fc from 'fast-check'
import { type Body, bodiesOf, bytesOf } from './bodies.ts'
import { basePath, type Described, type Schema } from './document.ts'
import { bends, headers, methods, oddIds, seldom, straying } from './oddities.ts'
import { addressed, Chosen, type Pool } from './pool.ts'
import type { Request } from './sending.ts'
import { spoilings, spoilt } from './spoiling.ts'
import { share, type valuesOf } from './values.ts'

export interface Plan {
  readonly record: number
  readonly id: { readonly at: number; readonly value: string | Chosen } | undefined
  readonly query: readonly (readonly [string, unknown])[]
  readonly body: Body | undefined
  readonly headers: Readonly<Record<string, string>>
  readonly credential: Credential
  readonly address: keyof typeof bends | undefined
  readonly method: string | undefined
}

const credentials = ['own', 'own as bearer', 'reading only', 'foreign', 'none', 'malformed'] as const
type Credential = (typeof credentials)[number]

export function plansFor(operation: Described, { valuesFor, like }: ReturnType<typeof valuesOf>) {
  const { name, body: schema, example } = operation
  const body = schema && bodiesOf(fc.oneof(valuesFor(schema, name), like(schema, example)))
  return fc.record<Plan>({
    record: share,
    id: operation.ids.length === 0 ? fc.constant(undefined) : seldom(fc.record({ at: share, value: ids }), 6),
    query: queries(operation, valuesFor),
    body: body ?? seldom(bodiesOf(fc.constantFrom({}, { a: 1 })), 20),
    headers,
    credential: fc.oneof(
      { weight: 90, arbitrary: fc.constant('own' as const) },
      { weight: 10, arbitrary: fc.constantFrom(...credentials) },
    ),
    address: seldom(fc.constantFrom(...(Object.keys(bends) as (keyof typeof bends)[])), 25),
    method: seldom(fc.constantFrom(...methods), 30),
  })
}

const ids = fc.oneof(
  fc.constantFrom(...oddIds),
  share.map((at) => new Chosen('', at, 'foreign')),
  share.map((at) => new Chosen('', at, 'other kind')),
  fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/),
)

function queries({ query }: Described, valuesFor: (schema: Schema, name: string) => fc.Arbitrary<unknown>) {
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
    const spoiltOne = fc.tuple(some, spoilings).map(([[one], spoiling]) => {
      const value = spoilt(one![1], spoiling)
      return spoiling.how === 'repeat'
        ? [one!, one!]
        : spoiling.how === 'drop'
          ? ([[name, '']] as const)
          : [[name, value] as const]
    })
    return fc.oneof(
      { weight: required ? 1 : 6, arbitrary: fc.constant([]) },
      { weight: 6, arbitrary: some },
      { weight: 2, arbitrary: spoiltOne },
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
export function requestFor(operation: Described, plan: Plan, parties: Parties): Request {
  const way: Record<string, string> = { ...parties.own.wayTo(operation, plan.record) }
  const idOf = (chosen: Chosen): string => {
    if (chosen.of === 'other kind') return parties.own.anyId(chosen.at)
    return (chosen.of === 'own' ? parties.own : parties.foreign).idFor(chosen.name, chosen.at, operation)
  }
  let isStraying = plan.address !== undefined || plan.method !== undefined
  if (plan.id) {
    const name = operation.ids[Math.floor(plan.id.at * operation.ids.length)]!
    const { value } = plan.id
    way[name] = typeof value === 'string' ? value : idOf(new Chosen(name, value.at, value.of))
    isStraying ||= straying.test(way[name])
  }
  const straight = `${basePath}${addressed(operation.template, { orgId: parties.orgId, ...way })}`
  const query = plan.query.map(
    ([name, value]) => `${encoded(name)}=${encoded(value instanceof Chosen ? idOf(value) : value)}`,
  )
  const path = plan.address ? bends[plan.address](straight) : straight
  const ordered = plan.body && plan.record > 0.2 ? inOrder(plan.body) : plan.body
  const body = ordered && bytesOf(withOwner(ordered, parties.own, idOf), idOf)
  return {
    method: plan.method ?? operation.method,
    path: latin(query.length > 0 ? `${path}?${query.join('&')}` : path),
    headers: {
      ...(body && { 'content-type': 'application/json' }),
      ...Object.fromEntries(Object.entries(plan.headers).map(([name, value]) => [name, value.trim()])),
      ...credentialHeaders(plan.credential, parties.keys),
    },
    body,
    way,
    isStraying,
  }
}

/** Most periods end after they begin: the others are refused, and that is tried often enough. */
function inOrder(body: Body): Body {
  const value = { ...(body.value as Record<string, unknown>) }
  for (const [first, last] of [
    ['from', 'to'],
    ['scheduledFrom', 'scheduledTo'],
    ['issuedAt', 'dueAt'],
  ] as const) {
    const [begins, ends] = [momentOf(value[first]), momentOf(value[last])]
    if (begins >= ends) value[last] = new Date(begins + 3_600_000).toISOString()
  }
  return isPlain(body.value) ? { ...body, value } : body
}

const momentOf = (value: unknown) => (typeof value === 'string' ? Date.parse(value) : Number.NaN)

const isPlain = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Where a body names a device, its customer is named with it: others are refused, and that is tried elsewhere. */
function withOwner(body: Body, pool: Pool, idOf: (chosen: Chosen) => string): Body {
  const value = body.value as { deviceId?: unknown; customerId?: unknown } | null
  if (!(value?.deviceId instanceof Chosen) || !(value.customerId instanceof Chosen)) return body
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

const encoded = (value: unknown) =>
  encodeURIComponent((typeof value === 'object' ? JSON.stringify(value) : String(value)).slice(0, 4_000).toWellFormed())

/** What a client program lets through as an address. */
const latin = (path: string) => path.replace(/[^\x21-\x7e]/g, (one) => encodeURIComponent(one.toWellFormed()))
