// Which visits of a recurring schedule are still to come: its series, less what is generated, skipped or kept already.
import { countBefore, type Series, slotAt, slotsFrom } from './recurrence.ts'

/** A series and the numbers its slots have as visits. */
export interface VisitPlan {
  readonly series: Series
  /** Smaller numbers belong to shapes the series had before. */
  readonly firstIndex: number
  /** A visit's number is its place in the series plus this. */
  readonly indexOffset: number
  /** No visit is planned before this moment. */
  readonly plannedFrom: Date
}

export interface PlannedVisit {
  readonly index: number
  readonly from: Date
  readonly to: Date
}

/** What is not planned any more: numbers that are used, and slots (in milliseconds) at which there is a visit already. */
export interface TakenSlots {
  readonly indexes: ReadonlySet<number>
  readonly slots: ReadonlySet<number>
}

export function* plannedVisits(
  { series, firstIndex, indexOffset, plannedFrom }: VisitPlan,
  taken: TakenSlots,
  moment = Number.NEGATIVE_INFINITY,
): Generator<PlannedVisit, void, undefined> {
  for (const { ordinal, from, to } of slotsFrom(
    series,
    Math.max(moment, plannedFrom.getTime()),
    firstIndex - indexOffset,
  )) {
    const index = ordinal + indexOffset
    if (!taken.indexes.has(index) && !taken.slots.has(from.getTime())) yield { index, from, to }
  }
}

const yearsAhead = 10

/** Nothing is planned beyond it: numbers and times further ahead mean no visit. */
export function planningLimit(now: Date): Date {
  const limit = new Date(now)
  limit.setUTCFullYear(limit.getUTCFullYear() + yearsAhead)
  return limit
}

/** The visit that a number means in the present shape, planned or not, unless it lies beyond the planning limit. */
export function visitAt(
  { series, firstIndex, indexOffset }: VisitPlan,
  index: number,
  now: Date,
): PlannedVisit | undefined {
  const slot = index < firstIndex ? undefined : slotAt(series, index - indexOffset, planningLimit(now))
  return slot && { index, from: slot.from, to: slot.to }
}

/** What several numbers mean in the present shape, in one walk along the series. */
export function visitsAt(
  { series, firstIndex, indexOffset }: VisitPlan,
  indexes: readonly number[],
): ReadonlyMap<number, PlannedVisit> {
  const wanted = new Set(indexes.filter((index) => index >= firstIndex))
  const visits = new Map<number, PlannedVisit>()
  if (wanted.size === 0) return visits
  for (const { ordinal, from, to } of slotsFrom(series, undefined, Math.min(...wanted) - indexOffset)) {
    const index = ordinal + indexOffset
    if (wanted.delete(index)) visits.set(index, { index, from, to })
    if (wanted.size === 0) break
  }
  return visits
}

/**
 * The plan from a cut on, in a new shape: numbers go on above every one that was used, by a visit with a row or by a slot
 * of the old shape that has come and gone.
 */
export function reshapePlan(before: VisitPlan, series: Series, now: Date, cut: Date, highestIndex: number): VisitPlan {
  const passed = countBefore(before.series, now.getTime()) + before.indexOffset
  const firstIndex = Math.max(highestIndex + 1, passed, before.firstIndex)
  return { series, firstIndex, indexOffset: firstIndex - countBefore(series, cut.getTime()), plannedFrom: cut }
}

interface SeriesShape {
  readonly startsAt: Date
  readonly timeZone: string
  readonly rrule: string
  readonly durationMinutes: number
}

/** What makes a series another one. */
export const isSameShape = (a: SeriesShape, b: SeriesShape): boolean =>
  a.startsAt.getTime() === b.startsAt.getTime() &&
  a.timeZone === b.timeZone &&
  a.rrule === b.rrule &&
  a.durationMinutes === b.durationMinutes
