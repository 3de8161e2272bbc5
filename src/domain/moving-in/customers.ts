// A customer out of a row, or of several that are about one.

import { expandExponent } from './cells.ts'
import {
  foldKey,
  isEmail,
  longestPhone,
  looksLikeFirm,
  phoneKey,
  splitName,
  splitPhones,
  splitValues,
} from './contacts.ts'
import type { CustomerRef, Draft } from './draft.ts'
import type { Profile } from './profile.ts'
import { cut, type RecordReader, truncate } from './reader.ts'

const longest = {
  firstName: 100,
  lastName: 100,
  businessName: 150,
  address: 500,
  phone: longestPhone,
  notes: 5_000,
  external: 120,
}

/** The id without what follows it: of `{client}_{property}` the client. */
export const readExternalId = (reader: RecordReader, profile: Profile | undefined): string | undefined => {
  const id = reader.text('externalId')
  return id === undefined
    ? undefined
    : truncate(profile?.idEndsAt ? id.split(profile.idEndsAt)[0]! : id, longest.external)
}

/** Those rows that say of themselves that they do not count. */
export function skippedBecause(reader: RecordReader): string | undefined {
  if (reader.flag('skip')) return `${reader.columnOf('skip')} is set`
  return reader.flag('active') === false ? `${reader.columnOf('active')} is not set` : undefined
}

export function readCustomer(reader: RecordReader, profile: Profile | undefined): Draft {
  const emails = readEmails(reader)
  const phones = readPhones(reader)
  const addresses = uniqueBy(reader.addresses(), foldKey)
  const notes = reader.notes()
  const names = readNames(reader, emails.good[0], notes)
  const rest: string[] = []
  const values = {
    firstName: cut(reader, 'firstName', names?.firstName, longest.firstName, rest),
    lastName: cut(reader, 'lastName', names?.lastName, longest.lastName, rest),
    businessName: cut(reader, 'businessName', names?.businessName, longest.businessName, rest),
    email: emails.good[0],
    phone: phones[0],
    address: cut(reader, 'address', addresses[0], longest.address, rest),
    externalId: readExternalId(reader, profile),
    externalNumber: cut(reader, 'externalNumber', reader.text('externalNumber'), longest.external, rest),
  }
  const lines = [
    ...notes,
    ...rest,
    ...labelled('Other email', emails.good.slice(1)),
    ...labelled('Email', emails.bad),
    ...labelled('Other phone', phones.slice(1)),
    ...addresses.slice(1).map((address) => `Other address: ${address.replaceAll('\n', ', ')}`),
  ]
  const skipped = skippedBecause(reader) ?? (reader.flag('instant') && !names ? 'it has no name' : undefined)
  if (!names && !skipped)
    reader.problem(null, 'there is no name, no business and no email', 'write a name into the row, or take it out')
  return {
    kind: 'customers',
    values: { ...values, ...(lines.length > 0 && { notes: fitNotes(reader, lines) }) },
    skipped,
    problems: reader.problems,
    repairs: reader.repairs,
  }
}

interface Names {
  readonly firstName: string
  readonly lastName: string | undefined
  readonly businessName: string | undefined
}

/** Whoever has no first name gets one from what else is known, since everybody has one here. */
function readNames(reader: RecordReader, email: string | undefined, notes: string[]): Names | undefined {
  let businessName = reader.text('businessName')
  let firstName = reader.text('firstName')
  let lastName = reader.text('lastName')
  const fullName = reader.text('fullName')
  // In some systems that field holds gate codes and whatever else had no place.
  if (businessName && reader.flag('isCompany') === false && !looksLikeFirm(businessName)) {
    notes.push(`${reader.columnOf('businessName')}: ${businessName}`)
    businessName = undefined
  }
  if (!firstName && !lastName && fullName && fullName !== businessName) {
    if (reader.flag('isCompany') || looksLikeFirm(fullName)) businessName ??= fullName
    else {
      const split = splitName(fullName)
      firstName = split.firstName
      lastName = split.lastName ?? undefined
      if (lastName) reader.repair('fullName', fullName, 'the name was split into first and last name')
    }
  }
  if (firstName) return { firstName, lastName, businessName }
  const guesses = [
    [lastName, 'the last name'],
    [businessName ?? fullName, 'the business'],
    [email?.split('@')[0], 'the email address'],
  ] as const
  const [guess, words] = guesses.find(([value]) => value) ?? []
  if (!guess) return undefined
  reader.repair(null, guess, `there is no first name: ${words} stands in its place`)
  return { firstName: truncate(guess, longest.firstName), lastName: undefined, businessName }
}

function readEmails(reader: RecordReader): { good: string[]; bad: string[] } {
  const all = uniqueBy(reader.texts('email').flatMap(splitValues), (email) => email.toLowerCase())
  const good = all.filter((email) => isEmail(email) && email.length <= 254)
  const isGood = new Set(good)
  const bad = all.filter((email) => !isGood.has(email))
  for (const email of bad) reader.repair('email', email, 'it is no email address: it stands in the notes')
  return { good, bad }
}

function readPhones(reader: RecordReader): string[] {
  const phones = reader
    .texts('phone')
    .flatMap(splitPhones)
    .flatMap((phone) => {
      const whole = expandExponent(phone)
      if (whole === undefined) reader.repair('phone', phone, 'a spreadsheet has lost digits of it: left out')
      else if (whole !== phone) reader.repair('phone', phone, 'the number was written out')
      return whole === undefined ? [] : [truncate(whole, longest.phone)]
    })
  return uniqueBy(phones, (phone) => phoneKey(phone) ?? phone)
}

/** Of a customer who is looked for; more than is kept of anybody's. */
const longestName = 500

/** By what a job, a device or a document says of its customer. */
export function readCustomerRef(reader: RecordReader): CustomerRef {
  const parts = [reader.text('customerFirstName'), reader.text('customerLastName')].filter(Boolean).join(' ')
  return {
    externalId: reader.text('customerExternalId')?.slice(0, longestName),
    name: (reader.text('customerName') ?? (parts || undefined))?.slice(0, longestName),
    email: reader.texts('customerEmail').flatMap(splitValues).find(isEmail),
    phone: reader.texts('customerPhone').flatMap(splitPhones)[0]?.slice(0, longestPhone),
    address: reader.addresses()[0],
  }
}

export function fitNotes(reader: RecordReader, lines: readonly string[], length: number = longest.notes): string {
  const text = lines.join('\n')
  if (text.length > length) reader.repair('notes', `${text.slice(0, 60)}…`, `cut after ${length} characters`)
  return truncate(text, length).trimEnd()
}

const labelled = (label: string, values: readonly string[]): string[] =>
  values.length > 0 ? [`${label}: ${values.join(', ')}`] : []

function uniqueBy(values: readonly string[], keyOf: (value: string) => string): string[] {
  const seen = new Map<string, string>()
  for (const value of values) if (!seen.has(keyOf(value))) seen.set(keyOf(value), value)
  return [...seen.values()]
}
