// What a quote or an invoice says of money: its lines, what they are taxed at, what it comes to and what was paid.
import { readAmount } from './amounts.ts'
import { hasWords } from './currencies.ts'
import { takenOff } from './discounts.ts'
import { type LineRow, readLineRow, spreadDiscounts, statedOnce } from './document-rows.ts'
import { readPaidWord } from './document-status.ts'
import type { DraftLine, DraftMoney, StatedDiscount } from './draft.ts'
import { type RecordReader, truncate } from './reader.ts'
import { takeOnce } from './repeated-rows.ts'

export function readMoney(
  reader: RecordReader,
  title: string,
  complain: (name: string, what: string) => void,
): DraftMoney {
  const isPaid = readPaidWord(reader.text('amountPaid'))
  const amountPaid = isPaid === undefined ? reader.amount('amountPaid') : undefined
  const balance = reader.amount('balance')
  const all = reader.rows.map(({ row }) => readLineRow(reader, row))
  const rows = takeOnce(reader, all, Math.max(balance ?? 0, amountPaid ?? 0))
  const [subtotal, total] = [statedOnce(rows, 'subtotal', complain), statedOnce(rows, 'total', complain)]
  const totals = new Set(rows.flatMap((row) => row.total ?? []))
  if (total === undefined && totals.size === 1)
    reader.repair(
      'total',
      String([...totals][0]),
      'all its rows say this, and their lines come to it: it was taken for what each line comes to',
    )
  const { discount, hasOwnLineDiscounts, ofLines } = spreadDiscounts(rows)
  const { taxes, taxTotal } = readTaxes(rows, total, discount)
  const own = rows.flatMap((row, index) => toLine(row, taxes[index], ofLines[index]) ?? [])
  const text = reader.text('linesText')
  const found = own.length > 0 ? own : text === undefined ? [] : (readLinesText(text) ?? [])
  const whole = subtotal ?? (total === undefined ? undefined : round(total - (taxTotal ?? 0)))
  // Where nothing is said of lines, what it comes to is one line.
  const isWhole = found.length === 0 && whole !== undefined && whole > 0
  const lines = isWhole ? [oneLine(title, text ?? null, whole)] : found
  if (lines.length === 0 && total === undefined)
    reader.problem(null, 'there is no line and no total', 'write what it comes to into a column Total')
  const refund = 'credit notes cannot be brought: record a refund on the invoice'
  if (isCreditNote(reader)) reader.problem('documentType', 'it is a credit note', refund)
  else if (total !== undefined && total < 0) reader.problem('total', 'the total is below zero', refund)
  const deductions = lines.filter(({ unitPrice, quantity }) => unitPrice * quantity < 0)
  return {
    lines: lines.filter(({ unitPrice, quantity }) => unitPrice >= 0 && quantity > 0),
    deduction: round(deductions.reduce((sum, { unitPrice, quantity }) => sum - unitPrice * quantity, 0)),
    deductions,
    discount,
    hasOwnLineDiscounts,
    isWhole,
    subtotal,
    taxTotal,
    taxRate: reader.percent('taxRate') ?? rows.find(({ rate }) => rate !== undefined)?.rate,
    total,
    balance,
    amountPaid,
    isPaid,
    paidAt: reader.date('paidAt')?.instant,
    paymentMethod: reader.text('paymentMethod')?.slice(0, 50),
    currency: reader.text('currency'),
    wordedAmounts: reader.amountCells().filter(({ value }) => hasWords(value)),
  }
}

/** Some write what they owe without a sign below zero: taken for an invoice, the customer would owe it. */
const isCreditNote = (reader: RecordReader): boolean =>
  /accreccredit|credit ?(note|memo)|gutschrift|stornorechnung|\bavoir\b/i.test(reader.text('documentType') ?? '')

/** Some state what is of the whole in the first row alone: where its total is there, its tax is, too. */
function isSaidOnce([first, ...others]: readonly LineRow[]): boolean {
  const isFirst = first?.tax !== undefined && first.total !== undefined && first.rate === undefined
  return isFirst && others.length > 0 && others.every(({ tax, total, rate }) => (tax ?? total ?? rate) === undefined)
}

/** A column of taxes may be of each line, or say in each row what all of it comes to: what adds up decides. */
function readTaxes(rows: readonly LineRow[], total: number | undefined, discount: StatedDiscount | undefined) {
  const ofLines = rows.map(({ tax }) => tax)
  const ofWhole = rows.flatMap(({ taxTotal }) => taxTotal ?? [])
  if (new Set(ofWhole).size > 1) return { taxes: rows.map(({ taxTotal }) => taxTotal), taxTotal: sumOf(ofWhole) }
  const said = ofLines.flatMap((tax) => tax ?? [])
  const net = rows.reduce((sum, { lineTotal, unitPrice = 0, quantity }) => sum + (lineTotal ?? unitPrice * quantity), 0)
  const isAddedOn = (tax: number) =>
    total !== undefined &&
    [net, ...(discount ? [net - takenOff(discount, net)] : [])].some((taxed) => Math.abs(taxed + tax - total) < 0.0051)
  const isRepeated = said.length > 1 && new Set(said).size === 1
  if ((isRepeated || isSaidOnce(rows)) && isAddedOn(said[0]!)) return { taxes: [], taxTotal: ofWhole[0] ?? said[0] }
  return { taxes: ofLines, taxTotal: ofWhole[0] ?? (said.length > 0 ? sumOf(said) : undefined) }
}

function toLine(row: LineRow, tax: number | undefined, discount: StatedDiscount | undefined): DraftLine | undefined {
  const { name, description, lineTotal } = row
  // Less than nothing of what costs less than nothing is something.
  const isTwiceBelow = row.quantity < 0 && (row.unitPrice ?? 0) < 0
  const [quantity, given] = isTwiceBelow ? [-row.quantity, -row.unitPrice!] : [row.quantity, row.unitPrice]
  if (given === undefined && lineTotal === undefined) return undefined
  const words = name ?? description?.split('\n')[0] ?? 'Item'
  const line = {
    name: truncate(words, 200),
    description: description === undefined || description === words ? null : truncate(description, 2_000),
    quantity: round(quantity),
    unitPrice: round(given ?? lineTotal! / (quantity || 1)),
    taxRate: row.rate,
    tax,
    discount,
  }
  if (lineTotal === undefined || Math.abs(line.quantity * line.unitPrice - lineTotal) < 0.005) return line
  // Price and quantity do not come to what the line says: what it says was charged counts.
  return { ...line, quantity: 1, unitPrice: lineTotal, description: `${quantity} × ${given ?? ''}`.trim() }
}

/** What is longer is not read: each bracket in it would be tried as the end of every line. */
const longestLinesText = 10_000

/** `Lawn Treatment (1, $64), Weeding (2, $10.50)`; undefined where it does not read like that. */
function readLinesText(text: string): DraftLine[] | undefined {
  if (text.length > longestLinesText) return undefined
  const pattern = /([\s\S]+?) \((\d+(?:\.\d+)?), ([^)]+)\)(?:,\s*|;\s*|\n|$)/gy
  const lines: DraftLine[] = []
  let end = 0
  for (const [whole, name, quantity, price] of text.matchAll(pattern)) {
    const unitPrice = readAmount(price!)
    if (unitPrice === undefined) return undefined
    lines.push({ name: truncate(name!.trim(), 200), description: null, quantity: Number(quantity), unitPrice })
    end += whole.length
  }
  return end === text.length ? lines : undefined
}

const oneLine = (title: string, text: string | null, unitPrice: number): DraftLine => ({
  name: truncate(title, 200),
  description: text === null ? null : truncate(text, 2_000),
  quantity: 1,
  unitPrice,
})

const sumOf = (amounts: readonly number[]) => round(amounts.reduce((sum, amount) => sum + amount, 0))
const round = (value: number) => Math.round(value * 10_000) / 10_000
