// The shelf of the sample shop: parts by category.
import { included, reduced, type TaxName } from './catalogue.ts'

interface More {
  readonly supplier?: string
  readonly barcode?: string
  readonly warrantyDays?: number
  readonly tax?: TaxName
}

const fairphone = { supplier: 'Fairphone B.V.', warrantyDays: 365 }
const spares = { supplier: 'Thames Spares' }
const sparesWithWarranty = { ...spares, warrantyDays: 365 }
const cycles = { supplier: 'Deptford Cycle Wholesale' }

/** SKU, name, price, cost, what is left when all the jobs have taken theirs, the level to order at, and more. */
type Entry = readonly [string, string, number, number, number | null, number | null, More?]

/** What is counted nowhere has no quantity. */
const shelf = {
  'Screens and batteries': [
    ['FP5-DISPLAY', 'Display for Fairphone 5', 99.95, 61.2, 5, 2, fairphone],
    ['FP5-BATTERY', 'Battery for Fairphone 5', 39.95, 22.4, 8, 3, fairphone],
    ['IP15-DISPLAY', 'Display for iPhone 15', 189, 118, 1, 2, sparesWithWarranty],
    ['S24-DISPLAY', 'Display for Galaxy S24', 174.5, 109, 3, 1, sparesWithWarranty],
    ['T14-BATTERY', 'Battery for ThinkPad T14', 84, 47.3, 4, 2, sparesWithWarranty],
    ['PORT-USBC', 'USB-C charging port', 12.5, 3.85, 22, 10, spares],
    ['NSW-STICK', 'Thumb stick for Switch', 14, 4.6, 11, 4, spares],
  ],
  'Appliance parts': [
    ['OVEN-ELEMENT', 'Heating element, 2.5 kW', 78, 41, 2, 1, sparesWithWarranty],
    ['DW-PUMP', 'Drain pump for Bosch dishwashers', 42.6, 19.75, 3, 1, sparesWithWarranty],
    ['WM-BRUSHES', 'Carbon brushes, pair', 24, 8.2, 6, 2, spares],
    ['BOILER-KIT', 'Boiler service kit', 31.2, 14.9, 9, 4, spares],
    ['CM-GASKETS', 'Group gasket set', 18.5, 6.75, 7, 3, spares],
    ['CM-DESCALER', 'Descaler, kilogram', 16, 5.4, 3.5, 1, spares],
  ],
  'Bicycle and wheelchair parts': [
    ['BRAKE-PADS', 'Disc brake pads, pair', 19.95, 8.9, 14, 6, cycles],
    ['CHAIN-10', 'Chain, 10 speed, for e-bikes', 32, 15.6, 5, 2, cycles],
    ['TYRE-16', 'Tyre 16 inch, puncture-proof', 29.5, 13.8, 6, 2, cycles],
    ['CASTOR-6', 'Castor wheel, 6 inch', 27, 12.25, 4, 2, { ...cycles, tax: reduced }],
  ],
  Counter: [
    ['CASE-CLEAR', 'Phone case, clear', 14.99, 4.1, 30, 10, { barcode: '5012345678900', tax: included }],
    ['CLEANING', 'Cleaning materials', 3.5, 1.2, null, null],
  ],
} as const satisfies Readonly<Record<string, readonly Entry[]>>

type Category = keyof typeof shelf
export type Sku = (typeof shelf)[Category][number][0]

export const inventoryCategories = Object.keys(shelf) as Category[]

export interface Part extends More {
  readonly sku: Sku
  readonly name: string
  readonly category: Category
  readonly price: number
  readonly cost: number
  readonly onHand: number | null
  readonly reorderLevel: number | null
}

export const parts: readonly Part[] = inventoryCategories.flatMap((category) =>
  (shelf[category] as readonly Entry[]).map(([sku, name, price, cost, onHand, reorderLevel, more]) => ({
    sku: sku as Sku,
    name,
    category,
    price,
    cost,
    onHand,
    reorderLevel,
    ...more,
  })),
)
