// Metrics in the text format of Prometheus. Counting costs a request one or two additions; whatever costs more is
// computed on scrape.

export type Labels = Readonly<Record<string, string | number>>

export interface Sample {
  /** Added to the family's name, as histograms have it. */
  readonly suffix?: string
  readonly labels?: Labels
  readonly value: number
}

export interface MetricFamily {
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  read(): readonly Sample[] | Promise<readonly Sample[]>
}

/** Computed on scrape: one number, or one for each of some labels. */
export function createMetric(
  kind: 'counter' | 'gauge',
  name: string,
  help: string,
  collect: () => number | readonly Sample[],
): MetricFamily {
  return {
    name,
    kind,
    help,
    read() {
      const collected = collect()
      return typeof collected === 'number' ? [{ value: collected }] : collected
    },
  }
}

/** Upper bounds in seconds: most answers take a few milliseconds, and none should take more than five seconds. */
const bucketBounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface OperationStats {
  readonly byStatus: Map<number, number>
  readonly byBucket: number[]
  seconds: number
}

export interface CallMetrics {
  readonly families: readonly MetricFamily[]
  observe(operation: string, status: number, ms: number): void
}

/** How often each operation was answered with which status, and how long it took. */
export function createCallMetrics(prefix: string, description: string): CallMetrics {
  const statsByOperation = new Map<string, OperationStats>()
  return {
    observe(operation, status, ms) {
      let stats = statsByOperation.get(operation)
      if (!stats) {
        stats = { byStatus: new Map(), byBucket: Array(bucketBounds.length + 1).fill(0), seconds: 0 }
        statsByOperation.set(operation, stats)
      }
      const seconds = ms / 1_000
      let bucket = 0
      while (bucket < bucketBounds.length && seconds > bucketBounds[bucket]!) bucket++
      stats.byBucket[bucket]!++
      stats.seconds += seconds
      stats.byStatus.set(status, (stats.byStatus.get(status) ?? 0) + 1)
    },
    families: [
      createMetric('counter', `${prefix}s_total`, `${description}, by operation and status.`, () =>
        [...statsByOperation].flatMap(([operation, { byStatus }]) =>
          Array.from(byStatus, ([status, value]) => ({ labels: { operation, status }, value })),
        ),
      ),
      {
        name: `${prefix}_duration_seconds`,
        kind: 'histogram',
        help: `Latency, by operation.`,
        read: () => [...statsByOperation].flatMap(([operation, stats]) => histogram(operation, stats)),
      },
    ],
  }
}

/** Each bound counts all that lies below it. */
function histogram(operation: string, { byBucket, seconds }: OperationStats): Sample[] {
  let cumulative = 0
  const buckets = byBucket.map((count, bucket) => {
    cumulative += count
    return { suffix: '_bucket', labels: { operation, le: bucketBounds[bucket] ?? '+Inf' }, value: cumulative }
  })
  return [
    ...buckets,
    { suffix: '_sum', labels: { operation }, value: seconds },
    { suffix: '_count', labels: { operation }, value: cumulative },
  ]
}

export const metricsContentType = 'text/plain; version=0.0.4; charset=utf-8'

/** A family with what it told at one moment, as one process hands it to another. */
export interface FamilySamples extends Omit<MetricFamily, 'read'> {
  readonly samples: readonly Sample[]
}

export const readFamilies = (families: readonly MetricFamily[]): Promise<FamilySamples[]> =>
  Promise.all(families.map(async ({ read, ...family }) => ({ ...family, samples: await read() })))

/**
 * One text of several processes: each sample says which process it is of. A sum would fall whenever one of them is started
 * anew, and whoever reads it would take that for a start of all.
 */
export function joinProcesses(told: ReadonlyMap<string, readonly FamilySamples[]>): FamilySamples[] {
  const byName = new Map<string, FamilySamples & { samples: Sample[] }>()
  for (const [process, families] of told) {
    for (const family of families) {
      const joined = byName.get(family.name) ?? { ...family, samples: [] }
      byName.set(family.name, joined)
      joined.samples.push(...family.samples.map((sample) => ({ ...sample, labels: { process, ...sample.labels } })))
    }
  }
  return [...byName.values()]
}

export const renderMetrics = async (families: readonly MetricFamily[]): Promise<string> =>
  renderFamilies(await readFamilies(families))

/** Lines of a family stand together, under one heading. */
export function renderFamilies(families: readonly FamilySamples[]): string {
  const texts = families.map(({ name, kind, help, samples }) => {
    const lines = samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${renderLabels(labels)} ${value}\n`)
    return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`
  })
  return texts.join('')
}

function renderLabels(labels: Labels | undefined): string {
  if (!labels) return ''
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabelValue(String(value))}"`)
  return `{${pairs.join(',')}}`
}

const escapeLabelValue = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
