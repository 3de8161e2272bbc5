// Files for the bookkeeper: their headers and cells by worked examples, and books that balance for any invoice.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { anySource, sourceInvoice, sourceLine } from '../../../test/e-invoices.ts'
import type { SourceInvoice } from '../e-invoice/source.ts'
import { decimalsOf, toScaled } from '../money.ts'
import { type BookedInvoice, bookedLines } from './booked.ts'
import { fiscalYearOf } from './datev.ts'
import { formatDay } from './day-formats.ts'
import { invoiceFiles, paymentFiles } from './files.ts'
import type { BookSettings } from './settings.ts'
import { toWindows1252 } from './windows-1252.ts'

const booked = (source: SourceInvoice, more: Partial<BookedInvoice> = {}): BookedInvoice => ({
  id: 'inv_1',
  ...source,
  customerName: source.customer.name,
  customerEmail: source.customer.email,
  subtotal: 0,
  discountTotal: 0,
  balance: source.total - source.amountPaid,
  ...more,
})
const period = { from: '2026-11-01', to: '2026-11-30', writtenAt: '20261116101500000', currency: 'EUR' }
const settings: BookSettings = {
  salesAccount: '200',
  partsAccount: '210',
  taxNames: { tax_standard: '20% (VAT on Income)' },
  datev: { consultant: '1001', client: '7', fiscalYearStart: '04-01', debtorAccount: '10000', revenueAccount: '8400' },
}
const rowsOf = (text: string) => text.trimEnd().split('\r\n')
const cellsOf = (text: string) => rowsOf(text).map((row) => row.split(','))

const part = sourceLine({
  kind: 'inventory',
  name: 'Heater',
  quantity: 3,
  unitPrice: 10,
  taxRate: { name: 'VAT', rate: 20, isInclusive: true },
})
const oven = booked(sourceInvoice({ lines: [sourceLine(), part], discount: { type: 'fixed', value: 10 } }))

describe('worked examples', () => {
  test('Xero is given net lines and the discount, with accounts and the names it knows taxes by', () => {
    const [header, ...rows] = rowsOf(invoiceFiles.xero.text([oven], settings, period))
    assert.match(
      header!,
      /^\*ContactName,EmailAddress,.*,\*InvoiceNumber,Reference,\*InvoiceDate,\*DueDate,InventoryItemCode,/,
    )
    const common = 'Okafor Bakery,amara@okafor.example,,,,,,,,,INV-0042,Deck oven,16/11/2026,30/11/2026,'
    const end = '20% (VAT on Income),,,,,EUR,'
    assert.deepEqual(rows, [
      `${common},Deck oven repair,1,100,,200,${end}`,
      `${common},3 × Heater,1,25,,210,${end}`,
      `${common},Discount,1,-1.93,,210,${end}`,
      `${common},Discount,1,-7.69,,200,${end}`,
    ])
  })

  test('QuickBooks has columns for tax where the currency is not USD', () => {
    const [header, first] = rowsOf(invoiceFiles.quickbooks.text([oven], settings, period))
    assert.ok(header!.endsWith(',*ItemAmount,Service Date,*Item Tax Code,Item Tax Amount,Currency'))
    assert.ok(
      first!.startsWith(
        'INV-0042,Okafor Bakery,16/11/2026,30/11/2026,,,Deck oven,Services,Deck oven repair,1,100,100.00,16/11/2026,',
      ),
    )
    const dollars = invoiceFiles.quickbooks.text([{ ...oven, currency: 'USD' }], settings, {
      ...period,
      currency: 'USD',
    })
    assert.ok(rowsOf(dollars)[0]!.endsWith(',*ItemAmount,Service Date'))
    assert.ok(rowsOf(dollars)[1]!.includes(',11/16/2026,'))
  })

  test('QuickBooks in the United States is given each tax as a line, so that the file comes to the total', () => {
    const county = sourceLine({
      unitPrice: 50,
      taxRateId: 'tax_county',
      taxRate: { name: 'County', rate: 8, isInclusive: false },
    })
    const free = sourceLine({ unitPrice: 10, taxRate: null, taxRateId: null })
    const invoice = booked(sourceInvoice({ lines: [sourceLine(), county, free] }), { currency: 'USD' })
    const rows = cellsOf(invoiceFiles.quickbooks.text([invoice], settings, { ...period, currency: 'USD' })).slice(1)
    assert.deepEqual(
      rows.slice(3).map((cells) => cells.slice(7, 13)),
      [
        ['Sales tax', '20% (VAT on Income)', '1', '20.00', '20.00', '11/16/2026'],
        ['Sales tax', 'County', '1', '4.00', '4.00', '11/16/2026'],
      ],
    )
    assert.equal(
      rows.reduce((sum, cells) => sum + Number(cells[11]), 0),
      184,
    )
  })

  test('DATEV is given gross amounts by tax, with days and decimals as it writes them', () => {
    const [header, columns, ...rows] = rowsOf(invoiceFiles.datev.text([oven], settings, period))
    assert.ok(
      header!.startsWith(
        '"EXTF";700;21;"Buchungsstapel";13;20261116101500000;;"RE";"";"";1001;7;20260401;4;20261101;20261130;',
      ),
    )
    assert.equal(header!.split(';').length, 31)
    assert.ok(columns!.startsWith('Umsatz (ohne Soll/Haben-Kz);Soll/Haben-Kennzeichen;WKZ Umsatz;'))
    assert.deepEqual(rows, ['138,46;"S";"EUR";;;"";10000;8400;"";1611;"INV-0042";"";;"Okafor Bakery, Deck oven"'])
    const key = { ...settings, taxNames: { tax_standard: '9' } }
    assert.ok(invoiceFiles.datev.text([oven], key, period).includes(';8400;"9";'))
  })

  test('a fiscal year begins on its day', () => {
    assert.deepEqual(
      [fiscalYearOf('2026-03-31', '04-01'), fiscalYearOf('2026-04-01', '2020-04-01'), fiscalYearOf('2026-05-05', null)],
      ['2025-04-01', '2026-04-01', '2026-01-01'],
    )
  })

  test('payments are lines of a bank statement', () => {
    const payment = {
      id: 'pay_1',
      paidOn: '2026-11-16',
      invoiceNumber: 'INV-0042',
      customerName: 'Okafor, Amara',
      currency: 'EUR',
      amount: -5,
      paymentMethod: 'card',
    }
    assert.deepEqual(rowsOf(paymentFiles.csv.text([payment], {}, period)), [
      'Date,Amount,Payee,Description,Reference',
      '2026-11-16,-5.00,"Okafor, Amara","Refund INV-0042, card",INV-0042',
    ])
    assert.match(paymentFiles.xero.text([payment], { dateFormat: 'DD.MM.YYYY' }, period), /16\.11\.2026/)
  })

  test('text that a spreadsheet would run is led by an apostrophe, and numbers are not', () => {
    const hostile = { ...oven, customerName: '=HYPERLINK("x")', title: '+1', number: '@1' }
    for (const file of [
      invoiceFiles.csv,
      invoiceFiles.xero,
      invoiceFiles.quickbooks,
      invoiceFiles.journal,
      invoiceFiles.datev,
    ]) {
      const text = file.text([hostile], settings, period)
      assert.doesNotMatch(text, /(^|[,;"])[=@]|(^|[,;"])\+1/m)
    }
    assert.match(invoiceFiles.xero.text([oven], settings, period), /,-1\.93,/)
  })

  test('what a format needs is named where it is not there', () => {
    const account = ['organisation.accounting.salesAccount']
    assert.deepEqual(invoiceFiles.xero.missing({}, []), account)
    assert.deepEqual(invoiceFiles.journal.missing({}, []), account)
    assert.deepEqual(
      invoiceFiles.datev.missing({ datev: { client: '7' } }, []),
      ['consultant', 'debtorAccount', 'revenueAccount'].map((field) => `organisation.accounting.datev.${field}`),
    )
    assert.deepEqual(invoiceFiles.csv.missing({}, []), [])
    const short = { ...settings, datev: { ...settings.datev, debtorAccount: '100' } }
    assert.deepEqual(invoiceFiles.datev.missing(short, []), ['organisation.accounting.datev.debtorAccount'])
  })

  test('DATEV is given a key for every tax but one, which the account knows', () => {
    const reduced = sourceLine({ taxRateId: 'tax_reduced', taxRate: { name: 'Reduced', rate: 7, isInclusive: false } })
    const inclusive = sourceLine({ taxRateId: 'tax_inclusive', taxRate: { name: 'In', rate: 20, isInclusive: true } })
    const free = sourceLine({ taxRate: null, taxRateId: null })
    const gift = sourceLine({ taxRate: null, taxRateId: null, unitPrice: 0 })
    const missing = (taxNames: Record<string, string>, ...lines: (typeof oven.lines)[number][]) =>
      invoiceFiles.datev
        .missing(
          { ...settings, taxNames },
          lines.map((line) => ({ ...oven, lines: [line] })),
        )
        .map((path) => path.replace('organisation.accounting.taxNames.', ''))
    // Nothing is refused where there is nothing to tell apart: one rate, whatever it is called, or none.
    assert.deepEqual(missing({}), [])
    assert.deepEqual(missing({ tax_standard: '20% (VAT on Income)' }, sourceLine()), [])
    assert.deepEqual(missing({}, free), [])
    assert.deepEqual(missing({}, sourceLine(), inclusive, gift), [])
    // Those that are told apart by nothing are all named.
    assert.deepEqual(missing({}, sourceLine(), reduced), ['tax_standard', 'tax_reduced'])
    assert.deepEqual(missing({ tax_standard: 'VAT', tax_reduced: '12345' }, sourceLine(), reduced).length, 2)
    assert.deepEqual(missing({ tax_reduced: '2' }, sourceLine(), reduced), [])
    assert.deepEqual(missing({}, sourceLine(), free), ['tax_standard', 'none'])
    assert.deepEqual(missing({ none: '1' }, sourceLine(), free), [])
  })

  test('the name of a tax is no key, though it is digits', () => {
    const line = sourceLine({ taxRate: { name: '20', rate: 20, isInclusive: false } })
    const text = invoiceFiles.datev.text([{ ...oven, lines: [line] }], { ...settings, taxNames: {} }, period)
    assert.match(rowsOf(text)[2]!, /;8400;"";/)
  })

  test('what is all tax, since its net is rounded to nothing, is booked', () => {
    const tiny = sourceLine({ unitPrice: 0.001, taxRate: { name: 'Duty', rate: 100, isInclusive: true } })
    const [none, ...others] = [{ ...tiny, unitPrice: 0 }, tiny, { ...tiny, unitPrice: 0 }]
    const invoice = booked(sourceInvoice({ currency: 'KWD', lines: [none!, ...others] }))
    assert.deepEqual([invoice.netTotal, invoice.taxTotal, invoice.total], [0, 0.001, 0.001])
    assert.equal(
      bookedLines(invoice)
        .map(({ net, due }) => `${net}+${due}`)
        .join(),
      '0+1,0+0,0+0',
    )
    const [, owed, tax] = cellsOf(invoiceFiles.journal.text([invoice], settings, period))
    assert.deepEqual(
      [owed!.slice(2, 5), tax!.slice(2, 5)],
      [
        ['Accounts receivable', '0.001', ''],
        ['Sales tax', '', '0.001'],
      ],
    )
    assert.match(rowsOf(invoiceFiles.datev.text([invoice], settings, period))[2]!, /^0,001;"S";/)
  })

  test('Windows has its own encoding', () => {
    assert.deepEqual([...toWindows1252('Aß€–店')], [0x41, 0xdf, 0x80, 0x96, 0x3f])
    assert.equal(formatDay('2026-11-16', 'MM/DD/YYYY'), '11/16/2026')
  })
})

describe('for any invoice', () => {
  const anyBooked = anySource.map((source) => booked(source))
  const minor = (text: string, currency: string) => toScaled(Number(text || 0), decimalsOf(currency))!

  test('the booked lines come to its total to the cent, and quantity times price is each of them', () => {
    fc.assert(
      fc.property(anyBooked, (invoice) => {
        const lines = bookedLines(invoice)
        const sum = (of: 'net' | 'due') => lines.reduce((all, line) => all + line[of], 0n)
        const scale = decimalsOf(invoice.currency)
        assert.deepEqual(
          [sum('net'), sum('due')],
          [toScaled(invoice.netTotal, scale), toScaled(invoice.taxTotal, scale)],
        )
        for (const { quantity, unitAmount, net } of lines)
          assert.equal(BigInt(Math.round(quantity * 10_000)) * unitAmount, net * 10n ** BigInt(8 - scale))
      }),
      { numRuns: 300 },
    )
  })

  test('each account bears the discount on what it sold, to the cent', () => {
    fc.assert(
      fc.property(anyBooked, (invoice) => {
        const [before, after] = [bookedLines({ ...invoice, discount: null }), bookedLines(invoice)]
        const netOf = (lines: typeof after, isPart: boolean) =>
          lines.filter(({ kind }) => (kind === 'inventory') === isPart).reduce((sum, { net }) => sum + net, 0n)
        const rates = new Set(after.map(({ tax }) => JSON.stringify(tax && [tax.rate, tax.isInclusive, tax.name]))).size
        const sides = [true, false].map((isPart) => [netOf(before, isPart), netOf(after, isPart)] as const)
        const whole = sides.reduce((sum, [was]) => sum + was, 0n)
        const taken = sides.reduce((sum, [was, is]) => sum + was - is, 0n)
        for (const [was, is] of sides) {
          assert.ok(is >= 0n && is <= was, `${was} became ${is}`)
          // In proportion, but for what rounding moves: of each rate a cent for the discount, and one for the tax in it.
          const difference = (was - is) * whole - taken * was
          assert.ok((difference < 0n ? -difference : difference) <= BigInt(5 * rates) * whole, `${was} became ${is}`)
        }
      }),
      { numRuns: 300 },
    )
  })

  test('the journal balances: debits are credits, and the customer owes the total', () => {
    fc.assert(
      fc.property(anyBooked, (invoice) => {
        const plain = {
          ...invoice,
          title: 'Work',
          customerName: 'Amara',
          lines: invoice.lines.map((line) => ({ ...line, name: 'Work', description: null })),
        }
        const [header, ...rows] = cellsOf(invoiceFiles.journal.text([plain], settings, period))
        assert.equal(header!.join(), 'Date,Reference,Account,Debit,Credit,Tax code,Customer,Description')
        const sum = (column: number, some = rows) =>
          some.reduce((all, row) => all + minor(row[column]!, invoice.currency), 0n)
        assert.equal(sum(3), sum(4))
        const owed = rows.filter((row) => row[2] === 'Accounts receivable')
        assert.equal(sum(3, owed) - sum(4, owed), minor(String(invoice.total), invoice.currency))
      }),
      { numRuns: 200 },
    )
  })

  test('DATEV is given the total', () => {
    fc.assert(
      fc.property(anyBooked, (invoice) => {
        const rows = rowsOf(invoiceFiles.datev.text([invoice], settings, period)).slice(2)
        const sum = rows.reduce((all, row) => {
          const [amount = '', side] = row.split(';')
          return all + (side === '"S"' ? 1n : -1n) * minor(amount.replace(',', '.'), invoice.currency)
        }, 0n)
        assert.equal(sum, minor(String(invoice.total), invoice.currency))
      }),
      { numRuns: 100 },
    )
  })
})
