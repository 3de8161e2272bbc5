// The lines of a job as they are stored and answered: services and parts, each a copy of the moment it was sold.
import type { Static, TObject } from 'typebox'
import { id, nullable, optional, text } from '../../operations/fields.ts'
import { t } from '../../operations/schemas.ts'
import { type Table, table } from '../../operations/table.ts'
import { lineFields, quantityWithDefault, taxSnapshot } from '../line-fields.ts'
import type { LineKind } from './line-facts.ts'

const parent = { table: 'tickets', column: 'ticket_id', noun: 'job' }
const prefixes = { service: 'sln', inventory: 'iln' }
const order = { column: 'created_at', type: 'timestamptz', direction: 'asc' } as const

const writableFields = { ...lineFields(), quantity: quantityWithDefault }
const computedFields = { taxRate: nullable(taxSnapshot), lineTotal: t.Number({ decimals: 4, examples: [79.5] }) }

/** A line as it is written; its kind adds the source. */
export type LineBody = Readonly<Static<TObject<typeof writableFields>>>

export const serviceLines = table({
  name: 'service_lines',
  listKey: 'services',
  noun: 'service line',
  typeName: 'TicketService',
  prefix: prefixes.service,
  parent,
  writable: { serviceId: optional(id()), ...writableFields },
  readOnly: computedFields,
  order,
})

export const inventoryLines = table({
  name: 'inventory_lines',
  listKey: 'inventory',
  noun: 'inventory line',
  typeName: 'TicketInventory',
  prefix: prefixes.inventory,
  parent,
  writable: { inventoryItemId: optional(id()), ...writableFields, serialNumber: optional(text(120)) },
  readOnly: { sku: nullable(text(80)), ...computedFields },
  order,
})

/** What is particular to a kind of line. */
export interface LineDefinition {
  readonly lines: Table
  /** What people call several, and the name of the operation that lists them. */
  readonly plural: string
  readonly listName: string
  /** The field that names its source in the catalogue. */
  readonly source: 'serviceId' | 'inventoryItemId'
  readonly kind: LineKind
  readonly prefix: string
  /** The columns that a line is written with. */
  readonly columns: string
  /** What an agent is told about adding one. */
  readonly advice?: string
}

const commonColumns = 'name, description, quantity, unit_price, tax_rate_id, tax_rate, warranty_days, line_total'
export const lineDefinitions = {
  service: {
    lines: serviceLines,
    plural: 'service lines',
    listName: 'listTicketServices',
    source: 'serviceId',
    kind: { table: 'service_lines', catalogue: 'services', sourceColumn: 'service_id' },
    prefix: prefixes.service,
    columns: `service_id, ${commonColumns}`,
    advice: 'Give serviceId from list_services to take over its name, price and tax, or a name and unitPrice.',
  },
  inventory: {
    lines: inventoryLines,
    plural: 'inventory lines',
    listName: 'listTicketInventory',
    source: 'inventoryItemId',
    kind: { table: 'inventory_lines', catalogue: 'inventory', sourceColumn: 'inventory_item_id' },
    prefix: prefixes.inventory,
    columns: `inventory_item_id, sku, ${commonColumns}`,
  },
} as const satisfies Record<string, LineDefinition>
