// Transactions over several nodes that are cut by the death of a worker or of the coordinator: each happened everywhere or
// nowhere, and those that were acknowledged happened.
import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, sql, Unavailable } from '../src/db/database.ts'
import { audit, operator } from '../src/identity/audit.ts'
import { createKey, keyCreatedEntry } from '../src/identity/keys.ts'
import { updateOrganisation } from '../src/identity/organisations.ts'
import { scopeCatalogue } from '../src/resources/index.ts'
import { withClient } from '../test/citus-cluster.ts'
import type { Shop } from './fleet.ts'
import type { ClusterRun } from './many-machines.ts'
import { atLeast, none, type Result } from './trial.ts'
import { waitUntil } from './wait-until.ts'

const actsPerCut = 10
const waitTimeoutMs = 60_000

/** What an act is known by, on every node that it touches, and whether it was acknowledged. */
interface Act {
  readonly shop: Shop
  readonly mark: string
  isAcknowledged: boolean
}

export async function cutCommits({ cluster, fleet, shops, log }: ClusterRun, cuts: number): Promise<Result[]> {
  const acts: Act[] = []
  let isStopped = false
  const actors = shops.map(async (shop) => {
    while (!isStopped) {
      const act = { shop, mark: `cut ${randomUUID()}`, isAcknowledged: false }
      acts.push(act)
      await perform(fleet.database, act).then(
        () => {
          act.isAcknowledged = true
        },
        (error) => {
          if (!(error instanceof Unavailable)) throw error
        },
      )
      await delay(5)
    }
  })
  const nodes = [cluster.coordinator, ...cluster.workers]
  for (let cut = 0; cut < cuts; cut++) {
    const goal = acts.length + actsPerCut
    await waitUntil(() => acts.length >= goal, 'more transactions', waitTimeoutMs)
    await delay(Math.random() * 50) // at any moment of a commit
    const node = nodes[cut % nodes.length]!
    await node.stop('SIGKILL')
    await delay(200)
    await node.start()
    log(`${cut + 1} of ${cuts} nodes killed in the middle of commits`)
  }
  isStopped = true
  await Promise.all(actors)
  await withClient(cluster.coordinator.port, fleet.settings.DATABASE_URL!.match(/localhost\/(\w+)/)![1]!, (client) =>
    client.query('select recover_prepared_transactions()'),
  )
  const half: string[] = []
  const lost: string[] = []
  for (const act of acts) {
    const places = await placesOf(fleet.database, act)
    if (new Set(places).size > 1) half.push(`${act.mark}: ${places.join()}`)
    if (act.isAcknowledged && !places.every(Boolean)) lost.push(act.mark)
  }
  for (const text of [...half, ...lost].slice(0, 10)) log(text)
  const acknowledged = acts.filter(({ isAcknowledged }) => isAcknowledged).length
  return [
    atLeast('transactions over several nodes acknowledged between kills', 1, acknowledged),
    none('of them lost', lost.length, acknowledged.toLocaleString('en-GB')),
    none(
      'transactions over several nodes that happened on some of them only',
      half.length,
      acts.length.toLocaleString('en-GB'),
    ),
  ]
}

/** On the coordinator (a key), on a worker (its line in the audit log), and on every node (the organisation). */
const perform = (database: Database, { shop: { orgId }, mark }: Act): Promise<void> =>
  database.transaction(orgId, async (transaction) => {
    const key = await createKey(transaction, orgId, { scopes: ['full'], name: mark }, scopeCatalogue)
    await audit(transaction, orgId, operator, keyCreatedEntry(key))
    if (mark.endsWith('0')) await updateOrganisation(transaction, orgId, { name: mark })
  })

async function placesOf(database: Database, { shop: { orgId }, mark }: Act): Promise<boolean[]> {
  const [found] = await database.query<{ hasKey: boolean; hasLine: boolean }>(sql`
    select exists (select 1 from api_keys where org_id = ${orgId} and name = ${mark}) as "hasKey",
      exists (select 1 from audit_log where org_id = ${orgId} and detail ->> 'name' = ${mark}) as "hasLine"`)
  return [found!.hasKey, found!.hasLine]
}
