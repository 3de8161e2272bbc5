// Why a field keeps an e-invoice from being written, in words that follow its name: «organisation.phone has fewer than three
// digits». Callers, the desk and notes about mail say the same.
import { isPeppolScheme } from '../code-lists.ts'
import { type PostalAddress, postalAddress } from './address.ts'
import { fitsScheme } from './identifiers.ts'
import type { SourceAddress } from './source.ts'

export interface Problem {
  /** By the path under which callers find it: `organisation.countryCode`. */
  readonly field: string
  readonly reason: string
}

/** A field, and what is wrong with it, if anything is. */
export type Check = readonly [field: string, reason: string | false]

export const missing = 'is missing'

export const lacks = (value: unknown): string | false => !value && missing

/** Where Peppol would find nobody. */
export function peppolAddressReason(address: SourceAddress | null): string | false {
  if (address === null) return missing
  if (!isPeppolScheme(address.scheme)) return `has the scheme ${address.scheme}, to which Peppol does not deliver`
  return !fitsScheme(address) && `is no number of the scheme ${address.scheme}: its form or a check digit is wrong`
}

const partNames = { street: 'street', more: 'second line', postCode: 'post code', city: 'city' }

/** Addresses are free text: their parts are read off the lines. */
export function addressReason(address: string | null, ...parts: readonly (keyof PostalAddress)[]): string | false {
  if (!address?.trim()) return missing
  const found = postalAddress(address)
  const absent = parts.filter((part) => found[part] === null)
  return absent.length > 0 && `shows no ${absent.map((part) => partNames[part]).join(' and no ')} on its lines`
}
