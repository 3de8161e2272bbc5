// Which files are lists of invoices, and which only look like it.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { readDraft } from './read-draft.ts'
import { FileRefused, recognise } from './recognise.ts'

const kindOf = (header: string, map?: Record<string, string | null>) => recognise([header.split(/[,;]/)], { map }).kind

describe('a list of payments', () => {
  for (const header of [
    'Payment ID,Invoice Number,Customer,Applied At,Payment Method,Amount,Ref Num',
    'Payment Date;Invoice Number;Customer;Payment Method;Amount',
    'Rechnungsnummer;Kunde;Datum;Betrag;Zahlungsart',
    'client.name,payment.number,payment.date,payment.amount,payment.applied,payment.type,invoice.number',
    'Invoice number,Customer,Payment date,Amount paid',
    'Invoice number,Invoice date,Customer,Payment date,Amount',
    'Payment number,Invoice number,Customer,Date,Total',
    'Payment ID,Customer,Email,Date,Amount',
  ])
    test(`is no list of invoices: ${header}`, () => {
      assert.throws(
        () => kindOf(header),
        (error) => error instanceof FileRefused && /a list of payments.*Amount paid/.test(error.message),
      )
    })

  test('is what somebody says it is', () => {
    const header = 'Payment Date;Invoice Number;Customer;Payment Method;Amount'
    assert.equal(recognise([header.split(';')], { kind: 'invoices' }).kind, 'invoices')
    assert.equal(kindOf(header, { Amount: 'total' }), 'invoices')
    assert.throws(() => kindOf(header, { Customer: 'customerName' }), /a list of payments/)
  })

  for (const header of [
    'Invoice number,Customer,Date,Total,Payment date,Payment method',
    'Invoice number,Customer,Date,Amount,Balance,Payment date',
    'Invoice number,Customer,Date,Due date,Amount,Payment method',
    'Invoice number,Customer,Item,Quantity,Amount,Payment date',
    'Invoice number,Customer,Invoice date,Amount,Payment method',
    'Payment ID,Invoice number,Customer,Due date,Total',
    'Invoice number,Customer,Date,Amount',
    'client.name,invoice.number,invoice.amount,payment.date',
  ])
    test(`is not what tells of payments beside its invoices: ${header}`, () => {
      assert.equal(kindOf(header), 'invoices')
    })
})

describe('a list whose numbers are just called that', () => {
  for (const [header, kind] of [
    ['Number,Customer,Email,Date,Due Date,Subtotal,Tax,Total,Balance Due,Paid', 'invoices'],
    ['Number,Customer,Email,Date,Total,Paid', 'invoices'],
    ['Nummer,Kunde,E-Mail,Fällig am,Offen', 'invoices'],
    ['Number,Customer,Email,Phone,Balance', 'customers'],
    ['Number,Customer,Email,Phone,Balance,Created date', 'customers'],
    ['Number,Customer,Email,Estimate date,Due date,Total', 'quotes'],
    ['Quote,Number,Customer,Email,Date,Due date,Total', 'quotes'],
    ['Number,Customer,Email,Date,Due date,Job status,Total', 'jobs'],
  ] as const)
    test(`is ${kind}: ${header}`, () => assert.equal(kindOf(header), kind))
})

test('a column that is called Due holds days, or what is owed', () => {
  const dueOf = (header: string, row: string) => {
    const found = recognise([header.split(',')])
    const file = { ...found, dateOrders: { 3: 'mdy' as const }, decimalCommas: [], timeZone: 'UTC' }
    const { values, money, problems } = readDraft(found.source, file, [{ row: 2, cells: row.split(',') }])
    return [values.dueAt, money!.balance, ...problems.map(({ reason }) => reason)]
  }
  const header = 'Invoice No,Customer,Date,Due,Total'
  assert.deepEqual(dueOf(header, '1,Ann,2026-01-05,02/03/2026,10'), ['2026-02-03T00:00:00.000Z', undefined])
  assert.deepEqual(dueOf(header, '1,Ann,2026-01-05,£7.50,10'), [undefined, 7.5])
  assert.deepEqual(dueOf(header, '1,Ann,2026-01-05,,10'), [undefined, undefined])
  assert.deepEqual(dueOf(header, '1,Ann,2026-01-05,31/31/2026,10'), [
    ...[undefined, undefined, '"31/31/2026" cannot be read as a day'],
  ])
  assert.deepEqual(dueOf(`${header},Due date`, '1,Ann,2026-01-05,7.50,10,2026-02-03'), [
    '2026-02-03T00:00:00.000Z',
    7.5,
  ])
})
