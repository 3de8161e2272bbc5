// The workshop where PDFs are made beside the service: one thread, a short queue, and an end to what takes too long.
import { Worker } from 'node:worker_threads'
import type { PrintDocument } from '../print-document.ts'
import type { ThreadMessage } from './pdf-thread.ts'

export interface PdfQueue {
  /** Rejects with `WorkshopAway` where trying again later may help. */
  render(document: PrintDocument, timeoutMs?: number): Promise<Uint8Array>
  /** For operators: how many are queued or being made, and what became of the others. */
  metrics(): {
    readonly waiting: number
    readonly rendered: number
    readonly unavailable: number
    readonly failed: number
  }
  /** What is not made yet is not made any more. */
  close(): Promise<void>
}

/** Nothing is wrong with the document, as far as is known: there was no room, no time or no thread for it. */
export class PdfUnavailable extends Error {}

interface RenderRequest {
  readonly document: PrintDocument
  readonly timeoutMs: number
  readonly queuedAt: number
  readonly resolve: (bytes: Uint8Array) => void
  readonly reject: (error: Error) => void
}

const maxQueued = 20
/** The longest document takes a few seconds. */
const renderTimeoutMs = 10_000
/** The client has given up by then. */
const queueTimeoutMs = 20_000
/** A document of a hundred pages takes a tenth of it above what the fonts take. */
const memoryLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

export function createPdfQueue(): PdfQueue {
  const pending: RenderRequest[] = []
  let thread: Worker | undefined
  let current: RenderRequest | undefined
  let timer: NodeJS.Timeout | undefined
  let closed = false
  const outcomes = { rendered: 0, unavailable: 0, failed: 0 }

  return {
    metrics: () => ({ waiting: pending.length + (current ? 1 : 0), ...outcomes }),
    render(document, timeoutMs = renderTimeoutMs) {
      const { promise, resolve, reject } = Promise.withResolvers<Uint8Array>()
      if (closed || pending.length >= maxQueued) {
        outcomes.unavailable++
        reject(queueFull())
      } else pending.push({ document, timeoutMs, queuedAt: performance.now(), resolve, reject })
      startNext()
      return promise
    },
    async close() {
      closed = true
      for (const { reject } of pending.splice(0)) reject(threadStopped())
      await thread?.terminate()
    },
  }

  function startNext(): void {
    if (current) return
    current = pending.shift()
    if (!current) return
    const { document, timeoutMs, queuedAt } = current
    if (performance.now() - queuedAt > queueTimeoutMs) {
      settleCurrent(queueFull())
      return
    }
    thread ??= startThread()
    thread.ref()
    timer = setTimeout(timeOut, timeoutMs)
    try {
      thread.postMessage(document)
    } catch (error) {
      settleCurrent(new Error('The PDF could not be made', { cause: error }))
    }
  }

  function settleCurrent(outcome: Uint8Array | Error): void {
    const request = current
    current = undefined
    clearTimeout(timer)
    // A thread without work keeps no process from ending.
    thread?.unref()
    outcomes[!(outcome instanceof Error) ? 'rendered' : outcome instanceof PdfUnavailable ? 'unavailable' : 'failed']++
    if (outcome instanceof Error) request?.reject(outcome)
    else request?.resolve(outcome)
    startNext()
  }

  function startThread(): Worker {
    const worker = new Worker(new URL('./pdf-thread.ts', import.meta.url), {
      resourceLimits: memoryLimits,
      execArgv: [],
    })
    worker.on('message', (message: ThreadMessage) => {
      if (worker !== thread) return
      // Opening the fonts is no document's fault.
      if (message.is === 'ready') timer?.refresh()
      else if (message.is === 'made') settleCurrent(message.bytes)
      else settleCurrent(new Error('The PDF could not be made', { cause: message.reason }))
    })
    // It ends after this, and that is all that matters.
    worker.on('error', () => {})
    worker.on('exit', () => {
      if (worker !== thread) return
      thread = undefined
      if (current) settleCurrent(threadStopped())
    })
    return worker
  }

  function timeOut(): void {
    const stuck = thread
    thread = undefined
    stuck?.terminate()
    settleCurrent(new PdfUnavailable('The PDF took too long to make'))
  }
}

const queueFull = () => new PdfUnavailable('Too many PDFs are being made')
const threadStopped = () => new PdfUnavailable('The PDF was not finished')
