// What is said wherever somebody sends a mail while the service has no mail server: it is written to a file, and nobody gets it.
import { type Html, html } from '../http/html.ts'
import { icon } from './icons.ts'

/** Of a request of the desk. */
export interface Mailer {
  readonly hasMailServer: boolean
  href(path: string): string
}

const wayOn = ({ href }: Mailer): Html => html`<a class="btn" href="${href('/settings/mail')}">Settings &gt; Mail</a>`

/** Before it is sent. */
export const noMailServerNote = (request: Mailer): Html | false =>
  !request.hasMailServer &&
  html`<div class="note">${icon('warning')}<span class="grow">No mail server is set: mail is only written to a file, and nobody gets it.</span>${wayOn(request)}</div>`

/** After it was sent, in place of “It is on its way”. */
export const writtenToFile = (request: Mailer, what: string): Html =>
  html`<div class="note" role="status">${icon('warning')}<span class="grow">No mail server is set: ${what}, and nobody gets it.</span>${wayOn(request)}</div>`
