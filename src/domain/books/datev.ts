// The file that DATEV takes: a batch of bookings (EXTF), one for each tax key of an invoice, gross.
import { decimalsOf, decimalText } from '../money.ts'
import { type BookedInvoice, bookedLines } from './booked.ts'
import { taxKeyOf } from './datev-settings.ts'
import type { BookPeriod, BookSettings } from './settings.ts'

const columns = [
  ...[
    'Umsatz (ohne Soll/Haben-Kz)',
    'Soll/Haben-Kennzeichen',
    'WKZ Umsatz',
    'Kurs',
    'Basis-Umsatz',
    'WKZ Basis-Umsatz',
  ],
  ...['Konto', 'Gegenkonto (ohne BU-Schlüssel)', 'BU-Schlüssel', 'Belegdatum', 'Belegfeld 1', 'Belegfeld 2', 'Skonto'],
  'Buchungstext',
]

export function datevText(invoices: readonly BookedInvoice[], settings: BookSettings, period: BookPeriod): string {
  const { consultant, client, fiscalYearStart, debtorAccount, revenueAccount } = settings.datev!
  const digits = (day: string) => day.replaceAll('-', '')
  const header = [
    ...[
      quoted('EXTF'),
      '700',
      '21',
      quoted('Buchungsstapel'),
      '13',
      period.writtenAt,
      '',
      quoted('RE'),
      quoted(''),
      quoted(''),
    ],
    ...[consultant, client, digits(fiscalYearOf(period.from, fiscalYearStart)), String(revenueAccount!.length)],
    ...[digits(period.from), digits(period.to), quoted('Rechnungen'), quoted(''), '1', '0', '0'],
    ...[quoted(period.currency), '', quoted(''), '', '', quoted(''), '', '', quoted(''), quoted('')],
  ]
  const rows = invoices.flatMap((invoice) => {
    const { currency, number, issuedOn, customerName, title } = invoice
    const byKey = Map.groupBy(bookedLines(invoice), ({ tax }) => taxKeyOf(settings, tax))
    return [...byKey].flatMap(([key, lines]) => {
      const gross = lines.reduce((sum, { net, due }) => sum + net + due, 0n)
      if (gross === 0n) return []
      return [
        [
          ...[decimalText(gross < 0n ? -gross : gross, decimalsOf(currency)).replace('.', ',')],
          ...[quoted(gross < 0n ? 'H' : 'S'), quoted(currency), '', '', quoted(''), debtorAccount, revenueAccount],
          ...[quoted(key), `${issuedOn.slice(8)}${issuedOn.slice(5, 7)}`],
          ...[quoted(number.replace(/[^A-Za-z0-9$&%*+/-]/g, '-').slice(0, 36)), quoted(''), ''],
          quoted([customerName, title].filter(Boolean).join(', ').replace(/\s+/g, ' ').slice(0, 60)),
        ],
      ]
    })
  })
  return [header, columns, ...rows].map((row) => `${row.join(';')}\r\n`).join('')
}

/** The fiscal year that a day is in, by its first day. `start` is 01-01, or a day of any year. */
export function fiscalYearOf(day: string, start: string | null | undefined): string {
  const monthAndDay = (start ?? '01-01').slice(-5)
  const year = Number(day.slice(0, 4))
  return `${day.slice(5) >= monthAndDay ? year : year - 1}-${monthAndDay}`
}

/** Text that a spreadsheet would take for a formula is led by an apostrophe. */
const quoted = (text: string): string => `"${(/^[=+\-@]/.test(text) ? `'${text}` : text).replaceAll('"', '""')}"`
