// What the shop sells: items of stock and services, each with the fields of its form and the operations behind it.
import { parseTyped } from '../domain/typed-numbers.ts'
import type { EditedField } from './changes.ts'
import type { Labels } from './refusal-words.ts'

export type CatalogueRecord = Readonly<Record<string, unknown>> & { readonly id: string; readonly name: string }

export interface CatalogueField extends EditedField<CatalogueRecord> {
  /** How it is typed: `category` and `tax` are chosen among those of the shop. */
  readonly kind: 'text' | 'long' | 'number' | 'yes' | 'category' | 'tax'
  readonly isRequired?: boolean
  readonly hint?: string
  /** Only where the record is made. */
  readonly isFirst?: boolean
}

export interface CatalogueKind {
  readonly path: '/stock' | '/services'
  readonly place: string
  readonly title: string
  readonly noun: string
  readonly entity: 'inventory' | 'services'
  readonly param: string
  readonly operations: Readonly<Record<'read' | 'create' | 'update' | 'remove', string>>
  readonly fields: readonly CatalogueField[]
  readonly labels: Labels
  /** What goes with it when it is deleted, and what stays. */
  readonly deletion: string
}

const textIn = (value: unknown): string => (value === null || value === undefined ? '' : String(value))

const field =
  (kind: CatalogueField['kind'], bodyOf: (typed: string) => unknown) =>
  (name: string, label: string, more: Partial<CatalogueField> = {}): CatalogueField => ({
    name,
    label,
    kind,
    textOf: (record) => textIn(record[name]),
    bodyOf: (typed) => ({ [name]: bodyOf(typed) }),
    ...more,
  })

const orNone = (typed: string) => (typed === '' ? null : typed)
const text = field('text', orNone)
const long = field('long', orNone)
const number = field('number', (typed) => (typed === '' ? null : parseTyped(typed)))
const yes = field('yes', (typed) => typed === 'true')
const category = field('category', orNone)
const tax = field('tax', orNone)

/** `the price`, as it stands in a sentence. */
const labelsOf = (fields: readonly CatalogueField[], more: Labels = {}): Labels => ({
  ...Object.fromEntries(
    fields.map(({ name, label }) => [name, `the ${label.charAt(0).toLowerCase()}${label.slice(1)}`]),
  ),
  ...more,
})

const itemFields = [
  text('name', 'Name', { isRequired: true }),
  text('sku', 'SKU', { hint: 'Yours; no two items have the same.' }),
  text('barcode', 'Barcode', { hint: 'Scan it here: a scanner types it.' }),
  category('categoryId', 'Category'),
  number('price', 'Price', { isRequired: true }),
  number('cost', 'Cost', { hint: 'What you pay for it.' }),
  tax('taxRateId', 'Tax'),
  yes('trackStock', 'Stock is counted'),
  number('quantityOnHand', 'On hand', { isFirst: true }),
  number('reorderLevel', 'Reorder level', { hint: 'At this many it is running low.' }),
  text('supplier', 'Supplier'),
  number('warrantyDays', 'Warranty, days'),
  long('description', 'Description'),
]

export const stockKind: CatalogueKind = {
  path: '/stock',
  place: 'stock',
  title: 'Stock',
  noun: 'item',
  entity: 'inventory',
  param: 'itemId',
  operations: {
    read: 'getInventoryItem',
    create: 'createInventoryItem',
    update: 'updateInventoryItem',
    remove: 'deleteInventoryItem',
  },
  fields: itemFields,
  labels: labelsOf(itemFields, {
    sku: 'the SKU',
    quantityOnHand: 'the quantity',
    quantityDelta: 'the change',
    reason: 'the reason',
  }),
  deletion:
    'Its corrections go with it. Jobs, quotes and invoices keep what they have of it. This cannot be taken back.',
}

const serviceFields = [
  text('name', 'Name', { isRequired: true }),
  long('description', 'Description'),
  number('price', 'Price', { isRequired: true }),
  number('cost', 'Cost', { hint: 'What it costs you.' }),
  tax('taxRateId', 'Tax'),
  number('durationMinutes', 'Minutes it takes'),
  number('warrantyDays', 'Warranty, days'),
  long('warrantyTerms', 'Warranty terms'),
  yes('isActive', 'Still sold'),
]

export const serviceKind: CatalogueKind = {
  path: '/services',
  place: 'services',
  title: 'Services',
  noun: 'service',
  entity: 'services',
  param: 'serviceId',
  operations: { read: 'getService', create: 'createService', update: 'updateService', remove: 'deleteService' },
  fields: serviceFields,
  labels: labelsOf(serviceFields),
  deletion: 'Jobs, quotes and invoices keep what they have of it. This cannot be taken back.',
}
