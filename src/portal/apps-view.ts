// The pages of apps: what each may do and for whom, when it was last used, and what breaks without it.

import { badge, definitionList, fromNow, secretBlock, timeTag } from '../desk/office-parts.ts'
import { type Html, html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import type { Client } from '../identity/clients.ts'
import type { Grant } from '../identity/grants.ts'
import type { PortalRequest, View } from './router.ts'
import { lastUse, scopeList } from './view-components.ts'

const maxApps = 10

export const appListPage = (request: PortalRequest, clients: readonly Client[]): View => ({
  title: 'Registered apps',
  section: 'apps',
  body: html`<h1>Registered apps</h1>
<p>Apps of your own that ask people for access with OAuth: each has an id and a secret, and never expires. An organisation
can have ${maxApps}.</p>
${
  clients.length < maxApps
    ? html`<div class="buttons"><a class="button" href="${request.href('/apps/new')}">Register an app</a></div>`
    : html`<p class="quiet">All ${maxApps} are taken: remove one to register another.</p>`
}
${
  clients.length === 0
    ? html`<p class="empty">There is no app yet. Apps that register themselves need nothing here; register one if its makers
ask you for a client id and a secret.</p>`
    : html`<ul class="records">${clients.map(
        (client) => html`<li>
<h2><a href="${request.href(`/apps/${client.id}`)}">${client.name}</a></h2>
${appFacts(request, client)}
</li>`,
      )}</ul>`
}`,
})

const appFacts = ({ timeZone }: PortalRequest, client: Client): Html =>
  definitionList([
    ['Client id', html`<code>${client.id}</code>`],
    ['Leads back to', html`${client.redirectUris.map((uri) => html`<span class="line">${uri}</span>`)}`],
    [
      'Last used',
      client.lastUsedAt ? html`${fromNow(client.lastUsedAt)} (${timeTag(client.lastUsedAt, timeZone)})` : 'never',
    ],
    ['Registered', timeTag(client.createdAt, timeZone)],
  ])

export const newAppPage = (request: PortalRequest, wrong?: string): View => ({
  title: 'Register an app',
  section: 'apps',
  status: wrong === undefined ? 200 : 400,
  body: html`<h1>Register an app</h1>
${errorAlert(wrong)}
<form method="post" action="${request.href('/apps')}">
${request.csrfField}
<label for="name">Name</label>
<input id="name" name="name" required maxlength="120" value="${request.form.get('name') ?? ''}" aria-describedby="name-hint">
<p class="hint" id="name-hint">People read it when the app asks them for access.</p>
<label for="redirects">Where it leads people back to</label>
<textarea id="redirects" name="redirects" rows="3" required aria-describedby="redirects-hint">${request.form.get('redirects') ?? ''}</textarea>
<p class="hint" id="redirects-hint">Its redirect addresses, one on a line, at most ten, such as https://app.example/callback.</p>
<div class="buttons"><button>Register the app</button><a class="button second" href="${request.href('/apps')}">Cancel</a></div>
</form>`,
})

export const appSecretPage = (request: PortalRequest, client: Client & { clientSecret: string }): View => ({
  title: `The secret of ${client.name}`,
  section: 'apps',
  body: html`<h1>The secret of ${client.name}</h1>
<p class="label">Client id</p>
<p class="secret"><code>${client.id}</code></p>
${secretBlock('Client secret', client.clientSecret)}
<div class="buttons"><a class="button" href="${request.href('/apps')}">I have copied it</a></div>`,
})

export const appPage = (request: PortalRequest, client: Client): View => ({
  title: client.name,
  section: 'apps',
  body: html`<p class="back"><a href="${request.href('/apps')}">All registered apps</a></p>
<h1>${client.name}</h1>
${appFacts(request, client)}
<section>
<h2>Rotate the secret</h2>
<p>The secret before stops working at once: the app cannot get or refresh tokens until it has the new one.</p>
<form method="post" action="${request.href(`/apps/${client.id}/rotate`)}">${request.csrfField}
<div class="buttons"><button class="second">Make a new secret</button></div></form>
</section>
<section>
<h2>Remove</h2>
<p>For good. The next page says what will break.</p>
<div class="buttons"><a class="button danger" href="${request.href(`/apps/${client.id}/remove`)}">Remove the app…</a></div>
</section>`,
})

export const removeAppPage = (request: PortalRequest, client: Client, grants: readonly Grant[]): View => {
  const active = grants.filter(({ status }) => status === 'active')
  return {
    title: `Remove ${client.name}?`,
    section: 'apps',
    body: html`<h1>Remove “${client.name}”?</h1>
${
  active.length === 0
    ? html`<p>Nobody here has allowed it anything: nothing should break.</p>`
    : html`<p><strong>It loses its access at once.</strong> These people allowed it to work for them:</p>
<ul>${active.map((grant) => html`<li>${grant.email}, last used ${lastUse(grant, request.timeZone)}</li>`)}</ul>`
}
<form method="post" action="${request.href(`/apps/${client.id}/remove`)}">${request.csrfField}
<div class="buttons"><button class="danger">Remove for good</button><a class="button second" href="${request.href(`/apps/${client.id}`)}">Keep it</a></div>
</form>`,
  }
}

const statusBadges = {
  active: ['Has access', 'good'],
  expired: ['Expired', 'bad'],
  revoked: ['Revoked', 'bad'],
} as const

export const connectionListPage = (request: PortalRequest, grants: readonly Grant[]): View => ({
  title: 'Connected apps',
  section: 'connections',
  body: html`<h1>Connected apps</h1>
<p>What admins of ${request.orgName} allowed apps to do, with OAuth.</p>
${
  grants.length === 0
    ? html`<p class="empty">No app is connected yet. An app that wants access leads you to a page that asks; what you allow
there is listed here. <a href="${request.href('/agents')}">Connect an agent</a> to try it.</p>`
    : html`<ul class="records">${grants.map(
        (grant) => html`<li>
<h2>${grant.clientName} ${badge(statusBadges[grant.status])}</h2>
${scopeList(grant.scopes, grant.scopeVersion)}
${definitionList([
  ['Allowed by', `${grant.email}${grant.memberId === null ? ', who is no member any more' : ''}`],
  ['Allowed', timeTag(grant.createdAt, request.timeZone)],
  ['Last used', lastUse(grant, request.timeZone)],
  [
    'Expires',
    grant.expiresAt
      ? html`${timeTag(grant.expiresAt, request.timeZone)} (${fromNow(grant.expiresAt)})`
      : 'when it is revoked',
  ],
])}
${
  grant.status === 'active' &&
  html`<div class="buttons"><a class="button danger" href="${request.href(`/connections/${grant.id}/revoke`)}">Revoke access…<span class="unseen"> of ${grant.clientName}</span></a></div>`
}
</li>`,
      )}</ul>`
}`,
})

export const revokeConnectionPage = (request: PortalRequest, grant: Grant): View => ({
  title: `Revoke the access of ${grant.clientName}?`,
  section: 'connections',
  body: html`<h1>Revoke the access of “${grant.clientName}”?</h1>
<p>${
    grant.lastUsedAt
      ? html`<strong>It was last used ${lastUse(grant, request.timeZone)}.</strong>`
      : 'It has not been used yet.'
  } It is refused from this moment on, until ${grant.email} allows it again.</p>
<h2>What it can no longer do</h2>
${scopeList(grant.scopes, grant.scopeVersion)}
<form method="post" action="${request.href(`/connections/${grant.id}/revoke`)}">${request.csrfField}
<div class="buttons"><button class="danger">Revoke access</button><a class="button second" href="${request.href('/connections')}">Keep it</a></div>
</form>`,
})
