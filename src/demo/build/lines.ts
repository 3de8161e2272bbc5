// Lines of jobs and of papers, with the prices and taxes of the shelf and the catalogue.
import type { Row } from '../../db/database.ts'
import { lineTotal } from '../../domain/totals.ts'
import { newId } from '../../operations/ids.ts'
import type { LineSpec } from '../data/billing.ts'
import { baseColumns } from './rows.ts'
import type { CatalogueItem, ShopSetup } from './shop-setup.ts'

export interface Shop {
  readonly orgId: string
  readonly currency: string
  readonly now: number
  readonly setup: ShopSetup
}

/** The rows of a job's lines. */
export function buildTicketLines({ does = [], uses = [] }: LineSpec, ticketId: string, soldAt: number, shop: Shop) {
  const services = does.map((one): Row => {
    const [name, quantity] = typeof one === 'string' ? [one, 1] : one
    const service = shop.setup.services.get(name)!
    return { ...buildLine('sln', service, quantity, ticketId, soldAt, shop), service_id: service.id }
  })
  const parts = uses.map((one): Row => {
    const [sku, quantity] = typeof one === 'string' ? [one, 1] : one
    const part = shop.setup.parts.get(sku)!
    return { ...buildLine('iln', part, quantity, ticketId, soldAt, shop), inventory_item_id: part.id, sku: part.sku }
  })
  return { services, parts }
}

function buildLine(prefix: string, item: CatalogueItem, quantity: number, ticketId: string, at: number, shop: Shop) {
  const { taxRates, defaultTax } = shop.setup
  const tax = item.taxRateId ? taxRates.find(({ id }) => id === item.taxRateId) : defaultTax
  return {
    ...baseColumns(shop.orgId, newId(prefix), at),
    ticket_id: ticketId,
    name: item.name,
    description: item.description?.slice(0, 2_000),
    quantity,
    unit_price: item.price,
    tax_rate_id: tax?.id,
    tax_rate: tax && { name: tax.name, rate: tax.rate, isInclusive: tax.isInclusive },
    warranty_days: item.warrantyDays,
    line_total: lineTotal({ quantity, unitPrice: item.price }, shop.currency),
  }
}

/** A line as a quote or an invoice keeps it, with its fields in the order the service writes them. */
export interface LineItem {
  readonly kind: 'service' | 'inventory' | 'custom'
  readonly quantity: number
  readonly unitPrice: number
  readonly taxRateId: string | null
  readonly taxRate: { readonly name: string; readonly rate: number; readonly isInclusive: boolean } | null
}

export const lineItemsFrom = ({ services, parts }: { services: readonly Row[]; parts: readonly Row[] }): LineItem[] => [
  ...services.map((row) => lineItemFrom('service', row)),
  ...parts.map((row) => lineItemFrom('inventory', row)),
]

function lineItemFrom(kind: LineItem['kind'], row: Row): LineItem {
  return {
    kind,
    serviceId: row.service_id ?? null,
    inventoryItemId: row.inventory_item_id ?? null,
    name: row.name,
    description: row.description ?? null,
    quantity: row.quantity,
    unitPrice: row.unit_price,
    taxRateId: row.tax_rate_id ?? null,
    warrantyDays: row.warranty_days ?? null,
    serialNumber: null,
    unitCode: 'C62',
    sku: row.sku ?? null,
    taxRate: row.tax_rate ?? null,
    lineTotal: row.line_total,
  } as unknown as LineItem
}

/** What is in no catalogue, one of it, taxed as most things are. */
export function customLineItem([name, price]: readonly [string, number], shop: Shop): LineItem {
  const item = { id: '', name, description: null, price, taxRateId: null, warrantyDays: null }
  return lineItemFrom('custom', buildLine('sln', item, 1, '', 0, shop))
}
