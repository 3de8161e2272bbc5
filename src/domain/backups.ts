// Which of the backups that are made every day are kept, when the next one is due, and what they are called.
import { dayMs, hourMs } from './durations.ts'

const keptDays = 7
const keptWeeks = 4
/** A day's backup may take long, or fail and succeed later; what is older than this is missing. */
const lateMs = dayMs + 12 * hourMs

/** `jobwright-2026-11-16T02-00-00Z.tar.gz`: no colon, which some file systems refuse. */
export const backupName = (moment: Date): string =>
  `jobwright-${moment.toISOString().slice(0, 19).replaceAll(':', '-')}Z.tar.gz`

/** When a backup was begun, by its name; undefined for what is none of ours. */
export function backupMoment(name: string): Date | undefined {
  const [, day, hours, minutes, seconds] =
    /^jobwright-(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)Z\.tar\.gz$/.exec(name) ?? []
  const moment = new Date(`${day}T${hours}:${minutes}:${seconds}Z`)
  return Number.isNaN(moment.getTime()) ? undefined : moment
}

/** Due once a day at an hour (UTC), and at once where the last one was missed. */
export function isBackupDue(newest: Date | undefined, now: Date, hour: number): boolean {
  const today = Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate(), hour)
  const last = today <= now.getTime() ? today : today - dayMs
  return !newest || newest.getTime() < last
}

export const isBackupLate = (newest: Date | undefined, now: Date): boolean =>
  !newest || now.getTime() - newest.getTime() > lateMs

/**
 * Those that go: all but the newest of each of the last seven days, and of each of the last four weeks, that have one. Days without a
 * backup do not count, so that an installation that stood still loses none for it.
 */
export function expiredBackups(moments: readonly Date[]): Date[] {
  const newestFirst = [...moments].sort((one, other) => other.getTime() - one.getTime())
  const kept = new Set([
    ...newestOfEach(newestFirst, dayNumber).slice(0, keptDays),
    ...newestOfEach(newestFirst, weekNumber).slice(0, keptWeeks),
  ])
  return newestFirst.filter((moment) => !kept.has(moment))
}

function newestOfEach(newestFirst: readonly Date[], periodOf: (moment: Date) => number): Date[] {
  return newestFirst.filter((moment, index) => index === 0 || periodOf(moment) !== periodOf(newestFirst[index - 1]!))
}

const dayNumber = (moment: Date) => Math.floor(moment.getTime() / dayMs)
/** Weeks begin on Monday; the first of January 1970 was a Thursday. */
const weekNumber = (moment: Date) => Math.floor((dayNumber(moment) + 3) / 7)
