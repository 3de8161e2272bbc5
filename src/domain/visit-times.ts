// When a visit takes place once somebody has moved it: they mean clocks on the wall, and what they leave out stays.
import { hourMs } from './durations.ts'
import { addDays, daysBetween, momentAfter, moveDays, startOfDay, toMoment, wallOf } from './wall-clock.ts'

export interface VisitTimes {
  readonly from: Date
  readonly to: Date
  readonly allDay: boolean
}

/** Days as 2026-11-16, times as 09:30. A visit that is said to end before it begins ends the day after. */
export interface SaidTimes {
  readonly day?: string | undefined
  readonly time?: string | undefined
  readonly untilDay?: string | undefined
  readonly until?: string | undefined
  readonly allDay?: boolean | undefined
}

/** What a visit begins and ends with that was all day until now. */
const usualHours = { time: '09:00', until: '10:00' }

export function changedTimes(before: VisitTimes, said: SaidTimes, timeZone: string): VisitTimes {
  return (said.allDay ?? before.allDay) ? wholeDays(before, said, timeZone) : hours(before, said, timeZone)
}

function wholeDays(before: VisitTimes, { day, untilDay }: SaidTimes, timeZone: string): VisitTimes {
  const first = day ?? wallOf(before.from, timeZone).day
  const last = untilDay ?? addDays(first, lengthInDays(before, timeZone) - 1)
  return { from: startOfDay(first, timeZone), to: startOfDay(addDays(last, 1), timeZone), allDay: true }
}

const lengthInDays = ({ from, to, allDay }: VisitTimes, timeZone: string): number =>
  allDay ? daysBetween(wallOf(from, timeZone).day, wallOf(to, timeZone).day) : 1

function hours(before: VisitTimes, said: SaidTimes, timeZone: string): VisitTimes {
  const from = beginOf(before, said, timeZone)
  const until = said.until ?? (before.allDay && said.time === undefined ? usualHours.until : undefined)
  if (until === undefined) return { from, to: new Date(+from + lengthMs(before)), allDay: false }
  const begin = wallOf(from, timeZone)
  const untilDay = said.untilDay ?? (until > begin.time ? begin.day : addDays(begin.day, 1))
  const end = wallOf(before.to, timeZone)
  // Nobody means the other of two equal hours by saying what was there before.
  const isSame = +from === +before.from && end.day === untilDay && end.time === until
  return { from, to: isSame ? before.to : momentAfter(untilDay, until, timeZone, from), allDay: false }
}

function beginOf(before: VisitTimes, { day, time }: SaidTimes, timeZone: string): Date {
  const begin = wallOf(before.from, timeZone)
  const newTime = time ?? (before.allDay ? usualHours.time : begin.time)
  if (newTime === begin.time)
    return moveDays(before.from, day === undefined ? 0 : daysBetween(begin.day, day), timeZone)
  return toMoment(day ?? begin.day, newTime, timeZone)
}

/** Work takes as long whatever clocks do meanwhile. */
const lengthMs = ({ from, to, allDay }: VisitTimes): number => (allDay ? hourMs : +to - +from)
