// LISTEN/NOTIFY: notifications that one process sends to all through PostgreSQL.
import type { Client, Database } from './database.ts'

/** Calls back for every notification on a channel, and when its connection is lost and restored. */
export function listen(
  database: Database,
  channel: string,
  handlers: { notification(payload: string): void; connected(): void; disconnected(): void },
): { close(): Promise<void> } {
  let closed = false
  let client: Client | undefined
  let retryTimer: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    try {
      const fresh = await database.connect()
      if (closed) return void (await fresh.end())
      client = fresh
      fresh.on('notification', ({ payload }) => handlers.notification(payload ?? ''))
      fresh.on('end', reconnect)
      await fresh.query(`listen ${channel}`)
      handlers.connected()
    } catch {
      reconnect()
    }
  }
  const reconnect = () => {
    client = undefined
    if (closed) return
    handlers.disconnected()
    clearTimeout(retryTimer)
    retryTimer = setTimeout(connect, 500).unref()
  }
  const connecting = connect()
  return {
    async close() {
      closed = true
      clearTimeout(retryTimer)
      await connecting
      await client?.end()
    },
  }
}
