// Money, quantities, percents and dates as the organisation's locale writes them, in its own time zone.
import { decimalsOf } from '../domain/money.ts'
import type { PrintDocument } from './print-document.ts'

export interface Format {
  readonly locale: string
  readonly direction: 'ltr' | 'rtl'
  readonly paperSize: 'A4' | 'LETTER'
  money(amount: number): string
  /** A unit price may be finer than the currency's smallest coin. */
  price(amount: number): string
  quantity(quantity: number): string
  percent(rate: number): string
  date(iso: string): string
  /** For mail and file properties: the day as 2026-11-15. */
  isoDay(iso: string): string
}

/** Making a formatter costs far more than using one; organisations are few, so theirs are kept. */
const formatCache = new Map<string, Format>()
const maxCached = 500

export function formatOf({ organisation, currency }: Pick<PrintDocument, 'organisation' | 'currency'>): Format {
  const key = `${organisation.locale} ${organisation.timeZone} ${currency}`
  const cached = formatCache.get(key)
  if (cached) return cached
  if (formatCache.size >= maxCached) formatCache.clear()
  const format = createFormat(usableLocale(organisation.locale), usableTimeZone(organisation.timeZone), currency)
  formatCache.set(key, format)
  return format
}

function createFormat(locale: string, timeZone: string, currency: string): Format {
  const decimals = decimalsOf(currency)
  const money = new Intl.NumberFormat(locale, { style: 'currency', currency })
  const price = new Intl.NumberFormat(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: decimals,
    maximumFractionDigits: Math.max(4, decimals),
  })
  const quantity = new Intl.NumberFormat(locale, { maximumFractionDigits: 4 })
  const percent = new Intl.NumberFormat(locale, { style: 'percent', maximumFractionDigits: 4 })
  const date = new Intl.DateTimeFormat(locale, { dateStyle: 'long', timeZone })
  const day = new Intl.DateTimeFormat('en-CA', { dateStyle: 'short', timeZone })
  return {
    locale,
    direction: directionOf(locale),
    paperSize: paperSizeOf(locale),
    // Zero has no sign on a document.
    money: (amount) => money.format(amount === 0 ? 0 : amount),
    price: (amount) => price.format(amount),
    quantity: (amount) => quantity.format(amount),
    percent: (rate) => percent.format(rate / 100),
    date: (iso) => date.format(new Date(iso)),
    isoDay: (iso) => day.format(new Date(iso)),
  }
}

/** A document must come out even where a locale or zone was stored that this runtime does not know. */
function usableLocale(locale: string): string {
  try {
    return Intl.getCanonicalLocales(locale)[0] ?? 'en-GB'
  } catch {
    return 'en-GB'
  }
}

function usableTimeZone(timeZone: string): string {
  try {
    return new Intl.DateTimeFormat('en-GB', { timeZone }).resolvedOptions().timeZone
  } catch {
    return 'UTC'
  }
}

const rightToLeftScripts = /^(Arab|Hebr|Syrc|Thaa|Nkoo|Adlm|Rohg|Mand|Samr)$/

function directionOf(locale: string): 'ltr' | 'rtl' {
  return rightToLeftScripts.test(new Intl.Locale(locale).maximize().script ?? '') ? 'rtl' : 'ltr'
}

/** Only where the locale names the country: `en` alone is no reason to believe in Letter. */
function paperSizeOf(locale: string): 'A4' | 'LETTER' {
  return /^(US|CA|MX)$/.test(new Intl.Locale(locale).region ?? '') ? 'LETTER' : 'A4'
}
