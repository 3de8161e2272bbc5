// The workshop where PDFs are made beside the service: one thread, a short queue, and an end to what takes too long.
import { Worker } from 'node:worker_threads'
import type { Report } from './pdf-thread.ts'
import type { Sheet } from './sheet.ts'

export interface Workshop {
  /** Rejects with `WorkshopAway` where trying again later may help. */
  make(sheet: Sheet, limitMs?: number): Promise<Uint8Array>
  /** For operators: how many wait or are being made, and what became of the others. */
  figures(): { readonly waiting: number; readonly made: number; readonly away: number; readonly failed: number }
  /** What is not made yet is not made any more. */
  close(): Promise<void>
}

/** Nothing is wrong with the document, as far as is known: there was no room, no time or no thread for it. */
export class WorkshopAway extends Error {}

interface Order {
  readonly sheet: Sheet
  readonly limitMs: number
  readonly givenAt: number
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: Error) => void
}

const mostWaiting = 20
/** The longest document takes a few seconds. */
const documentMs = 10_000
/** Whoever asked has given up by then. */
const patienceMs = 20_000
/** A document of a hundred pages takes a tenth of it above what the fonts take. */
const memory = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

export function workshop(): Workshop {
  const waiting: Order[] = []
  let thread: Worker | undefined
  let current: Order | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const count = { made: 0, away: 0, failed: 0 }

  return {
    figures: () => ({ waiting: waiting.length + (current ? 1 : 0), ...count }),
    make(sheet, limitMs = documentMs) {
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
      if (closed || waiting.length >= mostWaiting) {
        count.away++
        reject(crowded())
      } else waiting.push({ sheet, limitMs, givenAt: performance.now(), resolve, reject })
      begin()
      return promise
    },
    async close() {
      closed = true
      for (const { reject } of waiting.splice(0)) reject(stopped())
      await thread?.terminate()
    },
  }

  function begin(): void {
    if (current) return
    current = waiting.shift()
    if (!current) return
    const { sheet, limitMs, givenAt } = current
    if (performance.now() - givenAt > patienceMs) {
      finish(crowded())
      return
    }
    thread ??= started()
    thread.ref()
    timer = setTimeout(giveUp, limitMs)
    try {
      thread.postMessage(sheet)
    } catch (error) {
      finish(new Error('The PDF could not be made', { cause: error }))
    }
  }

  function finish(outcome: Uint8Array | Error): void {
    const order = current
    current = undefined
    clearTimeout(timer)
    // A thread without work keeps no process from ending.
    thread?.unref()
    count[!(outcome instanceof Error) ? 'made' : outcome instanceof WorkshopAway ? 'away' : 'failed']++
    if (outcome instanceof Error) order?.reject(outcome)
    else order?.resolve(outcome)
    begin()
  }

  function started(): Worker {
    const worker = new Worker(new URL('./pdf-thread.ts', import.meta.url), { resourceLimits: memory, execArgv: [] })
    worker.on('message', (report: Report) => {
      if (worker !== thread) return
      // Opening the fonts is no document's fault.
      if (report.is === 'ready') timer?.refresh()
      else if (report.is === 'made') finish(report.bytes)
      else finish(new Error('The PDF could not be made', { cause: report.reason }))
    })
    // It ends after this, and that is all that matters.
    worker.on('error', () => {})
    worker.on('exit', () => {
      if (worker !== thread) return
      thread = undefined
      if (current) finish(stopped())
    })
    return worker
  }

  function giveUp(): void {
    const late = thread
    thread = undefined
    late?.terminate()
    finish(new WorkshopAway('The PDF took too long to make'))
  }
}

const crowded = () => new WorkshopAway('Too many PDFs are being made')
const stopped = () => new WorkshopAway('The PDF was not finished')
