// LISTEN/NOTIFY: notifications that one process sends to all through PostgreSQL.
import type { Client, Database } from './database.ts'

interface Handlers {
  /** What is called for every notification, by its channel. */
  readonly channels: Readonly<Record<string, (payload: string) => void>>
  /** When the connection is restored, and lost. */
  connected(): void
  disconnected(): void
}

/** All channels share one connection. */
export function listen(
  database: Database,
  { channels, connected, disconnected }: Handlers,
): { close(): Promise<void> } {
  let closed = false
  let client: Client | undefined
  let retryTimer: NodeJS.Timeout | undefined

  const connect = async (): Promise<void> => {
    try {
      const fresh = await database.connect()
      if (closed) return void (await fresh.end())
      client = fresh
      fresh.on('notification', ({ channel, payload }) => channels[channel]?.(payload ?? ''))
      fresh.on('end', reconnect)
      for (const channel of Object.keys(channels)) await fresh.query(`listen ${channel}`)
      connected()
    } catch {
      reconnect()
    }
  }
  const reconnect = () => {
    client = undefined
    if (closed) return
    disconnected()
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
