// Whether a record is there already, and what bringing it would change: judged the same way in the trial and for real.
import { foldKey, phoneKey } from './contacts.ts'
import type { Draft } from './draft.ts'
import type { Kind } from './kinds.ts'

export const verdicts = ['created', 'filled', 'same', 'skipped', 'wrong'] as const
export type Verdict = (typeof verdicts)[number]
export const updateModes = ['fill', 'none', 'overwrite'] as const
export type UpdateMode = (typeof updateModes)[number]

export type Values = Readonly<Record<string, unknown>>

/** A record that is there, or that an earlier row of the same import will make. */
export interface Candidate {
  readonly id: string
  readonly values: Values
  /** Made by this very import. */
  readonly isNew: boolean
}

const longestNotes = 5_000

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '')

/** By what a record is found, the surest first. The same for what is there and for what comes. */
export function matchKeys(kind: Kind, values: Values, side: 'there' | 'coming'): string[] {
  const { externalId, externalSource } = values
  const keys = externalId ? [`external ${textOf(externalSource)} ${textOf(externalId)}`] : []
  if (kind === 'customers') {
    const [email, phone] = [textOf(values.email).toLowerCase(), phoneKey(textOf(values.phone))]
    const name = nameKey(values)
    const address = foldKey(textOf(values.address))
    if (email) keys.push(`email ${email}`)
    if (phone) keys.push(`phone ${phone}`)
    // A name alone tells too little of somebody about whom more is known.
    if (name && (address || side === 'there' || !(email || phone))) keys.push(`name ${name} at ${address}`)
  } else if (kind === 'devices') {
    const identifier = foldKey(textOf(values.identifier))
    if (identifier) keys.push(`device ${textOf(values.customerId)} ${identifier}`)
    else keys.push(`device ${textOf(values.customerId)} named ${deviceKey(values)}`)
  } else if (kind === 'services') keys.push(`name ${foldKey(textOf(values.name))}`)
  else if (kind === 'inventory') {
    if (values.sku) keys.push(`sku ${textOf(values.sku)}`)
    if (values.barcode) keys.push(`barcode ${textOf(values.barcode)}`)
    if ((!values.sku && !values.barcode) || side === 'there') keys.push(`name ${foldKey(textOf(values.name))}`)
  }
  return keys
}

const nameKey = ({ firstName, lastName, businessName }: Values): string =>
  foldKey([firstName, lastName, businessName].map(textOf).join(' '))

const wordsOf = ({ firstName, lastName, businessName }: Values): string[] =>
  foldKey([firstName, lastName, businessName].map(textOf).join(' ')).split(' ').filter(Boolean)
const spokenName = ({ firstName, lastName, businessName }: Values): string =>
  [firstName, lastName, businessName].map(textOf).filter(Boolean).join(' ')

/**
 * Who shares a phone or an email is taken for one customer: where the names differ, somebody has to look. A name that is
 * only longer or shorter is the same, and so is whoever has the same id in the other system.
 */
export function takenForWords(coming: Values, there: Values, mayName: boolean): string | undefined {
  const [ours, theirs] = [wordsOf(there), wordsOf(coming)]
  const isPart = (some: string[], all: string[]) => some.every((word) => all.includes(word))
  if (isPart(ours, theirs) || isPart(theirs, ours)) return undefined
  if (coming.externalId && coming.externalId === there.externalId) return undefined
  const isEmail = textOf(coming.email).toLowerCase() === textOf(there.email).toLowerCase() && textOf(there.email) !== ''
  const other = mayName ? `“${spokenName(there)}”` : 'a customer who is there'
  return `“${spokenName(coming)}” was taken for ${other}, who has the same ${isEmail ? 'email' : 'phone'}`
}

/** Of two rows of one file that were taken for one, what the second says is kept in the notes, so that nothing is lost. */
export function keepInNotes(coming: Values, there: Values): Record<string, Change> {
  const words = [spokenName(coming), ...['email', 'phone', 'address'].map((field) => textOf(coming[field]))]
  const line = `Also: ${words.filter(Boolean).join(', ').replaceAll('\n', ', ')}`
  const before = textOf(there.notes)
  const after = [before, line].filter(Boolean).join('\n')
  const isKnown = before.split('\n').includes(line)
  return isKnown || after.length > longestNotes ? {} : { notes: { before: there.notes ?? null, after } }
}

const deviceKey = ({ name, brand, make, model, type }: Values) =>
  foldKey([name, brand, make, model, type].map(textOf).join(' '))

/** By what a customer is looked for when only what a job says of them is known. */
export function customerKeys(ref: NonNullable<Draft['customer']>, source: string, namesBest: boolean): string[] {
  const key = ref.phone === undefined ? undefined : phoneKey(ref.phone)
  const name = ref.name === undefined ? [] : [`called ${foldKey(ref.name)}`]
  const contact = [...(key ? [`phone ${key}`] : []), ...(ref.email ? [`email ${ref.email.toLowerCase()}`] : [])]
  return [
    ...(ref.externalId ? [`external ${source} ${ref.externalId}`] : []),
    ...(namesBest ? [...name, ...contact] : [...contact, ...name]),
  ]
}

/** Every name that a customer goes by. */
export const calledKeys = ({ firstName, lastName, businessName }: Values): string[] => [
  ...new Set(
    [`${textOf(firstName)} ${textOf(lastName)}`, textOf(businessName)]
      .map(foldKey)
      .filter(Boolean)
      .map((name) => `called ${name}`),
  ),
]

type Match = { readonly one: Candidate } | { readonly several: readonly Candidate[]; readonly key: string } | undefined

/**
 * The first key that finds anybody decides; where it finds several, the keys after it may tell them apart. Who has another
 * id in the same system is somebody else.
 */
export function findMatch(
  keys: readonly string[],
  { externalId, externalSource }: Values,
  found: (key: string) => readonly Candidate[],
): Match {
  let several: Extract<Match, { key: string }> | undefined
  for (const key of keys) {
    const candidates = found(key).filter(
      ({ id, values }) =>
        (!externalId ||
          !values.externalId ||
          values.externalSource !== externalSource ||
          values.externalId === externalId) &&
        (!several || several.several.some((one) => one.id === id)),
    )
    if (candidates.length === 1) return { one: candidates[0]! }
    if (candidates.length > 1) several = { several: candidates, key }
  }
  return several
}

/** What a stock count or a choice is cannot be told from its being blank: only overwriting changes it. */
const neverBlank = new Set(['quantityOnHand', 'trackStock', 'isActive', 'priority', 'scheduledAllDay'])
const externalNames = new Set(['externalId', 'externalSource', 'externalNumber'])
/** Of a job its words alone: how far it is, when and for whom is decided here by now, with its gates and its visits. */
const wordsOfJobs = new Set(['serviceRequired', 'description', 'priority', 'address', ...externalNames])
/** A document that is there stays as it is: its customer may have it, and money is not changed by a file. */
const isDocument = (kind: Kind): boolean => kind === 'quotes' || kind === 'invoices'

/** The fields that would be written, each with what it was. */
export function changesOf(kind: Kind, there: Values, coming: Values, mode: UpdateMode): Record<string, Change> {
  if (isDocument(kind) || mode === 'none') return {}
  const changes: Record<string, Change> = {}
  const mayName = there.externalId === null || there.externalId === undefined
  for (const [field, after] of Object.entries(coming)) {
    if (after === undefined || after === null || after === '') continue
    if (kind === 'jobs' && !wordsOfJobs.has(field)) continue
    const before = there[field] ?? null
    const isBlank = before === null || before === '' || (field === 'price' && before === 0)
    if (isEqual(field, before, after)) continue
    const isWritten = externalNames.has(field)
      ? mayName || (field === 'externalNumber' && isBlank)
      : isBlank && !neverBlank.has(field)
        ? true
        : mode === 'overwrite'
    if (isWritten) changes[field] = { before, after }
  }
  return changes
}

export interface Change {
  readonly before: unknown
  readonly after: unknown
}

function isEqual(field: string, one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== 'string' || typeof other !== 'string') return false
  if (field === 'email') return one.toLowerCase() === other.toLowerCase()
  if (field === 'phone') return phoneKey(one) !== undefined && phoneKey(one) === phoneKey(other)
  return one.trim() === other.trim()
}

/** Existing records under `none` are skipped; what a file says twice is the same the second time. */
export function verdictOn(kind: Kind, match: Candidate | undefined, changes: Values, mode: UpdateMode): Verdict {
  if (!match) return 'created'
  if (mode === 'none' && !match.isNew) return 'skipped'
  if (keptWords(kind, match, mode) !== undefined && isDocument(kind)) return 'skipped'
  return Object.keys(changes).length > 0 ? 'filled' : 'same'
}

/** Whoever asks to write over what is there is told what of it stays. */
export function keptWords(kind: Kind, match: Candidate | undefined, mode: UpdateMode): string | undefined {
  if (!match || match.isNew || mode !== 'overwrite') return undefined
  if (isDocument(kind)) return `${kind} that are here are not written over by a file: change them on their page`
  return kind === 'jobs'
    ? 'of jobs that are here the words are written over; status, times and customer stay'
    : undefined
}
