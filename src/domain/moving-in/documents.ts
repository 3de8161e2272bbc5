// Quotes and invoices out of rows: one for each line, or one for all of it.
import { readAmount } from './amounts.ts'
import { fitNotes, readCustomerRef, readExternalId } from './customers.ts'
import type { Draft, DraftLine, DraftMoney } from './draft.ts'
import type { Profile } from './profile.ts'
import { cut, type RecordReader, truncate } from './reader.ts'

export function readDocument(kind: 'quotes' | 'invoices', reader: RecordReader, profile: Profile | undefined): Draft {
  const number = reader.text('number')
  if (number === undefined && kind === 'invoices')
    reader.problem(null, 'there is no invoice number', 'write the number into each row of the invoice')
  const rest: string[] = []
  const title = cut(reader, 'title', reader.text('title'), 200, rest)
  const notes = [...reader.notes(), ...rest]
  const dueAt = reader.date('dueAt')?.instant
  const said = reader.date('issuedAt')?.instant
  if (dueAt !== undefined && said === undefined && kind === 'invoices')
    reader.repair('dueAt', dueAt, 'it does not say when it was issued: the day it is due was taken')
  const issuedAt = said ?? dueAt
  const isEarly = issuedAt !== undefined && dueAt !== undefined && dueAt < issuedAt
  if (isEarly) reader.repair('dueAt', dueAt, 'it is due before it was issued: the day of issue was taken')
  const customer = readCustomerRef(reader)
  const createdAt = reader.date('createdAt')?.instant ?? issuedAt
  return {
    kind,
    values: {
      title,
      notes: notes.length > 0 ? fitNotes(reader, notes) : undefined,
      terms: kind === 'quotes' ? reader.text('terms')?.slice(0, 5_000) : undefined,
      ...(kind === 'invoices'
        ? { issuedAt, dueAt: isEarly ? issuedAt : dueAt }
        : { validUntil: reader.date('validUntil')?.instant }),
      externalId: (readExternalId(reader, profile) ?? number)?.slice(0, 120),
      externalNumber: number?.slice(0, 120),
    },
    customer,
    status: reader.text('status'),
    createdAt,
    money: readMoney(reader, title ?? number ?? 'Work'),
    problems: reader.problems,
    repairs: reader.repairs,
  }
}

function readMoney(reader: RecordReader, title: string): DraftMoney {
  const rows = reader.rows.flatMap(({ row }) => readLine(reader, row) ?? [])
  const taxes = reader.rows.flatMap(({ row }) => reader.amountIn(row, 'lineTax') ?? [])
  const [subtotal, stated, total] = [reader.amount('subtotal'), reader.amount('taxTotal'), reader.amount('total')]
  const taxTotal = stated ?? (taxes.length > 0 ? round(taxes.reduce((sum, tax) => sum + tax, 0)) : undefined)
  const text = reader.text('linesText')
  const found = rows.length > 0 ? rows : text === undefined ? [] : (readLinesText(text) ?? [])
  const whole = subtotal ?? (total === undefined ? undefined : round(total - (taxTotal ?? 0)))
  // Where nothing is said of lines, what it comes to is one line.
  const lines =
    found.length > 0 ? found : whole === undefined || whole <= 0 ? [] : [oneLine(title, text ?? null, whole)]
  if (lines.length === 0 && total === undefined)
    reader.problem(null, 'there is no line and no total', 'write what it comes to into a column Total')
  if (total !== undefined && total < 0)
    reader.problem('total', 'the total is below zero', 'credit notes cannot be brought: record a refund on the invoice')
  const paidAt = reader.date('paidAt')?.instant
  return {
    lines: lines.filter(({ unitPrice, quantity }) => unitPrice >= 0 && quantity > 0),
    deduction: round(
      lines.reduce((sum, { unitPrice, quantity }) => (unitPrice * quantity < 0 ? sum - unitPrice * quantity : sum), 0),
    ),
    subtotal,
    taxTotal,
    taxRate: reader.percent('taxRate'),
    total,
    balance: reader.amount('balance'),
    amountPaid: reader.amount('amountPaid'),
    paidAt,
    paymentMethod: reader.text('paymentMethod')?.slice(0, 50),
    currency: reader.text('currency'),
  }
}

function readLine(reader: RecordReader, row: number): DraftLine | undefined {
  const name = reader.textIn(row, 'lineName')
  const description = reader.textIn(row, 'lineDescription')
  const quantity = reader.amountIn(row, 'lineQuantity') ?? 1
  const lineTotal = reader.amountIn(row, 'lineTotal')
  const given = reader.amountIn(row, 'lineUnitPrice')
  if (given === undefined && lineTotal === undefined) return undefined
  const words = name ?? description?.split('\n')[0] ?? 'Item'
  const line = {
    name: truncate(words, 200),
    description: description === undefined || description === words ? null : truncate(description, 2_000),
    quantity: round(quantity),
    unitPrice: round(given ?? lineTotal! / (quantity || 1)),
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

const round = (value: number) => Math.round(value * 10_000) / 10_000
