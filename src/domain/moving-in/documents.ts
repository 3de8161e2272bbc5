// Quotes and invoices out of rows: one for each line, or one for all of it.
import { fitNotes, readCustomerRef, readExternalId } from './customers.ts'
import { readMoney } from './document-money.ts'
import { complainOfStrangers } from './document-rows.ts'
import type { Draft } from './draft.ts'
import type { Profile } from './profile.ts'
import { cut, type RecordReader } from './reader.ts'

export function readDocument(kind: 'quotes' | 'invoices', reader: RecordReader, profile: Profile | undefined): Draft {
  const number = reader.text('number')
  if (number === undefined && kind === 'invoices')
    reader.problem(
      null,
      'there is no invoice number',
      reader.has('number')
        ? 'write the number into each row of the invoice'
        : 'no column is known as the invoice number: say which with a map',
    )
  const complain = (name: string, what: string) =>
    reader.problem(
      name,
      `rows with the number ${number?.slice(0, 120)} have different ${what}`,
      `give each ${kind === 'quotes' ? 'quote' : 'invoice'} a number of its own`,
    )
  complainOfStrangers(reader, kind === 'quotes' ? 'createdAt' : 'issuedAt', complain)
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
  // Of a list that holds what the shop has to pay, too, only what it is paid for is brought.
  const isBill = /accpay|\bbill\b|\bpurchase/i.test(reader.text('documentType') ?? '')
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
    money: readMoney(reader, title ?? number ?? 'Work', complain),
    skipped: isBill ? 'it is a bill' : undefined,
    problems: reader.problems,
    repairs: reader.repairs,
  }
}
