// What a browser sends with a form: read, and refused where it cannot be stored.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest } from '../operations/errors.ts'

const maxFormBytes = 64 * 1_024

/** Browsers end the lines of a text area with two characters, of which we keep the one that our text fields allow. */
export const parseForm = (body: string): URLSearchParams => new URLSearchParams(body.replaceAll(/%0D%0A/gi, '%0A'))

/** Forms are all that the pages of a plugin read. */
export function acceptForms(app: FastifyInstance, bodyLimit = maxFormBytes): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit },
    async (_request: FastifyRequest, body: string) => parseForm(body),
  )
}

/** Whether PostgreSQL can store it: no NUL, no lone surrogate. */
export const isStorableText = (text: string): boolean => !text.includes('\0') && text.isWellFormed()

/** Text that cannot be stored is refused once, for all pages: in the path, the query and the form. */
export function addUnstorableTextCheck(app: FastifyInstance): void {
  app.addHook('preValidation', async ({ params, query, body }) => {
    const inUrl = [params, query].flatMap((given) => Object.entries((given ?? {}) as object).flat(2))
    const inBody = body instanceof URLSearchParams ? [...body].flat() : []
    for (const text of [...inUrl, ...inBody])
      if (typeof text === 'string' && !isStorableText(text))
        throw badRequest('What was sent holds a character that cannot be kept')
  })
}
