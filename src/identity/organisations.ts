// Making and changing organisations, which only the operator does.
import { newId } from '../api/ids.ts'
import { type Executor, sql } from '../database.ts'

export const entitlements = ['pro', 'trial', 'basic', 'none'] as const
export type Entitlement = (typeof entitlements)[number]

export interface Organisation {
  readonly id: string
  readonly name: string
  readonly entitlement: Entitlement
  readonly currency: string
  readonly timeZone: string
}

const fields = sql`id, name, entitlement, currency, time_zone as "timeZone"`

export interface NewOrganisation extends Partial<Omit<Organisation, 'id'>> {
  readonly name: string
  /** Whether it begins with the built-in job statuses; one without them makes its own. */
  readonly hasDefaultStatuses?: boolean
}

const builtInStatuses = [
  { name: 'Open', index: 0, stage: 'open', color: 4_280_391_411 },
  { name: 'In Progress', index: 1, stage: 'inProgress', color: 4_294_940_672 },
  { name: 'Closed', index: 2, stage: 'closed', color: 4_283_215_696 },
]

export async function createOrganisation(
  database: Executor,
  {
    name,
    entitlement = 'pro',
    currency = 'GBP',
    timeZone = 'Europe/London',
    hasDefaultStatuses = true,
  }: NewOrganisation,
): Promise<Organisation> {
  const statuses = hasDefaultStatuses ? builtInStatuses.map((status) => ({ id: newId('sts'), ...status })) : []
  const [organisation] = await database.query<Organisation>(sql`
    with made as (
      insert into organisations (org_id, name, entitlement, currency, time_zone)
      values (${newId('org')}, ${name}, ${entitlement}, ${currency}, ${timeZone}) returning *
    ), counting as (
      insert into counters (org_id) select org_id from made
    ), working as (
      insert into ticket_statuses (org_id, id, name, index, type, stage, color)
      select made.org_id, status.id, status.name, status.index, 'default', status.stage, status.color
      from made, jsonb_populate_recordset(null::ticket_statuses, ${JSON.stringify(statuses)}::jsonb) status
    )
    select ${fields} from made`)
  return organisation!
}

export async function changeOrganisation(
  database: Executor,
  orgId: string,
  { name = null, entitlement = null }: { name?: string | null; entitlement?: Entitlement | null },
): Promise<Organisation> {
  const [organisation] = await database.query<Organisation>(sql`
    update organisations set name = coalesce(${name}, name), entitlement = coalesce(${entitlement}, entitlement),
      updated_at = now() where org_id = ${orgId} returning ${fields}`)
  return organisation ?? absent(orgId)
}

export async function findOrganisation(database: Executor, orgId: string): Promise<Organisation> {
  const [organisation] = await database.query<Organisation>(sql`
    select ${fields} from organisations where org_id = ${orgId}`)
  return organisation ?? absent(orgId)
}

export const listOrganisations = (database: Executor): Promise<Organisation[]> =>
  database.query<Organisation>(sql`select ${fields} from organisations order by folded(name), org_id`)

function absent(orgId: string): never {
  throw new Error(`There is no organisation ${orgId}`)
}
