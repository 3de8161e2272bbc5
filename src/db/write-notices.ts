// Tells other processes that something was written, a few times a second at most. A notification within the transaction that
// writes would serialise commits: PostgreSQL orders those that notify one after the other.
import { sessionOptions } from './connection.ts'
import { Pipeline } from './pipeline.ts'
import type { Servers } from './servers.ts'

/** What the worker listens to. */
export const writesChannel = 'event_inbox'

const intervalMs = 50

/** A connection of its own, opened with the first write: the commit of a notification must not delay anybody's statement. */
export function createWriteNotices(servers: Servers) {
  const pipeline = new Pipeline(servers, async () => `${sessionOptions} -c synchronous_commit=off`)
  const notify = (channel: string, payload: string) =>
    pipeline.query({ text: 'select pg_notify($1, $2)', values: [channel, payload] })
  let timer: NodeJS.Timeout | undefined
  let isPending = false
  let isClosed = false
  const send = (): void => {
    isPending = false
    timer = setTimeout(() => {
      timer = undefined
      if (isPending) send()
    }, intervalMs).unref()
    notify(writesChannel, '').catch(() => {}) // the worker looks every second by itself
  }
  return {
    notify,
    wrote(): void {
      if (timer) isPending = true
      else if (!isClosed) send()
    },
    async close(): Promise<void> {
      isClosed = true
      clearTimeout(timer)
      timer = undefined
      await pipeline.close()
    },
  }
}
