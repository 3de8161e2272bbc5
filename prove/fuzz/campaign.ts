// Generated cases sent one after another in several lanes; what violates the document is shrunk, reported once and counted.
import fc from 'fast-check'
import type { Violation } from './response-checks.ts'

export interface FuzzTarget<Case> {
  readonly name: string
  readonly cases: fc.Arbitrary<Case>
  readonly runs: number
  /** Sends one case; comes back with what is wrong, and with the request as it can be repeated. */
  attempt(one: Case): Promise<{ readonly violations: readonly Violation[]; readonly reproduction: () => string }>
}

export interface FuzzOutcome {
  sent: number
  /** By what is wrong and where. */
  readonly violations: Map<string, { count: number; detail: string; reproduction: string }>
}

/** To look again at what one operation, tool or address was found to do: the others are left out. */
const onlyTarget = process.env.FUZZ_ONLY

/** Enough to make a case small; each try is a request. */
const maxShrinks = 150

export async function runCampaign(
  targets: readonly FuzzTarget<never>[],
  { seed, lanes, log }: { readonly seed: number; readonly lanes: number; log(text: string): void },
): Promise<FuzzOutcome> {
  const outcome: FuzzOutcome = { sent: 0, violations: new Map() }
  const queue = targets
    .map((target, index) => ({ target: target as FuzzTarget<unknown>, seed: seed + index }))
    .filter(({ target }) => onlyTarget === undefined || target.name === onlyTarget)
  const lane = async () => {
    for (let next = queue.shift(); next; next = queue.shift()) {
      let left = next.target.runs
      for (let round = 0; left > 0; round++) {
        left -= await explore(next.target, left, next.seed + round * 1_000_003, outcome, log)
      }
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return outcome
}

/** Goes on until something new is wrong; says how many cases that were. */
async function explore<Case>(
  target: FuzzTarget<Case>,
  runs: number,
  seed: number,
  outcome: FuzzOutcome,
  log: (text: string) => void,
): Promise<number> {
  let shrinkingName: string | undefined
  let smallest = { detail: '', reproduction: '' }
  let tries = 0
  const property = fc.asyncProperty(target.cases, async (one) => {
    if (shrinkingName !== undefined && ++tries > maxShrinks) return
    const { violations, reproduction } = await target.attempt(one)
    outcome.sent++
    for (const { kind, detail } of violations) {
      const name = `${target.name}: ${kind}`
      const known = outcome.violations.get(name)
      if (shrinkingName === undefined && known) known.count++
      else if (shrinkingName === undefined || shrinkingName === name) {
        shrinkingName = name
        smallest = { detail, reproduction: reproduction() }
        throw new Error(name)
      }
    }
  })
  const { numRuns, failed, errorInstance } = await fc.check(property, { seed, numRuns: runs })
  if (failed && shrinkingName === undefined) throw errorInstance // it is the fuzz that failed
  if (shrinkingName !== undefined) {
    outcome.violations.set(shrinkingName, { count: 1, ...smallest })
    log(
      `FAULT ${shrinkingName} (again: FUZZ_ONLY='${target.name}' with the same FUZZ_SEED)\n    ${smallest.detail}\n    ${smallest.reproduction}`,
    )
  }
  return numRuns
}

export const mergeOutcomes = (outcomes: readonly FuzzOutcome[]): FuzzOutcome => ({
  sent: outcomes.reduce((sum, { sent }) => sum + sent, 0),
  violations: new Map(outcomes.flatMap(({ violations }) => [...violations])),
})
