// Events for tests: numbered when a test says so, in place of the worker, and read as a caller reads them.
import type { Database } from '../src/db/database.ts'
import { sql } from '../src/db/database.ts'
import type { ServiceEvent } from '../src/events/event.ts'
import { numberBatch, type Sequencer } from '../src/events/sequencer.ts'
import { moveSharedChanges } from '../src/events/shared-inbox.ts'
import { createVault } from '../src/identity/secrets.ts'
import { noDependencies } from '../src/operations/context.ts'
import { eventCatalogue } from '../src/resources/index.ts'
import type { Client, TestService } from './test-service.ts'

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever was told
export type Told = ServiceEvent & { readonly data: any; readonly previous: any }

export async function testSequencer({
  database,
  config,
}: Pick<TestService, 'database' | 'config'>): Promise<Sequencer> {
  const dependencies = { ...noDependencies, restOrigin: config.restOrigin, vault: await createVault(config) }
  return { database, catalogue: eventCatalogue, dependencies }
}

/** Until everything is numbered that one organisation has captured. */
export async function numberAll(sequencer: Sequencer, orgId: string): Promise<void> {
  await moveSharedChanges(sequencer.database)
  for (;;) {
    const batch = await numberBatch(sequencer, orgId)
    if (batch && !batch.hasMore) return
  }
}

/** Everything told so far, page by page. */
export async function readFeed(client: Client, query = ''): Promise<Told[]> {
  const events: Told[] = []
  for (let cursor: string | null = null; ; ) {
    const path: string = `/events?limit=100${query}${cursor === null ? '' : `&startAfter=${cursor}`}`
    const { status, body } = await client.get(path)
    if (status !== 200) throw new Error(`the feed answered ${status}: ${JSON.stringify(body)}`)
    events.push(...body.data.events)
    cursor = body.data.pagination.nextCursor
    if (!body.data.pagination.hasMore) return events
  }
}

/** What a piece of work is told as. */
export function teller(service: TestService, client: Client) {
  const sequencer = testSequencer(service)
  const newest = async (): Promise<number> => {
    await numberAll(await sequencer, client.orgId)
    const [counter] = await service.database.query<{ position: number }>(
      sql`select position from event_counters where org_id = ${client.orgId}`,
    )
    return counter?.position ?? 0
  }
  return {
    newest,
    async told(work: () => Promise<unknown>): Promise<Told[]> {
      const before = await newest()
      await work()
      await newest()
      return (await readFeed(client)).filter(({ position }) => position! > before)
    },
  }
}

export const typesOf = (events: readonly Told[]): string[] => events.map(({ type }) => type)

export const waitingRows = async (database: Database, orgId: string): Promise<number> => {
  const rows = await database.query(sql`select from event_inbox where org_id = ${orgId}`)
  return rows.length
}
