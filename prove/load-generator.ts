// Requests at a steady rate, in a process of its own. A request has its moment whether those before it are answered or
// not, and waits are counted from that moment: a service that stands still is not asked less, and hides nothing.
import { type Line, openLine } from '../bench/wire.ts'

export interface Load {
  readonly port: number
  readonly connections: number
  readonly perSecond: number
  readonly seconds: number
  /** Sent in turn, over and over. */
  readonly requests: readonly { readonly work: string; readonly isWrite: boolean; readonly text: string }[]
}

/** How far it is. */
export interface Progress {
  readonly sent: number
  readonly answered: number
  readonly failed: number
}

export interface Waits {
  readonly count: number
  readonly p50Ms: number
  readonly p99Ms: number
  readonly mostMs: number
}

export interface Outcome {
  readonly answered: number
  readonly seconds: number
  /** Answers that are no success, by status. */
  readonly refused: Readonly<Record<string, number>>
  /** Requests whose connection ended before the answer. */
  readonly lost: number
  readonly unanswered: number
  /** The first of what went wrong, in words. */
  readonly complaints: readonly string[]
  readonly reads: Waits
  readonly writes: Waits
  readonly byWork: Readonly<Record<string, Waits>>
  readonly processors: number
}

export type Message = { readonly progress: Progress } | { readonly outcome: Outcome }

/** How long the last answers are waited for. */
const graceMs = 60_000
const progressEveryMs = 10_000
const mostComplaints = 5

process.once('message', (load: Load) => {
  send(load).then((outcome) => process.send!({ outcome } satisfies Message, () => process.exit()))
})
process.once('disconnect', () => process.exit(1)) // whoever asked is gone

/** A connection, and the number of the request that is under way on it. */
interface Slot {
  readonly line: Line
  current: number | undefined
}

function send({ port, connections, perSecond, seconds, requests }: Load): Promise<Outcome> {
  const prepared = requests.map(({ text }) => Buffer.from(text))
  const total = perSecond * seconds
  const waits = new Float64Array(total).fill(Number.NaN)
  const refused: Record<string, number> = {}
  const complaints: string[] = []
  const free: Slot[] = []
  const waiting: number[] = []
  let begun = 0
  let answered = 0
  let failed = 0
  let lost = 0
  const { promise, resolve } = Promise.withResolvers<Outcome>()
  const startedAt = performance.now()
  const momentOf = (number: number) => startedAt + (number * 1_000) / perSecond

  const complain = (text: string) => {
    failed++
    if (complaints.length < mostComplaints) complaints.push(text)
  }
  const open = () => {
    const slot: Slot = {
      current: undefined,
      line: openLine(port, {
        opened: () => serve(slot),
        answered(_line, status, refusal) {
          waits[slot.current!] = performance.now() - momentOf(slot.current!)
          answered++
          if (refusal) {
            refused[status] = (refused[status] ?? 0) + 1
            complain(refusal)
          }
          serve(slot)
        },
        closed(error) {
          if (free.includes(slot)) free.splice(free.indexOf(slot), 1)
          if (slot.current !== undefined) {
            lost++
            complain(error?.message ?? 'the connection was closed')
          }
          if (!isOver()) setTimeout(open, 100)
        },
      }),
    }
  }
  const serve = (slot: Slot) => {
    slot.current = waiting.shift()
    if (slot.current === undefined) free.push(slot)
    else slot.line.send(prepared[slot.current % prepared.length]!)
  }
  const isOver = () => answered + lost >= total || performance.now() > momentOf(total) + graceMs

  const tick = setInterval(() => {
    const now = performance.now()
    while (begun < total && momentOf(begun) <= now) waiting.push(begun++)
    // The line that has rested longest comes first, so that none rests for long.
    while (waiting.length > 0 && free.length > 0) serve(free.shift()!)
    if (isOver()) finish()
  }, 1)
  const telling = setInterval(() => {
    process.send!({ progress: { sent: begun - waiting.length, answered, failed } } satisfies Message)
  }, progressEveryMs)

  function finish(): void {
    clearInterval(tick)
    clearInterval(telling)
    const elapsed = performance.now() - startedAt
    const { user, system } = process.cpuUsage()
    const isOf = (test: (request: Load['requests'][number]) => boolean) =>
      waitsOf(waits.filter((wait, number) => !Number.isNaN(wait) && test(requests[number % requests.length]!)))
    const works = [...new Set(requests.map(({ work }) => work))]
    resolve({
      answered,
      seconds: elapsed / 1_000,
      refused,
      lost,
      unanswered: total - answered - lost,
      complaints,
      reads: isOf(({ isWrite }) => !isWrite),
      writes: isOf(({ isWrite }) => isWrite),
      byWork: Object.fromEntries(works.map((name) => [name, isOf(({ work }) => work === name)])),
      processors: (user + system) / 1_000 / elapsed,
    })
  }
  for (let count = 0; count < connections; count++) open()
  return promise
}

function waitsOf(waits: Float64Array): Waits {
  const sorted = waits.sort()
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN
  return { count: sorted.length, p50Ms: at(0.5), p99Ms: at(0.99), mostMs: at(1) }
}
