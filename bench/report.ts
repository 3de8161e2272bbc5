// The figures as people and programs read them.
import type { Work } from './errands.ts'
import type { Figures } from './rounds.ts'

export type Results = ReadonlyMap<Work, ReadonlyMap<string, Figures>>

/** How many times as much as the yardstick. */
const ratio = (figures: ReadonlyMap<string, Figures>) => figures.get('ours')!.perSecond / figures.get('bare')!.perSecond

export function asJson(results: Results): string {
  const works = [...results].map(([work, figures]) => [
    work,
    {
      ours: Math.round(figures.get('ours')!.perSecond),
      bare: Math.round(figures.get('bare')!.perSecond),
      ratio: rounded(ratio(figures), 3),
      p99Ms: rounded(figures.get('ours')!.p99Ms, 1),
    },
  ])
  return JSON.stringify({ works: Object.fromEntries(works) })
}

export function asTable(results: Results): string {
  const rows = [...results].map(([work, figures]) => {
    const [ours, bare] = [figures.get('ours')!, figures.get('bare')!]
    return [
      work,
      count(ours.perSecond),
      count(bare.perSecond),
      ratio(figures).toFixed(2),
      ours.p99Ms.toFixed(1),
      bare.p99Ms.toFixed(1),
    ]
  })
  const table = [['work', 'ours/s', 'bare/s', 'ratio', 'ours p99 ms', 'bare p99 ms'], ...rows]
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  return table
    .map((row) =>
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
    )
    .join('\n')
}

const count = (value: number) => Math.round(value).toLocaleString('en-GB')
const rounded = (value: number, places: number) => Number(value.toFixed(places))
