// The rates at which the lines of a brought document may have been taxed, the likeliest first.
import type { DraftLine, DraftMoney } from './draft.ts'
import type { Rates } from './reckoner.ts'

type TaxOn = (net: number, rate: number) => number

/**
 * As stated, where a line without a rate has the first one; as stated, where it has none; and what the tax of each line
 * without a rate comes to. Each has a rate for every line, 0 for none, and taxes at least one of them.
 */
export function candidateRates({ lines, taxRate }: Pick<DraftMoney, 'lines' | 'taxRate'>, taxOn: TaxOn): Rates[] {
  const inherited = taxRate ?? lines.find((line) => line.taxRate !== undefined)?.taxRate
  const all = [
    lines.map((line) => line.taxRate ?? inherited ?? 0),
    lines.map((line) => line.taxRate ?? 0),
    ...(lines.some(({ tax }) => tax) ? [derivedRates(lines, taxOn)] : []),
  ]
  return all.filter(isPossible)
}

/** What the taxes of lines, or of all of them, come to, whatever is stated of rates. */
export function ratesOfTax(
  { lines, tax, net }: { lines: readonly DraftLine[]; tax: number | undefined; net: number },
  taxOn: TaxOn,
): Rates[] {
  if (!tax) return []
  const unstated = lines.map((line) => ({ ...line, taxRate: undefined }))
  const ofLines = lines.some((line) => line.tax) ? [derivedRates(unstated, taxOn)] : []
  return [...ofLines, ...ratesNear(tax, net).map((rate) => lines.map(() => rate))].filter(isPossible)
}

const isPossible = (rates: Rates) => rates.every((rate) => rate >= 0 && rate <= 100) && rates.some((rate) => rate > 0)

/** The largest lines show the rate best; a smaller one has the same if that gives its tax, too. */
function derivedRates(lines: readonly DraftLine[], taxOn: TaxOn): number[] {
  const rates: number[] = lines.map(() => 0)
  const netOf = ({ quantity, unitPrice }: DraftLine) => quantity * unitPrice
  const order = [...lines.keys()].sort((one, other) => netOf(lines[other]!) - netOf(lines[one]!))
  const seen: number[] = []
  for (const index of order) {
    const line = lines[index]!
    // A rate that is stated is not made another one by a penny.
    if (!line.tax || line.taxRate !== undefined) {
      rates[index] = line.tax === 0 ? 0 : (line.taxRate ?? 0)
      continue
    }
    const likely = [...seen, ...ratesNear(line.tax, netOf(line))]
    const rate = likely.find((one) => taxOn(netOf(line), one) === line.tax) ?? likely.at(-1) ?? 0
    rates[index] = rate
    if (!seen.includes(rate)) seen.push(rate)
  }
  return rates
}

/** A rate that was rounded to so many places: the fewest come first. */
const ratesNear = (tax: number, net: number): number[] =>
  net <= 0 ? [] : [0, 1, 2, 3, 4].map((places) => Math.round((tax / net) * 100 * 10 ** places) / 10 ** places)
