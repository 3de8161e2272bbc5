// What a person is shown when a page cannot be: a sentence, and for our own faults the id to quote.
import type { FastifyError, FastifyInstance } from 'fastify'
import { asRefusal, logged } from '../api/rest.ts'
import { html } from '../pages/html.ts'
import { type Page, show } from './layout.ts'

/** Errors of a plugin's pages become pages; `own` has those that the plugin explains itself. */
export function showRefusals(app: FastifyInstance, own: (error: Error) => Page | undefined = () => undefined): void {
  app.setErrorHandler<FastifyError>((error, request, reply) => {
    const explained = own(error)
    if (explained) return show(reply, explained)
    const { status, message, headers } = asRefusal(error)
    if (status >= 500) logged(error, request, message)
    reply.headers(headers)
    return show(reply, {
      title: 'That did not work',
      status,
      body: html`<h1>That did not work</h1>
<p>${message}.</p>
${status >= 500 ? html`<p class="quiet">Request ${request.id}</p>` : html`<p>Go back, load the page anew, and try again.</p>`}`,
    })
  })
}
