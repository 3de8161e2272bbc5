// The periods of reports: days of the shop from one to another, in groups of days, ISO weeks or months.
import { addDays, daysBetween, startOfWeek } from './wall-clock.ts'

export const groupings = ['day', 'week', 'month'] as const
export type Grouping = (typeof groupings)[number]

/** Five years with their leap days, and as many groups as one can still look at: weeks and months are never more. */
const maxReportDays = 1_827
const maxReportGroups = 400

/** The day that names a group: the day itself, its Monday, the first of its month. */
export function groupStart(day: string, grouping: Grouping): string {
  if (grouping === 'day') return day
  return grouping === 'week' ? startOfWeek(day) : `${day.slice(0, 7)}-01`
}

/** Every group that has a day of the period, in order; the first may begin before it. */
export function groupStarts(from: string, to: string, grouping: Grouping): string[] {
  const starts: string[] = []
  for (
    let start = groupStart(from, grouping);
    start <= to;
    start = groupStart(addDays(start, longest[grouping]), grouping)
  )
    starts.push(start)
  return starts
}

/** So many days after the start of a group the next one has begun, and the one after that has not. */
const longest: Readonly<Record<Grouping, number>> = { day: 1, week: 7, month: 31 }

/** How many days a report may have that is grouped so; one that is not grouped says it itself. */
export const longestPeriod = (grouping: Grouping): number => (grouping === 'day' ? maxReportGroups : maxReportDays)

/** What is wrong with a period, beginning with the parameter; undefined where it is right. */
export function periodProblem(from: string, to: string, maxDays: number): string | undefined {
  const days = daysBetween(from, to) + 1
  if (days < 1) return `from must not be after to: ${from} is after ${to}`
  if (days <= maxDays) return undefined
  const instead = maxDays === maxReportGroups ? ', or group by week or month' : ''
  return `from must be at most ${maxDays} days before to; choose a shorter period${instead}`
}
