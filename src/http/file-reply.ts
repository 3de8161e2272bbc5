// A file as an answer: shown by the browser as what it is said to be, and as nothing else.
import type { FastifyReply } from 'fastify'

export interface FileAnswer {
  readonly fileName: string
  readonly mediaType: string
  readonly bytes: () => Promise<Uint8Array>
}

/** A picture comes from whoever filled in a form: opened as a page, nothing in it may run or load. PDFs are our own. */
const pictureHeaders = { 'content-security-policy': "default-src 'none'; sandbox", 'x-content-type-options': 'nosniff' }

export async function sendFile(reply: FastifyReply, { fileName, mediaType, bytes }: FileAnswer): Promise<FastifyReply> {
  if (mediaType.startsWith('image/')) reply.headers(pictureHeaders)
  return reply
    .type(mediaType)
    .header('content-disposition', `inline; filename="${fileName}"`)
    .send(Buffer.from(await bytes()))
}
