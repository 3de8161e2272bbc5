// The frame around every page of the desk: the rail of places, tabs on a phone, palette, toasts; and the headers of a page.
import type { FastifyReply } from 'fastify'
import { type Html, type HtmlPart, html } from '../http/html.ts'
import { assetPath } from './assets.ts'
import { type Icon, icon } from './icons.ts'
import { avatar } from './marks.ts'
import { type Place, placePath } from './places.ts'

/** What a page says about itself. */
export interface View {
  readonly title: string
  /** The place in the rail that it belongs to. */
  readonly place?: Place['name']
  readonly body: HtmlPart
  readonly status?: number
  /** Goes to the right edge: the board. */
  readonly isWide?: boolean
  /** Scripts beyond those of every page, by name. */
  readonly scripts?: readonly string[]
}

export interface FrameContext {
  readonly orgId: string
  readonly orgName: string
  readonly memberId: string
  readonly memberName: string
  readonly memberColor: number | null
  readonly csrfField: Html
  readonly places: readonly Place[]
  readonly hasSeveralShops: boolean
  readonly usesKeys: boolean
}

/** What stands on a phone's tabs, if the member has it. */
const tabNames: readonly Place['name'][] = ['today', 'my-day', 'board', 'calendar']

function placeLink({ orgId }: FrameContext, view: View, place: Place): Html {
  const { name, words, icon: mark } = place
  const isHere = view.place === name
  return html`<a href="${placePath(place, orgId)}"${isHere && html` aria-current="page"`}>${icon(mark)}<span>${words}</span></a>`
}

function rail(context: FrameContext, view: View): Html {
  const { orgId, orgName, memberId, memberName, memberColor, hasSeveralShops } = context
  return html`<nav class="rail" aria-label="Places">
<a class="shop" href="${hasSeveralShops ? '/desk' : `/desk/${orgId}`}"><span class="mark" aria-hidden="true">${[...orgName][0] ?? 'J'}</span><span class="cut">${orgName}</span></a>
<a class="find" href="/desk/${orgId}/search" data-palette>${icon('search')}<span>Search</span><kbd>Ctrl K</kbd></a>
${context.places.filter(({ isBelow }) => !isBelow).map((place) => placeLink(context, view, place))}
<span class="rest"></span>
${context.places.filter(({ isBelow }) => isBelow).map((place) => placeLink(context, view, place))}
<a href="/desk/${orgId}/account"${view.place === 'account' && html` aria-current="page"`}>${avatar({ id: memberId, name: memberName, color: memberColor })}<span>${memberName}</span></a>
<form method="post" action="/sign-out" data-turbo="false">${context.csrfField}<button>${icon('leave')}<span>Sign out</span></button></form>
</nav>`
}

function tabs(context: FrameContext, view: View): Html {
  const shown = context.places.filter(({ name }) => tabNames.includes(name)).slice(0, 3)
  return html`<nav class="tabs" aria-label="Places on a phone">${shown.map((place) => placeLink(context, view, place))}<a href="/desk/${context.orgId}/search" data-palette>${icon('search')}<span>Search</span></a><a href="/desk/${context.orgId}/more"${view.place === 'more' && html` aria-current="page"`}>${icon('more')}<span>More</span></a></nav>`
}

/**
 * Nothing is fetched ahead, on hover: what is changed before the click, as by what one types, would be missing from that page. Only what
 * every page has is tracked: Turbo loads the page anew where that differs, and the answer to a form would be lost.
 */
function renderFrame(context: FrameContext, view: View, flash: Html | false): string {
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover">
<meta name="robots" content="noindex">
<title>${view.title} – ${context.orgName}</title>
<meta name="turbo-refresh-method" content="morph">
<meta name="turbo-refresh-scroll" content="preserve">
<meta name="turbo-cache-control" content="no-preview">
<meta name="turbo-prefetch" content="false">
<meta name="theme-color" media="(prefers-color-scheme: light)" content="#fafaf8">
<meta name="theme-color" media="(prefers-color-scheme: dark)" content="#121311">
<link rel="preload" as="font" type="font/woff2" href="${assetPath('inter-latin.woff2')}" crossorigin>
<link rel="stylesheet" href="${assetPath('desk.css')}" data-turbo-track="reload">
<link rel="icon" type="image/svg+xml" href="/docs/icon.svg">
<script type="module" src="${assetPath('desk.js')}" data-turbo-track="reload"></script>
${(view.scripts ?? []).map((name) => html`<script type="module" src="${assetPath(`${name}.js`)}"></script>`)}
</head>
<body data-desk="/desk/${context.orgId}" data-member="${context.memberId}"${context.usesKeys && html` data-keys`}>
<a class="skip" href="#page">To the page</a>
<div class="frame">
${rail(context, view)}
<main class="${view.isWide ? 'page wide' : 'page'}" id="page" tabindex="-1">
${flash}${view.body}
</main>
</div>
${tabs(context, view)}
<p class="offline" role="status">${icon('warning')}<span>No connection. What you see may be old; what you type is kept.</span></p>
<div class="toasts" id="toasts" role="status" aria-live="polite" data-turbo-permanent></div>
<form id="act" method="post" hidden>${context.csrfField}</form>
<dialog class="palette" id="palette" aria-label="Search and commands" data-turbo-permanent><input type="text" role="combobox" aria-expanded="true" aria-controls="found" aria-label="Search" placeholder="Job number, customer, device, quote, or a command" autocomplete="off" spellcheck="false"><div class="found" id="found" role="listbox" aria-label="Results"></div></dialog>
</body>
</html>
`.toString()
}

/** The style that Turbo adds for its progress bar; a test fails when it changes. */
const turboStyleHash = "'sha256-WAyOw4V+FqDc35lQPyRADLBWbuNK8ahvYEaQIYF1+Ps='"

const policy = [
  "default-src 'none'",
  "script-src 'self'",
  `style-src 'self' ${turboStyleHash}`,
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'", // a PDF; Turbo keeps the policy of the page that was loaded first, so all have it
  "form-action 'self'",
  "base-uri 'none'",
]

export const pageHeaders = {
  'cache-control': 'no-store',
  'referrer-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
  'cross-origin-opener-policy': 'same-origin',
  'content-security-policy': [...policy, "frame-ancestors 'none'"].join('; '),
}

/** A PDF of our own may stand in a page of ours, and nowhere else. */
export const paperHeaders = {
  ...pageHeaders,
  'x-frame-options': 'SAMEORIGIN',
  'content-security-policy': [...policy, "frame-ancestors 'self'"].join('; '),
}

export const sendFrame = (
  reply: FastifyReply,
  context: FrameContext,
  view: View,
  flash: Html | false = false,
): FastifyReply =>
  reply
    .code(view.status ?? 200)
    .headers(pageHeaders)
    .type('text/html; charset=utf-8')
    .send(renderFrame(context, view, flash))

/** A part of a page that a script asked for. */
export const sendFragment = (reply: FastifyReply, part: Html): FastifyReply =>
  reply.headers(pageHeaders).type('text/html; charset=utf-8').send(part.toString())

interface HeadOptions {
  /** The way back: address and words. */
  readonly crumbs?: readonly (readonly [href: string, words: string])[]
  readonly beside?: HtmlPart
  readonly actions?: HtmlPart
}

/** The one `h1` of a page, what stands beside it, and its one main button. */
export const pageHead = (title: HtmlPart, { crumbs = [], beside, actions }: HeadOptions = {}): Html =>
  html`${
    crumbs.length > 0 &&
    html`<nav class="crumb" aria-label="Where you are">${crumbs.map(([href, words], index) => html`${index > 0 && html`<span aria-hidden="true">/</span>`}<a href="${href}">${words}</a>`)}</nav>`
  }<div class="head"><h1>${title}</h1>${beside}<output class="saved" id="saved"></output>${actions && html`<div class="acts">${actions}</div>`}</div>`

export const mainButton = (href: string, words: string, mark?: Icon): Html =>
  html`<a class="btn main" href="${href}">${mark && icon(mark)}${words}</a>`
