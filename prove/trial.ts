// What a trial is: one thing that must hold, tested on the running service, and the measurements that show it.

export interface Result {
  readonly what: string
  /** As people read it: "≤ 50 ms", "0 lost". */
  readonly goal: string
  readonly measured: string
  readonly holds: boolean
  /** It is a duration, which depends on what else runs on the machine: the tests do not assert it. */
  readonly isTimed?: true
  /** What did not hold, by name, where it can be tried again without the rest. */
  readonly failed?: readonly string[]
}

/** `whole` is what the proof is made of; `short` is a small part of the same, for every run of the tests. */
export type Size = 'whole' | 'short'

export interface Trial {
  /** One word, for `--only`. */
  readonly name: string
  /** What must hold, as a heading. */
  readonly title: string
  /** The method, for whoever judges the measurements: a sentence or two. */
  readonly how: string
  /** Programs that must be on the PATH. */
  readonly needs?: readonly string[]
  /** Why it cannot be carried out here, where something else than a program is missing. */
  readonly skipReason?: string | false
  /** Logs its progress. Throws only when it could not be carried out: what does not hold is a result. */
  run(size: Size, log: (text: string) => void): Promise<readonly Result[]>
  /** Tries again only what did not hold, and answers all results anew. */
  again?(before: readonly Result[], log: (text: string) => void): Promise<readonly Result[]>
}

/** Holds when nothing was counted. */
export const none = (what: string, count: number, of = ''): Result => ({
  what,
  goal: '0',
  measured: `${count.toLocaleString('en-GB')}${of && ` of ${of}`}`,
  holds: count === 0,
})

/** Holds up to a limit. */
export const atMost = (what: string, limit: number, measured: number, unit = ''): Result => ({
  what,
  goal: `≤ ${limit.toLocaleString('en-GB')}${unit && ` ${unit}`}`,
  measured: `${measured.toLocaleString('en-GB', { maximumFractionDigits: 1 })}${unit && ` ${unit}`}`,
  holds: measured <= limit,
  ...((unit === 's' || unit === 'ms') && { isTimed: true }),
})

/** Holds from an amount on. */
export const atLeast = (what: string, limit: number, measured: number, unit = ''): Result => ({
  what,
  goal: `≥ ${limit.toLocaleString('en-GB')}${unit && ` ${unit}`}`,
  measured: `${measured.toLocaleString('en-GB', { maximumFractionDigits: 1 })}${unit && ` ${unit}`}`,
  holds: measured >= limit,
})

/** A measurement without a goal, for whoever judges the others. */
export const info = (what: string, measured: string): Result => ({ what, goal: '–', measured, holds: true })

/** Holds when it is exactly so much. */
export const exactly = (what: string, goal: number, measured: number, unit = ''): Result => ({
  what,
  goal: `${goal.toLocaleString('en-GB')}${unit && ` ${unit}`}`,
  measured: `${measured.toLocaleString('en-GB')}${unit && ` ${unit}`}`,
  holds: measured === goal,
})
