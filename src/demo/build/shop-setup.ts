// The sample shop without its customers: people, stations, prices and parts. What has the same name already is used as it is.
import { type Queryable, type Row, raw, sql } from '../../db/database.ts'
import { dayMs } from '../../domain/durations.ts'
import { newId } from '../../operations/ids.ts'
import * as catalogue from '../data/catalogue.ts'
import { boilerRule, gasSafety } from '../data/gas-safety.ts'
import { inventoryCategories, parts } from '../data/parts.ts'
import { type Colleague, emailOf, staff } from '../data/staff.ts'
import type { FormSetup } from './forms.ts'
import { baseColumns, insertRows } from './rows.ts'
import type { Week } from './week.ts'

interface NamedRecord {
  readonly id: string
  readonly name: string
}
interface TaxRate extends NamedRecord {
  readonly rate: number
  readonly isInclusive: boolean
}
/** A service or a part, as lines copy it. */
export interface CatalogueItem extends NamedRecord {
  readonly description: string | null
  readonly price: number
  readonly taxRateId: string | null
  readonly warrantyDays: number | null
}

export interface ShopSetup {
  readonly members: ReadonlyMap<string, NamedRecord>
  readonly statuses: ReadonlyMap<string, NamedRecord & { readonly stage: string }>
  readonly stations: ReadonlyMap<string, NamedRecord>
  readonly assetCategories: ReadonlyMap<string, NamedRecord>
  readonly services: ReadonlyMap<string, CatalogueItem>
  /** By SKU. */
  readonly parts: ReadonlyMap<string, CatalogueItem & { readonly sku: string }>
  readonly taxRates: readonly TaxRate[]
  readonly defaultTax: TaxRate | undefined
  readonly gasSafety: FormSetup
}

const foundedDaysAgo = 640
/** When the former technician left. */
const leftDaysAgo = 29

export async function ensureShopSetup(transaction: Queryable, orgId: string, week: Week): Promise<ShopSetup> {
  const foundedAt = week.openingTime(0, 0) - foundedDaysAgo * dayMs
  const row = (prefix: string) => baseColumns(orgId, newId(prefix), foundedAt)
  /** Adds what is missing by that column, and answers all of them by it. Most names are unique whatever their case. */
  async function ensureRows<T extends NamedRecord>(
    table: string,
    prefix: string,
    column: string,
    wanted: readonly Row[],
  ) {
    const key = (one: Row) => String(one[column]).toLowerCase()
    const find = async () => {
      const rows = await transaction.query<{ row: Row }>(sql`
        select to_jsonb(${raw(table)}) as row from ${raw(table)}
        where org_id = ${orgId} and lower(${raw(column)}) = any(${wanted.map(key)}) order by id desc`)
      return new Map(rows.map(({ row }) => [key(row), toCamelCase(row) as unknown as T]))
    }
    const known = await find()
    const missing = wanted.filter((one) => !known.has(key(one)))
    const first = 'index' in wanted[0]! ? await nextIndex(transaction, orgId, table) : undefined
    const added = missing.map((one, place) => ({
      ...row(prefix),
      ...one,
      ...(first !== undefined && { index: first + place }),
    }))
    await insertRows(transaction, table, added)
    const all = added.length > 0 ? await find() : known
    return new Map(wanted.map((one) => [String(one[column]), all.get(key(one))!]))
  }

  const members = await ensureStaff(transaction, orgId, foundedAt, week.openingTime(leftDaysAgo, 480))
  const statuses = await ensureRows<NamedRecord & { stage: string }>(
    'ticket_statuses',
    'sts',
    'name',
    catalogue.statuses.map((status) => ({ ...status, type: 'custom', index: 0 })),
  )
  const stations = await ensureRows(
    'stations',
    'sta',
    'name',
    catalogue.stations.map((station) => ({ ...station, index: 0 })),
  )
  const taxes = sql`select id, name, rate::float8 as rate, is_inclusive as "isInclusive",
    default_enabled as "isDefault" from tax_rates where org_id = ${orgId}`
  const hasDefault = (await transaction.query<{ isDefault: boolean }>(taxes)).some(({ isDefault }) => isDefault)
  const ownTaxes = await ensureRows<TaxRate>(
    'tax_rates',
    'tax',
    'name',
    catalogue.taxRates.map(({ name, rate, isInclusive }) => ({
      name,
      rate,
      is_inclusive: isInclusive,
      default_enabled: !hasDefault && name === catalogue.defaultTax,
    })),
  )
  const taxRates = await transaction.query<TaxRate & { isDefault: boolean }>(taxes)
  const { signatureRoles, ...templateColumns } = gasSafety
  const templates = await ensureRows<FormSetup['template']>('form_templates', 'tem', 'name', [
    { ...templateColumns, signature_roles: signatureRoles },
  ])
  const template = templates.get(gasSafety.name)!
  const rules = await ensureRows<FormSetup['rule']>('form_rules', 'rul', 'name', [
    { ...boilerRule, template_id: template.id, is_active: true },
  ])
  const category = (name: string) => ({ name, index: 0, color: null })
  const categories = await ensureRows('inventory_categories', 'ict', 'name', inventoryCategories.map(category))
  const taxId = (name: string | undefined) => (name === undefined ? null : ownTaxes.get(name)!.id)
  return {
    members,
    statuses,
    stations,
    taxRates,
    defaultTax: taxRates.find(({ isDefault }) => isDefault),
    gasSafety: { template, rule: rules.get(boilerRule.name)! },
    assetCategories: await ensureRows('asset_categories', 'act', 'name', catalogue.assetCategories.map(category)),
    services: await ensureRows<CatalogueItem>(
      'services',
      'svc',
      'name',
      (catalogue.services as readonly catalogue.Service[]).map((service) => ({
        name: service.name,
        description: service.description,
        price: service.price,
        cost: service.cost,
        tax_rate_id: taxId(service.tax),
        duration_minutes: service.minutes,
        warranty_days: service.warrantyDays,
        warranty_terms: service.warrantyTerms,
        is_active: true,
      })),
    ),
    parts: await ensureRows<CatalogueItem & { sku: string }>(
      'inventory',
      'itm',
      'sku',
      parts.map((part) => ({
        sku: part.sku,
        name: part.name,
        barcode: part.barcode,
        category_id: categories.get(part.category)!.id,
        price: part.price,
        cost: part.cost,
        tax_rate_id: taxId(part.tax),
        track_stock: part.onHand !== null,
        quantity_on_hand: part.onHand ?? 0,
        reorder_level: part.reorderLevel,
        supplier: part.supplier,
        warranty_days: part.warrantyDays,
      })),
    ),
  }
}

/** A person may work for several organisations, and is one and the same in all of them. */
async function ensureStaff(transaction: Queryable, orgId: string, since: number, leftAt: number) {
  const emails = staff.map(({ firstName }) => emailOf(firstName))
  const people = emails.map((email) => ({ id: newId('per'), email }))
  await transaction.query(sql`insert into people (id, email)
    select id, email from jsonb_populate_recordset(null::people, ${JSON.stringify(people)}::jsonb)
    on conflict (lower(email)) do nothing`)
  const find = sql`select people.id as "personId", lower(people.email) as email, members.id,
      concat_ws(' ', members.first_name, members.last_name) as name
    from people left join members on members.org_id = ${orgId} and members.person_id = people.id
    where lower(people.email) = any(${emails})`
  interface Found extends NamedRecord {
    readonly personId: string
    readonly email: string
  }
  const rows = (await transaction.query<Found>(find)).flatMap(({ id, personId, email }) => {
    if (id) return []
    const { isActive = true, ...one } = staff.find(({ firstName }) => emailOf(firstName) === email) as Employee
    return {
      ...baseColumns(orgId, newId('mem'), since, isActive ? since : leftAt),
      person_id: personId,
      first_name: one.firstName,
      last_name: one.lastName,
      phone: one.phone,
      role: one.role,
      color: one.color,
      is_active: isActive,
    }
  })
  await insertRows(transaction, 'members', rows)
  const found = await transaction.query<Found>(find)
  return new Map(
    staff.map(({ firstName }) => [firstName as string, found.find(({ email }) => email === emailOf(firstName))!]),
  )
}

interface Employee {
  readonly firstName: Colleague
  readonly lastName: string | null
  readonly role: string
  readonly phone: string | null
  readonly color: number | null
  readonly isActive?: boolean
}

async function nextIndex(transaction: Queryable, orgId: string, table: string): Promise<number> {
  const [last] = await transaction.query<{ next: number }>(sql`
    select coalesce(max(index), -1) + 1 as next from ${raw(table)} where org_id = ${orgId}`)
  return last!.next
}

const toCamelCase = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([column, value]) => [column.replace(/_(.)/g, (_, letter) => letter.toUpperCase()), value]),
  )
