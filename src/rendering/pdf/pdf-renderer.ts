// One process that renders PDFs: started at first use, ended when a document takes too long or too much memory, and when
// there was none for a while.
import type { ChildProcess } from 'node:child_process'
import { keepAlive, startSideProcess } from '../../processes/side-process.ts'
import type { ProcessMessage, RenderRequest } from './pdf-process.ts'

/** Nothing is wrong with the document, as far as is known: there was no room, no time or no process for it. */
export class PdfUnavailable extends Error {}

export interface PdfRenderer {
  isBusy(): boolean
  /** One document at a time. */
  render(asked: RenderRequest, timeoutMs: number): Promise<Uint8Array>
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
  let child: ChildProcess | undefined
  let isReady = false
  let current: (PromiseWithResolvers<Uint8Array> & { readonly timeoutMs: number }) | undefined
  let timer: NodeJS.Timeout | undefined

  return {
    isBusy: () => current !== undefined,
    render(asked, timeoutMs) {
      const request = { ...Promise.withResolvers<Uint8Array>(), timeoutMs }
      current = request
      child ??= start()
      keepAlive(child, true)
      setTimer(timeOut, isReady ? timeoutMs : startTimeoutMs)
      try {
        child.send(asked, (error) => {
          if (error && current === request) settleCurrent(new PdfUnavailable('The PDF was not finished'))
        })
      } catch (error) {
        settleCurrent(couldNotBeMade(error))
      }
      return request.promise
    },
    async close() {
      clearTimeout(timer)
      if (!child) return
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      keepAlive(child, true) // until it is gone
      child.once('exit', () => resolve())
      child.kill('SIGKILL')
      await ended
    },
  }

  function settleCurrent(outcome: Uint8Array | Error): void {
    const request = current
    current = undefined
    if (child) keepAlive(child, false)
    setTimer(end, idleMs).unref()
    if (outcome instanceof Error) request?.reject(outcome)
    else request?.resolve(outcome)
  }

  function start(): ChildProcess {
    const started = startSideProcess(program, memoryLimits)
    isReady = false
    started.on('message', (message: ProcessMessage) => {
      if (started !== child) return
      if (message.is === 'ready') becomeReady()
      else if (message.is === 'made') settleCurrent(message.bytes)
      else settleCurrent(couldNotBeMade(message.reason))
    })
    const gone = () => {
      if (started !== child) return
      child = undefined
      if (current) settleCurrent(new PdfUnavailable('The PDF was not finished'))
    }
    started.once('exit', gone)
    started.once('error', gone) // there is no room for another process
    return started
  }

  /** Only from now on is time the document's. */
  function becomeReady(): void {
    isReady = true
    if (current) setTimer(timeOut, current.timeoutMs)
  }

  function timeOut(): void {
    end()
    settleCurrent(new PdfUnavailable('The PDF took too long to make'))
  }

  function end(): void {
    child?.kill('SIGKILL')
    child = undefined
  }

  function setTimer(what: () => void, ms: number): NodeJS.Timeout {
    clearTimeout(timer)
    timer = setTimeout(what, ms)
    return timer
  }
}

const couldNotBeMade = (cause: unknown) => new Error('The PDF could not be made', { cause })
