// When a process that ended by itself is started again, and when there is no more sense in it.
import { minuteMs } from './durations.ts'

const firstDelayMs = 100
/** As often within a minute as it ends before nobody starts it any more. */
const maxEnds = 5

/** How long to wait; undefined if it ended too often. `ends` are the moments at which it ended, in milliseconds, the last one now. */
export function restartDelayMs(ends: readonly number[]): number | undefined {
  const now = ends.at(-1)!
  const recent = ends.filter((end) => now - end < minuteMs).length
  return recent < maxEnds ? firstDelayMs * 2 ** (recent - 1) : undefined
}
