// The queue for PDFs, which are rendered in processes beside the service: short, and served round robin by organisation.
import { createFairSemaphore, SemaphoreFull } from '../../fairness/fair-semaphore.ts'
import { createRests } from '../../fairness/rests.ts'
import type { PrintDocument } from '../print-document.ts'
import { createPdfRenderer, type PdfRenderer, PdfUnavailable } from './pdf-renderer.ts'

export interface RenderOptions {
  /** Whose document it is: the PDFs of one organisation are rendered one after the other. */
  readonly orgId: string
  readonly timeoutMs?: number
  /** Nobody waits for it: it begins when the organisation has rested from its last one in the background. */
  readonly isBackground?: boolean
  /** The e-invoice that the PDF carries, as XML. */
  readonly facturX?: string | undefined
}

export interface PdfQueue {
  /** Rejects with `PdfUnavailable` where trying again later may help. */
  render(document: PrintDocument, options: RenderOptions): Promise<Uint8Array>
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

const maxProcesses = 2
const maxQueued = 20
/** The longest document takes a few seconds. */
const renderTimeoutMs = 10_000
/** The client has given up by then. */
const queueTimeoutMs = 20_000

/**
 * Many long ones of one organisation would keep a processor busy for as long as it likes, which others feel although the process
 * stands behind them. One of a few pages is made before there is anything to rest from.
 */
const restMs = (tookMs: number) => Math.min(longestRestMs, restMultiple * Math.max(0, tookMs - shortMs))
const shortMs = 100
const restMultiple = 3
/** So short that twenty at once are still made before their clients give up. */
const longestRestMs = 500

/** The turn of an organisation among all processes of the service; answers how it is given on. */
export type EnterTurn = (orgId: string, maxWaitMs: number) => Promise<() => Promise<void>>

/** For others of the organisation's, each of which is made within a second or two and rested from. */
const maxTurnWaitMs = 3_000

export function createPdfQueue(enterTurn: EnterTurn = async () => async () => {}): PdfQueue {
  const semaphore = createFairSemaphore({ maxConcurrent: maxProcesses, maxPerKey: 1, maxQueued })
  const rests = createRests()
  const renderers: PdfRenderer[] = []
  let closed = false
  const counts = { waiting: 0, rendered: 0, unavailable: 0, failed: 0 }

  return {
    metrics: () => ({ ...counts }),
    render: (document, options) =>
      options.isBackground ? rests.run(options.orgId, () => render(document, options)) : render(document, options),
    async close() {
      closed = true
      await Promise.all(renderers.map((renderer) => renderer.close()))
    },
  }

  async function render(document: PrintDocument, { orgId, timeoutMs = renderTimeoutMs, facturX }: RenderOptions) {
    const queuedAt = performance.now()
    counts.waiting++
    try {
      const bytes = await semaphore.run(orgId, async (rest) => {
        if (performance.now() - queuedAt > queueTimeoutMs) throw queueFull()
        const leave = await enterTurn(orgId, maxTurnWaitMs)
        let restsFor = 0
        try {
          if (closed) throw new PdfUnavailable('The PDF was not finished')
          const renderer = idleRenderer()
          return await renderer.render({ document, facturX }, timeoutMs).finally(() => {
            restsFor = restMs(renderer.tookMs())
          })
        } finally {
          rest(restsFor)
          setTimeout(leave, restsFor).unref()
        }
      })
      counts.rendered++
      return bytes
    } catch (error) {
      const reason = error instanceof SemaphoreFull ? queueFull() : error
      counts[reason instanceof PdfUnavailable ? 'unavailable' : 'failed']++
      throw reason
    } finally {
      counts.waiting--
    }
  }

  /** The second process, with fonts of its own, is started only when two organisations need one at the same time. */
  function idleRenderer(): PdfRenderer {
    const idle = renderers.find((renderer) => !renderer.isBusy())
    if (idle) return idle
    const started = createPdfRenderer()
    renderers.push(started)
    return started
  }
}

const queueFull = () => new PdfUnavailable('Too many PDFs are being made')
