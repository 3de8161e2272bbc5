// The public page of a quote or an invoice: what a customer reads on a phone, and where a quote is answered.
import { documentStyle, signatureScript } from '../http/assets.ts'
import { type Html, html } from '../http/html.ts'
import { acceptsAnswer, displayStatus, isPayable, kindLabel, relevantDates } from './display-status.ts'
import { headlineAmount } from './document-rows.ts'
import { formatOf } from './format.ts'
import { answerForm, type TypedAnswer } from './page-answer-form.ts'
import { linesTable, paymentsTable, totalsTable } from './page-tables.ts'
import type { PrintDocument } from './print-document.ts'
import { oneLine, sanitizeText } from './sanitize-text.ts'

export interface PageOptions {
  readonly token: string
  /** For the form of a quote that can be answered. */
  readonly csrf: string
  /** A data URL or a path of this service: never an address elsewhere. */
  readonly logo?: string
  /** Why what the reader sent was not taken, if it was not. */
  readonly problem?: string
  /** What the reader had typed, to be shown again with the problem. */
  readonly typed?: TypedAnswer
}

/** Every page of this file is sent with these. */
export const pageHeaders = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': [
    "default-src 'none'",
    "style-src 'self'",
    "script-src 'self'",
    "img-src 'self' data:",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "base-uri 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'x-robots-tag': 'noindex, nofollow',
}

export function renderPage(document: PrintDocument, options: PageOptions): string {
  const format = formatOf(document)
  const name = `${kindLabel(document)} ${oneLine(document.number)}`
  const path = `/s/${encodeURIComponent(options.token)}`
  const canAnswer = acceptsAnswer(document)
  const main = html`<main>
${letterhead(document, options.logo)}
${options.problem && html`<p class="problem" role="alert">${options.problem}</p>`}
${summary(document, name, path, canAnswer)}
${linesTable(document)}
${totalsTable(document)}
${paymentsTable(document)}
${isPayable(document) && passage('How to pay', document.paymentInstructions)}
${canAnswer && answerForm(document, path, options.csrf, options.typed)}
${messages(document)}
${passage('Terms', document.terms)}
${imprint(document)}
</main>`
  return renderShell({
    title: `${name} · ${oneLine(document.organisation.name)}`,
    locale: format.locale,
    direction: format.direction,
    main,
    hasScript: canAnswer,
  })
}

/** The answer came too late, or was given before: nothing was changed, and the document is shown as it stands. */
export function renderAnsweredPage(document: PrintDocument, options: PageOptions): string {
  const { name } = displayStatus(document)
  const reasons: Readonly<Record<string, string>> = {
    accepted: 'This quote was already accepted. Nothing has been changed.',
    declined: 'This quote was already declined. Nothing has been changed.',
    invoiced: 'This quote was already accepted and invoiced. Nothing has been changed.',
    expired: 'This quote has expired and can no longer be answered here. Please ask for a new one.',
  }
  return renderPage(document, { ...options, problem: reasons[name] ?? 'This quote can no longer be answered here.' })
}

/** The same for a link that never was, that was removed and that has expired. */
export function renderNotFoundPage(): string {
  return renderMessagePage(
    'Page not found',
    'This link does not lead anywhere, or no longer does. Please ask for a new one.',
  )
}

export function renderMessagePage(title: string, text: string): string {
  const main = html`<main class="message"><h1>${title}</h1><p>${text}</p></main>`
  return renderShell({ title, locale: 'en', direction: 'ltr', main, hasScript: false })
}

interface Shell {
  readonly title: string
  readonly locale: string
  readonly direction: string
  readonly main: Html
  readonly hasScript: boolean
}

function renderShell({ title, locale, direction, main, hasScript }: Shell): string {
  return html`<!doctype html>
<html lang="${locale}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex, nofollow">
<meta name="color-scheme" content="light dark">
<meta name="format-detection" content="telephone=no">
<title>${title}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${documentStyle.path}">
${hasScript && html`<script type="module" src="${signatureScript.path}"></script>`}
</head>
<body>
${main}
</body>
</html>
`.toString()
}

function letterhead({ organisation }: PrintDocument, logo: string | undefined): Html {
  const name = oneLine(organisation.name)
  const isLocalImage = logo && (/^data:image\/(png|jpeg|webp);base64,/.test(logo) || /^\/(?!\/)/.test(logo))
  return html`<header class="letterhead">${
    isLocalImage ? html`<img src="${logo}" alt="${name}">` : html`<p class="from" dir="auto">${name}</p>`
  }</header>`
}

/** The sum and what the reader is to do, at first sight. */
function summary(document: PrintDocument, name: string, path: string, canAnswer: boolean): Html {
  const format = formatOf(document)
  const status = displayStatus(document)
  const { label, amount } = headlineAmount(document)
  // What the sentence above says is not said again.
  const days = relevantDates(document).filter(({ at }) => !status.sentence.includes(format.date(at)))
  return html`<section class="summary ${status.tone}" aria-labelledby="document">
<div class="line"><h1 id="document">${name}</h1>${
    status.name !== 'open' && html`<span class="badge">${status.label}</span>`
  }</div>
${document.title && html`<p class="title" dir="auto">${oneLine(document.title, 200)}</p>`}
<p class="sum"><span class="label">${label}</span> <span class="amount" dir="auto">${amount}</span></p>
<p class="standing" dir="auto">${status.sentence}</p>
<p class="actions">${
    canAnswer && html`<a class="button primary" href="#answer">Accept or decline</a> `
  }<a class="button" href="${path}/pdf">Download PDF</a></p>
</section>
<dl class="facts">
${
  document.customer.name &&
  html`<div><dt>${document.kind === 'quote' ? 'Prepared for' : 'Billed to'}</dt><dd dir="auto">${oneLine(document.customer.name)}${
    document.customer.address && html`<span class="text aside">${sanitizeText(document.customer.address)}</span>`
  }</dd></div>`
}
${days.map(
  ({ term, at }) => html`<div><dt>${term}</dt><dd><time datetime="${at}">${format.date(at)}</time></dd></div>
`,
)}
</dl>`
}

function passage(heading: string, text: string | null): Html | null {
  if (!text) return null
  return html`<section class="passage"><h2>${heading}</h2><p class="text" dir="auto">${sanitizeText(text)}</p></section>`
}

function messages(document: PrintDocument): Html | null {
  if (document.messages.length === 0) return null
  const { date } = formatOf(document)
  const items = document.messages.map(
    ({
      text,
      at,
      from,
    }) => html`<li><p class="by" dir="auto"><bdi>${oneLine(from)}</bdi>, <time datetime="${at}">${date(at)}</time></p>
<p class="text" dir="auto">${sanitizeText(text)}</p></li>`,
  )
  return html`<section class="passage"><h2>Messages</h2><ol class="messages">${items}</ol></section>`
}

function imprint({ organisation }: PrintDocument): Html {
  const { name, address, phone, email, website, taxNumber } = organisation
  const isLink = website && /^https:\/\/[^\s]+$/i.test(website)
  return html`<footer class="imprint"><p dir="auto"><strong>${oneLine(name)}</strong>${
    address && html`<span class="text">${sanitizeText(address)}</span>`
  }</p>
<ul>
${phone && html`<li><a href="tel:${phone.replace(/[^+0-9]/g, '')}"><bdi>${oneLine(phone)}</bdi></a></li>`}
${email && html`<li><a href="mailto:${encodeURIComponent(oneLine(email, 254))}"><bdi>${oneLine(email, 254)}</bdi></a></li>`}
${
  website &&
  (isLink
    ? html`<li><a href="${website}" rel="noreferrer noopener"><bdi>${oneLine(website.replace(/^https:\/\//i, ''), 300)}</bdi></a></li>`
    : html`<li><bdi>${oneLine(website, 300)}</bdi></li>`)
}
${taxNumber && html`<li dir="auto">Tax number <bdi>${oneLine(taxNumber)}</bdi></li>`}
</ul></footer>`
}
