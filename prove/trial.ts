// What a trial is: one thing that must hold, put to the running service, and the figures that answer it.

export interface Result {
  readonly what: string
  /** As people read it: "≤ 50 ms", "0 lost". */
  readonly goal: string
  readonly measured: string
  readonly holds: boolean
  /** It is a span of time, which a busy machine may stretch: the tests do not judge by it. */
  readonly isTimed?: true
}

/** `whole` is what the proof is made of; `short` is a small part of the same, for every run of the tests. */
export type Size = 'whole' | 'short'

export interface Trial {
  /** One word, for `--only`. */
  readonly name: string
  /** What must hold, as a heading. */
  readonly title: string
  /** What was done, for whoever wants to judge the figures: a sentence or two. */
  readonly how: string
  /** Programs that must be on the PATH. */
  readonly needs?: readonly string[]
  /** Says on the way how far it is. Throws only when it could not be carried out: what does not hold is a figure. */
  run(size: Size, log: (text: string) => void): Promise<readonly Result[]>
}

/** A figure that holds when nothing was counted. */
export const none = (what: string, count: number, of = ''): Result => ({
  what,
  goal: '0',
  measured: `${count.toLocaleString('en-GB')}${of && ` of ${of}`}`,
  holds: count === 0,
})

/** A figure that holds up to a limit. */
export const atMost = (what: string, limit: number, measured: number, unit = ''): Result => ({
  what,
  goal: `≤ ${limit.toLocaleString('en-GB')}${unit && ` ${unit}`}`,
  measured: `${measured.toLocaleString('en-GB', { maximumFractionDigits: 1 })}${unit && ` ${unit}`}`,
  holds: measured <= limit,
  ...((unit === 's' || unit === 'ms') && { isTimed: true }),
})

/** A figure that holds from an amount on. */
export const atLeast = (what: string, limit: number, measured: number, unit = ''): Result => ({
  what,
  goal: `≥ ${limit.toLocaleString('en-GB')}${unit && ` ${unit}`}`,
  measured: `${measured.toLocaleString('en-GB', { maximumFractionDigits: 1 })}${unit && ` ${unit}`}`,
  holds: measured >= limit,
})

/** A figure without a goal: what else whoever judges the others wants to know. */
export const info = (what: string, measured: string): Result => ({ what, goal: '–', measured, holds: true })

/** A figure that holds when it is just so much. */
export const exactly = (what: string, goal: number, measured: number, unit = ''): Result => ({
  what,
  goal: `${goal.toLocaleString('en-GB')}${unit && ` ${unit}`}`,
  measured: `${measured.toLocaleString('en-GB')}${unit && ` ${unit}`}`,
  holds: measured === goal,
})
