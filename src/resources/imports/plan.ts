// What is to be done about a record, worked out once: the trial shows it, and writing carries it out.

import { foreignCurrency } from '../../domain/moving-in/currencies.ts'
import type { Draft, DraftMoney, Problem } from '../../domain/moving-in/draft.ts'
import { chooseStatus, type JobStatus } from '../../domain/moving-in/jobs.ts'
import type { Kind } from '../../domain/moving-in/kinds.ts'
import { meaningName } from '../../domain/moving-in/kinds.ts'
import { resolveDocument } from '../../domain/moving-in/resolve-document.ts'
import type { Change, Values } from '../../domain/moving-in/verdict.ts'
import { ApiError } from '../../operations/errors.ts'
import { createBodyParser, type InputParser } from '../../operations/input.ts'
import { customers } from '../customers.ts'
import { devices } from '../devices.ts'
import { items } from '../inventory.ts'
import { invoiceBodies } from '../invoices/record.ts'
import { quoteBodies } from '../quotes/record.ts'
import { services } from '../services.ts'
import { tickets } from '../tickets/record.ts'
import type { StagedFile } from './staged.ts'

export interface Plan {
  /** The body of the operation that creates it. */
  readonly values: Values
  /** Of one that is there: the fields that change, with what they were. */
  readonly changes?: Readonly<Record<string, Change>> | undefined
  readonly customerId?: string | undefined
  readonly category?: string | undefined
  /** One for each line: percent, null where it is not taxed. */
  readonly taxRates?: readonly (number | null)[] | undefined
  /** Percent of all lines, in what was judged by a version that knew one alone. */
  readonly taxRate?: number | undefined
  readonly payment?:
    | { readonly amount: number; readonly paidAt?: string | undefined; readonly method?: string | undefined }
    | undefined
  /** The number that the document had, if it can keep it. */
  readonly number?: string | undefined
  readonly createdAt?: string | undefined
  readonly closedAt?: string | undefined
  readonly message?: string | undefined
}

export interface ShopFacts {
  readonly timeZone: string
  readonly currency: string
  readonly statuses: readonly JobStatus[]
}

const parsers: Readonly<Record<Kind, InputParser>> = {
  customers: createBodyParser(customers.createBody),
  devices: createBodyParser(devices.createBody),
  services: createBodyParser(services.createBody),
  inventory: createBodyParser(items.createBody),
  jobs: createBodyParser(tickets.createBody),
  quotes: createBodyParser(quoteBodies.createBody),
  invoices: createBodyParser(invoiceBodies.createBody),
}

/** The draft with what the shop decides: the names of statuses, what money comes to, what a field may hold. */
export function planRecord(
  draft: Draft,
  { customerId, file, row, facts }: { customerId: string | undefined; file: StagedFile; row: number; facts: ShopFacts },
): { plan: Plan; problems: Problem[]; notes: string[] } {
  const notes: string[] = []
  const given: Record<string, unknown> = definedOf(draft.values)
  if (given.externalId !== undefined || given.externalNumber !== undefined) given.externalSource = file.externalSource
  const { kind, customer, money } = draft
  let plan: Omit<Plan, 'values'> = {
    customerId,
    category: draft.category,
    createdAt: draft.createdAt,
    closedAt: draft.closedAt,
    message: draft.message,
  }
  if (kind === 'jobs') {
    const { name, isGuess } = chooseStatus(draft, facts.statuses)
    if (name !== undefined) given.status = name
    if (isGuess && name !== undefined)
      notes.push(`the status "${draft.status}" is not one of yours: "${name}" was taken`)
  }
  if (customer && kind !== 'devices') {
    if (customerId !== undefined) given.customerId = customerId
    else if (customer.name ?? customer.email) {
      given.customerName = (customer.name ?? customer.email)!.slice(0, 200)
      if (customer.email) given.customerEmail = customer.email
      notes.push('its customer was not found: the name stands on it')
    }
  }
  if (money && (kind === 'quotes' || kind === 'invoices')) {
    const resolved = resolveDocument(kind, draft, money, facts.currency)
    Object.assign(given, resolved.values)
    notes.push(...resolved.notes)
    plan = {
      ...plan,
      taxRates: resolved.taxRates,
      payment: resolved.payment,
      number: fittingNumber(given.externalNumber),
    }
  }
  const problems = money ? documentProblems(money, given, facts, file, row) : []
  if (problems.length > 0) return { plan: { ...plan, values: given }, problems, notes }
  try {
    return { plan: { ...plan, values: parsers[kind](given).value }, problems: [], notes }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { plan: { ...plan, values: given }, problems: [refusal(error, draft, file, row)], notes }
  }
}

/** Ours have prefix and digits; what is longer or has spaces is kept beside, as the number of the other system. */
const fittingNumber = (number: unknown): string | undefined =>
  typeof number === 'string' && /^[\p{L}\p{N}][\p{L}\p{N}_./#-]{0,39}$/u.test(number) ? number : undefined

/** A document is somebody's. Amounts are never converted, and never taken for what they are not. */
function documentProblems(
  { currency, wordedAmounts = [] }: DraftMoney,
  { customerId, customerName }: Values,
  facts: ShopFacts,
  file: StagedFile,
  row: number,
): Problem[] {
  const nobody = {
    row,
    column: null,
    value: null,
    reason: 'it does not say whose it is',
    fix: "write the customer's name or email into the row",
  }
  const foreign = {
    row,
    column: file.columns[file.targets.indexOf('currency')] ?? null,
    value: currency ?? null,
    reason: `it is in ${currency}, and the shop's currency is ${facts.currency}`,
    fix: `convert its amounts and write ${facts.currency}, or leave the column out where it means the same`,
  }
  const written = wordedAmounts.flatMap(({ value, ...cell }) => {
    const words = foreignCurrency(value, facts.currency)
    const fix = `convert its amounts and write ${facts.currency}, or take the sign out where it means the same`
    return words === undefined
      ? []
      : [{ ...cell, value, reason: `it is in ${words}, and the shop's currency is ${facts.currency}`, fix }]
  })
  return [
    ...(customerId === undefined && customerName === undefined ? [nobody] : []),
    ...(currency !== undefined && currency.toUpperCase() !== facts.currency ? [foreign] : []),
    ...written.slice(0, 1),
  ]
}

/** A refusal begins with the field: its column is what the shop can mend. */
export function refusal(error: ApiError, draft: Pick<Draft, 'values'>, file: StagedFile, row: number): Problem {
  const field = /^(\w+)/.exec(error.message)?.[1] ?? ''
  const index = file.targets.findIndex((target) => target !== null && meaningName(target) === field)
  const value = draft.values[field]
  return {
    row,
    column: file.columns[index] ?? null,
    value: value === undefined || value === null ? null : String(value).slice(0, 200),
    reason: error.message,
    fix: index < 0 ? 'mend the row and bring it again' : 'mend the cell, or empty it, and bring the row again',
  }
}

const definedOf = (values: Values): Record<string, unknown> =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined && value !== ''))
