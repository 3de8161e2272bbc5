// The reports of the desk: what each is called, which figures its table has, and which of them are plotted.
import type { Grouping } from '../domain/report-periods.ts'
import type { Scope } from '../operations/scopes.ts'
import { money, monthText, quantityText } from './formatting.ts'

/** Those of the records that are summed, so that every report can be opened from each. */
export const reportScopes: readonly Scope[] = [
  ...(['payments:read', 'invoices:read', 'quotes:read', 'tickets:read'] as const),
  ...(['members:read', 'inventory:read', 'categories:read'] as const),
]

export type Cells = Readonly<Record<string, unknown>>

/** A report as its operation answers it. */
export interface Report {
  readonly from?: string
  readonly to?: string
  readonly on?: string
  readonly currency?: string
  readonly rows: readonly Cells[]
  readonly totals: readonly Cells[]
}

type Writer = (value: unknown, currency: string) => string

export interface Column {
  readonly field: string
  readonly words: string
  readonly write: Writer
  /** How it is written beside a plot, where there is less room. */
  readonly scale?: Writer
}

export interface ReportKind {
  /** As in its address. */
  readonly name: string
  readonly words: string
  /** What it counts, in a sentence. */
  readonly meaning: string
  readonly operation: string
  readonly hasPeriod: boolean
  readonly isGrouped: boolean
  /** What a row stands for. */
  readonly heading: string
  readonly labelOf: (row: Cells, group: (start: string) => string) => string
  readonly columns: readonly Column[]
  /** The fields that are plotted, in the unit of the first. */
  readonly plotted: readonly string[]
}

const count: Writer = (value) => String(value)
const sum: Writer = (value, currency) => money(value as number, currency)
const hours: Writer = (value) => (value === null ? '–' : `${value} h`)
const percent: Writer = (value) => (value === null ? '–' : `${value} %`)
const quantity: Writer = (value) => quantityText(value as number)
const sums: Writer = (value) =>
  (value as readonly { currency: string; total: number }[])
    .map(({ currency, total }) => money(total, currency))
    .join(' + ') || '–'

const roundSum: Writer = (value, currency) => money(value as number, currency, { rounded: Number.isInteger(value) })

const column = (field: string, words: string, write: Writer): Column => ({
  field,
  words,
  write,
  ...(write === sum && { scale: roundSum }),
})
const startLabel: ReportKind['labelOf'] = (row, group) => group(row.start as string)

const ages: Readonly<Record<string, string>> = {
  notDue: 'Not due yet',
  '1-30': '1–30 days late',
  '31-60': '31–60 days late',
  '61-90': '61–90 days late',
  over90: 'Over 90 days late',
}

export const reportKinds: readonly ReportKind[] = [
  {
    name: 'money-in',
    words: 'Money in',
    meaning: 'Payments by the day they were made, less refunds.',
    operation: 'getMoneyInReport',
    hasPeriod: true,
    isGrouped: true,
    heading: 'When',
    labelOf: startLabel,
    columns: [
      column('received', 'Received', sum),
      column('refunded', 'Refunded', sum),
      column('net', 'Net', sum),
      column('payments', 'Payments', count),
    ],
    plotted: ['net'],
  },
  {
    name: 'receivables',
    words: 'Owed to you',
    meaning: 'Sent invoices that are not paid, as of today.',
    operation: 'getReceivablesReport',
    hasPeriod: false,
    isGrouped: false,
    heading: 'How late',
    labelOf: ({ age }) => ages[age as string]!,
    columns: [column('invoices', 'Invoices', count), column('balance', 'Balance', sum)],
    plotted: ['balance'],
  },
  {
    name: 'jobs',
    words: 'Jobs',
    meaning: 'Jobs that were opened and closed.',
    operation: 'getJobsReport',
    hasPeriod: true,
    isGrouped: true,
    heading: 'When',
    labelOf: startLabel,
    columns: [column('opened', 'Opened', count), column('closed', 'Closed', count)],
    plotted: ['opened', 'closed'],
  },
  {
    name: 'turnaround',
    words: 'Turnaround',
    meaning: 'From being opened to being closed: half of the jobs, and nine of ten, took as long at most.',
    operation: 'getTurnaroundReport',
    hasPeriod: true,
    isGrouped: true,
    heading: 'Closed',
    labelOf: startLabel,
    columns: [
      column('jobs', 'Jobs', count),
      column('medianHours', 'Median', hours),
      column('p90Hours', 'Nine of ten', hours),
    ],
    plotted: ['medianHours', 'p90Hours'],
  },
  {
    name: 'technicians',
    words: 'Technicians',
    meaning: 'By who has the job now. Invoices with tax, neither drafts nor void ones.',
    operation: 'getTechniciansReport',
    hasPeriod: true,
    isGrouped: false,
    heading: 'Technician',
    labelOf: ({ technician, technicianId }) =>
      technicianId === null ? 'Nobody' : String(technician ?? 'Somebody who left'),
    columns: [
      column('jobsClosed', 'Jobs closed', count),
      column('hoursPlanned', 'Planned', hours),
      column('invoiced', 'Invoiced', sums),
    ],
    plotted: ['jobsClosed'],
  },
  {
    name: 'stock-value',
    words: 'Stock',
    meaning: 'What is on hand now, at what it cost you.',
    operation: 'getStockValueReport',
    hasPeriod: false,
    isGrouped: false,
    heading: 'Category',
    labelOf: ({ category }) => String(category ?? 'No category'),
    columns: [
      column('items', 'Items', count),
      column('quantity', 'On hand', quantity),
      column('itemsWithoutCost', 'Without a cost', count),
      column('value', 'Value', sum),
    ],
    plotted: ['value'],
  },
  {
    name: 'quotes',
    words: 'Quotes',
    meaning: 'By when they were written; won are the accepted ones of those with an answer.',
    operation: 'getQuotesReport',
    hasPeriod: true,
    isGrouped: true,
    heading: 'Written',
    labelOf: startLabel,
    columns: [
      column('made', 'Made', count),
      column('accepted', 'Accepted', count),
      column('declined', 'Declined', count),
      column('open', 'Open', count),
      column('rateWon', 'Won', percent),
      column('acceptedTotal', 'Accepted for', sum),
    ],
    plotted: ['made', 'accepted'],
  },
]

/** How a group is called by the day it begins. */
export const groupLabel = (groupBy: Grouping, start: string, shortDay: (day: string) => string): string =>
  groupBy === 'month' ? monthText(start) : shortDay(start)
