// What stands beside every page of the portal: where one is, and what was just done.
import { type Html, html } from '../http/html.ts'
import type { Membership } from '../identity/signed-in.ts'

const sections = {
  overview: { words: 'Overview', path: '' },
  keys: { words: 'API keys', path: '/keys' },
  connections: { words: 'Connected apps', path: '/connections' },
  apps: { words: 'Registered apps', path: '/apps' },
  agents: { words: 'Connect an agent', path: '/agents' },
  webhooks: { words: 'Webhooks', path: '/webhooks' },
  audit: { words: 'Audit log', path: '/audit' },
  account: { words: 'Your account', path: '/account' },
} as const
export type Section = keyof typeof sections

/** The pages for developers, beside the one that is open. */
export function sectionList(
  { orgId, role, isEntitled }: Pick<Membership, 'orgId' | 'role' | 'isEntitled'>,
  section: Section,
): Html | false {
  const visible = Object.entries(sections).filter(([name]) => (role === 'admin' && isEntitled) || name === 'account')
  return (
    visible.length > 1 &&
    html`<details class="menu"><summary>${sections[section].words}</summary>
<nav class="pages" aria-label="Developers"><ul>${visible.map(
      ([name, { words, path }]) =>
        html`<li><a href="/portal/${orgId}${path}"${name === section && html` aria-current="page"`}>${words}</a></li>`,
    )}</ul></nav></details>`
  )
}

const flashMessages: Readonly<Record<string, string>> = {
  paused: 'The key is paused. Whatever uses it is refused until you resume it.',
  resumed: 'The key works again.',
  revoked: 'The key is revoked, for good.',
  removed: 'The app is removed, with everything anybody allowed it.',
  disconnected: 'The app no longer has access.',
  'signed-out': 'That browser is signed out.',
  'signed-out-elsewhere': 'You are signed out everywhere but here.',
  saved: 'Saved.',
  password: 'Your password is changed, and you are signed out everywhere else.',
  'webhook-paused': 'The webhook is paused. Nothing is queued for it until you resume it.',
  'webhook-resumed': 'The webhook works again. A replay sends what it missed.',
  'webhook-tested': 'A test is on its way; look at the page again in a moment.',
  'webhook-replayed': 'The events are on their way again; look at the page again in a moment.',
  'webhook-retried': 'It is tried again; look at the page again in a moment.',
  'webhook-deleted': 'The webhook is deleted.',
}

/** Words come from here alone; an address cannot put its own on a page. */
export const flashMessage = (done: string | undefined): Html | false =>
  done !== undefined &&
  Object.hasOwn(flashMessages, done) &&
  html`<p class="done" role="status">${flashMessages[done]}</p>`
