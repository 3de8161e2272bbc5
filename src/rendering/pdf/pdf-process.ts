// The process in which PDFs are made: a print document comes in, and the bytes of its PDF or the reason for having none go out.
import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'
import type { PrintDocument } from '../print-document.ts'

/** A document, and the e-invoice that its PDF carries, if it is to carry one. */
export interface RenderRequest {
  readonly document: PrintDocument
  readonly facturX?: string | undefined
}

export type ProcessMessage = { readonly is: 'ready' } | RenderOutcome
export type RenderOutcome =
  | { readonly is: 'made'; readonly bytes: Uint8Array }
  | { readonly is: 'failed'; readonly reason: string }

const send = (message: ProcessMessage) => process.send!(message)

yieldToRequests()
// Ctrl-C and systemd reach it, too, but the service still needs it to finish what was asked for; it ends with the service.
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
process.on('disconnect', () => process.exit())

// Loaded after that: loading takes longer than many a document.
const [{ loadFonts }, { renderPdf }] = await Promise.all([import('./fonts.ts'), import('./pdf.ts')])
process.on('message', async ({ document, facturX }: RenderRequest) => {
  try {
    send({ is: 'made', bytes: await renderPdf(document, { facturX }) })
  } catch (error) {
    send({ is: 'failed', reason: String((error as Error).stack ?? error) })
  }
})
await loadFonts()
send({ is: 'ready' })

/** Requests go first, also before the threads in which V8 collects garbage and compiles; on Linux each has a priority of its own. */
function yieldToRequests(): void {
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid]
  for (const thread of threads) setPriority(thread, 10)
}
