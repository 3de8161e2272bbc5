// Letters about a quote or an invoice: to the customer with the link, as a reminder, and to the shop with an answer.
import { type Html, html, type Part } from '../pages/html.ts'
import { formatOf } from './format.ts'
import { oneLine, printable } from './printable.ts'
import type { Sheet } from './sheet.ts'
import { headline, isPayable, kindName } from './standing.ts'

export interface Letter {
  /** One line, whatever was typed. */
  readonly subject: string
  readonly text: string
  readonly html: string
}

interface Occasion {
  /** Where the document is read: of this service, with https or http. */
  readonly shareUrl: string
  readonly subject?: string | null
  readonly message?: string | null
}

export type Wish =
  | (Occasion & { readonly kind: 'document' | 'reminder' })
  | (Occasion & { readonly kind: 'answer'; readonly answer: Answer })

/** What the customer said to a quote. */
export interface Answer {
  readonly isAccepted: boolean
  readonly name: string | null
  readonly reason: string | null
}

interface Content {
  readonly greeting: string
  readonly opening: string
  readonly message: string | null
  readonly facts: readonly (readonly [term: string, value: string])[]
  readonly button: string
  readonly shareUrl: string
  readonly instructions: string | null
  readonly sender: readonly string[]
}

export function mailOf(sheet: Sheet, wish: Wish): Letter {
  if (!/^https?:$/.test(new URL(wish.shareUrl).protocol)) throw new Error('A letter links to a web page only')
  const content = contentOf(sheet, wish)
  const subject = oneLine(wish.subject ?? '', 200) || oneLine(subjectOf(sheet, wish), 200)
  return { subject, text: textOf(content), html: htmlOf(content, subject) }
}

function subjectOf(sheet: Sheet, wish: Wish): string {
  const name = `${kindName(sheet)} ${oneLine(sheet.number, 40)}`
  const from = oneLine(sheet.organisation.name)
  if (wish.kind === 'answer') {
    const by = wish.answer.name ? ` by ${oneLine(wish.answer.name)}` : ''
    return `${name} was ${wish.answer.isAccepted ? 'accepted' : 'declined'}${by}`
  }
  return wish.kind === 'document'
    ? `${name} from ${from}`
    : `Reminder: ${lowered(name)} from ${from} ${dueWords(sheet)}`
}

const lowered = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)

function dueWords(sheet: Sheet): string {
  const { date } = formatOf(sheet)
  if (!sheet.dueAt) return 'is due'
  return sheet.isOverdue ? `is overdue since ${date(sheet.dueAt)}` : `is due on ${date(sheet.dueAt)}`
}

function contentOf(sheet: Sheet, wish: Wish): Content {
  const format = formatOf(sheet)
  const { organisation, customer } = sheet
  const kind = kindName(sheet)
  const number = oneLine(sheet.number, 40)
  const isToShop = wish.kind === 'answer'
  const { label, amount } = headline(sheet)
  const facts: [string, string][] = [[kind, number]]
  if (sheet.title) facts.push(['For', oneLine(sheet.title, 200)])
  if (isToShop && customer.name) facts.push(['Customer', oneLine(customer.name)])
  facts.push([label, amount])
  if (sheet.validUntil && !isToShop) facts.push(['Valid until', format.date(sheet.validUntil)])
  if (sheet.dueAt) facts.push([sheet.isOverdue ? 'Was due' : 'Due', format.date(sheet.dueAt)])
  const to = isToShop ? organisation.name : customer.name
  return {
    greeting: to ? `Hello ${oneLine(to)},` : 'Hello,',
    opening: openingOf(sheet, wish, number),
    message: (isToShop ? wish.answer.reason : wish.message)?.trim() || null,
    facts,
    button: isToShop || sheet.kind === 'invoice' ? `View ${lowered(kind)}` : 'View and answer quote',
    shareUrl: new URL(wish.shareUrl).href,
    instructions: !isToShop && isPayable(sheet) ? sheet.paymentInstructions : null,
    sender: isToShop
      ? []
      : [organisation.name, organisation.phone, organisation.email, organisation.website]
          .filter((line) => line !== null)
          .map((line) => oneLine(line, 200)),
  }
}

function openingOf(sheet: Sheet, wish: Wish, number: string): string {
  if (wish.kind === 'answer') {
    const by = wish.answer.name ? ` by ${oneLine(wish.answer.name)}` : ''
    return wish.answer.isAccepted
      ? `Your quote ${number} was accepted${by}.`
      : `Your quote ${number} was declined${by}${wish.answer.reason ? ', with these words:' : '.'}`
  }
  const from = oneLine(sheet.organisation.name)
  if (wish.kind === 'reminder') return `A friendly reminder: invoice ${number} from ${from} ${dueWords(sheet)}.`
  return sheet.kind === 'quote' ? `Here is your quote from ${from}.` : `Here is your invoice from ${from}.`
}

function textOf(content: Content): string {
  const facts = content.facts.map(([term, value]) => `${term}: ${value}`).join('\n')
  const parts = [
    content.greeting,
    content.opening,
    content.message && printable(content.message),
    facts,
    `${content.button}:\n${content.shareUrl}`,
    content.instructions && `How to pay\n${printable(content.instructions)}`,
    content.sender.length > 0 && content.sender.join('\n'),
  ]
  return `${parts.filter(Boolean).join('\n\n')}\n`
}

const font = "font-family:-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif"

/** Tables and inline styles, because that is what mail programs show; colours that stand in the light and in the dark. */
function htmlOf(content: Content, subject: string): string {
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
${message && html`<p dir="auto" style="margin:0 0 16px;">${broken(message)}</p>`}
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:8px 0 20px;font-size:16px;">${facts.map(fact)}</table>
<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="margin:0 0 24px;"><tr><td bgcolor="#0b5566" style="border-radius:8px;"><a href="${shareUrl}" style="display:inline-block;padding:13px 24px;color:#ffffff;font-weight:bold;text-decoration:none;">${button}</a></td></tr></table>
<p style="margin:0 0 20px;font-size:14px;">If the button does not work, open this address:<br><a href="${shareUrl}" style="word-break:break-all;">${shareUrl}</a></p>
${instructions && html`<p style="margin:0 0 4px;font-weight:bold;">How to pay</p><p dir="auto" style="margin:0 0 20px;">${broken(instructions)}</p>`}
${sender.length > 0 && html`<p style="margin:0;padding-top:14px;border-top:1px solid #8a949e;font-size:14px;">${lines(sender)}</p>`}
</td></tr></table>
</td></tr></table>
</body>
</html>
`.toString()
}

const fact = ([term, value]: readonly [string, string]): Html =>
  html`<tr><td valign="top" style="padding:3px 20px 3px 0;">${term}</td><td dir="auto" style="padding:3px 0;font-weight:bold;">${value}</td></tr>`

const broken = (text: string): Part => lines(printable(text).split('\n'))

const lines = (texts: readonly string[]): Part => texts.map((text, index) => (index === 0 ? text : [html`<br>`, text]))
