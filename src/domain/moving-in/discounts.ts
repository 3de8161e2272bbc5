// Discounts as files state them: of a line or of the whole, as an amount or in percent.
import type { DraftLine, StatedDiscount } from './draft.ts'
import { type RecordReader, truncate } from './reader.ts'

/** A sign in the cell or the name of the column says percent. Some systems write what is taken off below zero. */
export function readDiscount(
  reader: RecordReader,
  row: number,
  name: 'discount' | 'lineDiscount',
): StatedDiscount | undefined {
  const isSigned = reader.textIn(row, name)?.includes('%') === true
  const value = Math.abs((isSigned ? reader.percentIn(row, name) : reader.likelyAmountIn(row, name)) ?? 0)
  const isPercent = isSigned || /%|percent|prozent|pourcent|rate$|satz$|^taux/i.test(reader.columnOf(name) ?? '')
  return value === 0 || (isPercent && value > 100) ? undefined : { value, isPercent }
}

export const takenOff = ({ value, isPercent }: StatedDiscount, amount: number): number =>
  isPercent ? (amount * value) / 100 : Math.min(value, amount)

/** Whether what the line says it comes to has the discount in it already; plain numbers may be percent, as Xero's are. */
export const isTakenOff = (discount: StatedDiscount, gross: number, said: number): boolean =>
  Math.abs(gross - said) >= 0.005 &&
  [discount, { ...discount, isPercent: true }].some((one) => Math.abs(gross - takenOff(one, gross) - said) < 0.0051)

/** Our lines have no discount: they come to what is left, and say of what. */
export function lessened(line: DraftLine, discount: StatedDiscount, round: (value: number) => number): DraftLine {
  const amount = line.quantity * line.unitPrice
  const words = `${line.quantity} × ${line.unitPrice} less ${discount.value}${discount.isPercent ? ' %' : ''}`
  return {
    ...line,
    quantity: 1,
    unitPrice: round(amount - takenOff(discount, amount)),
    description: truncate(line.description === null ? words : `${line.description}\n${words}`, 2_000),
  }
}
