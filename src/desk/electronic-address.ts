// Where e-invoices are received, as people type it into one field: the scheme, a colon and the number.
import type { ElectronicAddress } from '../resources/trading-fields.ts'

export const addressText = ({ scheme, value }: ElectronicAddress): string => `${scheme}:${value}`

/** What is wrong with it, the service says; without a colon the scheme is missing. */
export function typedAddress(typed: string): ElectronicAddress | null {
  if (typed === '') return null
  const colon = Math.max(typed.indexOf(':'), 0)
  return { scheme: typed.slice(0, colon).trim(), value: typed.slice(colon).replace(':', '').trim() }
}

export const addressLength = 105
