// Follows the events of an organisation one by one as they are numbered, on and on: for the command line.
import { type Database, sql } from '../db/database.ts'
import { listen } from '../db/listen.ts'
import type { StoredEvent } from './event.ts'
import { eventsAfter } from './read-events.ts'
import { numberedChannel } from './sequencer.ts'

interface FollowOptions {
  /** Events behind this position. */
  readonly afterPosition: number
  readonly types: readonly string[]
  readonly signal: AbortSignal
}

const pageSize = 100
/** A notification may be lost with its connection. */
const lookAgainMs = 1_000

export async function* followEvents(
  database: Database,
  orgId: string,
  { afterPosition, types, signal }: FollowOptions,
): AsyncGenerator<StoredEvent> {
  let wake = () => {}
  const listener = listen(database, {
    channels: { [numberedChannel]: (numbered) => numbered === orgId && wake() },
    connected() {},
    disconnected() {},
  })
  signal.addEventListener('abort', () => wake())
  try {
    for (let position = afterPosition; !signal.aborted; ) {
      const woken = new Promise<void>((resolve) => {
        wake = resolve
      })
      const page = await eventsAfter(database, orgId, { afterPosition: position, limit: pageSize, types })
      for (const event of page) {
        yield event
        position = event.position!
      }
      if (page.length === pageSize) continue
      const timer = setTimeout(() => wake(), lookAgainMs)
      await woken
      clearTimeout(timer)
    }
  } finally {
    await listener.close()
  }
}

/** The last position that was given out. */
export async function newestPosition(database: Database, orgId: string): Promise<number> {
  const [counter] = await database.query<{ position: number }>(
    sql`select position from event_counters where org_id = ${orgId}`,
  )
  return counter?.position ?? 0
}
