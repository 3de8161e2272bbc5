// When, for what and from where a credential was last used: collected in memory and written in batches.
import { type Database, raw, sql } from '../db/database.ts'
import { ownWork } from '../fairness/tenant.ts'

const flushEveryMs = 30_000
/** Between two writes for the same credential. */
const writeIntervalMs = 60_000

export type Use = 'rest' | 'mcp'

/** What a use was for, and where it came from. */
export interface UseDetails {
  readonly use: Use
  readonly address: string
}

interface UsedCredential {
  readonly id: string
  readonly kind: 'key' | 'token'
  readonly orgId: string
}
type PendingUse = UsedCredential & UseDetails

export function createLastUsedWriter(database: Database) {
  let pending = new Map<string, PendingUse>()
  const writtenAt = new Map<string, number>()

  async function flush(): Promise<void> {
    const now = performance.now()
    const due = [...pending.values()].filter(
      ({ id }) => now - (writtenAt.get(id) ?? Number.NEGATIVE_INFINITY) >= writeIntervalMs,
    )
    pending = new Map()
    if (due.length === 0) return
    for (const [id, at] of writtenAt) if (now - at >= writeIntervalMs) writtenAt.delete(id)
    for (const { id } of due) writtenAt.set(id, now)
    await writeLastUsed(
      'api_keys',
      due.filter(({ kind }) => kind === 'key'),
    )
    await writeLastUsed(
      'grants',
      due.filter(({ kind }) => kind === 'token'),
    )
  }
  async function writeLastUsed(table: 'api_keys' | 'grants', uses: readonly PendingUse[]): Promise<void> {
    if (uses.length === 0) return
    await database.write(
      ownWork,
      sql`
      update ${raw(table)} credential set last_used_at = now(), last_used_for = used.use, last_used_from = used.address
      from unnest(${uses.map(({ orgId }) => orgId)}::text[], ${uses.map(({ id }) => id)}::text[],
        ${uses.map(({ use }) => use)}::text[], ${uses.map(({ address }) => address)}::text[])
        used (org_id, id, use, address)
      where credential.org_id = used.org_id and credential.id = used.id`,
    )
  }
  // What is lost while the database is away is written with the next use.
  const timer = setInterval(() => void flush().catch(() => {}), flushEveryMs).unref()
  return {
    record: ({ id, kind, orgId }: UsedCredential, { use, address }: UseDetails) =>
      void pending.set(id, { id, kind, orgId, use, address }),
    async close() {
      clearInterval(timer)
      await flush().catch(() => {})
    },
  }
}
