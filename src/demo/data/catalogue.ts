// What the sample shop sells and works with: statuses, stations, tax rates, asset categories and services.

export const statuses = [
  { name: 'Open', stage: 'open', color: 4_280_391_411 },
  { name: 'In Progress', stage: 'inProgress', color: 4_294_940_672 },
  { name: 'Closed', stage: 'closed', color: 4_283_215_696 },
  { name: 'Waiting for parts', stage: 'inProgress', color: 4_288_423_856 },
  { name: 'Ready for pickup', stage: 'inProgress', color: 4_278_228_616 },
] as const
export type Status = (typeof statuses)[number]['name']

export const stations = [
  { name: 'Bench 1', capacity: 6 },
  { name: 'Bench 2', capacity: 6 },
  { name: 'Van', capacity: null },
] as const
export type Station = (typeof stations)[number]['name']

const standard = 'VAT 20%'
export const reduced = 'VAT 5% (reduced)'
export const included = 'VAT 20% (shelf price)'

export const taxRates = [
  { name: standard, rate: 20, isInclusive: false },
  { name: reduced, rate: 5, isInclusive: false },
  { name: included, rate: 20, isInclusive: true },
] as const
export type TaxName = (typeof taxRates)[number]['name']
/** What is taxed at nothing else; it becomes the default where there is none yet. */
export const defaultTax: TaxName = standard

export const assetCategories = ['Phones and tablets', 'Computers', 'Home and kitchen', 'Bikes and mobility'] as const
const [phones, computers, home, wheels] = assetCategories

/** The category of a device by its type. What is in none is rare enough to be found without. */
export const categoryOfType: Readonly<Record<string, string | undefined>> = {
  Phone: phones,
  Tablet: phones,
  Laptop: computers,
  Desktop: computers,
  Printer: computers,
  Till: computers,
  Boiler: home,
  'Heat pump': home,
  'Coffee machine': home,
  Dishwasher: home,
  'Washing machine': home,
  Oven: home,
  Fridge: home,
  'Vacuum cleaner': home,
  Bicycle: wheels,
  'E-bike': wheels,
  Wheelchair: wheels,
}

export interface Service {
  readonly name: string
  readonly description?: string
  readonly price: number
  readonly cost?: number
  readonly minutes: number | null
  readonly warrantyDays?: number
  readonly warrantyTerms?: string
  readonly tax?: TaxName
}

const notANewDrop = 'Covers the part and the work, not a new drop.'

export const services = [
  { name: 'Diagnosis', description: 'Find the fault and name a price.', price: 35, minutes: 30 },
  {
    name: 'Screen replacement',
    description: 'Glass and display, with a function test.',
    price: 60,
    cost: 21.5,
    minutes: 45,
    warrantyDays: 365,
    warrantyTerms: notANewDrop,
  },
  { name: 'Battery replacement', price: 35, cost: 12, minutes: 30, warrantyDays: 365 },
  { name: 'Charging port repair', price: 55, cost: 20, minutes: 60, warrantyDays: 180, warrantyTerms: notANewDrop },
  {
    name: 'Liquid damage treatment',
    description: 'Open, clean in the ultrasonic bath, dry and test.',
    price: 75,
    cost: 28,
    minutes: 120,
    warrantyDays: 30,
    warrantyTerms: 'Liquid damage can show later: the work is covered, the board is not.',
  },
  { name: 'Computer clean and service', price: 65, cost: 22, minutes: 60, warrantyDays: 90 },
  { name: 'Data transfer', description: 'Old machine to new, checked file by file.', price: 45, minutes: 90 },
  { name: 'Bicycle service', price: 85, cost: 36, minutes: 120, warrantyDays: 90 },
  { name: 'Wheelchair service', price: 50, cost: 22, minutes: 60, warrantyDays: 180, tax: reduced },
  {
    name: 'Boiler service',
    description: 'Yearly service with flue gas analysis and a written report.',
    price: 95,
    cost: 40,
    minutes: 60,
    warrantyDays: 365,
  },
  { name: 'Coffee machine service', price: 110, cost: 45, minutes: 90, warrantyDays: 90 },
  { name: 'Repair work, per hour', price: 58, cost: 25, minutes: 60, warrantyDays: 90 },
  { name: 'Call-out', description: 'Within the M25, parking included.', price: 45, cost: 18, minutes: null },
] as const satisfies readonly Service[]
export type ServiceName = (typeof services)[number]['name']
