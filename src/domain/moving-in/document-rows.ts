// The rows of one quote or invoice: what each says of its line, and whether they can be about one document at all.
import { foldKey } from './contacts.ts'
import { isTakenOff, readDiscount, takenOff } from './discounts.ts'
import type { StatedDiscount } from './draft.ts'
import type { RecordReader } from './reader.ts'

export interface LineRow {
  readonly row: number
  readonly name: string | undefined
  readonly description: string | undefined
  readonly quantity: number
  readonly unitPrice: number | undefined
  readonly lineTotal: number | undefined
  /** Percent. */
  readonly rate: number | undefined
  readonly tax: number | undefined
  readonly taxTotal: number | undefined
  readonly lineDiscount: StatedDiscount | undefined
  readonly discount: StatedDiscount | undefined
  readonly subtotal: number | undefined
  readonly total: number | undefined
}

export const readLineRow = (reader: RecordReader, row: number): LineRow => {
  const [tax, taxTotal] = [readTax(reader, row, 'lineTax'), readTax(reader, row, 'taxTotal')]
  const rate = readRate(reader, row) ?? tax.rate ?? taxTotal.rate
  const quantity = reader.amountIn(row, 'lineQuantity') ?? 1
  const [unitPrice, lineTotal] = [reader.amountIn(row, 'lineUnitPrice'), reader.amountIn(row, 'lineTotal')]
  return {
    row,
    name: reader.textIn(row, 'lineName'),
    description: reader.textIn(row, 'lineDescription'),
    quantity,
    unitPrice,
    lineTotal,
    ...readDiscounts(reader, row, quantity, unitPrice, lineTotal),
    rate,
    tax: tax.amount,
    taxTotal: taxTotal.amount,
    subtotal: reader.amountIn(row, 'subtotal'),
    total: reader.amountIn(row, 'total'),
  }
}

/** What a line says it comes to counts: a discount that is in it is not taken off again. */
function readDiscounts(
  reader: RecordReader,
  row: number,
  quantity: number,
  unitPrice: number | undefined,
  lineTotal: number | undefined,
): Pick<LineRow, 'lineDiscount' | 'discount'> {
  const isIn = (discount: StatedDiscount | undefined) =>
    discount !== undefined &&
    unitPrice !== undefined &&
    lineTotal !== undefined &&
    isTakenOff(discount, unitPrice * quantity, lineTotal)
  const [ofLine, discount] = [readDiscount(reader, row, 'lineDiscount'), readDiscount(reader, row, 'discount')]
  if (ofLine) return { lineDiscount: isIn(ofLine) ? undefined : ofLine, discount }
  return { lineDiscount: undefined, discount: isIn(discount) ? undefined : discount }
}

/** What is not taxable has no tax, whatever rate stands beside it. */
function readRate(reader: RecordReader, row: number): number | undefined {
  if (reader.flagIn(row, 'taxable') === false) return 0
  const isExempt = /exempt|zero.rated|^no (vat|tax|gst)|^non\b|tax.free|steuerfrei/i.test(
    reader.textIn(row, 'taxRate') ?? '',
  )
  // Some tax a line at several rates at once: together they are one.
  const rates = ['taxRate', 'taxRate#2', 'taxRate#3'].flatMap((name) => reader.percentIn(row, name) ?? [])
  if (rates.length === 0) return isExempt ? 0 : undefined
  return Math.round(rates.reduce((sum, rate) => sum + rate, 0) * 10_000) / 10_000
}

/** A column of taxes holds amounts; a cell with a percent sign in it is a rate all the same. */
const readTax = (reader: RecordReader, row: number, name: string) =>
  reader.textIn(row, name)?.includes('%')
    ? { rate: reader.percentIn(row, name), amount: undefined }
    : { rate: undefined, amount: reader.amountIn(row, name) }

/**
 * What all rows say alike. Where they differ it is wrong, since nobody knows which one counts, unless each row says what
 * its own line comes to: then nothing is stated of the whole.
 */
export function statedOnce(
  rows: readonly LineRow[],
  name: 'subtotal' | 'total',
  complain: (name: string, what: string) => void,
): number | undefined {
  if (rows.length > 1 && rows.every((row) => isOfLine(row, row[name]))) return undefined
  const said = rows.flatMap((row) => row[name] ?? [])
  if (new Set(said).size > 1) complain(name, `${name}s`)
  return said[0]
}

function isOfLine(row: LineRow, said: number | undefined): boolean {
  const { tax, rate } = row
  const gross = netOf(row)
  if (gross === undefined || said === undefined) return false
  const discount = row.lineDiscount ?? row.discount
  return [gross, ...(discount ? [gross - takenOff(discount, gross)] : [])]
    .flatMap((net) => [net, net + (tax ?? (net * (rate ?? 0)) / 100)])
    .some((amount) => Math.abs(amount - said) < 0.0051)
}

/**
 * A discount that all rows with one say alike is of the whole, or else of each line; those that differ are of lines.
 * Where lines have a column of their own for it, the other is of the whole.
 */
export function spreadDiscounts(rows: readonly LineRow[]) {
  const hasOwnLineDiscounts = rows.some(({ lineDiscount }) => lineDiscount)
  const said = rows.flatMap(({ discount }) => discount ?? [])
  const isAlike = new Set(said.map((one) => JSON.stringify(one))).size === 1
  return {
    discount: isAlike ? said[0] : undefined,
    hasOwnLineDiscounts,
    ofLines: rows.map(({ lineDiscount, discount }) => (hasOwnLineDiscounts ? lineDiscount : discount)),
  }
}

/** What a line comes to before its tax; undefined where the row says nothing of it. */
export const netOf = ({ lineTotal, unitPrice, quantity }: LineRow): number | undefined =>
  lineTotal ?? (unitPrice === undefined ? undefined : unitPrice * quantity)

/** Whether lines come to a total, with the tax in any of the ways in which files state it, and what rounding each line makes of it. */
export function comesTo(rows: readonly LineRow[], total: number): boolean {
  const sumOf = (amountOf: (row: LineRow) => number) => rows.reduce((sum, row) => sum + amountOf(row), 0)
  const inherited = rows.find(({ rate }) => rate !== undefined)?.rate ?? 0
  const taxes = [
    0,
    sumOf(({ tax = 0 }) => tax),
    sumOf((row) => ((netOf(row) ?? 0) * (row.rate ?? 0)) / 100),
    sumOf((row) => ((netOf(row) ?? 0) * (row.rate ?? inherited)) / 100),
    ...rows.flatMap(({ tax }) => tax ?? []).slice(0, 1),
    ...rows.flatMap(({ taxTotal }) => taxTotal ?? []).slice(0, 1),
  ]
  const net = sumOf((row) => netOf(row) ?? 0)
  return taxes.some((tax) => Math.abs(net + tax - total) < 0.0051 * rows.length)
}

/** Rows with one number are one document: they have one customer and one day. */
export function complainOfStrangers(
  reader: RecordReader,
  dayName: 'issuedAt' | 'createdAt',
  complain: (name: string, what: string) => void,
): void {
  const spellings = (name: string, fold: (text: string) => string) =>
    new Set(reader.rows.flatMap(({ row }) => reader.textIn(row, name) ?? []).map(fold)).size
  const lower = (text: string) => text.toLowerCase()
  const ids = spellings('customerExternalId', lower)
  const names = new Set(
    reader.rows.flatMap(({ row }) => {
      const parts = [reader.textIn(row, 'customerFirstName'), reader.textIn(row, 'customerLastName')]
      return foldKey(reader.textIn(row, 'customerName') ?? parts.filter(Boolean).join(' ')) || []
    }),
  )
  // Whoever has one id is one customer, however the name is spelt.
  const hasIds = ids === 1 && reader.rows.every(({ row }) => reader.textIn(row, 'customerExternalId') !== undefined)
  const others = [['customerName', names.size] as const, ['customerEmail', spellings('customerEmail', lower)] as const]
  const [differing] = [['customerExternalId', ids] as const, ...(hasIds ? [] : others)].filter(([, count]) => count > 1)
  if (differing) complain(differing[0], 'customers')
  if (reader.days(dayName).length > 1) complain(dayName, 'days')
}
