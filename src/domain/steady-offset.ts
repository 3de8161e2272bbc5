// How far a zone is ahead of UTC on days on which its clocks are not changed. What a zone says is looked up once for a day and
// kept: the days of a long series are asked for again and again, and each answer takes a fiftieth of a millisecond.
import { Temporal } from 'temporal-polyfill'
import { dayMs } from './durations.ts'

/** Days of all zones together: a few megabytes. */
const maxKept = 50_000
let kept = new Map<string, Map<number, number>>()
let keptCount = 0

/** In milliseconds. Undefined where the clocks may be changed on that day of the zone, which is counted from 1970. */
export function steadyOffset(day: number, timeZone: string): number | undefined {
  const offset = offsetAtMidnight(day, timeZone)
  // No day of any zone begins before that of UTC before it, or ends after that of UTC behind it.
  const isSteady = [day - 1, day + 1, day + 2].every((near) => offsetAtMidnight(near, timeZone) === offset)
  return isSteady ? offset : undefined
}

/** When the day begins in UTC. */
function offsetAtMidnight(day: number, timeZone: string): number {
  const known = kept.get(timeZone)?.get(day)
  if (known !== undefined) return known
  const moment = Temporal.Instant.fromEpochMilliseconds(day * dayMs).toZonedDateTimeISO(timeZone)
  const offset = moment.offsetNanoseconds / 1_000_000
  if (++keptCount > maxKept) {
    kept = new Map()
    keptCount = 1
  }
  const days = kept.get(timeZone) ?? new Map<number, number>()
  kept.set(timeZone, days.set(day, offset))
  return offset
}
