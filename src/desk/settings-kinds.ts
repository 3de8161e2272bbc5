// The short lists that a shop sets up: job statuses, stations, tax rates and categories, each with its fields and operations.
import { parseTyped } from '../domain/typed-numbers.ts'
import type { EditedField } from './changes.ts'
import { cssColor } from './marks.ts'
import type { SettingsSection } from './settings.ts'

/** A record as its operations answer it. */
export type SettingsRecord = Readonly<Record<string, string | number | boolean | null>> & {
  readonly id: string
  readonly name: string
}

export interface SettingsField {
  readonly name: string
  readonly label: string
  readonly kind: 'line' | 'number' | 'color' | 'choice' | 'flag'
  readonly hint?: string
  readonly maxLength?: number
  readonly choices?: readonly (readonly [value: string, words: string])[]
  /** What a new one begins with. */
  readonly usual: string
}

export interface SettingsKind {
  readonly section: SettingsSection
  /** Below `/settings/`. */
  readonly path: string
  readonly title: string
  readonly noun: string
  readonly sentence: string
  readonly operations: Readonly<Record<'list' | 'read' | 'create' | 'update' | 'remove', string>>
  /** What its list is keyed by, and its id in operations. */
  readonly listKey: string
  readonly idName: string
  readonly fields: readonly SettingsField[]
  /** What is said once people have put them in order; null where the order is not theirs. */
  readonly orderedDone: 'ordered' | 'statusesOrdered' | null
  /** What is said of one in the list, beside its name. */
  readonly about: (record: SettingsRecord) => string
  /** What deleting it does. */
  readonly consequence: string
}

const name = (maxLength: number): SettingsField => ({ name: 'name', label: 'Name', kind: 'line', maxLength, usual: '' })
const color: SettingsField = { name: 'color', label: 'Colour', kind: 'color', usual: '#9e9e9e' }
const stages = [
  ['open', 'Open: not begun'],
  ['inProgress', 'In progress'],
  ['closed', 'Closed: done'],
] as const
const stageWords: Readonly<Record<string, string>> = { open: 'Open', inProgress: 'In progress', closed: 'Closed' }

const operationsOf = (noun: string, plural: string) => ({
  list: `list${plural}`,
  read: `get${noun}`,
  create: `create${noun}`,
  update: `update${noun}`,
  remove: `delete${noun}`,
})

const categoryKind = (path: string, title: string, of: string, typeName: string, listKey: string): SettingsKind => ({
  section: 'categories',
  path: `categories/${path}`,
  title,
  noun: 'category',
  sentence: `Groups that ${of} belong to.`,
  operations: operationsOf(`${typeName}Category`, `${typeName}Categories`),
  listKey,
  idName: 'categoryId',
  fields: [name(80), { ...color, usual: '' }],
  orderedDone: 'ordered',
  about: () => '',
  consequence: `It is gone for good; ${of} stay, without a category.`,
})

export const settingsKinds: readonly SettingsKind[] = [
  {
    section: 'statuses',
    path: 'statuses',
    title: 'Job statuses',
    noun: 'status',
    sentence:
      'The columns of the board: first those that are open, then those in progress, then those that are closed. The order here counts within each stage.',
    operations: operationsOf('TicketStatus', 'TicketStatuses'),
    listKey: 'ticketStatuses',
    idName: 'statusId',
    fields: [
      name(60),
      color,
      {
        name: 'stage',
        label: 'Stage',
        kind: 'choice',
        choices: stages,
        usual: 'open',
        hint: 'Statuses that are built in keep their name and stage.',
      },
    ],
    orderedDone: 'statusesOrdered',
    about: ({ stage, type }) => `${stageWords[String(stage)]}${type === 'default' ? ', built in' : ''}`,
    consequence: 'It is gone for good. One that a job has cannot be deleted.',
  },
  {
    section: 'stations',
    path: 'stations',
    title: 'Stations',
    noun: 'station',
    sentence: 'The benches, bays and vans that jobs are assigned to.',
    operations: operationsOf('Station', 'Stations'),
    listKey: 'stations',
    idName: 'stationId',
    fields: [
      name(120),
      {
        name: 'capacity',
        label: 'How many jobs fit',
        kind: 'number',
        usual: '1',
        hint: 'Empty for any number. More can be assigned all the same.',
      },
    ],
    orderedDone: 'ordered',
    about: ({ activeJobCount, capacity, isOverCapacity }) =>
      `${activeJobCount} of ${capacity ?? 'any number of'} jobs${isOverCapacity ? ', too many' : ''}`,
    consequence: 'It is gone for good; closed jobs lose it. One that an active job has cannot be deleted.',
  },
  {
    section: 'taxes',
    path: 'taxes',
    title: 'Tax rates',
    noun: 'tax rate',
    sentence: 'What lines are taxed at. Lines keep the rate they were written with, whatever becomes of it here.',
    operations: operationsOf('TaxRate', 'TaxRates'),
    listKey: 'taxRates',
    idName: 'taxRateId',
    fields: [
      name(80),
      { name: 'rate', label: 'Percent', kind: 'number', usual: '' },
      { name: 'isInclusive', label: 'Prices contain it already', kind: 'flag', usual: 'no' },
      {
        name: 'defaultEnabled',
        label: 'The default of new lines',
        kind: 'flag',
        usual: 'no',
        hint: 'No other one is then.',
      },
      {
        name: 'vatCategory',
        label: 'VAT category',
        kind: 'choice',
        usual: '',
        choices: [
          ['', 'As the rate says'],
          ['S', 'Taxed'],
          ['Z', 'Zero rated'],
          ['E', 'Exempt'],
          ['AE', 'Reverse charge: the customer owes it'],
          ['O', 'Outside VAT'],
        ],
        hint: 'For e-invoices.',
      },
      {
        name: 'exemptionReason',
        label: 'Why no tax is charged',
        kind: 'line',
        maxLength: 200,
        usual: '',
        hint: 'For what is exempt, outside VAT, or taxed by the customer.',
      },
    ],
    orderedDone: null,
    about: ({ rate, isInclusive, defaultEnabled }) =>
      [`${rate} %`, isInclusive && 'contained in prices', defaultEnabled && 'the default'].filter(Boolean).join(', '),
    consequence: 'It is gone for good. Lines that have it keep it.',
  },
  categoryKind('inventory', 'Categories of parts', 'parts', 'Inventory', 'inventoryCategories'),
  categoryKind('assets', 'Categories of devices', 'devices', 'Asset', 'assetCategories'),
]

/** What a field of a form says, and what is sent for it. */
export const editedFields = ({ fields }: SettingsKind): readonly EditedField<SettingsRecord>[] =>
  fields.map(({ name, label, kind }) => ({
    name,
    label,
    textOf: (record) => textOf(kind, record[name] ?? null),
    bodyOf: (typed) => ({ [name]: parseField(kind, typed) }),
  }))

/** Colours are ARGB numbers in the service and six digits in a browser. */
function textOf(kind: SettingsField['kind'], value: string | number | boolean | null): string {
  if (kind === 'flag') return value ? 'yes' : 'no'
  if (value === null) return ''
  return kind === 'color' ? cssColor(Number(value)) : String(value)
}

function parseField(kind: SettingsField['kind'], typed: string): unknown {
  if (kind === 'flag') return typed === 'yes'
  if (typed === '' && kind !== 'line') return null
  if (kind === 'color') return /^#[\da-f]{6}$/i.test(typed) ? 0xff00_0000 + Number.parseInt(typed.slice(1), 16) : typed
  return kind === 'number' ? parseTyped(typed) : typed
}
