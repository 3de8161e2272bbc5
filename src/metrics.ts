// Figures for operators in the text that Prometheus reads. Counting costs a request one or two additions; whatever costs
// more is found out when somebody asks for the figures.

export type Labels = Readonly<Record<string, string | number>>

export interface Sample {
  /** Added to the family's name, as histograms have it. */
  readonly suffix?: string
  readonly labels?: Labels
  readonly value: number
}

export interface Family {
  readonly name: string
  readonly kind: 'counter' | 'gauge' | 'histogram'
  readonly help: string
  read(): readonly Sample[] | Promise<readonly Sample[]>
}

/** Found out when asked for: one number, or one for each of some labels. */
export function measured(
  kind: 'counter' | 'gauge',
  name: string,
  help: string,
  look: () => number | readonly Sample[],
): Family {
  return {
    name,
    kind,
    help,
    read() {
      const found = look()
      return typeof found === 'number' ? [{ value: found }] : found
    },
  }
}

/** Upper bounds in seconds: most answers take a few milliseconds, and none should take more than five seconds. */
const bounds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

interface Answered {
  readonly byStatus: Map<number, number>
  readonly byBound: number[]
  seconds: number
}

export interface Answers {
  readonly families: readonly Family[]
  note(operation: string, status: number, ms: number): void
}

/** How often each operation was answered with which status, and how long it took. */
export function answers(prefix: string, what: string): Answers {
  const operations = new Map<string, Answered>()
  return {
    note(operation, status, ms) {
      let answered = operations.get(operation)
      if (!answered) {
        answered = { byStatus: new Map(), byBound: Array(bounds.length + 1).fill(0), seconds: 0 }
        operations.set(operation, answered)
      }
      const seconds = ms / 1_000
      let place = 0
      while (place < bounds.length && seconds > bounds[place]!) place++
      answered.byBound[place]!++
      answered.seconds += seconds
      answered.byStatus.set(status, (answered.byStatus.get(status) ?? 0) + 1)
    },
    families: [
      measured('counter', `${prefix}s_total`, `${what}, by operation and status.`, () =>
        [...operations].flatMap(([operation, { byStatus }]) =>
          Array.from(byStatus, ([status, value]) => ({ labels: { operation, status }, value })),
        ),
      ),
      {
        name: `${prefix}_duration_seconds`,
        kind: 'histogram',
        help: `How long they took, by operation.`,
        read: () => [...operations].flatMap(([operation, answered]) => histogram(operation, answered)),
      },
    ],
  }
}

/** Each bound counts all that lies below it. */
function histogram(operation: string, { byBound, seconds }: Answered): Sample[] {
  let below = 0
  const buckets = byBound.map((count, place) => {
    below += count
    return { suffix: '_bucket', labels: { operation, le: bounds[place] ?? '+Inf' }, value: below }
  })
  return [
    ...buckets,
    { suffix: '_sum', labels: { operation }, value: seconds },
    { suffix: '_count', labels: { operation }, value: below },
  ]
}

export const metricsType = 'text/plain; version=0.0.4; charset=utf-8'

export async function written(families: readonly Family[]): Promise<string> {
  const texts = families.map(async ({ name, kind, help, read }) => {
    const samples = await read()
    const lines = samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${shown(labels)} ${value}\n`)
    return `# HELP ${name} ${help}\n# TYPE ${name} ${kind}\n${lines.join('')}`
  })
  return (await Promise.all(texts)).join('')
}

function shown(labels: Labels | undefined): string {
  if (!labels) return ''
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(String(value))}"`)
  return `{${pairs.join(',')}}`
}

const escaped = (text: string) => text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
