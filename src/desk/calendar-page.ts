// What the calendar shows, and the address that says so.
import type { CalendarVisit } from './calendar-cards.ts'
import type { ShopSetup } from './shop-setup.ts'

export interface UnplannedJob {
  readonly id: string
  readonly number: number
  readonly title: string
  readonly customer: string | null
  readonly priority: string
  readonly technician: string | null
  /** How many there are in all. */
  readonly count: number
}

export interface CalendarPage {
  readonly view: 'week' | 'day'
  readonly date: string
  readonly days: readonly string[]
  readonly visits: readonly CalendarVisit[]
  readonly unplanned: readonly UnplannedJob[]
  readonly setup: ShopSetup
  /** Whether there are more visits than are shown. */
  readonly isCut: boolean
}

export const calendarPath = (view: CalendarPage['view'], date: string): string => `/calendar?view=${view}&date=${date}`
