// The proof as a page: what falls short first, then every trial with its measurements and their date.
import type { Result, Trial } from './trial.ts'

/** What a trial came to. Trials may be run one at a time, so each has its own day. */
export interface TrialRecord {
  readonly measuredOn: string
  readonly minutes: number
  readonly machine: string
  /** Which share of all cores the host of a virtual machine gave to others meanwhile, where it tells. */
  readonly stolen?: number | undefined
  readonly results: readonly Result[]
}

export function renderPage(trials: readonly Trial[], records: Readonly<Record<string, TrialRecord>>): string {
  const failures = trials.flatMap(({ name, title }) =>
    (records[name]?.results ?? []).filter(({ holds }) => !holds).map((result) => ({ title, ...result })),
  )
  const missing = trials.filter(({ name }) => !records[name])
  const lines = [
    '# Proof',
    '',
    'What must hold under load, faults, races and hostile input, and what was measured. `npm run prove` writes this page.',
    'Everything ran on one machine, service, PostgreSQL, Redis and the load included, over loopback.',
    '',
    '## What falls short',
    '',
    ...(failures.length + missing.length === 0 ? ['Nothing.'] : []),
    ...failures.map(({ title, what, goal, measured }) => `- **${title}**: ${what}: ${measured}, wanted ${goal}.`),
    ...missing.map(({ title }) => `- **${title}**: not measured.`),
    '',
    ...trials.flatMap((trial) => renderSection(trial, records[trial.name])),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}

function renderSection({ title, how, name }: Trial, record: TrialRecord | undefined): string[] {
  if (!record) return []
  const { measuredOn, minutes, machine, stolen, results } = record
  const host = stolen === undefined ? '' : `, whose host gave ${(stolen * 100).toFixed(1)} % to others`
  return [
    `## ${title}`,
    '',
    how,
    '',
    '| | goal | measured | |',
    '|---|---|---|---|',
    ...results.map(
      ({ what, goal, measured, holds }) => `| ${what} | ${goal} | ${measured} | ${holds ? 'holds' : '**short**'} |`,
    ),
    '',
    `Measured on ${measuredOn} in ${minutes} min on ${machine}${host}. Again: \`npm run prove -- --only ${name}\`.`,
    '',
  ]
}
