// What every page shares: its frame, its one style sheet, and headers that let nothing foreign in.
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { FastifyInstance, FastifyReply } from 'fastify'
import { type Html, html } from './html.ts'

const styles = readFileSync(new URL('./pages.css', import.meta.url), 'utf8')
const stylesPath = `/assets/pages-${hash('sha256', styles).slice(0, 16)}.css`

export interface Page {
  readonly title: string
  readonly body: Html
  readonly status?: number
  /** Where, besides here, a form of this page may lead: an app's address that a redirect goes on to. */
  readonly formTarget?: string | undefined
  /** What stands above the page and beside it: the pages of the portal. */
  readonly navigation?: Html
  /** Addresses of scripts of ours that make the page more comfortable. */
  readonly scripts?: readonly string[]
}

/** A plugin: the style sheet, under an address that changes with it. */
export async function styleSheet(app: FastifyInstance): Promise<void> {
  app.get(stylesPath, async (_request, reply) =>
    reply
      .header('cache-control', 'public, max-age=31536000, immutable')
      .header('x-content-type-options', 'nosniff')
      .type('text/css; charset=utf-8')
      .send(styles),
  )
}

export function sendPage(reply: FastifyReply, page: Page) {
  const { title, body, status = 200, formTarget, navigation, scripts = [] } = page
  const markup = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title} – Jobwright</title>
<link rel="stylesheet" href="${stylesPath}">
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
${scripts.map((address) => html`<script type="module" src="${address}"></script>`)}
</head>
<body${navigation && html` class="portal"`}>
${navigation ?? html`<header>Jobwright</header>`}
<main id="content">
${body}
</main>
</body>
</html>
`
  return reply
    .code(status)
    .headers({ ...headers, 'content-security-policy': contentSecurityPolicy(formTarget, scripts.length > 0) })
    .type('text/html; charset=utf-8')
    .send(markup.toString())
}

const headers = {
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
}

const contentSecurityPolicy = (formTarget: string | undefined, hasScripts: boolean) =>
  [
    "default-src 'none'",
    "style-src 'self'",
    hasScripts && "script-src 'self'",
    // Signatures and photos are kept as what they are, not as addresses.
    "img-src 'self' data:",
    `form-action 'self'${formTarget ? ` ${formTarget}` : ''}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ]
    .filter(Boolean)
    .join('; ')

/** How a policy names the place an address leads to. */
export function cspSource(address: string): string | undefined {
  const url = URL.parse(address)
  if (!url) return undefined
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  // A policy has no way to write an IPv6 address, and other signs of a host would end its sentence.
  return isWeb && /^[a-z0-9.-]+(:\d+)?$/.test(url.host) ? url.origin : url.protocol
}

/** What was wrong with what was sent, above the form it was sent with. */
export const errorAlert = (wrong: string | undefined): Html | false =>
  wrong !== undefined && html`<p class="wrong" role="alert">${wrong}</p>`
