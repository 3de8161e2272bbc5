// People at the desk: each has a live stream open, and a page that is fetched anew when the stream tells of a change, as a
// browser does (src/desk/client/live.js).
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { sql } from '../src/db/database.ts'
import { createSession } from '../src/identity/sessions.ts'
import { newId } from '../src/operations/ids.ts'
import type { Fleet } from './fleet.ts'
import { createHttpClient } from './http-client.ts'

export interface DeskPeople {
  /** When each of them was told of which record, by the monotonic clock. */
  readonly told: readonly { readonly id: string; readonly at: number }[][]
  readonly pageLatenciesMs: number[]
  /** Answers that are no page, and streams that broke off. */
  readonly failures: string[]
  /** Settles when all streams are open. */
  readonly areAllOpen: Promise<unknown>
  /** Closes all tabs. */
  stop(): Promise<void>
}

/** What comes together is one refresh. */
const togetherMs = 150

/** Sessions of members who may see everything. */
export async function createSessions({ database }: Fleet, orgId: string, count: number): Promise<readonly string[]> {
  return Promise.all(
    Array.from({ length: count }, async () => {
      const [personId, memberId] = [newId('per'), newId('mem')]
      // A second factor is there; nobody has to type it.
      await database.query(sql`
        insert into people (id, email, totp_secret) values (${personId}, ${`${personId}@mail.example`}, 'none')`)
      await database.query(sql`
        insert into members (org_id, id, person_id, first_name, role) values (${orgId}, ${memberId}, ${personId}, 'Robin', 'admin')`)
      return createSession(database, 'browser', { personId, hasSecondFactor: true })
    }),
  )
}

export function openDesks(origin: string, orgId: string, sessions: readonly string[], page = '/board'): DeskPeople {
  const agent = new Agent({ keepAlive: true })
  const client = createHttpClient(origin, { connections: sessions.length, readsBodies: false })
  const pageLatenciesMs: number[] = []
  const failures: string[] = []
  let isStopped = false
  const tabs = sessions.map((session) => {
    const headers = { cookie: `jobwright_session=${session}` }
    const told: { id: string; at: number }[] = []
    let isBehind = false
    let fetching: Promise<void> | undefined

    function refresh(): void {
      isBehind = true
      fetching ??= fetchPages().finally(() => {
        fetching = undefined
      })
    }
    async function fetchPages(): Promise<void> {
      while (isBehind && !isStopped) {
        await delay(togetherMs)
        isBehind = false
        const startedAt = performance.now()
        const { status, failure } = await client.get(`/desk/${orgId}${page}`, headers)
        pageLatenciesMs.push(performance.now() - startedAt)
        if (status !== 200) failures.push(`${page}: ${failure ?? status}`)
      }
    }

    const { promise: isOpen, resolve: opened } = Promise.withResolvers<void>()
    const { promise: isClosed, resolve: closed } = Promise.withResolvers<void>()
    const stream = request(new URL(`/desk/${orgId}/live`, origin), { agent, headers }, (response) => {
      if (response.statusCode !== 200) failures.push(`/live: ${response.statusCode}`)
      opened()
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
        const messages = text.split('\n\n')
        text = messages.pop()!
        const at = performance.now()
        for (const message of messages) {
          const data = /^data: (.*)$/m.exec(message)?.[1]
          if (data === undefined) continue
          for (const { id, parent } of JSON.parse(data) ?? []) told.push({ id, at }, { id: parent, at })
          refresh()
        }
      })
      response.on('error', () => {}) // `close` follows
      response.on('close', () => {
        if (!isStopped) failures.push('/live: the stream broke off')
        closed()
      })
    })
    stream.on('error', (error) => {
      if (!isStopped) failures.push(`/live: ${error.message}`)
      opened()
      closed()
    })
    stream.end()
    return { told, stream, isOpen, isClosed, pageOnItsWay: () => fetching }
  })
  return {
    told: tabs.map(({ told }) => told),
    pageLatenciesMs,
    failures,
    areAllOpen: Promise.all(tabs.map(({ isOpen }) => isOpen)),
    async stop() {
      isStopped = true
      for (const { stream } of tabs) stream.destroy()
      await Promise.all(tabs.map(({ isClosed }) => isClosed))
      await Promise.all(tabs.map(({ pageOnItsWay }) => pageOnItsWay())) // one that is cut off would count as failed
      client[Symbol.dispose]()
      agent.destroy()
    },
  }
}
