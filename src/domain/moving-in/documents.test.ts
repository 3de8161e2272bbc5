// Quotes and invoices out of files: what they come to, what they are taxed at, and which rows are none.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { foreignCurrency } from './currencies.ts'
import type { Kind } from './kinds.ts'
import { readDraft } from './read-draft.ts'
import { recognise } from './recognise.ts'
import { settle } from './settle.ts'

/** Rows of one document, as text with commas. */
const read = (header: string, rows: readonly string[], kind?: Kind) => {
  const cells = [header, ...rows].map((row) => row.split(','))
  const found = recognise(cells, { kind })
  const file = { ...found, dateOrders: {}, decimalCommas: [], timeZone: 'UTC' }
  const draft = readDraft(
    found.source,
    file,
    cells.slice(1).map((row, index) => ({ row: index + 2, cells: row })),
  )
  return { ...draft, found }
}
const settled = (header: string, rows: readonly string[], kind: Kind = 'invoices') => {
  const { problems, money } = read(header, rows, kind)
  assert.deepEqual(problems, [])
  const { total, taxRates, discount, notes, lines } = settle(money!, 'GBP')
  return { total, taxRates, discount, notes, names: lines.map(({ name }) => name) }
}

describe('rows with one number', () => {
  const header = 'Invoice number,Customer ID,Customer,Email,Date,Item,Quantity,Unit price,Total'
  for (const [what, second] of [
    ['customers', 'Q-1,,Bo,,2026-01-05,Pipe,1,20,30'],
    ['customers', 'Q-1,,Ann,bo@x.example,2026-01-05,Pipe,1,20,30'],
    ['customers', 'Q-1,c2,Ann,,2026-01-05,Pipe,1,20,30'],
    ['days', 'Q-1,,Ann,,2026-01-06,Pipe,1,20,30'],
    ['totals', 'Q-1,,Ann,,2026-01-05,Pipe,1,20,31'],
  ] as const)
    test(`and different ${what} are wrong: ${second}`, () => {
      const { problems } = read(header, ['Q-1,c1,Ann,ann@x.example,2026-01-05,Tap,1,10,30', second])
      assert.deepEqual(
        problems.map(({ reason, fix }) => [reason, fix]),
        [[`rows with the number Q-1 have different ${what}`, 'give each invoice a number of its own']],
      )
    })

  test('may spell a customer differently, say a thing once, and one id is one customer', () => {
    const first = 'Q-1,c1,Ann Lind,ann@x.example,2026-01-05,Tap,1,10,30'
    for (const second of [
      'Q-1,,ANN  LIND,Ann@X.example,2026-01-05 10:00,Pipe,1,20,30',
      'Q-1,,,,,Pipe,1,20,',
      'Q-1,c1,Lind A.,ann@x.example,2026-01-05,Pipe,1,20,30',
    ])
      assert.deepEqual(read(header, [first, second]).problems, [], second)
  })

  test('and totals of their lines state no total of the whole', () => {
    const { total, notes } = settled(header, ['1,,Ann,,,Tap,2,10,20', '1,,Ann,,,Pipe,1,5.55,5.55'])
    assert.deepEqual([total, notes], [25.55, []])
    const alike = settled(header, ['1,,Ann,,,Tap,1,10,10', '1,,Ann,,,Pipe,1,10,10'])
    assert.equal(alike.total, 20, 'also where they are alike')
    const taxed = settled('Invoice number,Customer,Unit price,Tax rate,Total', ['1,Ann,10,20,12', '1,Ann,20,20,24'])
    assert.deepEqual([taxed.total, taxed.taxRates], [36, [20, 20]])
  })
})

describe('tax', () => {
  const header = 'Invoice number,Customer,Date,Description,Quantity,Unit price,Tax rate,Line total'

  test('is of each line', () => {
    const { total, taxRates, notes } = settled(header, [
      '7,Ann,2026-01-05,Work,1,100,20,100',
      '7,Ann,2026-01-05,Part,2,10,5,20',
      '7,Ann,2026-01-05,Book,1,8,0,8',
    ])
    assert.deepEqual([total, taxRates, notes], [149, [20, 5, null], []])
  })

  for (const [words, rows, total, rates] of [
    ['several rates', ['3101,Ann,2026-01-05,60,Y,20%', '3101,,,40,Y,5%', '3101,,,10,N,'], 124, [20, 5, null]],
    ['none at first', ['3102,Ann,2026-01-05,10,N,', '3102,,,40,Y,20%'], 58, [null, 20]],
    ['not taxable beside a rate', ['3103,Ann,2026-01-05,10,N,20%'], 10, [null]],
  ] as const)
    test(`of QuickBooks: ${words}`, () => {
      const done = settled('InvoiceNo,Customer,InvoiceDate,ItemAmount,Taxable,TaxRate', rows)
      assert.deepEqual([done.total, done.taxRates, done.notes], [total, rates, []])
    })

  test('of QuickBooks stands in a code, too', () => {
    const done = settled('InvoiceNo,Customer,InvoiceDate,ItemAmount,ItemTaxCode,ItemTaxAmount', [
      '1,Ann,2026-01-05,100,20.0% S,20',
      '1,Ann,2026-01-05,50,Exempt,0',
    ])
    assert.deepEqual([done.total, done.taxRates], [170, [20, null]])
  })

  test('of Xero follows from what each line says of it', () => {
    const done = settled('ContactName,InvoiceNumber,InvoiceDate,Total,TaxTotal,Quantity,UnitAmount,TaxAmount', [
      'Ann,1,2026-01-05,153,23,1,100,20',
      'Ann,1,2026-01-05,153,23,1,15,3',
      'Ann,1,2026-01-05,153,23,1,15,0',
    ])
    assert.deepEqual([done.total, done.taxRates, done.notes], [153, [20, 20, null], []])
  })

  test('of a line follows from what it says of it beside the rate of another', () => {
    const done = settled('Invoice number,Customer,Unit price,Tax rate,Tax,Total', [
      ...['1,Ann,100,20,20,172.5', '1,Ann,50,,2.5,172.5'],
    ])
    assert.deepEqual([done.total, done.taxRates, done.notes], [172.5, [20, 5], []])
  })

  test('of a line without a rate is at the first one, or none if that adds up', () => {
    const rows = (total: string) => [`1,Ann,100,20,${total}`, `1,Ann,50,,${total}`]
    const columns = 'Invoice number,Customer,Unit price,Tax rate,Total'
    assert.deepEqual(settled(columns, rows('')).taxRates, [20, 20])
    assert.deepEqual(settled(columns, rows('180')).taxRates, [20, 20])
    assert.deepEqual(settled(columns, rows('170')).taxRates, [20, null])
  })

  test('that every row says of the whole is counted once', () => {
    const done = settled('Invoice number,Customer,Unit price,Tax,Total', ['1,Ann,50,20,120', '1,Ann,50,20,120'])
    assert.deepEqual([done.total, done.taxRates], [120, [20, 20]])
  })

  test('keeps its rates where pennies are rounded elsewhere, and that is said', () => {
    const columns = 'Invoice number,Customer,Unit price,Tax rate,Total'
    const more = settled(columns, ['1,Ann,0.33,20,0.81', '1,Ann,0.33,20,0.81'])
    assert.deepEqual([more.total, more.taxRates, more.names.length], [0.81, [20, 20, null], 3])
    assert.match(more.notes[0]!, /^the lines and their tax come to 0.79, the file says 0.81/)
    const less = settled(columns, ['1,Ann,100,20,144.99', '1,Ann,20,5,144.99', '1,Ann,4,,144.99'])
    assert.deepEqual([less.total, less.taxRates, less.notes.length], [144.99, [20, 5, null], 1])
    assert.ok(less.discount! > 0)
    const twice = settled(columns, ['1,Ann,5.01,20,12', '1,Ann,5.01,20,12'])
    assert.deepEqual([twice.total, twice.taxRates, twice.discount], [12, [20, 20], 0.02])
    const stated = settled('Invoice number,Customer,Unit price,Tax rate,Tax total,Total', [
      '1,Ann,100,20,21.01,145.01',
      '1,Ann,20,5,21.01,145.01',
      '1,Ann,4,0,21.01,145.01',
    ])
    assert.deepEqual([stated.total, stated.taxRates], [145.01, [20, 5, null, null]])
  })

  test('of one odd rate is told, since it may be several', () => {
    const columns = 'Invoice number,Customer,Unit price,Tax total,Total'
    const odd = settled(columns, ['1,Ann,130,23,153'])
    assert.deepEqual([odd.taxRates, odd.notes], [[17.69], ['its tax was taken as one rate of 17.69 %']])
    assert.deepEqual(settled(columns, ['1,Ann,100,7.5,107.5']).notes, [])
  })

  test('is taken off a deduction, too', () => {
    const columns = 'Invoice number,Customer,Unit price,Tax rate'
    const one = settled(columns, ['1,Ann,100,20', '1,Ann,-10,20'])
    assert.deepEqual([one.total, one.taxRates, one.discount, one.notes], [108, [20], 10, []])
    const mixed = settled(columns, ['1,Ann,100,20', '1,Ann,50,5', '1,Ann,-10,20'])
    assert.equal(mixed.total, 160.5, 'of 90 at 20 % and 50 at 5 %')
    assert.equal(mixed.notes.length, 1)
  })

  test('is in a total that stands alone beside its rate', () => {
    const done = settled('Invoice number,Customer,Tax rate,Total', ['1,Ann,20,100'])
    assert.deepEqual([done.total, done.taxRates, done.notes], [100, [20], []])
  })

  test('that is in the prices already is left out, and that is said', () => {
    const done = settled('Invoice number,Customer,Unit price,Tax rate,Total', ['1,Ann,120,20,120'])
    assert.deepEqual([done.total, done.taxRates, done.notes.length], [120, [null], 1])
  })
})

describe('a column of taxes', () => {
  const targetsOf = (header: string) => recognise([header.split(',')], { kind: 'invoices' }).targets
  test('holds amounts, with a percent sign rates, and beside its amount it is the rate', () => {
    assert.deepEqual(targetsOf('Invoice number,Tax,Tax %'), ['number', 'lineTax', 'taxRate'])
    assert.deepEqual(targetsOf('Invoice number,VAT (£),VAT (%)'), ['number', 'lineTax', 'taxRate'])
    assert.deepEqual(targetsOf('Invoice number,VAT,VAT amount'), ['number', 'taxRate', 'lineTax'])
    assert.deepEqual(targetsOf('Invoice number,Tax,Tax amount'), ['number', 'taxRate', 'lineTax'])
    const { total, taxRates } = settled('Invoice number,Customer,Unit price,VAT', ['1,Ann,50,20%'])
    assert.deepEqual([total, taxRates], [60, [20]])
  })

  test('of Jobber is found where it is called otherwise', () => {
    const header = 'Invoice #,Client name,Subtotal ($),Tax ($),Total ($),Balance ($)'
    const done = settled(header, ['5,Ann,80,16,96,0'])
    assert.deepEqual(recognise([header.split(',')]).targets, [
      ...['number', 'customerName', 'subtotal', 'lineTax', 'total', 'balance'],
    ])
    assert.deepEqual([done.total, done.taxRates, done.notes], [96, [20], []])
    assert.deepEqual(recognise(['Invoice #,Pre-tax total ($),Subtotal ($),Tax (%),Balance ($)'.split(',')]).targets, [
      ...['number', 'subtotal', null, 'taxRate', 'balance'],
    ])
  })
})

test('a line of which both price and quantity are below zero is not lost', () => {
  assert.equal(settled('Invoice number,Customer,Quantity,Price', ['1,Ann,-1,-5', '1,Ann,3,5']).total, 20)
})

test('a bill is skipped, an invoice is not', () => {
  const header = 'ContactName,InvoiceNumber,InvoiceDate,Total,UnitAmount,Type'
  for (const type of ['ACCPAY', 'Bill', 'Purchase invoice'])
    assert.equal(read(header, [`Ann,1,2026-01-05,10,10,${type}`]).skipped, 'it is a bill')
  for (const type of ['ACCREC', 'Sales invoice', ''])
    assert.equal(read(header, [`Ann,1,2026-01-05,10,10,${type}`]).skipped, undefined)
})

test('a credit note is wrong, whatever sign its amounts have', () => {
  const header = 'ContactName,InvoiceNumber,InvoiceDate,Total,UnitAmount,Type'
  const fix = 'credit notes cannot be brought: record a refund on the invoice'
  for (const type of ['Sales credit note', 'Sales Credit Note', 'ACCRECCREDIT', 'Credit memo', 'Gutschrift'])
    for (const total of [10, -10]) {
      const { problems } = read(header, [`Ann,1,2026-01-05,${total},${total},${type}`])
      assert.deepEqual(
        problems.map((one) => [one.column, one.reason, one.fix]),
        [['Type', 'it is a credit note', fix]],
      )
    }
  assert.equal(read(header, ['Ann,1,2026-01-05,10,10,ACCPAYCREDIT']).skipped, 'it is a bill')
})

test('an amount says its currency by a sign or a code', () => {
  const foreign = (currency: string, ...texts: string[]) => texts.map((text) => foreignCurrency(text, currency))
  assert.deepEqual(foreign('GBP', '10.00 EUR', 'USD 10.00', '€ 10.00', '$10.00'), ['EUR', 'USD', '€', '$'])
  assert.deepEqual(foreign('GBP', '£10', 'GBP 10', '10', '10 each', '1.5E+3', '12 %'), Array(6).fill(undefined))
  assert.deepEqual(foreign('AUD', '$10', 'A$10', 'US$10', '£10'), [undefined, undefined, 'US$', '£'])
  assert.deepEqual(foreign('SEK', '10 kr', '10 kr.', '¥10'), [undefined, undefined, '¥'])
  assert.deepEqual(foreign('EGP', '£10', '1.234,56 €'), [undefined, '€'])
})

describe('columns in German and French', () => {
  test('of invoices are known', () => {
    const header =
      'Rechnungsnummer,Rechnungsdatum,Fälligkeitsdatum,Kundennummer,Kundenname,Bezeichnung,Menge,Einzelpreis,MwSt,Netto,Gesamtbetrag,Bezahlt,Offen,Bemerkung'
    const { kind, targets } = recognise([header.split(',')])
    assert.deepEqual(
      [kind, targets],
      [
        'invoices',
        [
          ...['number', 'issuedAt', 'dueAt', 'customerExternalId', 'customerName', 'lineName', 'lineQuantity'],
          ...['lineUnitPrice', 'lineTax', 'subtotal', 'total', 'amountPaid', 'balance', 'notes'],
        ],
      ],
    )
    const french = recognise(['Numéro de facture,Client,Date de facture,TVA,Total TTC'.split(',')])
    assert.deepEqual(
      [french.kind, french.targets],
      ['invoices', ['number', 'customerName', 'issuedAt', 'lineTax', 'total']],
    )
  })
  test('of customers are known', () => {
    const { kind, targets } = recognise(['Kundennummer,Kundenname,Telefonnummer,Mobil,E-Mail,Bemerkung'.split(',')])
    assert.deepEqual([kind, targets], ['customers', ['externalId', 'fullName', 'phone', 'phone', 'email', 'notes']])
  })
})

test('where no column is the number, a map is asked for', () => {
  const fixOf = (header: string, row: string) =>
    read(header, [row], 'invoices').problems.find(({ reason }) => reason === 'there is no invoice number')!.fix
  assert.match(fixOf('Customer,Total', 'Ann,10'), /say which with a map/)
  assert.match(fixOf('Invoice number,Customer,Total', ',Ann,10'), /write the number/)
})

test('a price of Square that is variable is none', () => {
  const { values, problems, repairs } = read('Token,Item Name,Variation Name,Price', ['t,Tip,Regular,variable'])
  assert.deepEqual([values.price, problems, repairs.length], [undefined, [], 1])
})
