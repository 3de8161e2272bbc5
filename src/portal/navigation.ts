// What stands around every page of the portal: where one is, for whom, what was just done, and the way out.
import { type Html, html } from '../http/html.ts'
import type { Role } from '../identity/members.ts'

const sections = {
  overview: { words: 'Overview', path: '' },
  keys: { words: 'API keys', path: '/keys' },
  connections: { words: 'Connected apps', path: '/connections' },
  apps: { words: 'Registered apps', path: '/apps' },
  agents: { words: 'Connect an agent', path: '/agents' },
  webhooks: { words: 'Webhooks', path: '/webhooks' },
  members: { words: 'Members', path: '/members' },
  forms: { words: 'Forms', path: '/forms' },
  templates: { words: 'Form templates', path: '/templates' },
  mail: { words: 'Outgoing mail', path: '/mail' },
  feeds: { words: 'Calendar addresses', path: '/feeds' },
  audit: { words: 'Audit log', path: '/audit' },
  account: { words: 'Your account', path: '/account' },
} as const
export type Section = keyof typeof sections

interface NavigationContext {
  readonly orgId: string
  readonly orgName: string
  readonly role: Role
  readonly email: string
  readonly memberships: readonly { readonly orgId: string; readonly orgName: string; readonly role: Role }[]
  readonly section: Section
  readonly csrfField: Html
}

export function navigation({ orgId, orgName, role, email, memberships, section, csrfField }: NavigationContext): Html {
  const others = memberships.filter((one) => one.orgId !== orgId)
  const visibleSections = Object.entries(sections).filter(
    ([name]) => role === 'admin' || name === 'forms' || name === 'account',
  )
  return html`<a class="skip" href="#content">Skip to the page</a>
<header>
<p class="whose"><a class="brand" href="/portal">Jobwright</a> <strong>${orgName}</strong></p>
${
  others.length > 0 &&
  html`<nav aria-label="Organisation"><ul class="others">${others.map(
    (one) =>
      html`<li><a href="/portal/${one.orgId}${one.role === 'admin' ? '' : sections.forms.path}">Switch to ${one.orgName}</a></li>`,
  )}</ul></nav>`
}
<form method="post" action="/sign-out">${csrfField}<span class="quiet">${email}</span> <button class="link">Sign out</button></form>
</header>
${
  visibleSections.length > 1 &&
  html`<details class="menu"><summary>Menu <span class="quiet">${sections[section].words}</span></summary>
<nav class="pages" aria-label="Portal"><ul>${visibleSections.map(
    ([name, { words, path }]) =>
      html`<li><a href="/portal/${orgId}${path}"${name === section && html` aria-current="page"`}>${words}</a></li>`,
  )}</ul></nav></details>`
}`
}

const flashMessages: Readonly<Record<string, string>> = {
  paused: 'The key is paused. Whatever uses it is refused until you resume it.',
  resumed: 'The key works again.',
  revoked: 'The key is revoked, for good.',
  removed: 'The app is removed, with everything anybody allowed it.',
  disconnected: 'The app no longer has access.',
  changed: 'The member is changed.',
  saved: 'Saved.',
  signed: 'The signature is on the form.',
  submitted: 'The form is submitted.',
  voided: 'The form is voided. What waited for it can go on.',
  reopened: 'The form is open again. It must be signed and submitted anew.',
  password: 'Your password is changed, and you are signed out everywhere else.',
  shut: 'The calendar address is shut.',
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
