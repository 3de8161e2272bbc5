// The measurements as people and programs read them.
import type { CaptureMeasurement } from './capture.ts'
import type { ClusterShares } from './cluster.ts'
import type { DatasetSize } from './data.ts'
import type { DeskMeasurement } from './desk.ts'
import type { ImportMeasurement } from './import.ts'
import type { MachineLoad } from './machine.ts'
import type { McpMeasurement } from './mcp.ts'
import type { RecurringMeasurement } from './recurring.ts'
import type { Measurement } from './rounds.ts'
import type { ScaleMeasurement } from './scale.ts'
import type { SearchScaleMeasurement } from './search-scale.ts'
import type { Workload } from './workloads.ts'

export interface Results {
  readonly machine: MachineLoad
  readonly dataset: DatasetSize
  readonly workloads: ReadonlyMap<Workload, ReadonlyMap<string, Measurement>>
  readonly scale: ReadonlyMap<string, ScaleMeasurement>
  readonly searchScale: ReadonlyMap<string, SearchScaleMeasurement>
  readonly recurring: RecurringMeasurement | undefined
  readonly mcp: McpMeasurement | undefined
  readonly capture: CaptureMeasurement | undefined
  readonly desk: ReadonlyMap<string, DeskMeasurement> | undefined
  readonly bringing: ImportMeasurement | undefined
  readonly cluster: ReadonlyMap<string, ClusterShares> | undefined
}

type Yardstick = 'bare' | 'limit'
/** How many times as much as a yardstick; undefined where that was not measured. */
const ratioTo = (yardstick: Yardstick, measurements: ReadonlyMap<string, Measurement>): number | undefined => {
  const other = measurements.get(yardstick)
  return other && measurements.get('ours')!.throughput / other.throughput
}

const isPeer = (name: string) => name !== 'ours' && name !== 'bare' && name !== 'limit'
const peerMeasurements = (measurements: ReadonlyMap<string, Measurement>) =>
  [...measurements].filter(([name]) => isPeer(name))

export function toJson(results: Results): string {
  const works = [...results.workloads].map(([work, measurements]) => [
    work,
    {
      ours: Math.round(measurements.get('ours')!.throughput),
      bare: Math.round(measurements.get('bare')!.throughput),
      ratio: round(ratioTo('bare', measurements)!, 3),
      ...(measurements.has('limit') && {
        limit: Math.round(measurements.get('limit')!.throughput),
        ratioToLimit: round(ratioTo('limit', measurements)!, 3),
      }),
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
    dataset: results.dataset,
    machine: results.machine,
    works: Object.fromEntries(works),
    ...(scale.length > 0 && { scale: Object.fromEntries(scale) }),
    ...(results.searchScale.size > 0 && { searchScale: searchScaleJson(results.searchScale) }),
    ...(results.recurring && { recurring: roundAll(results.recurring) }),
    ...(results.mcp && { mcp: withRatios(results.mcp) }),
    ...(results.desk && {
      desk: Object.fromEntries([...results.desk].map(([page, figures]) => [page, roundAll(figures)])),
    }),
    ...(results.capture && { capture: roundAll({ ...results.capture }) }),
    ...(results.bringing && { import: importJson(results.bringing) }),
    ...(results.cluster && { cluster: Object.fromEntries(results.cluster) }),
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
      measurements.has('limit') ? formatCount(measurements.get('limit')!.throughput) : '',
      ratioTo('bare', measurements)!.toFixed(2),
      ratioTo('limit', measurements)?.toFixed(2) ?? '',
      ours.p99Ms.toFixed(1),
      bare.p99Ms.toFixed(1),
      ...peers.flatMap((name) => {
        const peer = measurements.get(name)
        return peer ? [formatCount(peer.throughput), (ours.throughput / peer.throughput).toFixed(2)] : ['', '']
      }),
    ]
  })
  const headings = [
    'workload',
    'ours req/s',
    'bare req/s',
    'limit a second',
    'ours/bare',
    'ours/limit',
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
    ...(rows.length > 0 ? [alignColumns([headings, ...rows]), conditions(results)] : []),
    ...(results.mcp ? [mcpTable(results.mcp)] : []),
    ...(results.capture ? [captureTable(results.capture)] : []),
    ...(results.desk ? [deskTable(results.desk)] : []),
    ...(results.recurring ? [recurringTable(results.recurring)] : []),
    ...(pages.length > 0
      ? [alignColumns([['p50 latency of a page of 50 jobs', 'of 10,000 ms', 'of 1,000,000 ms', 'ratio'], ...pages])]
      : []),
    ...(results.searchScale.size > 0 ? [searchScaleTable(results.searchScale)] : []),
    ...(results.bringing ? [importTable(results.bringing)] : []),
    ...(results.cluster ? [clusterTable(results.cluster)] : []),
  ].join('\n\n')
}

/** What was measured, and beside what. */
function conditions({ dataset, machine }: Results): string {
  const percent = (share: number) => `${Math.round(share * 100)} %`
  const customers = formatCount(dataset.organisations * dataset.customersPerOrganisation)
  return [
    `${customers} customers of ${formatCount(dataset.organisations)} organisations, ${machine.cores} cores, ${Math.round(machine.memoryGiB)} GiB`,
    `other work: load ${machine.loadBefore.toFixed(2)} before the start; of all cores ${percent(machine.busyBefore)} busy before the rounds and ${percent(machine.busyAfter)} after them${machine.stolen === undefined ? '' : `; ${percent(machine.stolen)} given to others by the host meanwhile`}`,
  ].join('\n')
}

const searchScaleJson = (searches: ReadonlyMap<string, SearchScaleMeasurement>) =>
  Object.fromEntries(
    [...searches].map(([term, { ms, ratio }]) => [
      term,
      { ...Object.fromEntries(Object.entries(ms).map(([size, one]) => [size, round(one, 2)])), ratio: round(ratio, 2) },
    ]),
  )

function searchScaleTable(searches: ReadonlyMap<string, SearchScaleMeasurement>): string {
  const sizes = Object.keys([...searches.values()][0]!.ms).map(Number)
  return alignColumns([
    ['p50 latency of a search that finds', ...sizes.map((size) => `of ${formatCount(size)} ms`), 'ratio'],
    ...[...searches].map(([term, { ms, ratio }]) => [
      term,
      ...sizes.map((size) => ms[size]!.toFixed(2)),
      ratio.toFixed(2),
    ]),
  ])
}

const importJson = ({ reads, stolen, ...whole }: ImportMeasurement) => ({
  ...roundAll(whole),
  stolen,
  reads: Object.fromEntries(
    [...reads].map(([shop, { alone, beside, p99Ratio, usualP99Ratio }]) => [
      shop,
      roundAll({
        aloneP99Ms: alone.p99Ms,
        besideP99Ms: beside.p99Ms,
        p99Ratio,
        aloneUsualP99Ms: alone.usualP99Ms,
        besideUsualP99Ms: beside.usualP99Ms,
        usualP99Ratio,
      }),
    ]),
  ),
})

const importTable = (measured: ImportMeasurement): string =>
  [
    alignColumns([
      [
        'reads beside an import',
        'p50 alone ms',
        'beside ms',
        'p99 alone ms',
        'beside ms',
        'ratio',
        'usual p99 alone ms',
        'beside ms',
        'ratio',
      ],
      ...[...measured.reads].map(([shop, { alone, beside, p99Ratio, usualP99Ratio }]) => [
        shop,
        ...[alone.p50Ms, beside.p50Ms, alone.p99Ms, beside.p99Ms].map((ms) => ms.toFixed(1)),
        p99Ratio.toFixed(2),
        ...[alone.usualP99Ms, beside.usualP99Ms].map((ms) => ms.toFixed(1)),
        usualP99Ratio.toFixed(2),
      ]),
    ]),
    'usual: the median of windows of ten seconds each',
    alignColumns([
      [`${formatCount(measured.rows)} customers brought in`, `${formatCount(measured.seconds)} s`],
      ['memory of the service before', `${formatCount(measured.idleMegabytes)} MB`],
      ['its most memory meanwhile', `${formatCount(measured.maxMegabytes)} MB`],
      ['most memory of the process that brings', `${formatCount(measured.maxBringingMegabytes)} MB`],
      ...Object.entries(measured.stolen).flatMap(([where, share]) =>
        share === undefined
          ? []
          : [[`most of the cores given to others by the host, ${where}`, `${(share * 100).toFixed(1)} %`]],
      ),
    ]),
  ].join('\n')

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

const deskTable = (pages: ReadonlyMap<string, DeskMeasurement>): string =>
  alignColumns([
    ['page of the desk, 50,000 jobs', 'p50 ms', 'p95 ms', 'kB'],
    ...[...pages].map(([page, { p50Ms, p95Ms, bytes }]) => [
      page,
      p50Ms.toFixed(1),
      p95Ms.toFixed(1),
      (bytes / 1_000).toFixed(0),
    ]),
  ])

/** How many times as much as one server with as many cores each a cluster of so many workers can do, the coordinator included. */
const growth = ({ aloneMs, coordinatorMs, workerMs }: ClusterShares, workers: number) =>
  Math.min(aloneMs / coordinatorMs, (workers * aloneMs) / workerMs)

const clusterTable = (shares: ReadonlyMap<string, ClusterShares>): string =>
  alignColumns([
    [
      'CPU of a statement',
      'one server ms',
      'emulated ×',
      'coordinator ms',
      'worker ms',
      'same cores ×',
      '4 workers ×',
      'at most ×',
    ],
    ...[...shares].map(([work, one]) => [
      work,
      ...[one.aloneMs, one.emulation, one.coordinatorMs, one.workerMs].map((figure) => figure.toFixed(2)),
      (one.aloneMs / (one.coordinatorMs + one.workerMs)).toFixed(2),
      growth(one, 4).toFixed(2),
      growth(one, Number.POSITIVE_INFINITY).toFixed(2),
    ]),
  ])

const captureTable = ({ told, captured, untold }: CaptureMeasurement): string =>
  alignColumns([
    ['creates of customers', 'a second', 'of those that are not told'],
    ['told and numbered meanwhile', formatCount(told), (told / untold).toFixed(2)],
    ['captured, numbered afterwards', formatCount(captured), (captured / untold).toFixed(2)],
    ['not told', formatCount(untold), ''],
  ])

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
