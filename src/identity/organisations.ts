// Making and changing organisations, which only the operator does.
import { type Queryable, sql } from '../db/database.ts'
import { newId } from '../operations/ids.ts'

export const entitlements = ['pro', 'trial', 'basic', 'none'] as const
export type Entitlement = (typeof entitlements)[number]

export interface Organisation {
  readonly id: string
  readonly name: string
  readonly entitlement: Entitlement
  readonly currency: string
  readonly timeZone: string
}

const organisationColumns = sql`id, name, entitlement, currency, time_zone as "timeZone"`

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
  database: Queryable,
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
    ), locking as (
      insert into organisation_locks (org_id) select org_id from made
    ), working as (
      insert into ticket_statuses (org_id, id, name, index, type, stage, color)
      select made.org_id, status.id, status.name, status.index, 'default', status.stage, status.color
      from made, jsonb_populate_recordset(null::ticket_statuses, ${JSON.stringify(statuses)}::jsonb) status
    )
    select ${organisationColumns} from made`)
  return organisation!
}

export async function updateOrganisation(
  database: Queryable,
  orgId: string,
  { name = null, entitlement = null }: { name?: string | null; entitlement?: Entitlement | null },
): Promise<Organisation> {
  const [organisation] = await database.query<Organisation>(sql`
    update organisations set name = coalesce(${name}, name), entitlement = coalesce(${entitlement}, entitlement),
      updated_at = now() where org_id = ${orgId} returning ${organisationColumns}`)
  return organisation ?? organisationNotFound(orgId)
}

export async function hasOrganisations(database: Queryable): Promise<boolean> {
  const [found] = await database.query<{ any: boolean }>(sql`select exists (select from organisations) as any`)
  return found!.any
}

export async function findOrganisation(database: Queryable, orgId: string): Promise<Organisation> {
  const [organisation] = await database.query<Organisation>(sql`
    select ${organisationColumns} from organisations where org_id = ${orgId}`)
  return organisation ?? organisationNotFound(orgId)
}

export const listOrganisations = (database: Queryable): Promise<Organisation[]> =>
  database.query<Organisation>(sql`select ${organisationColumns} from organisations order by folded(name), org_id`)

function organisationNotFound(orgId: string): never {
  throw new Error(`There is no organisation ${orgId}`)
}
