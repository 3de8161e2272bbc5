// Tests that bite: every control of the service is taken away once, and a test must fail each time.
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { atLeast, type Figure, none, type Trial } from '../trial.ts'
import type { Plant } from './plant.ts'
import { plants } from './plants.ts'
import { newPlot, type Plot, root } from './plot.ts'

/** Each keeps a service, a PostgreSQL and a file of tests busy. */
const plotsAtOnce = 2
const wanted = 45

export const planted: Trial = {
  name: 'planted',
  title: 'Tests that bite',
  how:
    `${plants.length} controls are taken away, one at a time, each in a copy of the service: a binding, a lock, an index, ` +
    'a check, a limit. The test files that ought to notice are run on it. It is noticed if a test of theirs fails ' +
    'while others pass, and if all of them pass without the fault.',
  async run(size, say) {
    const stale = await staleIn(plants)
    if (size === 'short') return [stale]
    const tests = [...new Set(plants.flatMap((plant) => plant.tests))]
    const red = new Set<string>()
    const survivors: string[] = []
    await using plots = new AsyncDisposableStack()
    const plotted: Plot[] = []
    for (let plot = 0; plot < plotsAtOnce; plot++) plotted.push(plots.use(await newPlot()))

    await shared(plotted, tests, async (plot, test) => {
      if (await plot.green(test)) return
      red.add(test)
      say(`${test} fails without any fault`)
    })
    let done = 0
    await shared(plotted, plants, async (plot, plant) => {
      const noticed = plant.tests.some((test) => red.has(test)) ? undefined : await plot.noticed(plant)
      if (noticed === undefined) survivors.push(plant.control)
      say(`${++done} of ${plants.length}: ${plant.control}: ${noticed ?? 'NOBODY NOTICED'}`)
    })
    return [
      stale,
      none('test files that fail without a fault', red.size, String(tests.length)),
      atLeast('controls taken away, one at a time', wanted, plants.length),
      none('taken away without a test that fails', survivors.length, named(survivors)),
    ]
  },
}

const named = (survivors: readonly string[]) =>
  survivors.length === 0 ? String(plants.length) : `${plants.length}: ${survivors.join('; ')}`

/** Code moves on: a fault that can no longer be planted as it was written proves nothing. */
async function staleIn(all: readonly Plant[]): Promise<Figure> {
  const stale: string[] = []
  for (const { control, file, find, tests } of all) {
    const text = await readFile(join(root, file), 'utf8').catch(() => '')
    const isThere = text.split(find).length === 2 && tests.every((test) => existsSync(join(root, test)))
    if (!isThere || tests.length === 0) stale.push(control)
  }
  return none('faults whose place or test is no longer there', stale.length, named(stale))
}

/** Whoever is free takes the next. */
async function shared<T>(
  plots: readonly Plot[],
  all: readonly T[],
  work: (plot: Plot, one: T) => Promise<void>,
): Promise<void> {
  const waiting = all.values()
  await Promise.all(
    plots.map(async (plot) => {
      for (const one of waiting) await work(plot, one)
    }),
  )
}
