// Mail about a quote or an invoice: to the customer with the link, as a reminder, and to the shop with an answer.
import { type Html, type HtmlPart, html } from '../http/html.ts'
import { isPayable, kindLabel } from './display-status.ts'
import { headlineAmount } from './document-rows.ts'
import { formatOf } from './format.ts'
import type { PrintDocument } from './print-document.ts'
import { oneLine, sanitizeText } from './sanitize-text.ts'

export interface RenderedMail {
  /** One line, whatever was typed. */
  readonly subject: string
  readonly text: string
  readonly html: string
}

interface MailBase {
  /** Where the document is read: of this service, with https or http. */
  readonly shareUrl: string
  readonly subject?: string | null
  readonly message?: string | null
}

export type MailOptions =
  | (MailBase & { readonly kind: 'document' | 'reminder' })
  | (MailBase & { readonly kind: 'answer'; readonly answer: QuoteAnswer })

/** What the customer said to a quote. */
export interface QuoteAnswer {
  readonly isAccepted: boolean
  readonly name: string | null
  readonly reason: string | null
}

interface MailContent {
  readonly greeting: string
  readonly opening: string
  readonly message: string | null
  readonly facts: readonly (readonly [term: string, value: string])[]
  readonly button: string
  readonly shareUrl: string
  readonly instructions: string | null
  readonly sender: readonly string[]
}

export function renderMail(document: PrintDocument, options: MailOptions): RenderedMail {
  if (!/^https?:$/.test(new URL(options.shareUrl).protocol)) throw new Error('A mail links to a web page only')
  const content = mailContent(document, options)
  const subject = oneLine(options.subject ?? '', 200) || oneLine(defaultSubject(document, options), 200)
  return { subject, text: renderText(content), html: renderHtml(content, subject) }
}

function defaultSubject(document: PrintDocument, options: MailOptions): string {
  const name = `${kindLabel(document)} ${oneLine(document.number, 40)}`
  const from = oneLine(document.organisation.name)
  if (options.kind === 'answer') {
    const by = options.answer.name ? ` by ${oneLine(options.answer.name)}` : ''
    return `${name} was ${options.answer.isAccepted ? 'accepted' : 'declined'}${by}`
  }
  return options.kind === 'document'
    ? `${name} from ${from}`
    : `Reminder: ${lowercaseFirst(name)} from ${from} ${dueText(document)}`
}

const lowercaseFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

function dueText(document: PrintDocument): string {
  const { date } = formatOf(document)
  if (!document.dueAt) return 'is due'
  return document.isOverdue ? `is overdue since ${date(document.dueAt)}` : `is due on ${date(document.dueAt)}`
}

function mailContent(document: PrintDocument, options: MailOptions): MailContent {
  const format = formatOf(document)
  const { organisation, customer } = document
  const kind = kindLabel(document)
  const number = oneLine(document.number, 40)
  const isToShop = options.kind === 'answer'
  const { label, amount } = headlineAmount(document)
  const facts: [string, string][] = [[kind, number]]
  if (document.title) facts.push(['For', oneLine(document.title, 200)])
  if (isToShop && customer.name) facts.push(['Customer', oneLine(customer.name)])
  facts.push([label, amount])
  if (document.validUntil && !isToShop) facts.push(['Valid until', format.date(document.validUntil)])
  if (document.dueAt) facts.push([document.isOverdue ? 'Was due' : 'Due', format.date(document.dueAt)])
  const to = isToShop ? organisation.name : customer.name
  return {
    greeting: to ? `Hello ${oneLine(to)},` : 'Hello,',
    opening: openingText(document, options, number),
    message: (isToShop ? options.answer.reason : options.message)?.trim() || null,
    facts,
    button: isToShop || document.kind === 'invoice' ? `View ${lowercaseFirst(kind)}` : 'View and answer quote',
    shareUrl: new URL(options.shareUrl).href,
    instructions: !isToShop && isPayable(document) ? document.paymentInstructions : null,
    sender: isToShop
      ? []
      : [organisation.name, organisation.phone, organisation.email, organisation.website]
          .filter((line) => line !== null)
          .map((line) => oneLine(line, 200)),
  }
}

function openingText(document: PrintDocument, options: MailOptions, number: string): string {
  if (options.kind === 'answer') {
    const by = options.answer.name ? ` by ${oneLine(options.answer.name)}` : ''
    return options.answer.isAccepted
      ? `Your quote ${number} was accepted${by}.`
      : `Your quote ${number} was declined${by}${options.answer.reason ? ', with these words:' : '.'}`
  }
  const from = oneLine(document.organisation.name)
  if (options.kind === 'reminder') return `A friendly reminder: invoice ${number} from ${from} ${dueText(document)}.`
  return document.kind === 'quote' ? `Here is your quote from ${from}.` : `Here is your invoice from ${from}.`
}

function renderText(content: MailContent): string {
  const facts = content.facts.map(([term, value]) => `${term}: ${value}`).join('\n')
  const parts = [
    content.greeting,
    content.opening,
    content.message && sanitizeText(content.message),
    facts,
    `${content.button}:\n${content.shareUrl}`,
    content.instructions && `How to pay\n${sanitizeText(content.instructions)}`,
    content.sender.length > 0 && content.sender.join('\n'),
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/** Tables and inline styles, because that is what mail programs show; colours that stand in the light and in the dark. */
function renderHtml(content: MailContent, subject: string): string {
  const { greeting, opening, message, facts, button, shareUrl, instructions, sender } = content
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<title>${subject}</title>
</head>
<body style="margin:0;padding:0;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0"><tr><td align="center" style="padding:24px 12px;">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" border="0" style="max-width:560px;${font};font-size:16px;line-height:1.5;text-align:start;"><tr><td dir="auto">
<p style="margin:0 0 16px;">${greeting}</p>
<p style="margin:0 0 16px;">${opening}</p>
${message && html`<p dir="auto" style="margin:0 0 16px;">${withLineBreaks(message)}</p>`}
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 20px;font-size:16px;">${facts.map(factRow)}</table>
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px;"><tr><td bgcolor="#0b5566" style="border-radius:8px;"><a href="${shareUrl}" style="display:inline-block;padding:13px 24px;color:#ffffff;font-weight:bold;text-decoration:none;">${button}</a></td></tr></table>
<p style="margin:0 0 20px;font-size:14px;">If the button does not work, open this address:<br><a href="${shareUrl}" style="word-break:break-all;">${shareUrl}</a></p>
${instructions && html`<p style="margin:0 0 4px;font-weight:bold;">How to pay</p><p dir="auto" style="margin:0 0 20px;">${withLineBreaks(instructions)}</p>`}
${sender.length > 0 && html`<p style="margin:0;padding-top:14px;border-top:1px solid #8a949e;font-size:14px;">${joinLines(sender)}</p>`}
</td></tr></table>
</td></tr></table>
</body>
</html>
`.toString()
}

/** The same mail, where the document that was to come with it does not. */
export const withoutAttachment = ({ text, html: page }: Pick<RenderedMail, 'text' | 'html'>) => ({
  text: `${text}\n${noAttachment}\n`,
  html: page.replace(
    '</body>',
    () =>
      `${html`<p style="margin:0;padding:0 12px 24px;${font};font-size:14px;text-align:center;">${noAttachment}</p>`}\n</body>`,
  ),
})
const noAttachment =
  'The document could not be attached to this mail. You can read it, and save it as a PDF, at the address above.'

const factRow = ([term, value]: readonly [string, string]): Html =>
  html`<tr><td valign="top" style="padding:3px 20px 3px 0;">${term}</td><td dir="auto" style="padding:3px 0;font-weight:bold;">${value}</td></tr>`

const withLineBreaks = (text: string): HtmlPart => joinLines(sanitizeText(text).split('\n'))

const joinLines = (texts: readonly string[]): HtmlPart =>
  texts.map((text, index) => (index === 0 ? text : [html`<br>`, text]))
