// The thread in which PDFs are made: a sheet comes in, and the bytes of its PDF or the reason for having none go out.
import { parentPort } from 'node:worker_threads'
import { faces } from './faces.ts'
import { pdfOf } from './pdf.ts'
import type { Sheet } from './sheet.ts'

export type Report = { readonly is: 'ready' } | Outcome
export type Outcome =
  | { readonly is: 'made'; readonly bytes: Uint8Array<ArrayBuffer> }
  | { readonly is: 'failed'; readonly reason: string }

const workshop = parentPort!

workshop.on('message', async (sheet: Sheet) => {
  try {
    // Memory of its own: what is handed over must not be part of a pool.
    const bytes = new Uint8Array(await pdfOf(sheet))
    workshop.postMessage({ is: 'made', bytes } satisfies Report, [bytes.buffer])
  } catch (error) {
    workshop.postMessage({ is: 'failed', reason: String((error as Error).stack ?? error) } satisfies Report)
  }
})

await faces()
workshop.postMessage({ is: 'ready' } satisfies Report)
