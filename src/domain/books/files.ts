// Files that a bookkeeper's program takes, by format: their rows, and what must be set up before.
import { type CsvCell, csvText, figure } from '../csv.ts'
import { decimalsOf, decimalText, toScaled } from '../money.ts'
import { type BookedInvoice, type BookedLine, type BookedPayment, bookedLines, pricePlaces } from './booked.ts'
import { datevText } from './datev.ts'
import { missingDatev } from './datev-settings.ts'
import { type DateFormat, formatDay } from './day-formats.ts'
import { accountOf, type BookPeriod, type BookSettings, missingAccounts, taxNameOf } from './settings.ts'

interface FileFormat<One> {
  /** Paths of settings that are not there, or do not fit. */
  missing(settings: BookSettings, records: readonly One[]): readonly string[]
  text(records: readonly One[], settings: BookSettings, period: BookPeriod): string
  /** Where that is not UTF-8. */
  readonly encoding?: 'windows-1252'
}

const nothing = () => []
const amount = (minor: bigint, currency: string): CsvCell => figure(decimalText(minor, decimalsOf(currency)))
const money = (value: number, currency: string): CsvCell =>
  amount(toScaled(value, decimalsOf(currency)) ?? 0n, currency)
const priceText = (scaled: bigint): CsvCell => figure(decimalText(scaled, pricePlaces).replace(/\.?0+$/, ''))

const receivablesAccount = 'Accounts receivable'
export const taxAccount = 'Sales tax'

const xeroHeader =
  '*ContactName,EmailAddress,POAddressLine1,POAddressLine2,POAddressLine3,POAddressLine4,POCity,PORegion,POPostalCode,POCountry,*InvoiceNumber,Reference,*InvoiceDate,*DueDate,InventoryItemCode,*Description,*Quantity,*UnitAmount,Discount,*AccountCode,*TaxType,TrackingName1,TrackingOption1,TrackingName2,TrackingOption2,Currency,BrandingTheme'

const xero: FileFormat<BookedInvoice> = {
  missing: missingAccounts,
  text(invoices, settings) {
    const day = (date: string) => formatDay(date, settings.dateFormat ?? 'DD/MM/YYYY')
    const rows = invoices.flatMap((invoice) =>
      bookedLines(invoice).map((line): CsvCell[] => [
        ...[invoice.customerName ?? 'Customer', invoice.customerEmail, ...Array<null>(8).fill(null)],
        ...[invoice.number, invoice.title, day(invoice.issuedOn), day(invoice.dueOn)],
        // Codes of items must exist there: the text names them.
        ...[null, line.text, line.quantity, priceText(line.unitAmount), null],
        ...[accountOf(settings, line.kind), taxNameOf(settings, line.tax, 'Tax Exempt (0%)')],
        ...[null, null, null, null, invoice.currency, null],
      ]),
    )
    return csvText([xeroHeader.split(','), ...rows])
  },
}

const quickbooksHeader =
  '*InvoiceNo,*Customer,*InvoiceDate,*DueDate,Terms,Location,Memo,Item(Product/Service),ItemDescription,ItemQuantity,ItemRate,*ItemAmount,Service Date'
const quickbooksTaxHeader = '*Item Tax Code,Item Tax Amount,Currency'

const quickbooksDate = (currency: string): DateFormat => (currency === 'USD' ? 'MM/DD/YYYY' : 'DD/MM/YYYY')

const quickbooks: FileFormat<BookedInvoice> = {
  missing: nothing,
  text(invoices, settings, { currency }) {
    // Books in the United States have no column for tax: it is a line of its own there.
    const hasTax = currency !== 'USD'
    const day = (date: string) => formatDay(date, settings.dateFormat ?? quickbooksDate(currency))
    const rows = invoices.flatMap((invoice) => {
      const row = (item: string, text: string, quantity: number, price: CsvCell, net: bigint): CsvCell[] => [
        ...[invoice.number, invoice.customerName ?? 'Customer', day(invoice.issuedOn), day(invoice.dueOn), null, null],
        ...[invoice.title, item, text, quantity, price, amount(net, invoice.currency), day(invoice.issuedOn)],
      ]
      const lines = bookedLines(invoice)
      const rowsOfLines = lines.map((line) => [
        ...row(itemNames[line.kind], line.text, line.quantity, priceText(line.unitAmount), line.net),
        ...(hasTax
          ? [taxNameOf(settings, line.tax, 'No tax'), amount(line.due, invoice.currency), invoice.currency]
          : []),
      ])
      if (hasTax) return rowsOfLines
      const rowsOfTaxes = [...duesByTax(lines, settings)]
        .filter(([, due]) => due !== 0n)
        .map(([name, due]) => row(taxAccount, name, 1, amount(due, invoice.currency), due))
      return [...rowsOfLines, ...rowsOfTaxes]
    })
    return csvText([[...quickbooksHeader.split(','), ...(hasTax ? quickbooksTaxHeader.split(',') : [])], ...rows])
  },
}
const itemNames = { service: 'Services', inventory: 'Parts', custom: 'Sales' } as const

/** What is due of each tax, by the name that the books know it by. */
function duesByTax(lines: readonly BookedLine[], settings: BookSettings): ReadonlyMap<string, bigint> {
  const dues = new Map<string, bigint>()
  for (const { tax, due } of lines) {
    const name = taxNameOf(settings, tax)
    dues.set(name, (dues.get(name) ?? 0n) + due)
  }
  return dues
}

const journal: FileFormat<BookedInvoice> = {
  missing: missingAccounts,
  text(invoices, settings) {
    const rows = invoices.flatMap((invoice) => {
      const { currency, number, customerName, title } = invoice
      const lines = bookedLines(invoice)
      const entry = (account: string, minor: bigint, taxCode: string, text: string): CsvCell[] | null => {
        if (minor === 0n) return null
        const [debit, credit] = minor > 0n ? [amount(minor, currency), null] : [null, amount(-minor, currency)]
        return [invoice.issuedOn, number, account, debit, credit, taxCode, customerName, text]
      }
      const total = lines.reduce((sum, { net, due }) => sum + net + due, 0n)
      return [
        entry(receivablesAccount, total, '', title ?? number),
        ...lines.map(({ kind, net, tax, text }) =>
          entry(accountOf(settings, kind), -net, taxNameOf(settings, tax), text),
        ),
        ...[...duesByTax(lines, settings)].map(([name, due]) => entry(taxAccount, -due, name, name)),
      ].flatMap((row) => (row ? [row] : []))
    })
    return csvText([
      ['Date', 'Reference', 'Account', 'Debit', 'Credit', 'Tax code', 'Customer', 'Description'],
      ...rows,
    ])
  },
}

const invoiceList: FileFormat<BookedInvoice> = {
  missing: nothing,
  text: (invoices, settings) =>
    csvText([
      ...[
        [
          'Invoice',
          'Issued',
          'Due',
          'Customer',
          'Email',
          'Title',
          'Currency',
          'Subtotal',
          'Discount',
          'Net',
          'Tax',
          'Total',
          'Paid',
          'Balance',
          'Id',
        ],
      ],
      ...invoices.map((invoice): CsvCell[] => {
        const { currency } = invoice
        const day = (date: string) => formatDay(date, settings.dateFormat ?? 'YYYY-MM-DD')
        return [
          ...[invoice.number, day(invoice.issuedOn), day(invoice.dueOn), invoice.customerName, invoice.customerEmail],
          ...[invoice.title, currency, money(invoice.subtotal, currency), money(invoice.discountTotal, currency)],
          ...[money(invoice.netTotal, currency), money(invoice.taxTotal, currency), money(invoice.total, currency)],
          ...[money(invoice.amountPaid, currency), money(invoice.balance, currency), invoice.id],
        ]
      }),
    ]),
}

const datev: FileFormat<BookedInvoice> = { missing: missingDatev, text: datevText, encoding: 'windows-1252' }

/** As lines of a bank's statement, which is how both programs take payments. */
const statement = (dateFormatFor: (currency: string) => DateFormat): FileFormat<BookedPayment> => ({
  missing: nothing,
  text: (payments, settings, { currency }) =>
    csvText([
      ['Date', 'Amount', 'Payee', 'Description', 'Reference'],
      ...payments.map((payment): CsvCell[] => [
        formatDay(payment.paidOn, settings.dateFormat ?? dateFormatFor(currency)),
        money(payment.amount, payment.currency),
        payment.customerName,
        `${payment.amount < 0 ? 'Refund' : 'Payment'} ${payment.invoiceNumber}, ${payment.paymentMethod}`,
        payment.invoiceNumber,
      ]),
    ]),
})

export const invoiceFiles = { csv: invoiceList, xero, quickbooks, datev, journal } as const
export const paymentFiles = {
  csv: statement(() => 'YYYY-MM-DD'),
  xero: statement(() => 'DD/MM/YYYY'),
  quickbooks: statement(quickbooksDate),
} as const
export const invoiceFileFormats = ['csv', 'xero', 'quickbooks', 'datev', 'journal'] as const
export const paymentFileFormats = ['csv', 'xero', 'quickbooks'] as const
