// How PostgreSQL would go about a statement where there are very many records, without the records.
import assert from 'node:assert/strict'
import type { Client, Query } from '../src/db/database.ts'

interface PlanNode {
  readonly 'Node Type': string
  readonly 'Subplan Name'?: string
  readonly 'Index Name'?: string
  readonly 'Relation Name'?: string
  readonly 'Actual Loops'?: number
  readonly Plans?: readonly PlanNode[]
}

/** As the service plans it: for any values, unless it is planned for those that it has. */
export async function planOf(
  client: Client,
  { text, values }: Query,
  options = '',
  mode = 'force_generic_plan',
): Promise<PlanNode> {
  const given = values.map((value) => (value === null ? 'null' : client.escapeLiteral(String(value)))).join()
  await client.query(`set plan_cache_mode = ${mode}`)
  await client.query(`prepare searched as ${text}`)
  try {
    const { rows } = await client.query(`explain (format json ${options}) execute searched ${given && `(${given})`}`)
    return rows[0]['QUERY PLAN'][0].Plan
  } finally {
    await client.query('deallocate searched')
  }
}

/** Each index, and the part of the statement that it is read for; and where all is read, or sorted. */
export function stepsOf(node: PlanNode, part = 'rest'): string[] {
  const name = node['Subplan Name']
  const here = name?.startsWith('CTE ') ? name.slice(4) : part
  const isCarriedOut = node['Actual Loops'] !== 0
  return [
    ...(node['Index Name'] !== undefined && isCarriedOut ? [`${here}: ${node['Index Name']}`] : []),
    ...(/^(Incremental )?Sort$/.test(node['Node Type']) && isCarriedOut ? [`${here}: sort`] : []),
    ...(node['Node Type'] === 'Seq Scan' && isCarriedOut ? [`${here}: all of ${node['Relation Name']}`] : []),
    ...(node['Node Type'] === 'Tid Scan' && isCarriedOut ? ['page: places'] : []),
    ...(node.Plans ?? []).flatMap((one) => stepsOf(one, here)),
  ]
}

/** Statistics as they would be, until the transaction is rolled back. */
export async function pretendStatistics(
  client: Client,
  table: string,
  { records, shops }: { readonly records: number; readonly shops: number },
) {
  await client.query(
    `update pg_class set reltuples = $2, relpages = greatest(1, pg_relation_size(oid) / 8192)
     where oid = $1::regclass or oid in (select indexrelid from pg_index where indrelid = $1::regclass)`,
    [table, records],
  )
  const { rowCount } = await client.query(
    `update pg_statistic set stadistinct = $2, stakind1 = 0, stakind2 = 0, stakind3 = 0
     where starelid = $1::regclass and staattnum = (
       select attnum from pg_attribute where attrelid = $1::regclass and attname = 'org_id')`,
    [table, shops],
  )
  assert.equal(rowCount, 1)
}
