// Generated cases sent one after another in several lanes; what is at fault is made smaller, told once and counted.
import fc from 'fast-check'
import type { Fault } from './judgement.ts'

export interface Subject<Case> {
  readonly name: string
  readonly cases: fc.Arbitrary<Case>
  readonly runs: number
  /** Sends one case; comes back with what is wrong, and with the request as it can be repeated. */
  attempt(one: Case): Promise<{ readonly faults: readonly Fault[]; readonly shown: () => string }>
}

export interface Outcome {
  sent: number
  /** By what is wrong and where. */
  readonly faults: Map<string, { count: number; told: string; shown: string }>
}

/** To look again at what one operation, tool or address was found to do: the others are left out. */
const only = process.env.FUZZ_ONLY

/** Enough to make a case small; each try is a request. */
const shrinkings = 150

export async function campaign(
  subjects: readonly Subject<never>[],
  { seed, lanes, say }: { readonly seed: number; readonly lanes: number; say(text: string): void },
): Promise<Outcome> {
  const outcome: Outcome = { sent: 0, faults: new Map() }
  const waiting = subjects
    .map((subject, index) => ({ subject: subject as Subject<unknown>, seed: seed + index }))
    .filter(({ subject }) => only === undefined || subject.name === only)
  const lane = async () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) {
      let left = next.subject.runs
      for (let round = 0; left > 0; round++) {
        left -= await explored(next.subject, left, next.seed + round * 1_000_003, outcome, say)
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return outcome
}

/** Goes on until something new is wrong; says how many cases that were. */
async function explored<Case>(
  subject: Subject<Case>,
  runs: number,
  seed: number,
  outcome: Outcome,
  say: (text: string) => void,
): Promise<number> {
  let hunted: string | undefined
  let smallest = { told: '', shown: '' }
  let tries = 0
  const property = fc.asyncProperty(subject.cases, async (one) => {
    if (hunted !== undefined && ++tries > shrinkings) return
    const { faults, shown } = await subject.attempt(one)
    outcome.sent++
    for (const { kind, told } of faults) {
      const name = `${subject.name}: ${kind}`
      const known = outcome.faults.get(name)
      if (hunted === undefined && known) known.count++
      else if (hunted === undefined || hunted === name) {
        hunted = name
        smallest = { told, shown: shown() }
        throw new Error(name)
      }
    }
  })
  const { numRuns, failed, errorInstance } = await fc.check(property, { seed, numRuns: runs })
  if (failed && hunted === undefined) throw errorInstance // it is the fuzz that failed
  if (hunted !== undefined) {
    outcome.faults.set(hunted, { count: 1, ...smallest })
    say(
      `FAULT ${hunted} (again: FUZZ_ONLY='${subject.name}' with the same FUZZ_SEED)\n    ${smallest.told}\n    ${smallest.shown}`,
    )
  }
  return numRuns
}

export const joined = (outcomes: readonly Outcome[]): Outcome => ({
  sent: outcomes.reduce((sum, { sent }) => sum + sent, 0),
  faults: new Map(outcomes.flatMap(({ faults }) => [...faults])),
})
