// Events: everything that changed in the organisation, in order, as a feed and as a stream.
import { actorKinds } from '../db/actor.ts'
import { typePattern } from '../domain/event-types.ts'
import {
  type EventFilter,
  type EventPage,
  type EventRow,
  type EventStart,
  selectEvent,
  selectEventPage,
} from '../events/read-events.ts'
import { fileResponse, Json, Subscription, streamType } from '../operations/answers.ts'
import type { Caller } from '../operations/caller.ts'
import { ApiError, badRequest, insufficientScope, notFound, type stateCodes } from '../operations/errors.ts'
import { dateTime, id, integer, nullable, oneOf } from '../operations/fields.ts'
import { exampleId, firstIdAt } from '../operations/ids.ts'
import { operation, resource, type StatementContext, statement } from '../operations/operation.ts'
import { pagination } from '../operations/record-schemas.ts'
import { t } from '../operations/schemas.ts'
import { entity, type Scope } from '../operations/scopes.ts'
import { paging } from '../operations/table.ts'

const eventActor = t.Object(
  {
    kind: oneOf(actorKinds, { examples: ['key'] }),
    id: nullable(id({ examples: [exampleId('key')] })),
    name: nullable(t.String({ examples: ['Website'] })),
  },
  { title: 'EventActor', description: 'Who made the change.' },
)

export const event = t.Object(
  {
    id: id({ description: 'The same wherever the event is told.' }),
    position: nullable(
      integer(1, Number.MAX_SAFE_INTEGER, {
        examples: [4_812],
        description: 'Counts from 1 without gaps in the organisation; what you may not read is skipped.',
      }),
    ),
    type: t.String({ examples: ['ticket.updated'] }),
    at: dateTime({ description: 'When the change was made.' }),
    actor: eventActor,
    resource: t.String({ examples: ['tickets'], description: 'The path of the collection without ids.' }),
    recordId: t.String({ examples: [exampleId('tkt')] }),
    parentId: nullable(t.String()),
    changed: t.Array(t.String(), { examples: [['priority']], description: 'The fields that changed.' }),
    previous: t.Unsafe<object | null>({
      type: ['object', 'null'],
      examples: [{ priority: 'normal' }],
      description: 'Their values before; the whole record, where it was deleted.',
    }),
    data: t.Unsafe<object | null>({
      type: ['object', 'null'],
      examples: [{ id: exampleId('tkt'), priority: 'high' }],
      description: 'The record as it is read, moments after the change; null once it is gone.',
    }),
    omitted: t.Array(t.String(), { examples: [[]], description: 'Fields that are too long to be told.' }),
  },
  { title: 'Event' },
)

const filters = {
  type: t.Optional(
    t.Array(t.String({ maxLength: 80, pattern: typePattern, examples: ['ticket.created'] }), {
      maxItems: 50,
      examples: ['ticket.*'],
      description: 'Types, several between commas or given one by one; `ticket.*` means all of a kind.',
    }),
  ),
  resource: t.Optional(
    t.String({ maxLength: 60, pattern: '^[a-z-]+(/[a-z-]+)?$', examples: ['tickets'], description: 'One collection.' }),
  ),
  recordId: t.Optional(id({ description: 'One record.' })),
  since: t.Optional(dateTime({ description: 'Changes from this moment on.' })),
}
const startAfter = t.Optional(
  id({ description: 'The event after which to go on, or `latest`; the oldest that is kept if left out.' }),
)
const from = t.Optional(
  integer(1, Number.MAX_SAFE_INTEGER, {
    examples: [4_812],
    description: 'The position to begin at, itself included; `startAfter` goes before it.',
  }),
)

interface FeedQuery {
  readonly type?: readonly string[]
  readonly resource?: string
  readonly recordId?: string
  readonly since?: string
  readonly startAfter?: string
  readonly from?: number
}

const eventEntity = entity('events', {
  title: 'Events',
  description:
    'Everything that changed, in order. Each event is told to those who may read the record that it is about. Kept for 30 days unless the operator says otherwise.',
  scopeObject: 'what changed, of what they may see',
  actions: ['read'],
})

/** How many events a page has at most. */
const maxPerPage = 100

export default resource({ entity: eventEntity, tables: [], parts: [{ typeName: 'Event', prefix: 'chg' }] }, [
  operation('GET /events', {
    name: 'listEvents',
    summary: 'List what changed, oldest first; nextCursor leads on to what changes later, too',
    query: t.Object({ limit: paging.limit, startAfter, from, ...filters }),
    returns: t.Object({ events: t.Array(event), pagination }, { title: 'EventList' }),
    run({ query: { limit = 50, ...query } }, ctx) {
      refuseUnknownTypes(query, ctx)
      const size = Math.min(limit, maxPerPage)
      const filter = filterOf(query, ctx.caller)
      return statement(selectEventPage(ctx.orgId, startOf(query), filter, size), ([page]: EventPage[]) => {
        refuseUnknownStart(page!, query)
        const { bodies, lastPosition, newest, lastId } = page!
        const next = `"hasMore":${lastPosition < newest},"nextCursor":${JSON.stringify(lastId)}`
        return new Json(`{"events":[${bodies.join()}],"pagination":{"limit":${size},${next}}}`)
      })
    },
  }),

  operation('GET /events/stream', {
    name: 'streamEvents',
    summary: 'Follow what changes as Server-Sent Events; Last-Event-ID goes on where a connection ended',
    query: t.Object({ startAfter, from, ...filters }),
    returns: fileResponse({ noun: 'stream of events', mediaTypes: [streamType] }),
    run({ query }, ctx) {
      refuseUnknownTypes(query, ctx)
      return statement(selectEventPage(ctx.orgId, startOf(query), {}, 0), ([page]: EventPage[]) => {
        refuseUnknownStart(page!, query)
        return new Subscription<EventFilter>(page!.start!, (caller) => filterOf(query, caller))
      })
    },
  }),

  operation('GET /events/:eventId', {
    name: 'getEvent',
    summary: 'Read one event',
    returns: event,
    run: ({ params: { eventId } }, ctx) =>
      statement(selectEvent(ctx.orgId, eventId), ([row]: EventRow[]) => {
        if (!row) throw notFound('event')
        const needed: Scope = `${row.entity}:read`
        if (!ctx.caller.scopes.has(needed)) throw insufficientScope(['events:read', needed])
        return new Json(row.body)
      }),
  }),
])

/** Whoever misspells a type would wait for ever. */
function refuseUnknownTypes({ type = [] }: FeedQuery, { webhookRules }: Pick<StatementContext, 'webhookRules'>): void {
  for (const one of type) {
    const problem = webhookRules.typeProblem(one)
    if (problem) throw badRequest(`type ${one} ${problem}`)
  }
}

/** What a caller may not read is left out; positions show that something was. */
const filterOf = ({ type, resource, recordId, since }: FeedQuery, { scopes }: Pick<Caller, 'scopes'>): EventFilter => ({
  types: type,
  resource,
  recordId,
  since,
  entities: [...scopes].filter((scope) => scope.endsWith(':read')).map((scope) => scope.slice(0, -':read'.length)),
})

/** The clocks of those who number events and of the database may differ by as much. */
const clockToleranceMs = 3_600_000

function startOf({ startAfter, from, since }: FeedQuery): EventStart {
  if (startAfter === 'latest') return { latest: true }
  if (startAfter !== undefined) return { id: startAfter }
  if (from !== undefined) return { position: from - 1 }
  return since === undefined ? { position: 0 } : { firstId: firstIdAt('chg', Date.parse(since) - clockToleranceMs) }
}

/** Ids sort by the time they were made: one before all that are kept was kept once. So was a position before the first. */
function refuseUnknownStart({ start, oldestId }: EventPage, { startAfter, from }: FeedQuery): void {
  if (startAfter === undefined && from !== undefined && start! >= from) throw eventsGone('at from', oldestId)
  if (start !== null) return
  const isGone = oldestId !== null && /^chg_[0-9a-z]{26}$/.test(startAfter!) && startAfter! < oldestId
  if (!isGone) throw badRequest('startAfter is not a known cursor')
  throw eventsGone('after startAfter', oldestId)
}

const eventsGone = (where: string, oldest: string | null) =>
  new ApiError(400, `Events ${where} are no longer kept; the oldest there is has the id ${oldest}`, {
    code: 'EVENTS_GONE' satisfies keyof typeof stateCodes,
    data: { oldest },
  })
