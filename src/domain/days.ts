// Days as people write them, 2026-11-16: how far apart they are. Browsers run this, too, so it brings no calendar along.
import { dayMs } from './durations.ts'

/** Days are counted on the wall: 23 or 25 hours are one, too. */
export const daysBetween = (from: string, to: string): number => Math.round((Date.parse(to) - Date.parse(from)) / dayMs)
export const addDays = (date: string, days: number): string =>
  new Date(Date.parse(date) + days * dayMs).toISOString().slice(0, 10)
