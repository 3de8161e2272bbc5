// The fields of a quote or an invoice that its page changes: how each stands in the form, and what is sent.
import { parseTyped } from '../domain/typed-numbers.ts'
import { isDate, toMoment } from '../domain/wall-clock.ts'
import type { LineItem } from '../resources/billing/line-items.ts'
import type { EditedField } from './changes.ts'
import type { DocumentRecord, Offset } from './document-data.ts'
import type { DocumentKind } from './document-marks.ts'
import { money } from './formatting.ts'
import { priceText } from './job-fields.ts'
import type { Labels } from './refusal-words.ts'
import type { DeskRequest } from './router.ts'

export const documentLabels: Labels = {
  name: 'the name',
  quantity: 'the quantity',
  unitPrice: 'the price',
  taxRateId: 'the tax rate',
  title: 'the title',
  notes: 'the note for the team',
  terms: 'the terms',
  paymentInstructions: 'the way to pay',
  validUntil: 'the last day',
  issuedAt: 'the date',
  dueAt: 'the day it is due',
  value: 'the amount',
  reason: 'the reason',
  to: 'the address',
  subject: 'the subject',
  message: 'the message',
  amount: 'the amount',
  paymentMethod: 'the way of paying',
  paidAt: 'the day',
  remindAt: 'the day',
}

/** A line as it is sent: what a caller may write, in one order, so that two of them are compared as text. */
export type SentLine = Pick<LineItem, (typeof sentNames)[number]>
const sentNames = [
  'kind',
  'serviceId',
  'inventoryItemId',
  'name',
  'description',
  'quantity',
  'unitPrice',
  'taxRateId',
  'warrantyDays',
  'serialNumber',
] as const

export const sentLine = (line: object): SentLine =>
  Object.fromEntries(sentNames.map((name) => [name, (line as Record<string, unknown>)[name] ?? null])) as SentLine

/** A line of the form: what is typed, and what of the line nobody types. */
export interface Row {
  /** Names it within the page. */
  readonly key: string
  /** The line as it was, as JSON. */
  readonly line: string
  readonly name: string
  readonly quantity: string
  readonly unitPrice: string
  /** Empty for none. */
  readonly taxRateId: string
}

export const rowOf = (line: SentLine, key: string, currency: string): Row => ({
  key,
  line: JSON.stringify(line),
  name: line.name,
  quantity: String(line.quantity),
  unitPrice: priceText(line.unitPrice, currency),
  taxRateId: line.taxRateId ?? '',
})

export const rowsOf = ({ lineItems, currency }: DocumentRecord): readonly Row[] =>
  lineItems.map((line, index) => rowOf(sentLine(line), String(index + 1), currency))

/** The rows as they were sent: fields of one name, in the order of the page. */
export function typedRows(form: URLSearchParams): readonly Row[] {
  const [lines, names, quantities, prices, rates] = ['line', 'name', 'quantity', 'unitPrice', 'taxRateId'].map((name) =>
    form.getAll(name),
  )
  return form.getAll('key').map((key, index) => ({
    key,
    line: lines![index] ?? '{}',
    name: names![index] ?? '',
    quantity: quantities![index] ?? '',
    unitPrice: prices![index] ?? '',
    taxRateId: rates![index] ?? '',
  }))
}

/** Whatever is in a row is judged by the operation. A price with more decimals than shown stays as it was. */
export function linesText(rows: readonly Row[]): string {
  const lines = rows.map(({ line, name, quantity, unitPrice, taxRateId }) => ({
    ...sentLine(parseJson(line)),
    name: name.trim(),
    quantity: parseTyped(quantity),
    unitPrice: parseTyped(unitPrice),
    taxRateId: taxRateId === '' ? null : taxRateId,
  }))
  return JSON.stringify(lines)
}

/** Nothing where it is no JSON: it came from a form. */
export function parseJson(text: string): object {
  try {
    return Object(JSON.parse(text)) as object
  } catch {
    return {}
  }
}

/** Those of a list that are lines at all. */
export const parseLines = <Line extends object>(text: string): readonly Line[] =>
  [parseJson(text)].flat().filter((line): line is Line => typeof line === 'object' && line !== null)

export const offsetText = (offset: Offset | null): string =>
  offset ? JSON.stringify({ type: offset.type, value: offset.value, reason: offset.reason || null }) : ''

/** The fields of a discount or a deposit as that one text; nothing typed, or 0, means none. */
export function typedOffset(form: URLSearchParams, name: string): string {
  const typed = (form.get(`${name}.value`) ?? '').trim()
  const value = parseTyped(typed)
  if (typed === '' || value === 0) return ''
  const type = form.get(`${name}.type`) === 'fixed' ? 'fixed' : 'percent'
  return JSON.stringify({ type, value, reason: form.get(`${name}.reason`)?.trim() || null })
}

/** Gathers what several fields of the form say into the one that is compared and sent as a whole. */
export function gatherTyped(form: URLSearchParams): void {
  if (form.has('rows')) form.set('lineItems', linesText(typedRows(form)))
  for (const name of ['discount', 'deposit']) if (form.has(`${name}.value`)) form.set(name, typedOffset(form, name))
}

const dayOf = ({ clock }: DeskRequest, iso: string | null | undefined): string => (iso ? clock.date(new Date(iso)) : '')

/** A last day counts to its end. What is no day goes on as it is, to be refused by name. */
const momentOf = ({ timeZone }: DeskRequest, day: string, time: '00:00' | '23:59'): string =>
  isDate(day) ? toMoment(day, time, timeZone).toISOString() : day

const text = (name: 'title' | 'notes' | 'terms' | 'paymentInstructions', label: string) => ({
  name,
  label,
  textOf: (record: DocumentRecord) => record[name] ?? '',
  bodyOf: (typed: string) => ({ [name]: typed === '' ? null : typed }),
})

export function documentFields(request: DeskRequest, kind: DocumentKind): readonly EditedField<DocumentRecord>[] {
  const day = (name: 'validUntil' | 'issuedAt' | 'dueAt', label: string, time: '00:00' | '23:59') => ({
    name,
    label,
    textOf: (record: DocumentRecord) => dayOf(request, record[name]),
    bodyOf: (typed: string) => ({
      [name]: typed === '' && name === 'validUntil' ? null : momentOf(request, typed, time),
    }),
  })
  const offset = (name: 'discount' | 'deposit', label: string) => ({
    name,
    label,
    textOf: (record: DocumentRecord) => offsetText(record[name]),
    bodyOf: (typed: string) => ({ [name]: typed === '' ? null : parseJson(typed) }),
  })
  return [
    text('title', 'Title'),
    ...(kind === 'quote'
      ? [day('validUntil', 'Valid until', '23:59')]
      : [day('issuedAt', 'Date', '00:00'), day('dueAt', 'Due', '23:59')]),
    {
      name: 'lineItems',
      label: 'Lines',
      textOf: ({ lineItems }) => JSON.stringify(lineItems.map(sentLine)),
      bodyOf: (typed) => ({ lineItems: parseJson(typed) }),
    },
    offset('discount', 'Discount'),
    offset('deposit', 'Deposit'),
    text('notes', 'Note for the team'),
    text('terms', 'Terms'),
    ...(kind === 'invoice' ? [text('paymentInstructions', 'How to pay')] : []),
  ]
}

/** What a value is called where two people changed it. */
export function documentWords(name: string, value: string, currency: string): string {
  if (value === '') return ''
  if (name === 'lineItems')
    return parseLines<SentLine>(value)
      .map((line) => `${line.quantity} × ${line.name}, ${money(line.unitPrice, currency)}`)
      .join('\n')
  if (name === 'discount' || name === 'deposit') return offsetWords(parseJson(value) as Offset, currency)
  return value
}

export const offsetWords = ({ type, value, reason }: Offset, currency: string): string =>
  `${type === 'percent' ? `${value}%` : money(value, currency)}${reason ? ` (${reason})` : ''}`
