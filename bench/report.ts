// The measurements as people and programs read them.
import type { McpMeasurement } from './mcp.ts'
import type { RecurringMeasurement } from './recurring.ts'
import type { Measurement } from './rounds.ts'
import type { ScaleMeasurement } from './scale.ts'
import type { Workload } from './workloads.ts'

export interface Results {
  readonly workloads: ReadonlyMap<Workload, ReadonlyMap<string, Measurement>>
  readonly scale: ReadonlyMap<string, ScaleMeasurement>
  readonly recurring: RecurringMeasurement | undefined
  readonly mcp: McpMeasurement | undefined
}

/** How many times as much as the yardstick. */
const throughputRatio = (measurements: ReadonlyMap<string, Measurement>) =>
  measurements.get('ours')!.throughput / measurements.get('bare')!.throughput

const peerMeasurements = (measurements: ReadonlyMap<string, Measurement>) =>
  [...measurements].filter(([name]) => name !== 'ours' && name !== 'bare')

export function toJson(results: Results): string {
  const works = [...results.workloads].map(([work, measurements]) => [
    work,
    {
      ours: Math.round(measurements.get('ours')!.throughput),
      bare: Math.round(measurements.get('bare')!.throughput),
      ratio: round(throughputRatio(measurements), 3),
      p99Ms: round(measurements.get('ours')!.p99Ms, 1),
      ...Object.fromEntries(
        peerMeasurements(measurements).map(([name, { throughput }]) => [name, Math.round(throughput)]),
      ),
    },
  ])
  const scale = [...results.scale].map(([page, measurements]) => [
    page,
    {
      smallMs: round(measurements.smallMs, 2),
      largeMs: round(measurements.largeMs, 2),
      ratio: round(measurements.ratio, 2),
    },
  ])
  return JSON.stringify({
    works: Object.fromEntries(works),
    ...(scale.length > 0 && { scale: Object.fromEntries(scale) }),
    ...(results.recurring && { recurring: roundAll(results.recurring) }),
    ...(results.mcp && { mcp: withRatios(results.mcp) }),
  })
}

export function toTable(results: Results): string {
  const peers = [
    ...new Set([...results.workloads.values()].flatMap((figures) => peerMeasurements(figures).map(([name]) => name))),
  ]
  const rows = [...results.workloads].map(([work, measurements]) => {
    const [ours, bare] = [measurements.get('ours')!, measurements.get('bare')!]
    return [
      work,
      formatCount(ours.throughput),
      formatCount(bare.throughput),
      throughputRatio(measurements).toFixed(2),
      ours.p99Ms.toFixed(1),
      bare.p99Ms.toFixed(1),
      ...peers.flatMap((name) => {
        const peer = measurements.get(name)
        return peer ? [formatCount(peer.throughput), (ours.throughput / peer.throughput).toFixed(1)] : ['', '']
      }),
    ]
  })
  const headings = [
    'workload',
    'ours req/s',
    'bare req/s',
    'throughput ratio',
    'ours p99 latency ms',
    'bare p99 latency ms',
    ...peers.flatMap((name) => [`${name} req/s`, 'ours is ×']),
  ]
  const pages = [...results.scale].map(([page, { smallMs, largeMs, ratio }]) => [
    page,
    smallMs.toFixed(2),
    largeMs.toFixed(2),
    ratio.toFixed(2),
  ])
  return [
    ...(rows.length > 0 ? [alignColumns([headings, ...rows])] : []),
    ...(results.mcp ? [mcpTable(results.mcp)] : []),
    ...(results.recurring ? [recurringTable(results.recurring)] : []),
    ...(pages.length > 0
      ? [alignColumns([['p50 latency of a page of 50 jobs', 'of 10,000 ms', 'of 1,000,000 ms', 'ratio'], ...pages])]
      : []),
  ].join('\n\n')
}

const withRatios = ({ restMs, newestMs, earlierMs }: McpMeasurement) => ({
  restMs: round(restMs, 3),
  newestMs: round(newestMs, 3),
  earlierMs: round(earlierMs, 3),
  newestRatio: round(newestMs / restMs, 2),
  earlierRatio: round(earlierMs / restMs, 2),
})

function mcpTable(measurements: McpMeasurement): string {
  const { restMs, newestMs, earlierMs, newestRatio, earlierRatio } = withRatios(measurements)
  const over = (ms: number) => (ms - restMs).toFixed(2)
  return alignColumns([
    ['CPU to read a customer', 'ms', 'over REST ms', 'ratio'],
    ['REST', restMs.toFixed(2), '', ''],
    ['MCP, newest revision', newestMs.toFixed(2), over(newestMs), newestRatio.toFixed(2)],
    ['MCP, earlier revisions', earlierMs.toFixed(2), over(earlierMs), earlierRatio.toFixed(2)],
  ])
}

function recurringTable(measurements: RecurringMeasurement): string {
  const { schedules, jobs, jobsPerSecond, transactions, maxTransactionMs, othersMaxLatencyMs } = measurements
  return alignColumns([
    ['a year of recurring visits', ''],
    ['schedules', formatCount(schedules)],
    ['jobs generated', formatCount(jobs)],
    ['jobs/s', formatCount(jobsPerSecond)],
    ['transactions', formatCount(transactions)],
    ['longest transaction ms', formatCount(maxTransactionMs)],
    ['max latency of others creating a job ms', formatCount(othersMaxLatencyMs)],
  ])
}

function alignColumns(table: readonly (readonly string[])[]): string {
  const widths = table[0]!.map((_, column) => Math.max(...table.map((row) => row[column]!.length)))
  return table
    .map((row) =>
      row.map((cell, column) => (column === 0 ? cell.padEnd(widths[0]!) : cell.padStart(widths[column]!))).join('  '),
    )
    .join('\n')
}

const roundAll = (measurements: object) =>
  Object.fromEntries(Object.entries(measurements).map(([name, value]) => [name, Math.round(value)]))
const formatCount = (value: number) => Math.round(value).toLocaleString('en-GB')
const round = (value: number, places: number) => Number(value.toFixed(places))
