// What a brought quote or invoice comes to: the total that the other system stated, to the cent, whatever its lines say.
import type { Totals } from '../totals.ts'
import type { DraftLine, DraftMoney } from './draft.ts'
import { candidateRates, ratesOfTax } from './line-rates.ts'
import { grossReading, impliedReadings, type Reading, statedReadings } from './readings.ts'
import { createReckoner, extraLine, type Rates, type Reckoner } from './reckoner.ts'

export interface Settled {
  readonly lines: readonly DraftLine[]
  /** Percent that each line is taxed at, on top of its price; null where it is not. */
  readonly taxRates: readonly (number | null)[]
  readonly discount: number | undefined
  readonly total: number
  /** What had to be decided so that it comes to what was stated. */
  readonly notes: readonly string[]
}

/** A reading beside what it has to come to; undefined where nothing is said of that. */
interface Case extends Reading {
  /** Before the tax. */
  readonly net: number
  readonly tax: number | undefined
  readonly wanted: number | undefined
  readonly candidates: readonly Rates[]
}
type Attempt = (one: Case) => Settled | undefined

/** No document of ours has more: it is refused whatever it comes to, and nobody waits for what nobody gets. */
const maxSettledLines = 200
/** More are no rounding, and each of them is reckoned with all lines. */
const maxPennies = 20
/** Of what was taxed: a tax that differs by less was reckoned with the stated rate, however it was rounded. */
const sameTax = 0.001

export function settle(money: DraftMoney, currency: string): Settled {
  if (money.lines.length > maxSettledLines)
    return { lines: money.lines, taxRates: [], discount: undefined, total: money.total ?? 0, notes: [] }
  const reckoner = createReckoner(currency)
  const { unit, round, sumOf, reach } = reckoner
  const taxOn = (net: number, rate: number) => round((net * rate) / 100)
  const statedRates = [money.taxRate, ...money.lines.map(({ taxRate }) => taxRate)].flatMap((rate) => rate || [])
  const toCase = (reading: Reading): Case => ({
    ...reading,
    net: round(sumOf(reading.lines, [], 0).total - reading.discount),
    ...stated(money, reading, statedRates.length > 0, reckoner),
    candidates: candidateRates({ ...money, lines: reading.lines }, taxOn),
  })
  const readings = statedReadings(money, reckoner)
  const cases = readings.map(toCase)
  const plain = cases.at(-1)!
  const guessed = [
    ...plain.candidates.flatMap((rates) => grossReading(money, plain.lines, rates, reckoner) ?? []),
    ...(plain.net === plain.wanted ? [] : impliedReadings(money, plain.lines, reckoner)),
  ].map(toCase)

  const settled = (
    { notes }: Case,
    rates: Rates,
    more: readonly string[],
    { lines, discount }: { lines: readonly DraftLine[]; discount: number },
  ): Settled => ({
    lines,
    taxRates: lines.map((_, index) => rates[index] || null),
    discount: discount > 0 ? round(discount) : undefined,
    total: sumOf(lines, rates, discount).total,
    notes: [...notes, ...more],
  })

  const attempts: readonly (readonly [readonly Case[], Attempt])[] = [
    [cases, settleExactly],
    [cases, settlePennies],
    [guessed, settleExactly],
    [guessed, settlePennies],
    [cases, settleByTax],
    [guessed, (one) => (money.subtotal === one.net ? settleByTax(one) : undefined)],
    [cases, keepRates],
    [cases, settleAgainstRates],
    [cases, keepTax],
  ]
  for (const [some, attempt] of attempts)
    for (const one of some) {
      const done = attempt(one)
      if (done) return done
    }
  return settleUntaxed()

  function settleExactly(one: Case): Settled | undefined {
    const isUntaxed = one.candidates.length === 0 && !guessed.includes(one)
    const rates = (isUntaxed ? [[]] : one.candidates).find((some) => fits(one, sumOf(one.lines, some, one.discount)))
    return rates && settled(one, rates, oddNotes(rates), one)
  }

  /** The rates are right, and only pennies are rounded elsewhere: a line or a discount makes up for them. */
  function settlePennies(one: Case): Settled | undefined {
    const most = (Math.min(one.lines.length, maxPennies) + 0.5) / unit
    return keep(one, one.candidates, (sums, target) => {
      const isNear = one.tax === undefined || Math.abs(one.tax - sums.taxTotal) <= most
      return isNear && Math.abs(target - sums.total) <= most
    })
  }

  /** Where no rate is stated, the one that the tax comes to. */
  function settleByTax(one: Case): Settled | undefined {
    return statedRates.length > 0 ? undefined : followTax(one, oddNotes)
  }

  /** What the file says of amounts agrees, and only its rate does not: the amounts count. */
  function settleAgainstRates(one: Case): Settled | undefined {
    return statedRates.length === 0 ? undefined : followTax(one, contradiction)
  }

  function followTax(one: Case, notesOf: (rates: Rates) => string[]): Settled | undefined {
    const rates = ratesOfTax(one, taxOn).find((some) => fits(one, sumOf(one.lines, some, one.discount)))
    return rates && settled(one, rates, notesOf(rates), one)
  }

  /** The stated rates come to the stated tax, or nothing is said of it: only the total is another one. */
  function keepRates(one: Case): Settled | undefined {
    return keep(one, one.candidates, (sums, target) => {
      const isSame = one.tax === undefined || Math.abs(one.tax - sums.taxTotal) <= sums.netTotal * sameTax
      return isSame && isNearer(one, sums, target)
    })
  }

  /** The tax alone is right: it stays a tax, and the total is made up for. */
  function keepTax(one: Case): Settled | undefined {
    const isRight = (sums: Totals, target: number) => sums.taxTotal === one.tax && isNearer(one, sums, target)
    return keep(one, ratesOfTax(one, taxOn), isRight, statedRates.length > 0 ? contradiction : oddNotes)
  }

  function keep(
    one: Case,
    all: readonly Rates[],
    isRight: (sums: Totals, target: number) => boolean,
    notesOf: (rates: Rates) => string[] = oddNotes,
  ): Settled | undefined {
    const { tax, wanted, net } = one
    const target = wanted ?? (tax === undefined ? undefined : round(net + tax))
    if (target === undefined) return undefined
    for (const rates of all) {
      const sums = sumOf(one.lines, rates, one.discount)
      const reached = isRight(sums, target) ? reach(one.lines, rates, one.discount, target) : undefined
      if (!reached) continue
      const note =
        sums.total === target
          ? `its tax comes to ${sums.taxTotal}, the file says ${tax}: its rates were kept`
          : `the lines and their tax come to ${sums.total}, the file says ${target}: what it says was kept`
      return settled(one, rates, [note, ...notesOf(rates)], reached)
    }
    return undefined
  }

  function settleUntaxed(): Settled {
    const missing = ({ net, tax = 0, wanted }: Case) =>
      wanted === undefined ? 0 : round(wanted - net - Math.max(0, tax))
    const one = cases.reduce((best, other) => (Math.abs(missing(other)) < Math.abs(missing(best)) ? other : best))
    const notes: string[] = []
    const lines = [...one.lines]
    const { tax, wanted } = one
    if (tax !== undefined && tax > 0) {
      lines.push({ ...extraLine(tax), name: 'Tax' })
      notes.push(`the tax of ${tax} does not follow from a rate: it stands on a line of its own`)
    }
    if (!tax && one.candidates.length > 0)
      notes.push('what the file says of rates of tax does not come to its total: it was left out')
    const before = round(sumOf(lines, [], 0).total - one.discount)
    const difference = missing(one)
    if (difference !== 0) notes.push(`the lines come to ${before}, the file says ${wanted}: what it says was kept`)
    if (difference > 0) lines.push(extraLine(difference))
    const discount = round(one.discount + Math.max(0, -difference))
    return {
      ...settled(one, [], notes, { lines, discount }),
      total: round(sumOf(lines, [], 0).total - discount),
    }
  }

  /** Several rates that nobody stated come to an odd one. */
  function oddNotes(rates: Rates): string[] {
    const odd = usedRates(rates).filter((rate) => Math.round(rate * 10) / 10 !== rate && !statedRates.includes(rate))
    if (odd.length === 0) return []
    return [`its tax was taken as ${odd.length === 1 ? 'one rate' : 'rates'} of ${odd.join(' and ')} %`]
  }

  function contradiction(rates: Rates): string[] {
    const [said, used] = [usedRates(statedRates), usedRates(rates)].map((some) => some.join(' and '))
    return [`the file says a rate of ${said} %, but its tax comes to ${used} %: its tax was kept`]
  }
}

const usedRates = (rates: Rates) => [...new Set(rates.filter((rate) => rate > 0))]

const fits = ({ tax, wanted }: Case, { total, taxTotal }: Totals) =>
  (tax === undefined || taxTotal === tax) && (wanted === undefined || total === wanted)

/** A total that lies nearer to the lines without their tax may be one without tax, or of prices with tax. */
const isNearer = ({ net }: Case, sums: Totals, target: number) => Math.abs(target - sums.total) < Math.abs(target - net)

/** The tax and the total that it has to come to. */
function stated(money: DraftMoney, reading: Reading, hasRates: boolean, { round, sumOf }: Reckoner) {
  const { deductions = [], subtotal, taxTotal, total } = money
  const tax = taxTotal === undefined ? undefined : round(taxTotal)
  if (total !== undefined) return { tax, wanted: round(total) }
  const before = round(sumOf(reading.lines, [], 0).total - money.deduction)
  if (subtotal !== undefined) {
    const isBefore = round(subtotal) === before
    // Rates and what it was before the tax say what it comes to.
    if (isBefore && tax === undefined && hasRates) return { tax, wanted: undefined }
    return { tax, wanted: round(subtotal + (tax ?? 0) - (isBefore ? reading.statedDiscount : 0)) }
  }
  // A deduction with a rate of its own takes off the tax at that rate, and a discount may not.
  const rated = [...reading.lines, ...deductions].filter(({ taxRate }) => taxRate)
  const isOpen = tax !== undefined || deductions.length === 0 || rated.length === 0 || reading.statedDiscount > 0
  if (isOpen) return { tax, wanted: undefined }
  const byRate = Map.groupBy([...reading.lines, ...deductions], (line) => line.taxRate ?? money.taxRate ?? 0)
  const due = [...byRate].map(([rate, some]) =>
    round((some.reduce((sum, { quantity, unitPrice }) => sum + quantity * unitPrice, 0) * rate) / 100),
  )
  const expected = round(due.reduce((sum, one) => sum + one, 0))
  return { tax: expected, wanted: round(before + expected) }
}
