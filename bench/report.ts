// The figures as people and programs read them.
import type { Work } from './errands.ts'
import type { McpFigures } from './mcp.ts'
import type { RecurringFigures } from './recurring.ts'
import type { Figures } from './rounds.ts'
import type { ScaleFigures } from './scale.ts'

export interface Results {
  readonly works: ReadonlyMap<Work, ReadonlyMap<string, Figures>>
  readonly scale: ReadonlyMap<string, ScaleFigures>
  readonly recurring: RecurringFigures | undefined
  readonly mcp: McpFigures | undefined
}

/** How many times as much as the yardstick. */
const ratio = (figures: ReadonlyMap<string, Figures>) => figures.get('ours')!.perSecond / figures.get('bare')!.perSecond

const peersIn = (figures: ReadonlyMap<string, Figures>) =>
  [...figures].filter(([name]) => name !== 'ours' && name !== 'bare')

export function asJson(results: Results): string {
  const works = [...results.works].map(([work, figures]) => [
    work,
    {
      ours: Math.round(figures.get('ours')!.perSecond),
      bare: Math.round(figures.get('bare')!.perSecond),
      ratio: rounded(ratio(figures), 3),
      p99Ms: rounded(figures.get('ours')!.p99Ms, 1),
      ...Object.fromEntries(peersIn(figures).map(([name, { perSecond }]) => [name, Math.round(perSecond)])),
    },
  ])
  const scale = [...results.scale].map(([page, figures]) => [
    page,
    { smallMs: rounded(figures.smallMs, 2), largeMs: rounded(figures.largeMs, 2), ratio: rounded(figures.ratio, 2) },
  ])
  return JSON.stringify({
    works: Object.fromEntries(works),
    ...(scale.length > 0 && { scale: Object.fromEntries(scale) }),
    ...(results.recurring && { recurring: wholeNumbers(results.recurring) }),
    ...(results.mcp && { mcp: mcpRatios(results.mcp) }),
  })
}

export function asTable(results: Results): string {
  const peers = [...new Set([...results.works.values()].flatMap((figures) => peersIn(figures).map(([name]) => name)))]
  const rows = [...results.works].map(([work, figures]) => {
    const [ours, bare] = [figures.get('ours')!, figures.get('bare')!]
    return [
      work,
      count(ours.perSecond),
      count(bare.perSecond),
      ratio(figures).toFixed(2),
      ours.p99Ms.toFixed(1),
      bare.p99Ms.toFixed(1),
      ...peers.flatMap((name) => {
        const peer = figures.get(name)
        return peer ? [count(peer.perSecond), (ours.perSecond / peer.perSecond).toFixed(1)] : ['', '']
      }),
    ]
  })
  const headings = [
    'work',
    'ours/s',
    'bare/s',
    'ratio',
    'ours p99 ms',
    'bare p99 ms',
    ...peers.flatMap((name) => [`${name}/s`, 'ours is ×']),
  ]
  const pages = [...results.scale].map(([page, { smallMs, largeMs, ratio }]) => [
    page,
    smallMs.toFixed(2),
    largeMs.toFixed(2),
    ratio.toFixed(2),
  ])
  return [
    ...(rows.length > 0 ? [aligned([headings, ...rows])] : []),
    ...(results.mcp ? [mcpTable(results.mcp)] : []),
    ...(results.recurring ? [recurringTable(results.recurring)] : []),
    ...(pages.length > 0 ? [aligned([['page of 50 jobs', 'of 10,000 ms', 'of 1,000,000 ms', 'ratio'], ...pages])] : []),
  ].join('\n\n')
}

const mcpRatios = ({ restMs, newestMs, earlierMs }: McpFigures) => ({
  restMs: rounded(restMs, 3),
  newestMs: rounded(newestMs, 3),
  earlierMs: rounded(earlierMs, 3),
  newestRatio: rounded(newestMs / restMs, 2),
  earlierRatio: rounded(earlierMs / restMs, 2),
})

function mcpTable(figures: McpFigures): string {
  const { restMs, newestMs, earlierMs, newestRatio, earlierRatio } = mcpRatios(figures)
  const over = (ms: number) => (ms - restMs).toFixed(2)
  return aligned([
    ['CPU to read a customer', 'ms', 'over REST ms', 'ratio'],
    ['REST', restMs.toFixed(2), '', ''],
    ['MCP, newest revision', newestMs.toFixed(2), over(newestMs), newestRatio.toFixed(2)],
    ['MCP, earlier revisions', earlierMs.toFixed(2), over(earlierMs), earlierRatio.toFixed(2)],
  ])
}

function recurringTable(figures: RecurringFigures): string {
  const { schedules, jobs, perSecond, transactions, longestMs, othersWaitedMs } = figures
  return aligned([
    ['a year of recurring visits', ''],
    ['schedules', count(schedules)],
    ['jobs generated', count(jobs)],
    ['jobs/s', count(perSecond)],
    ['transactions', count(transactions)],
    ['longest transaction ms', count(longestMs)],
    ['longest wait of others for a job ms', count(othersWaitedMs)],
  ])
}

function aligned(table: readonly (readonly string[])[]): string {
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  return table
    .map((row) =>
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
    )
    .join('\n')
}

const wholeNumbers = (figures: object) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value)]))
const count = (value: number) => Math.round(value).toLocaleString('en-GB')
const rounded = (value: number, places: number) => Number(value.toFixed(places))
