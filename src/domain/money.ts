// Money and measures as whole numbers: what the wire writes with a decimal point is counted in its smallest part.

/** Prices, quantities and rates have four decimal places. */
export const decimalPlaces = 4

/** The number in units of ten to the minus `decimals`; undefined if it has more decimal places than that. */
export function toScaled(value: number, decimals: number): bigint | undefined {
  const shifted = value * 10 ** decimals
  if (!Number.isFinite(shifted)) return undefined
  const whole = Math.round(shifted)
  // 0.1 + 0.2 has sixteen decimal places and means 0.3: what only floating-point arithmetic added is let pass.
  if (whole === 0 && value !== 0) return undefined
  const tolerance = 1e-6 + Math.abs(shifted) * 2 * Number.EPSILON
  return Math.abs(shifted - whole) < tolerance ? BigInt(whole) : undefined
}

export const fromScaled = (amount: bigint, decimals: number): number => Number(amount) / 10 ** decimals

/** 1250 with two decimal places is 12.50. */
export function decimalText(minor: bigint, decimals: number): string {
  if (decimals === 0) return String(minor)
  const digits = String(minor < 0n ? -minor : minor).padStart(decimals + 1, '0')
  return `${minor < 0n ? '-' : ''}${digits.slice(0, -decimals)}.${digits.slice(-decimals)}`
}

/** Half away from zero, as people round money. */
export function divideRounded(dividend: bigint, divisor: bigint): bigint {
  const quotient = dividend / divisor
  const remainder = dividend % divisor
  const twice = (remainder < 0n ? -remainder : remainder) * 2n
  if (twice < divisor) return quotient
  return dividend < 0n ? quotient - 1n : quotient + 1n
}

const decimalsCache = new Map<string, number>()

/** How many decimal places a currency has: GBP 2, JPY 0, KWD 3. */
export function decimalsOf(currency: string): number {
  let decimals = decimalsCache.get(currency)
  if (decimals === undefined) {
    decimals = new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ?? 2
    decimalsCache.set(currency, decimals)
  }
  return decimals
}
