// The thread in which PDFs are made: a print document comes in, and the bytes of its PDF or the reason for having none go out.
import { setPriority } from 'node:os'
import { parentPort } from 'node:worker_threads'
import type { PrintDocument } from '../print-document.ts'
import { loadFonts } from './fonts.ts'
import { renderPdf } from './pdf.ts'

/** A document, and the e-invoice that its PDF carries, if it is to carry one. */
export interface RenderRequest {
  readonly document: PrintDocument
  readonly facturX?: string | undefined
}

export type ThreadMessage = { readonly is: 'ready' } | RenderOutcome
export type RenderOutcome =
  | { readonly is: 'made'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly is: 'failed'; readonly reason: string }

const port = parentPort!

// Requests go first: on Linux 0 names the calling thread, elsewhere it would be the whole process.
if (process.platform === 'linux') setPriority(0, 10)

port.on('message', async ({ document, facturX }: RenderRequest) => {
  try {
    // Memory of its own: what is handed over must not be part of a pool.
    const bytes = new Uint8Array(await renderPdf(document, { facturX }))
    port.postMessage({ is: 'made', bytes } satisfies ThreadMessage, [bytes.buffer])
  } catch (error) {
    port.postMessage({ is: 'failed', reason: String((error as Error).stack ?? error) } satisfies ThreadMessage)
  }
})

await loadFonts()
port.postMessage({ is: 'ready' } satisfies ThreadMessage)
