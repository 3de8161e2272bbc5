// Time as the sample shop lives it: days that begin at its own midnight, and the week around now.
import { type Queryable, sql } from '../../db/database.ts'
import { minuteMs } from '../../domain/durations.ts'

const weeksBack = 8

/** What is in the calendar besides jobs: the day, Monday being 0, and the times. */
export const shopEvents: readonly ShopEvent[] = [
  {
    title: 'Staff meeting',
    day: 0,
    from: '08:30',
    to: '09:00',
    location: 'Back room',
    notes: 'Rota, returns, van keys.',
  },
  { title: 'Delivery from Thames Spares', day: 3, notes: 'Displays and boiler kits; comes when it comes.' },
]

export interface ShopEvent {
  readonly title: string
  readonly day: number
  /** Without them it takes the whole day. */
  readonly from?: `${number}:${number}`
  readonly to?: `${number}:${number}`
  readonly location?: string
  readonly notes?: string
}

export interface Week {
  readonly now: number
  /** A time of day of this week, Monday being day 0. Clocks change at night: opening hours count from midnight. */
  at(day: number, time: string): number
  /** A minute after opening, so many days ago; the shop is closed on Sundays. */
  openingTime(daysAgo: number, minute: number): number
}

export async function loadWeek(transaction: Queryable, timeZone: string, now: Date): Promise<Week> {
  const [week] = await transaction.query<{ days: Date[]; today: number }>(sql`
    select extract(isodow from now at time zone zone)::int - 1 as today, array(
      select day at time zone zone
      from generate_series(monday - ${weeksBack}::int * interval '1 week', monday + interval '1 week', interval '1 day') day
    ) as days
    from (select ${now}::timestamptz as now, ${timeZone}::text as zone) given,
      lateral (select date_trunc('week', now at time zone zone) as monday) week`)
  const { days, today } = week!
  const midnight = (day: number) => days[day + weeksBack * 7]!.getTime()
  return {
    now: now.getTime(),
    at(day, time) {
      const [hours, minutes] = time.split(':').map(Number)
      return midnight(day) + (hours! * 60 + minutes!) * minuteMs
    },
    openingTime(daysAgo, minute) {
      const day = today - daysAgo
      const isSunday = (day + weeksBack * 7) % 7 === 6
      return midnight(isSunday ? day - 1 : day) + (9 * 60 + minute) * minuteMs
    },
  }
}
