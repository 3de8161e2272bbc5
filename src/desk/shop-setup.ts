// What every page about jobs needs to know of the shop: its statuses, its people and its places. One statement.
import { sql } from '../db/database.ts'
import type { Person } from './marks.ts'
import type { DeskRequest } from './router.ts'

export interface Status {
  readonly id: string
  readonly name: string
  readonly color: number
  readonly stage: 'open' | 'inProgress' | 'closed'
  readonly type: 'default' | 'custom'
}

export interface Colleague extends Person {
  readonly firstName: string
  readonly role: string
  readonly isActive: boolean
}

export interface Station {
  readonly id: string
  readonly name: string
}

export interface ShopSetup {
  readonly statuses: readonly Status[]
  /** Those who work here, and those who have left but may still have something. */
  readonly people: readonly Colleague[]
  readonly stations: readonly Station[]
  readonly statusById: ReadonlyMap<string, Status>
  readonly personById: ReadonlyMap<string, Colleague>
}

export async function loadSetup({ database, orgId }: Pick<DeskRequest, 'database' | 'orgId'>): Promise<ShopSetup> {
  const [row] = await database.read<Pick<ShopSetup, 'statuses' | 'people' | 'stations'>>(
    orgId,
    sql`select
      (select coalesce(json_agg(json_build_object('id', id, 'name', name, 'color', color, 'stage', stage, 'type', type)
        order by array_position(array['open', 'inProgress', 'closed'], stage), index, id), '[]') from ticket_statuses where org_id = ${orgId}) as statuses,
      (select coalesce(json_agg(json_build_object('id', id, 'name', trim(first_name || ' ' || coalesce(last_name, '')),
        'firstName', first_name, 'color', color, 'role', role, 'isActive', is_active)
        order by folded(first_name), id), '[]') from members where org_id = ${orgId}) as people,
      (select coalesce(json_agg(json_build_object('id', id, 'name', name) order by index, id), '[]')
        from stations where org_id = ${orgId}) as stations`,
  )
  const { statuses, people, stations } = row!
  return { statuses, people, stations, statusById: byId(statuses), personById: byId(people) }
}

const byId = <T extends { readonly id: string }>(records: readonly T[]): ReadonlyMap<string, T> =>
  new Map(records.map((record) => [record.id, record]))
