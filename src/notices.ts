// Notices that one process sends to all through PostgreSQL.
import type { Client, Database } from './database.ts'

/** Calls back for every notice on a channel; tells when the line drops and when it is there again. */
export function listen(
  database: Database,
  channel: string,
  on: { notice(payload: string): void; up(): void; down(): void },
): { close(): Promise<void> } {
  let closed = false
  let client: Client | undefined
  let retry: NodeJS.Timeout | undefined

  const open = async (): Promise<void> => {
    try {
      const fresh = await database.connect()
      if (closed) return void (await fresh.end())
      client = fresh
      fresh.on('notification', ({ payload }) => on.notice(payload ?? ''))
      fresh.on('end', again)
      await fresh.query(`listen ${channel}`)
      on.up()
    } catch {
      again()
    }
  }
  const again = () => {
    client = undefined
    if (closed) return
    on.down()
    clearTimeout(retry)
    retry = setTimeout(open, 500).unref()
  }
  const opening = open()
  return {
    async close() {
      closed = true
      clearTimeout(retry)
      await opening
      await client?.end()
    },
  }
}
