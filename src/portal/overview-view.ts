// The first page of an organisation in the portal, and the one on which an organisation is chosen.
import { type Html, html } from '../http/html.ts'
import type { Membership } from '../sign-in/member-session.ts'
import type { PortalRequest, View } from './router.ts'

export interface OverviewCounts {
  readonly keys: number
  readonly expiring: number
  readonly apps: number
  readonly members: number
  readonly forms: number
  readonly failedMail: number
}

export function overviewPage(request: PortalRequest, counts: OverviewCounts): View {
  const needs: Html[] = []
  if (counts.expiring > 0)
    needs.push(
      html`<a href="${request.href('/keys')}">${pluralize(counts.expiring, 'key expires', 'keys expire')} within 14 days</a>`,
    )
  if (counts.failedMail > 0)
    needs.push(
      html`<a href="${deskHref(request, '/settings/mail')}">${pluralize(counts.failedMail, 'mail', 'mails')} could not be sent</a>`,
    )
  if (counts.keys === 0 && counts.apps === 0)
    needs.push(html`Nothing is connected yet: <a href="${request.href('/keys/new')}">make a key</a> for a program or
<a href="${request.href('/agents')}">connect an agent</a>`)
  return {
    title: request.orgName,
    section: 'overview',
    body: html`<h1>${request.orgName}</h1>
${needs.length > 0 && html`<ul class="needs">${needs.map((need) => html`<li>${need}</li>`)}</ul>`}
<ul class="tiles">
${tile(request.href('/keys'), counts.keys, 'API keys that work', 'Make, pause, rotate and revoke them')}
${tile(request.href('/connections'), counts.apps, 'Connected apps', 'What each may do, and the way to end it')}
${tile(deskHref(request, '/settings/members'), counts.members, 'Active members', 'Who works here, and in which role')}
${tile(deskHref(request, '/forms'), counts.forms, 'Forms to fill in', 'Answer, sign and submit them')}
</ul>`,
  }
}

const pluralize = (many: number, one: string, more: string) => `${many} ${many === 1 ? one : more}`

/** The shop itself is set up at the desk. */
const deskHref = ({ orgId }: PortalRequest, path: string): string => `/desk/${orgId}${path}`

const tile = (address: string, many: number, title: string, sentence: string) =>
  html`<li><a href="${address}"><span class="many">${many}</span> ${title}</a><p class="quiet">${sentence}</p></li>`

/** For who belongs to several organisations, or to none. */
export const chooseOrganisationPage = (email: string, memberships: readonly Membership[], csrfField: Html) => ({
  title: memberships.length > 0 ? 'Choose an organisation' : 'You are signed in',
  body: html`<h1>${memberships.length > 0 ? 'Choose an organisation' : 'You are signed in'}</h1>
<p>You are ${email}.</p>
${
  memberships.length > 0
    ? html`<ul class="records">${memberships.map(
        ({
          orgId,
          orgName,
          role,
        }) => html`<li><h2><a href="/portal/${orgId}${role === 'admin' ? '' : '/forms'}">${orgName}</a></h2>
<p class="quiet">${role === 'admin' ? 'Keys, apps, webhooks and the audit log' : 'The forms of your jobs'}</p></li>`,
      )}</ul>`
    : html`<p>You are not an active member of an organisation on Pro or a trial.</p>`
}
<form method="post" action="/sign-out">${csrfField}
<div class="buttons"><button class="second">Sign out</button></div>
</form>`,
})
