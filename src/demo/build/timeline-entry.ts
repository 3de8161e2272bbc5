// A line of a job's timeline before it is written.
import type { TimelineEntry } from '../../domain/timeline.ts'

/** An entry of the timeline with its author and time; `by` is a colleague, or somebody who is none. */
export interface TimedEntry {
  readonly at: number
  readonly by: string | { readonly id: string; readonly name: string }
  readonly entry: TimelineEntry
}
