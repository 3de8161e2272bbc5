// Money and other numbers as exports write them: with currency signs, thousands, brackets for what is owed back.

export interface AmountStyle {
  /** Other values of the column have a comma before their cents, so a point separates thousands. */
  readonly hasDecimalComma?: boolean
}

const numberPattern = /[.,]?\d[\d.,\s\u00a0\u202f'’]*(?:e\+?\d{1,2})?/i
/** What may stand around a number: a currency, a unit, signs. A word is looked at as a whole, not split in every way there is. */
const surroundings = /^[\s\u00a0(+\-−]*(?:[\p{Sc}%]|(?<!\p{L})\p{L}{1,4}(?!\p{L})\.?)*[\p{Sc}%\s\u00a0)+\-−]*$/u
/** What is longer is no number. */
const longestAmount = 60

/** Undefined where it cannot be read: unknown is never 0. */
export function readAmount(text: string, { hasDecimalComma = false }: AmountStyle = {}): number | undefined {
  const found = text.length > longestAmount ? null : numberPattern.exec(text)
  if (!found) return undefined
  const before = text.slice(0, found.index)
  const after = text.slice(found.index + found[0].length)
  if (!surroundings.test(before) || !surroundings.test(after)) return undefined
  const number = toNumber(found[0].replaceAll(/[\s\u00a0\u202f'’]/g, ''), hasDecimalComma)
  if (number === undefined) return undefined
  const isNegative = /^\s*\(.*\)\s*$/.test(text) || /[-−]/.test(before) || /^\s*[-−]/.test(after)
  return isNegative && number !== 0 ? -number : number
}

function toNumber(text: string, hasDecimalComma: boolean): number | undefined {
  if (/^\d+(\.\d+)?e\+?\d{1,2}$/i.test(text)) return Number(text)
  const lastPoint = text.lastIndexOf('.')
  const lastComma = text.lastIndexOf(',')
  const plain =
    lastPoint >= 0 && lastComma >= 0
      ? lastPoint > lastComma
        ? withGroups(text, ',', '.')
        : withGroups(text, '.', ',')
      : lastComma >= 0
        ? withOneSign(text, ',', hasDecimalComma)
        : withOneSign(text, '.', !hasDecimalComma)
  return plain !== undefined && /^(\d+\.?\d*|\.\d+)$/.test(plain) ? Number(plain) : undefined
}

/** Both signs are there: the last one stands before the decimals, the other one separates groups of three. */
function withGroups(text: string, groups: string, decimals: string): string | undefined {
  const [whole = '', fraction = '', ...more] = text.split(decimals)
  if (more.length > 0 || fraction.includes(groups)) return undefined
  const [first = '', ...rest] = whole.split(groups)
  if (first.length === 0 || first.length > 3 || rest.some((group) => group.length !== 3)) return undefined
  return `${first}${rest.join('')}.${fraction}`
}

/** One sign only: several of it separate groups, and so does one before three digits, unless the column says otherwise. */
function withOneSign(text: string, sign: '.' | ',', isDecimal: boolean): string | undefined {
  const parts = text.split(sign)
  if (parts.length === 1) return text
  const hasGroups = parts.slice(1).every((group) => group.length === 3) && /^\d{1,3}$/.test(parts[0]!)
  if (parts.length > 2) return hasGroups ? parts.join('') : undefined
  return hasGroups && parts[0] !== '0' && !isDecimal ? parts.join('') : parts.join('.')
}

/** Whether a value shows that its column has a comma before the cents. */
export const showsDecimalComma = (text: string): boolean => /\d,\d{1,2}(?!\d|,)/.test(text)

const longestRate = 200

/** A rate as `8.975`, `8.975 %` or `KS-Johnson (8.975%)`. */
export function readPercent(text: string): number | undefined {
  if (text.length > longestRate) return undefined
  const inside = /(\d+(?:[.,]\d+)?)\s*%/.exec(text)?.[1] ?? /^\s*(\d+(?:[.,]\d+)?)\s*$/.exec(text)?.[1]
  return inside === undefined ? undefined : Number(inside.replace(',', '.'))
}
