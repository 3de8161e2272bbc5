// What must be known before a line is written: the catalogue entry it copies, the tax it is sold at, the currency.
import { raw, type Sql, sql } from '../../db/database.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { hasFormRules } from '../forms/apply-rules.ts'
import type { CatalogueEntry, TaxSnapshot } from '../line-fields.ts'

export interface LineFacts {
  readonly currency: string
  /** How many lines of the kind the job has. */
  readonly count: number
  /** Whether any rule could ask the job for a form. */
  readonly hasFormRules: boolean
  readonly source: CatalogueEntry | null
  readonly tax: (TaxSnapshot & { readonly id: string }) | null
}

/** Where a kind of line lives, and where the catalogue keeps what it copies. */
export interface LineKind {
  readonly table: 'service_lines' | 'inventory_lines'
  readonly catalogue: 'services' | 'inventory'
  readonly sourceColumn: 'service_id' | 'inventory_item_id'
}

interface LineReferences {
  readonly ticketId: string
  readonly sourceId: string | null
  /** Undefined: the rate of the source, else the organisation's default. Null: none. */
  readonly taxRateId: string | null | undefined
}

export function selectLineFacts(
  { orgId }: Context,
  kind: LineKind,
  { ticketId, sourceId, taxRateId }: LineReferences,
): Statement<LineFacts> {
  const catalogue = raw(kind.catalogue)
  return statement(
    sql`with source as (
        select name, description, price, warranty_days as "warrantyDays", tax_rate_id,
          ${kind.catalogue === 'inventory' ? raw('sku') : raw('null as sku')}
        from ${catalogue} where org_id = ${orgId} and id = ${sourceId}
      )
      select currency,
        (select count(*) from ${raw(kind.table)} where org_id = ${orgId} and ticket_id = ${ticketId}) as count,
        ${hasFormRules(orgId)} as "hasFormRules",
        (select to_json(source) from source) as source,
        (select to_json(tax) from (
          select id, name, rate, is_inclusive as "isInclusive" from tax_rates
          where org_id = ${orgId} and ${taxRateCondition(taxRateId)} limit 1
        ) tax) as tax
      from organisations where org_id = ${orgId}`,
    ([facts]: LineFacts[]) => facts!,
  )
}

function taxRateCondition(taxRateId: string | null | undefined): Sql {
  if (taxRateId !== undefined) return sql`id = ${taxRateId}`
  return sql`case when (select tax_rate_id from source) is null then default_enabled
    else id = (select tax_rate_id from source) end`
}

export interface LockedLine {
  readonly sourceId: string | null
  readonly taxRateId: string | null
  readonly quantity: number
  readonly unitPrice: number
}

export const lockLine = (
  { orgId }: Context,
  kind: LineKind,
  lineId: string,
  ticketId: string,
): Statement<LockedLine | undefined> =>
  statement(
    sql`select ${raw(kind.sourceColumn)} as "sourceId", tax_rate_id as "taxRateId",
          quantity::float8 as quantity, unit_price::float8 as "unitPrice"
        from ${raw(kind.table)} where org_id = ${orgId} and ticket_id = ${ticketId} and id = ${lineId} for update`,
    ([line]: LockedLine[]) => line,
  )
