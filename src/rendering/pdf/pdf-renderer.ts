// One thread that renders PDFs: started at first use, ended when a document takes too long or too much memory.
import { Worker } from 'node:worker_threads'

import type { RenderRequest, ThreadMessage } from './pdf-thread.ts'

/** Nothing is wrong with the document, as far as is known: there was no room, no time or no thread for it. */
export class PdfUnavailable extends Error {}

export interface PdfRenderer {
  isBusy(): boolean
  /** One document at a time. */
  render(asked: RenderRequest, timeoutMs: number): Promise<Uint8Array>
  close(): Promise<void>
}

/** A document of a hundred pages takes a tenth of it above what the fonts take. */
const memoryLimits = { maxOldGenerationSizeMb: 256, maxYoungGenerationSizeMb: 32 }

export function createPdfRenderer(): PdfRenderer {
  let thread: Worker | undefined
  let current: PromiseWithResolvers<Uint8Array> | undefined
  let timer: NodeJS.Timeout | undefined

  return {
    isBusy: () => current !== undefined,
    render(asked, timeoutMs) {
      const request = Promise.withResolvers<Uint8Array>()
      current = request
      thread ??= startThread()
      thread.ref()
      timer = setTimeout(timeOut, timeoutMs)
      try {
        thread.postMessage(asked)
      } catch (error) {
        settleCurrent(couldNotBeMade(error))
      }
      return request.promise
    },
    async close() {
      await thread?.terminate()
    },
  }

  function settleCurrent(outcome: Uint8Array | Error): void {
    const request = current
    current = undefined
    clearTimeout(timer)
    // A thread without work keeps no process from ending.
    thread?.unref()
    if (outcome instanceof Error) request?.reject(outcome)
    else request?.resolve(outcome)
  }

  function startThread(): Worker {
    const worker = new Worker(new URL('./pdf-thread.ts', import.meta.url), {
      resourceLimits: memoryLimits,
      execArgv: loadingOptions,
    })
    worker.on('message', (message: ThreadMessage) => {
      if (worker !== thread) return
      // Opening the fonts is no document's fault.
      if (message.is === 'ready') timer?.refresh()
      else if (message.is === 'made') settleCurrent(message.bytes)
      else settleCurrent(couldNotBeMade(message.reason))
    })
    // It ends after this, and that is all that matters.
    worker.on('error', () => {})
    worker.on('exit', () => {
      if (worker !== thread) return
      thread = undefined
      if (current) settleCurrent(new PdfUnavailable('The PDF was not finished'))
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

/** A thread loads sources as the process does (`bin/strip-types.js`); the other options of the process are not for it. */
const loadingOptions = process.execArgv.filter((option) => /^--(import|disable-warning)=/.test(option))

const couldNotBeMade = (cause: unknown) => new Error('The PDF could not be made', { cause })
