// The doctor's checks of a cluster: how the tables are distributed, whether all nodes answer, what is unbalanced.
import { type Database, sql } from '../db/database.ts'
import { type ClusterNode, selectLayout, selectNodes } from '../db/layout.ts'
import { type Check, check, type Finding, fine, warning, wrong } from './doctor-checks.ts'

const advice = 'Try again; if it stays so, the log of the coordinator says more.'

export async function checkCluster(database: Database): Promise<Check[]> {
  if (!(await database.isCitus())) return [{ name: 'Tables', ...fine('all on one PostgreSQL server') }]
  return [
    await check('Tables', advice, () => tablesFinding(database)),
    await check('Nodes', advice, () => nodesFinding(database)),
    await check('Balance', advice, () => balanceFinding(database)),
    await check('Two-phase commits', advice, () => preparedFinding(database)),
  ]
}

async function tablesFinding(database: Database): Promise<Finding> {
  const layout = await selectLayout(database)
  const count = (placement: string) => layout.filter(({ actual }) => actual === placement).length
  const detail = `${count('distributed')} distributed by organisation, ${count('reference')} on every node, ${count('local')} on the coordinator`
  const missing = layout.filter(({ wanted, actual }) => wanted !== actual).map(({ name }) => name)
  if (missing.length === 0) return fine(detail)
  const named = missing.length > maxNamed ? `${missing.slice(0, maxNamed).join(', ')} and others` : missing.join(', ')
  return warning(
    `${detail}; not yet where they belong: ${named}`,
    'Stop the servers and run `jobwright db distribute`.',
  )
}
const maxNamed = 5

async function nodesFinding(database: Database): Promise<Finding> {
  const nodes = await selectNodes(database)
  const health = await database.query<{ node: string; isHealthy: boolean }>(sql`
    select to_nodename || ':' || to_nodeport as node, bool_and(coalesce(result, false)) as "isHealthy"
    from citus_check_cluster_node_health() group by 1`)
  const isDown = ({ name, isActive }: ClusterNode) =>
    !isActive || health.some(({ node, isHealthy }) => node === name && !isHealthy)
  const down = nodes.filter(isDown).map(({ name }) => name)
  const detail = nodes.map(describeNode).join(', ')
  if (down.length > 0)
    return wrong(
      `${detail}; ${down.join(' and ')} cannot be reached from every node`,
      'Start PostgreSQL there and let all nodes reach each other: until then the organisations on it are answered 503.',
    )
  return nodes.length > 1
    ? fine(detail)
    : warning(`${detail || 'none is known'}; there is no worker`, 'Add one: see deploy/citus/README.md.')
}

const describeNode = ({ name, isCoordinator, shards, bytes }: ClusterNode) =>
  isCoordinator ? `coordinator ${name}` : `${name} (${shards} shards, ${(bytes / 1e6).toFixed(0)} MB)`

/** Below this size it does not matter where shards are. */
const smallBytes = 1e9
/** How much more than the average a node may have: one large organisation is enough for that. */
const maxShare = 1.5

async function balanceFinding(database: Database): Promise<Finding> {
  const workers = (await selectNodes(database)).filter(({ isCoordinator }) => !isCoordinator)
  const empty = workers.filter(({ shards }) => shards === 0)
  const rebalance = '`select citus_rebalance_start()` on the coordinator moves shards while they are in use.'
  if (empty.length > 0 && empty.length < workers.length)
    return warning(`${empty.map(({ name }) => name).join(' and ')} has no data yet`, rebalance)
  const average = workers.reduce((sum, { bytes }) => sum + bytes, 0) / Math.max(workers.length, 1)
  const fullest = workers.toSorted((a, b) => b.bytes - a.bytes)[0]
  if (fullest && fullest.bytes > smallBytes && fullest.bytes > maxShare * average)
    return warning(
      `${fullest.name} has ${(fullest.bytes / average).toFixed(1)} times the average amount of data`,
      `${rebalance} An organisation that outgrows its node can have one to itself: see docs/operations.md.`,
    )
  return fine('the nodes have about the same amount of data')
}

/** What the coordinator did not come to finish: it does so within a minute of its return. */
async function preparedFinding(database: Database): Promise<Finding> {
  const [oldest] = await database.query<{ count: number }>(sql`
    select coalesce(sum(result::int) filter (where success), 0)::int as count from run_command_on_all_nodes(
      $$select count(*) from pg_prepared_xacts where gid like 'citus%' and prepared < now() - interval '5 minutes'$$)`)
  return oldest!.count === 0
    ? fine('none is left over')
    : warning(
        `${oldest!.count} older than five minutes hold their locks`,
        'Run `select recover_prepared_transactions()` on the coordinator, and see its log.',
      )
}
