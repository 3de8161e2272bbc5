// Bank accounts as the world writes them: an IBAN with its check digits, and a BIC.

/** As it is sent: without the spaces that people group it with. */
export const compactIban = (iban: string): string => iban.replaceAll(' ', '')

/** Two letters of a country, two check digits, and the account; all of it divided by 97 leaves 1. */
export function isIban(value: string): boolean {
  const iban = compactIban(value)
  if (!/^[A-Z]{2}\d{2}[A-Z0-9]{11,30}$/.test(iban)) return false
  const digits = `${iban.slice(4)}${iban.slice(0, 4)}`.replace(/[A-Z]/g, (letter) => String(letter.charCodeAt(0) - 55))
  return BigInt(digits) % 97n === 1n
}

export const isBic = (value: string): boolean => /^[A-Z]{6}[A-Z0-9]{2}([A-Z0-9]{3})?$/.test(value)
