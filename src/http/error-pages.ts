// What a person is shown when a page cannot be: a sentence, and for our own faults the id to quote.
import type { FastifyError, FastifyInstance } from 'fastify'
import { toApiError } from './envelope.ts'
import { html } from './html.ts'
import { type Page, sendPage } from './layout.ts'
import { logError } from './log-error.ts'

/** Errors of a plugin's pages become pages; `explain` has those that the plugin explains itself. */
export function addErrorPages(
  app: FastifyInstance,
  explain: (error: Error) => Page | undefined = () => undefined,
): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const explanation = explain(error)
    if (explanation) return sendPage(reply, explanation)
    const { status, message, headers } = toApiError(error)
    if (status >= 500) logError(error, request, message)
    reply.headers(headers)
    return sendPage(reply, {
      title: 'That did not work',
      status,
      body: html`<h1>That did not work</h1>
<p>${message}.</p>
${status >= 500 ? html`<p class="quiet">Request ${request.id}</p>` : html`<p>Go back, load the page anew, and try again.</p>`}`,
    })
  })
}
