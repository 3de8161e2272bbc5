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

export async function createOrganisation(
  database: Executor,
  { name, entitlement = 'pro', currency = 'GBP', timeZone = 'Europe/London' }: Partial<Organisation> & { name: string },
): Promise<Organisation> {
  const [organisation] = await database.query<Organisation>(sql`
    insert into organisations (org_id, name, entitlement, currency, time_zone)
    values (${newId('org')}, ${name}, ${entitlement}, ${currency}, ${timeZone}) returning ${fields}`)
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
