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
  // A table is for a spreadsheet, XML for a program: as a page either would only be a wall of text.
  const disposition = /^(text\/csv|application\/xml)/.test(mediaType) ? 'attachment' : 'inline'
  return reply
    .type(mediaType)
    .header('content-disposition', `${disposition}; filename="${fileName}"`)
    .send(Buffer.from(await bytes()))
}
