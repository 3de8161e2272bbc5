// `npm run prove`: load, faults, races and hostile input against the service as it is run; writes docs/proof.md.
import { spawnSync } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { arch, availableParallelism, platform, totalmem } from 'node:os'
import { parseArgs } from 'node:util'
import { watchStolen } from '../bench/machine.ts'
import { renderPage, type TrialRecord } from './report.ts'
import type { Trial } from './trial.ts'
import { trials } from './trials.ts'

const usage = `Usage: npm run prove -- [--short | --page | --again] [--only ${trials.map(({ name }) => name).join(',')}]
  --only   some of the trials, or what several names begin with (planted); the others keep what was measured before
  --short  a small part of each, as the tests do it; prints, and writes nothing
  --again  of the mutants only those that survived when all of them were run; the page says so
  --page   writes docs/proof.md anew from what was measured before, and measures nothing`

/** Trials can be run one at a time, so the results of each are stored beside the page that is rendered from them. */
const resultsFile = new URL('../docs/proof.json', import.meta.url)
const reportFile = new URL('../docs/proof.md', import.meta.url)

const { values } = parseArgs({
  options: {
    short: { type: 'boolean', default: false },
    page: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    only: { type: 'string' },
    help: { type: 'boolean' },
  },
})
if (values.help) {
  process.stdout.write(`${usage}\n`)
  process.exit()
}
const wanted = values.only?.split(',') ?? trials.map(({ name }) => name)
const isNamed = (trial: Trial, name: string) => trial.name === name || trial.name.startsWith(`${name}-`)
const unknown = wanted.filter((name) => !trials.some((trial) => isNamed(trial, name)))
if (unknown.length > 0) fail(`There is no trial ${unknown.join(', ')}.\n${usage}`)
const selected = trials.filter((trial) => wanted.some((name) => isNamed(trial, name)))
const outcomes: Record<string, TrialRecord> = JSON.parse(await readFile(resultsFile, 'utf8').catch(() => '{}'))
if (values.page) {
  await writeFile(reportFile, renderPage(trials, outcomes))
  process.exit()
}
const missing = new Set(selected.flatMap(({ needs = [] }) => needs).filter((program) => !isInstalled(program)))
if (missing.size > 0) fail(`Not on the PATH: ${[...missing].join(', ')}`)

for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130)) // what was started ends with it
let failureCount = 0
for (const [index, trial] of selected.entries()) {
  if (trial.skipReason) {
    log(`${trial.title} is left out: ${trial.skipReason}`)
    continue
  }
  log(`${index + 1} of ${selected.length}: ${trial.title}`)
  const outcome = values.again ? await runAgain(trial) : await runTrial(trial)
  for (const { what, goal, measured, holds } of outcome.results) {
    process.stdout.write(`${holds ? 'holds' : 'SHORT'}  ${what}: ${measured} (wanted ${goal})\n`)
    if (!holds) failureCount++
  }
  if (values.short) continue
  outcomes[trial.name] = outcome
  await writeFile(resultsFile, `${JSON.stringify(outcomes, null, 2)}\n`)
  await writeFile(reportFile, renderPage(trials, outcomes))
}
process.exit(failureCount === 0 ? 0 : 1)

async function runTrial(trial: Trial): Promise<TrialRecord> {
  const startedAt = performance.now()
  const stolenSince = watchStolen()
  const results = await trial.run(values.short ? 'short' : 'whole', (text) => log(`  ${trial.name}: ${text}`))
  return {
    measuredOn: new Date().toISOString().slice(0, 10),
    minutes: Math.ceil((performance.now() - startedAt) / 60_000),
    machine: `${availableParallelism()} cores, ${Math.round(totalmem() / 2 ** 30)} GiB, ${platform()} ${arch()}, Node ${process.versions.node}`,
    stolen: stolenSince(),
    results,
  }
}

/** Its day and its minutes stay those of the run that had all of it. */
async function runAgain(trial: Trial): Promise<TrialRecord> {
  const before = outcomes[trial.name]
  if (!trial.again || !before) fail(`${trial.name} is run whole: leave out --again.`)
  return { ...before, results: await trial.again(before.results, (text) => log(`  ${trial.name}: ${text}`)) }
}

function isInstalled(program: string): boolean {
  return spawnSync('which', [program]).status === 0
}

function log(text: string): void {
  process.stderr.write(`${text}\n`)
}

function fail(text: string): never {
  log(text)
  process.exit(1)
}
