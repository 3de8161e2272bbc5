// Lines of jobs and of papers, with the prices and taxes of the shelf and the catalogue.
import { newId } from '../api/ids.ts'
import type { Row } from '../database.ts'
import { lineTotal } from '../domain/totals.ts'
import type { Sold } from './paper.ts'
import { written } from './rows.ts'
import type { Ware, Workshop } from './workshop.ts'

export interface Shop {
  readonly orgId: string
  readonly currency: string
  readonly now: number
  readonly workshop: Workshop
}

/** The rows of a job's lines. */
export function linesOf({ does = [], uses = [] }: Sold, ticketId: string, soldAt: number, shop: Shop) {
  const services = does.map((one): Row => {
    const [name, quantity] = typeof one === 'string' ? [one, 1] : one
    const service = shop.workshop.services.get(name)!
    return { ...lineOf('sln', service, quantity, ticketId, soldAt, shop), service_id: service.id }
  })
  const parts = uses.map((one): Row => {
    const [sku, quantity] = typeof one === 'string' ? [one, 1] : one
    const part = shop.workshop.parts.get(sku)!
    return { ...lineOf('iln', part, quantity, ticketId, soldAt, shop), inventory_item_id: part.id, sku: part.sku }
  })
  return { services, parts }
}

function lineOf(prefix: string, ware: Ware, quantity: number, ticketId: string, at: number, shop: Shop) {
  const { taxRates, defaultTax } = shop.workshop
  const tax = ware.taxRateId ? taxRates.find(({ id }) => id === ware.taxRateId) : defaultTax
  return {
    ...written(shop.orgId, newId(prefix), at),
    ticket_id: ticketId,
    name: ware.name,
    description: ware.description?.slice(0, 2_000),
    quantity,
    unit_price: ware.price,
    tax_rate_id: tax?.id,
    tax_rate: tax && { name: tax.name, rate: tax.rate, isInclusive: tax.isInclusive },
    warranty_days: ware.warrantyDays,
    line_total: lineTotal({ quantity, unitPrice: ware.price }, shop.currency),
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

export const itemsOf = ({ services, parts }: { services: readonly Row[]; parts: readonly Row[] }): LineItem[] => [
  ...services.map((row) => itemOf('service', row)),
  ...parts.map((row) => itemOf('inventory', row)),
]

function itemOf(kind: LineItem['kind'], row: Row): LineItem {
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
    sku: row.sku ?? null,
    taxRate: row.tax_rate ?? null,
    lineTotal: row.line_total,
  } as unknown as LineItem
}

/** What is in no catalogue, one of it, taxed as most things are. */
export function otherItem([name, price]: readonly [string, number], shop: Shop): LineItem {
  const ware = { id: '', name, description: null, price, taxRateId: null, warrantyDays: null }
  return itemOf('custom', lineOf('sln', ware, 1, '', 0, shop))
}
