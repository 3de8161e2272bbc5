// How accounting programs write a day, and the day on which a fiscal year begins.
import { isDate } from '../wall-clock.ts'

export const dateFormats = ['YYYY-MM-DD', 'DD/MM/YYYY', 'MM/DD/YYYY', 'DD.MM.YYYY'] as const
export type DateFormat = (typeof dateFormats)[number]

/** `day` is 2026-11-16. */
export function formatDay(day: string, format: DateFormat): string {
  const [year, month, date] = day.split('-') as [string, string, string]
  return format.replace('YYYY', year).replace('MM', month).replace('DD', date)
}

/** Such as 04-01; the year that it is given with means nothing. Not the last of February, which only some years have. */
export const isMonthDay = (value: string): boolean =>
  /^(\d{4}-)?\d\d-\d\d$/.test(value) && isDate(`2027-${value.slice(-5)}`)
