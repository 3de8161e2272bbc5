// How the desk writes times, days and money: in the shop's time zone and currency. Formatters are made once: they are dear.
import { addDays, daysBetween } from '../domain/days.ts'
import { decimalsOf } from '../domain/money.ts'

const formatters = new Map<string, Intl.DateTimeFormat>()

const parts = {
  clock: { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' },
  date: { year: 'numeric', month: '2-digit', day: '2-digit' },
  longDay: { weekday: 'long', day: 'numeric', month: 'long' },
  weekday: { weekday: 'short' },
  shortDay: { day: 'numeric', month: 'short' },
  dayOfYear: { day: 'numeric', month: 'short', year: 'numeric' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>

function formatter(timeZone: string, name: keyof typeof parts): Intl.DateTimeFormat {
  const key = `${name} ${timeZone}`
  let found = formatters.get(key)
  if (!found) {
    found = new Intl.DateTimeFormat('en-GB', { timeZone, ...parts[name] })
    formatters.set(key, found)
  }
  return found
}

export interface Clock {
  /** 09:30 */
  time(moment: Date): string
  /** 2026-11-16, as fields of type date want it. */
  date(moment: Date): string
  /** Monday 16 November */
  longDay(moment: Date): string
  /** 16 Nov, with the year where it is another one. */
  shortDay(moment: Date): string
  /** Today 09:30, Tomorrow 11:00, Wed 08:30 within a week, 26 Nov beyond. */
  nearby(moment: Date): string
  /** 4 minutes ago, yesterday, 3 days ago, 16 Nov. */
  ago(moment: Date): string
  /** 09:00–11:30 */
  span(from: Date, to: Date): string
  readonly now: Date
  readonly today: string
}

export { addDays, daysBetween }

export function createClock(timeZone: string, now: Date): Clock {
  const write = (name: keyof typeof parts, moment: Date) => formatter(timeZone, name).format(moment)
  const date = (moment: Date) => write('date', moment).split('/').reverse().join('-')
  const time = (moment: Date) => write('clock', moment)
  const today = date(now)
  const shortDay = (moment: Date) =>
    write(date(moment).slice(0, 4) === today.slice(0, 4) ? 'shortDay' : 'dayOfYear', moment)
  return {
    now,
    today,
    date,
    time,
    shortDay,
    longDay: (moment) => write('longDay', moment).replace(',', ''),
    nearby(moment) {
      const days = daysBetween(today, date(moment))
      if (days === 0) return `Today ${time(moment)}`
      if (days === 1) return `Tomorrow ${time(moment)}`
      if (days === -1) return `Yesterday ${time(moment)}`
      return days > 0 && days < 7 ? `${write('weekday', moment)} ${time(moment)}` : shortDay(moment)
    },
    ago(moment) {
      const minutes = Math.round((now.getTime() - moment.getTime()) / 60_000)
      const days = daysBetween(date(moment), today)
      if (minutes < 1) return 'just now'
      if (minutes < 60) return `${minutes} min ago`
      if (days === 0) return `today ${time(moment)}`
      if (days === 1) return 'yesterday'
      return days < 14 ? `${days} days ago` : shortDay(moment)
    },
    span: (from, to) => `${time(from)}–${time(to)}`,
  }
}

const moneyFormatters = new Map<string, Intl.NumberFormat>()

/** £1,569.20; without the cents where only the size matters. */
export function money(amount: number | string, currency: string, { rounded = false } = {}): string {
  const key = `${currency} ${rounded}`
  let found = moneyFormatters.get(key)
  if (!found) {
    const digits = rounded ? 0 : decimalsOf(currency)
    found = new Intl.NumberFormat('en-GB', {
      style: 'currency',
      currency,
      minimumFractionDigits: digits,
      maximumFractionDigits: digits,
    })
    moneyFormatters.set(key, found)
  }
  return found.format(amount as never)
}

const quantities = new Intl.NumberFormat('en-GB', { maximumFractionDigits: 4 })

/** 1,250.5 */
export const quantityText = (quantity: number): string => quantities.format(quantity)

const months = new Intl.DateTimeFormat('en-GB', { month: 'short', year: 'numeric', timeZone: 'UTC' })

/** Nov 2026, of any of its days. */
export const monthText = (day: string): string => months.format(new Date(day))

/** 1 job, 2 jobs. */
export const count = (number: number, noun: string, plural = `${noun}s`): string =>
  `${number} ${number === 1 ? noun : plural}`
