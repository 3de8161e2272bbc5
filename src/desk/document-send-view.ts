// The page before a document is sent: to whom and with which words, the mail as it will be read, and the PDF beside it.
import { type Html, html } from '../http/html.ts'
import type { DocumentPage } from './document-data.ts'
import { pageHead, type View } from './frame.ts'
import { noMailServerNote } from './mail-words.ts'
import type { DeskRequest } from './router.ts'

export interface SentMail {
  readonly to: string
  readonly subject: string
  /** What was typed, which is a part of the text. */
  readonly message: string
  readonly text: string
}

/** As it arrives. */
export const mailView = ({ to, subject, text }: SentMail): Html =>
  html`<dl class="props"><dt>To</dt><dd>${to || html`<span class="soft">Nobody yet</span>`}</dd><dt>Subject</dt><dd class="strong">${subject}</dd></dl><div class="words pre">${text}</div>`

/** Enter in a field looks before it sends: the first button is the one that is meant then. */
function sendForm(
  { href, csrfField, onceField }: DeskRequest,
  page: DocumentPage,
  mail: SentMail,
  problem?: string,
): Html {
  const { kind, record, version } = page
  const here = href(`/${kind}s/${record.id}`)
  return html`<form method="post" action="${`${here}/send`}" data-mail="mail">${csrfField}${onceField}<input type="hidden" name="version" value="${version ?? ''}">${problem && html`<p class="danger" role="alert">${problem}</p>`}
<label class="field"><span>To</span><input type="email" name="to" required value="${mail.to}"></label>
<label class="field"><span>Subject</span><input name="subject" maxlength="200" value="${mail.subject}"></label>
<label class="field"><span>Message</span><textarea name="message" rows="3" maxlength="5000">${mail.message}</textarea></label>
<p class="soft small">The mail brings the address of the ${kind} and the PDF. It cannot be taken back.</p>
<p class="row wrap"><button class="btn quiet" name="look" value="yes" formnovalidate data-turbo="false">Show the mail</button><a class="btn" href="${here}">Not now</a><button class="btn main">Send it</button></p></form>`
}

/** How a viewer shows it: the page as wide as the frame, and nothing around it. */
const wholePage = '#toolbar=0&navpanes=0&view=FitH'

export function sendView(
  request: DeskRequest,
  page: DocumentPage,
  mail: SentMail,
  problem?: string,
  status = 200,
): View {
  const { kind, record, number } = page
  const here = request.href(`/${kind}s/${record.id}`)
  const paper = `${here}/pdf?preview=yes`
  return {
    title: `Send ${number}`,
    place: `${kind}s`,
    status,
    scripts: ['job', 'document'],
    body: html`${pageHead(`Send ${number}`, { crumbs: [[here, number]] })}
${noMailServerNote(request)}
<div class="cols send-cols"><div class="stack"><div class="card asks">${sendForm(request, page, mail, problem)}</div>
<section class="card" aria-label="The mail"><header><h2>The mail</h2></header><div id="mail" aria-live="polite">${mailView(mail)}</div></section></div>
<section class="card pdf" aria-label="The PDF"><header><h2>The PDF</h2><a class="more" href="${paper}" target="_blank">Open it</a></header><iframe src="${`${paper}${wholePage}`}" title="${number} as a PDF" loading="lazy"></iframe></section></div>`,
  }
}
