// Tells open pages of the desk what changed: one stream for a browser, one look at the database for a whole shop.
import { Readable } from 'node:stream'
import { type Database, sql } from '../db/database.ts'
import { listen } from '../db/listen.ts'
import { numberedChannel } from '../events/sequencer.ts'
import { accessChannel } from '../identity/access-changed.ts'
import { ApiError, tooManyRequests } from '../operations/errors.ts'

/** What a page needs to know to tell whether it is concerned. */
interface Change {
  readonly resource: string
  readonly id: string
  readonly parent: string | null
  readonly actor: string | null
  readonly entity: string
}

export interface LiveStream {
  readonly orgId: string
  readonly memberId: string
  readonly personId: string
  /** Whether the member may read what is of this entity. */
  mayRead(entity: string): boolean
  /** Whether the session and the member's role still allow it to go on. */
  isStillAllowed(): Promise<boolean>
}

interface OpenStream extends LiveStream {
  readonly messages: Readable
}

interface Shop {
  readonly streams: Set<OpenStream>
  /** Once it is known from which event on they are told. */
  begun: Promise<void>
  position: number | undefined
  isLooking: boolean
  isBehind: boolean
}

/** A page fetched anew costs some milliseconds: many changes at once are told together. */
const pauseMs = 300
const beatMs = 20_000
const maxPerMember = 10
const maxPerProcess = 2_000
const maxChanges = 200

export interface Live {
  open(stream: LiveStream): Readable
  metrics(): { readonly open: number }
  close(): Promise<void>
}

export function createLive(database: Database): Live {
  const shops = new Map<string, Shop>()
  let listener: ReturnType<typeof listen> | undefined
  let beat: NodeJS.Timeout | undefined
  const openStreams = () => [...shops.values()].flatMap(({ streams }) => [...streams])

  /** From the first stream on: it costs a connection. */
  function startListening(): void {
    listener ??= listen(database, {
      channels: {
        [numberedChannel]: (orgId) => void look(orgId),
        [accessChannel](whose) {
          for (const stream of openStreams())
            if (stream.orgId === whose || stream.personId === whose) void check(stream)
        },
      },
      connected: () => {
        for (const orgId of shops.keys()) void look(orgId) // what was numbered before may have been missed
      },
      disconnected: () => {},
    })
    beat ??= setInterval(() => {
      for (const stream of openStreams()) void check(stream)
    }, beatMs).unref()
  }

  async function check(stream: OpenStream): Promise<void> {
    if (await stream.isStillAllowed().catch(() => true)) say(stream, ': here\n\n')
    else end(stream)
  }

  /** Nothing follows the end. */
  function say(stream: OpenStream, text: string): void {
    if (shops.get(stream.orgId)?.streams.has(stream)) stream.messages.push(text)
  }

  function end(stream: OpenStream): void {
    forget(stream)
    stream.messages.push(null)
  }

  function forget(stream: OpenStream): void {
    const shop = shops.get(stream.orgId)
    shop?.streams.delete(stream)
    if (shop?.streams.size === 0) shops.delete(stream.orgId)
  }

  function begin(orgId: string): Shop {
    const shop: Shop = {
      streams: new Set(),
      begun: Promise.resolve(),
      position: undefined,
      isLooking: true,
      isBehind: false,
    }
    shops.set(orgId, shop)
    shop.begun = tell(orgId, shop)
      .catch(() => {})
      .then(() => {
        shop.isLooking = false
        if (shop.isBehind) void look(orgId)
      })
    return shop
  }

  async function look(orgId: string): Promise<void> {
    const shop = shops.get(orgId)
    if (!shop) return
    shop.isBehind = true
    if (shop.isLooking) return
    shop.isLooking = true
    while (shop.isBehind && shop.streams.size > 0) {
      shop.isBehind = false
      await tell(orgId, shop).catch(() => {}) // while the database is away nothing changes either
      await new Promise((resolve) => setTimeout(resolve, pauseMs).unref())
    }
    shop.isLooking = false
  }

  async function tell(orgId: string, shop: Shop): Promise<void> {
    const rows = await database.read<Change & { position: number }>(orgId, selectChanges(orgId, shop.position))
    const before = shop.position
    shop.position = Math.max(before ?? 0, ...rows.map(({ position }) => position))
    if (before === undefined || rows.length === 0) return
    if (rows.length === maxChanges) {
      // Somebody brings much in at once: pages are told that anything may have changed, and go on from the newest, which
      // is read before they are told, so that nothing falls in between.
      const [newest] = await database.read<Change & { position: number }>(orgId, selectChanges(orgId, undefined))
      shop.position = newest!.position
      for (const { messages } of shop.streams) messages.push('data: null\n\n')
      return
    }
    for (const { messages, mayRead } of shop.streams) {
      const seen = rows
        .filter(({ entity }) => mayRead(entity))
        .map(({ resource, id, parent, actor }) => ({ resource, id, parent, actor }))
      if (seen.length > 0) messages.push(`data: ${JSON.stringify(seen)}\n\n`)
    }
  }

  return {
    open(stream) {
      const own = openStreams().filter(({ memberId }) => memberId === stream.memberId)
      if (own.length >= maxPerMember) throw tooManyRequests('You have very many pages open; close some of them', 20)
      if (openStreams().length >= maxPerProcess) throw new ApiError(503, 'Too many pages are open; try again shortly')
      startListening()
      const shop = shops.get(stream.orgId) ?? begin(stream.orgId)
      const messages = new Readable({
        read() {},
        destroy(error, done) {
          forget(open)
          done(error)
        },
      })
      const open: OpenStream = { ...stream, messages }
      shop.streams.add(open)
      // A page is fetched anew when its stream opens: what happens after that it must be told.
      void shop.begun.then(() => say(open, 'retry: 2000\n: following\n\n'))
      return messages
    },
    metrics: () => ({ open: openStreams().length }),
    async close() {
      clearInterval(beat)
      for (const stream of openStreams()) end(stream)
      await listener?.close()
    },
  }
}

/** Where nothing was told yet, the newest event there is: what came before it the pages show already. */
const selectChanges = (orgId: string, position: number | undefined) =>
  position === undefined
    ? sql`select position, '' as resource, '' as id, null as parent, null as actor, '' as entity
        from event_counters where org_id = ${orgId}`
    : sql`select position, resource, record_id as id, parent_id as parent, entity, body::json -> 'actor' ->> 'id' as actor
        from events where org_id = ${orgId} and position > ${position}::bigint order by position limit ${maxChanges}::int`
