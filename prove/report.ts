// The proof as a page: what falls short first, then every trial with its figures, and when each was measured.
import type { Figure, Trial } from './trial.ts'

/** What a trial came to. Trials may be run one at a time, so each has its own day. */
export interface Outcome {
  readonly measuredOn: string
  readonly minutes: number
  readonly machine: string
  readonly figures: readonly Figure[]
}

export function page(trials: readonly Trial[], outcomes: Readonly<Record<string, Outcome>>): string {
  const short = trials.flatMap(({ name, title }) =>
    (outcomes[name]?.figures ?? []).filter(({ holds }) => !holds).map((figure) => ({ title, ...figure })),
  )
  const missing = trials.filter(({ name }) => !outcomes[name])
  const lines = [
    '# Proof',
    '',
    'What must hold under load, faults, races and hostile input, and what was measured. `npm run prove` writes this page.',
    'Everything ran on one machine, service, PostgreSQL, Redis and the load included, over loopback.',
    '',
    '## What falls short',
    '',
    ...(short.length + missing.length === 0 ? ['Nothing.'] : []),
    ...short.map(({ title, what, goal, measured }) => `- **${title}**: ${what}: ${measured}, wanted ${goal}.`),
    ...missing.map(({ title }) => `- **${title}**: not measured.`),
    '',
    ...trials.flatMap((trial) => section(trial, outcomes[trial.name])),
  ]
  return `${lines.join('\n').trimEnd()}\n`
}

function section({ title, how, name }: Trial, outcome: Outcome | undefined): string[] {
  if (!outcome) return []
  const { measuredOn, minutes, machine, figures } = outcome
  return [
    `## ${title}`,
    '',
    how,
    '',
    '| | goal | measured | |',
    '|---|---|---|---|',
    ...figures.map(
      ({ what, goal, measured, holds }) => `| ${what} | ${goal} | ${measured} | ${holds ? 'holds' : '**short**'} |`,
    ),
    '',
    `Measured on ${measuredOn} in ${minutes} min on ${machine}. Again: \`npm run prove -- --only ${name}\`.`,
    '',
  ]
}
