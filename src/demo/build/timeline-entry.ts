// A line of a job's timeline before it is written.
import type { TimelineEntry } from '../../domain/timeline.ts'

/** Something noted by somebody at some moment; `by` is a colleague, or somebody who is none. */
export interface TimedEntry {
  readonly at: number
  readonly by: string | { readonly id: string; readonly name: string }
  readonly entry: TimelineEntry
}
