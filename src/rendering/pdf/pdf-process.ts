// The process in which PDFs are made: a print document comes in, and the bytes of its PDF or the reason for having none go out.
import { standBehindService } from '../../processes/side-process.ts'
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

standBehindService()
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
