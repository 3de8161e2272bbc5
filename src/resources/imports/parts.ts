// What records need that is not among them: categories by their names, tax rates by their percents. Made where missing.
import { join, raw, type Sql, sql } from '../../db/database.ts'
import { newId } from '../../operations/ids.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { maxUnpaged } from '../../operations/table-lists.ts'

export interface Part {
  readonly table: 'inventory_categories' | 'tax_rates'
  readonly id: string
}

/** Asked once for each name and rate of a step. `made` are those that were not there. */
export function createParts(ctx: Context) {
  const made: Part[] = []
  const known = new Map<string, Promise<string | null>>()
  const once = (
    key: string,
    find: Statement<string | null>,
    make: (id: string) => Statement<string | null>,
    part: Omit<Part, 'id'> & { prefix: string },
  ) => {
    const search = async () => {
      const found = await ctx.query(find)
      if (found !== null) return found
      const id = await ctx.query(make(newId(part.prefix)))
      if (id !== null) made.push({ table: part.table, id })
      return id
    }
    const asked = known.get(key) ?? search()
    known.set(key, asked)
    return asked
  }
  return {
    made: made as readonly Part[],
    /** Null where there are as many categories as there can be. */
    category: (name: string) =>
      once(`category ${name.toLowerCase()}`, findCategory(ctx, name), (id) => makeCategory(ctx, id, name), {
        table: 'inventory_categories',
        prefix: 'ict',
      }),
    taxRate: (rate: number) =>
      once(`rate ${rate}`, findTaxRate(ctx, rate), (id) => makeTaxRate(ctx, id, rate), {
        table: 'tax_rates',
        prefix: 'tax',
      }),
  }
}

const idOf = ([row]: { id: string }[]): string | null => row?.id ?? null

const findCategory = ({ orgId }: Context, name: string) =>
  statement(sql`select id from inventory_categories where org_id = ${orgId} and lower(name) = lower(${name})`, idOf)
const makeCategory = ({ orgId }: Context, id: string, name: string) =>
  statement(
    sql`insert into inventory_categories (org_id, id, name, index)
        select ${orgId}, ${id}, ${name}, coalesce(max(index), -1) + 1 from inventory_categories where org_id = ${orgId}
        having count(*) < ${maxUnpaged}::int returning id`,
    idOf,
  )

/** On top of the prices, as statements of other systems have it. */
const findTaxRate = ({ orgId }: Context, rate: number) =>
  statement(
    sql`select id from tax_rates where org_id = ${orgId} and rate = ${rate}::numeric and not is_inclusive
        order by default_enabled desc, created_at, id limit 1`,
    idOf,
  )
const makeTaxRate = ({ orgId }: Context, id: string, rate: number) =>
  statement(
    sql`insert into tax_rates (org_id, id, name, rate) select ${orgId}, ${id}, ${`Tax ${rate} %`}, ${rate}::numeric
        where (select count(*) from tax_rates where org_id = ${orgId}) < ${maxUnpaged}::int returning id`,
    idOf,
  )

/** Where nobody uses it. */
export const removeUnusedPart = ({ orgId }: Context, { table, id }: Part): Statement<void> =>
  statement(
    table === 'inventory_categories'
      ? sql`delete from inventory_categories where org_id = ${orgId} and id = ${id}
            and not exists (select from inventory where org_id = ${orgId} and category_id = ${id})`
      : sql`delete from tax_rates where org_id = ${orgId} and id = ${id} and not default_enabled
            and not exists (select from services where org_id = ${orgId} and tax_rate_id = ${id})
            and not exists (select from inventory where org_id = ${orgId} and tax_rate_id = ${id})
            and not exists (select from service_lines where org_id = ${orgId} and tax_rate_id = ${id})
            and not exists (select from inventory_lines where org_id = ${orgId} and tax_rate_id = ${id})
            and not exists (select from organisations where org_id = ${orgId} and accounting -> 'taxNames' ? ${id})
            and ${join(
              holdersOfLines.map((table) => hasNoLineWith(orgId, table, id)),
              ' and ',
            )}`,
    () => {},
  )

const holdersOfLines = ['quotes', 'invoices', 'recurring_presets', 'recurring_schedules'] as const

/** Whoever took the rate has changed since it was made: of all others the lines need not be read. */
const hasNoLineWith = (orgId: string, table: (typeof holdersOfLines)[number], taxRateId: string): Sql =>
  sql`not exists (select from ${raw(table)} holder where holder.org_id = ${orgId} and holder.updated_at >= tax_rates.created_at
    and holder.line_items::jsonb @> ${JSON.stringify([{ taxRateId }])}::jsonb)`
