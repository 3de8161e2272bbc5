// One process that renders PDFs: started at first use, ended when a document takes too long or too much memory, and when
// there was none for a while.
import { createSideProcess } from '../../processes/side-process.ts'
import type { ProcessMessage, RenderRequest } from './pdf-process.ts'

/** Nothing is wrong with the document, as far as is known: there was no room, no time or no process for it. */
export class PdfUnavailable extends Error {}

export interface PdfRenderer {
  isBusy(): boolean
  /** One document at a time. */
  render(asked: RenderRequest, timeoutMs: number): Promise<Uint8Array>
  /** How long the last one took, without the start of its process. */
  tookMs(): number
  close(): Promise<void>
}

const program = new URL('./pdf-process.ts', import.meta.url)
/** A document of a hundred pages takes a tenth of it above what the fonts take. */
const memoryLimits = ['--max-old-space-size=256', '--max-semi-space-size=8']
/** Loading its modules and the fonts takes half a second of a processor, of which requests may leave it little. */
const startTimeoutMs = 30_000
/** It holds some 100 MB after a short document, 165 after long ones. */
const idleTimeoutMs = 5 * 60_000

export function createPdfRenderer(idleMs = idleTimeoutMs): PdfRenderer {
  const renderer = createSideProcess<RenderRequest, ProcessMessage>({
    program,
    memoryLimits,
    idleMs,
    onMessage(message) {
      if (message.is === 'ready') becomeReady()
      else if (message.is === 'made') settleCurrent(message.bytes)
      else settleCurrent(couldNotBeMade(message.reason))
    },
    onGone: () => settleCurrent(new PdfUnavailable('The PDF was not finished')),
  })
  let isReady = false
  let current: (PromiseWithResolvers<Uint8Array> & { readonly timeoutMs: number }) | undefined
  let timer: NodeJS.Timeout | undefined
  let begunAt = 0
  let tookMs = 0

  return {
    isBusy: () => current !== undefined,
    tookMs: () => tookMs,
    render(asked, timeoutMs) {
      begunAt = performance.now()
      const request = { ...Promise.withResolvers<Uint8Array>(), timeoutMs }
      current = request
      try {
        if (renderer.tell(asked)) isReady = false
        setTimer(isReady ? timeoutMs : startTimeoutMs)
      } catch (error) {
        settleCurrent(couldNotBeMade(error)) // it is nothing that can be sent
      }
      return request.promise
    },
    close: () => renderer.close(),
  }

  function settleCurrent(outcome: Uint8Array | Error): void {
    const request = current
    current = undefined
    tookMs = performance.now() - begunAt
    clearTimeout(timer)
    renderer.rest()
    if (outcome instanceof Error) request?.reject(outcome)
    else request?.resolve(outcome)
  }

  /** Only from now on is time the document's. */
  function becomeReady(): void {
    isReady = true
    begunAt = performance.now()
    if (current) setTimer(current.timeoutMs)
  }

  function setTimer(ms: number): void {
    clearTimeout(timer)
    timer = setTimeout(timeOut, ms)
  }

  function timeOut(): void {
    renderer.end()
    settleCurrent(new PdfUnavailable('The PDF took too long to make'))
  }
}

const couldNotBeMade = (cause: unknown) => new Error('The PDF could not be made', { cause })
