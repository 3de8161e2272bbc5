// The pages of apps: what each may do and for whom, when it was last used, and what breaks without it.
import type { Client } from '../identity/clients.ts'
import type { Grant } from '../identity/grants.ts'
import { type Html, html } from '../pages/html.ts'
import type { Sheet, Visit } from './desk.ts'
import { badge, complaint, facts, fromNow, lastUse, moment, scopeList, secret } from './wording.ts'

const mostRegistered = 10

export const appListPage = (visit: Visit, clients: readonly Client[]): Sheet => ({
  title: 'Registered apps',
  section: 'apps',
  body: html`<h1>Registered apps</h1>
<p>Apps of your own that ask people for access with OAuth: each has an id and a secret, and never expires. An organisation
can have ${mostRegistered}.</p>
${
  clients.length < mostRegistered
    ? html`<div class="buttons"><a class="button" href="${visit.at('/apps/new')}">Register an app</a></div>`
    : html`<p class="quiet">All ${mostRegistered} are taken: remove one to register another.</p>`
}
${
  clients.length === 0
    ? html`<p class="empty">There is no app yet. Apps that register themselves need nothing here; register one if its makers
ask you for a client id and a secret.</p>`
    : html`<ul class="records">${clients.map(
        (client) => html`<li>
<h2><a href="${visit.at(`/apps/${client.id}`)}">${client.name}</a></h2>
${factsOf(visit, client)}
</li>`,
      )}</ul>`
}`,
})

const factsOf = ({ timeZone }: Visit, client: Client): Html =>
  facts([
    ['Client id', html`<code>${client.id}</code>`],
    ['Leads back to', html`${client.redirectUris.map((uri) => html`<span class="line">${uri}</span>`)}`],
    [
      'Last used',
      client.lastUsedAt ? html`${fromNow(client.lastUsedAt)} (${moment(client.lastUsedAt, timeZone)})` : 'never',
    ],
    ['Registered', moment(client.createdAt, timeZone)],
  ])

export const newAppPage = (visit: Visit, wrong?: string): Sheet => ({
  title: 'Register an app',
  section: 'apps',
  status: wrong === undefined ? 200 : 400,
  body: html`<h1>Register an app</h1>
${complaint(wrong)}
<form method="post" action="${visit.at('/apps')}">
${visit.seal}
<label for="name">Name</label>
<input id="name" name="name" required maxlength="120" value="${visit.form.get('name') ?? ''}" aria-describedby="name-hint">
<p class="hint" id="name-hint">People read it when the app asks them for access.</p>
<label for="redirects">Where it leads people back to</label>
<textarea id="redirects" name="redirects" rows="3" required aria-describedby="redirects-hint">${visit.form.get('redirects') ?? ''}</textarea>
<p class="hint" id="redirects-hint">Its redirect addresses, one on a line, at most ten, such as https://app.example/callback.</p>
<div class="buttons"><button>Register the app</button><a class="button second" href="${visit.at('/apps')}">Cancel</a></div>
</form>`,
})

export const appSecretPage = (visit: Visit, client: Client & { clientSecret: string }): Sheet => ({
  title: `The secret of ${client.name}`,
  section: 'apps',
  body: html`<h1>The secret of ${client.name}</h1>
<p class="label">Client id</p>
<p class="secret"><code>${client.id}</code></p>
${secret('Client secret', client.clientSecret)}
<div class="buttons"><a class="button" href="${visit.at('/apps')}">I have copied it</a></div>`,
})

export const appPage = (visit: Visit, client: Client): Sheet => ({
  title: client.name,
  section: 'apps',
  body: html`<p class="back"><a href="${visit.at('/apps')}">All registered apps</a></p>
<h1>${client.name}</h1>
${factsOf(visit, client)}
<section>
<h2>Rotate the secret</h2>
<p>The secret before stops working at once: the app cannot get or refresh tokens until it has the new one.</p>
<form method="post" action="${visit.at(`/apps/${client.id}/rotate`)}">${visit.seal}
<div class="buttons"><button class="second">Make a new secret</button></div></form>
</section>
<section>
<h2>Remove</h2>
<p>For good. The next page says what will break.</p>
<div class="buttons"><a class="button danger" href="${visit.at(`/apps/${client.id}/remove`)}">Remove the app…</a></div>
</section>`,
})

export const removeAppPage = (visit: Visit, client: Client, grants: readonly Grant[]): Sheet => {
  const active = grants.filter(({ status }) => status === 'active')
  return {
    title: `Remove ${client.name}?`,
    section: 'apps',
    body: html`<h1>Remove “${client.name}”?</h1>
${
  active.length === 0
    ? html`<p>Nobody here has allowed it anything: nothing should break.</p>`
    : html`<p><strong>It loses its access at once.</strong> These people allowed it to work for them:</p>
<ul>${active.map((grant) => html`<li>${grant.email}, last used ${lastUse(grant, visit.timeZone)}</li>`)}</ul>`
}
<form method="post" action="${visit.at(`/apps/${client.id}/remove`)}">${visit.seal}
<div class="buttons"><button class="danger">Remove for good</button><a class="button second" href="${visit.at(`/apps/${client.id}`)}">Keep it</a></div>
</form>`,
  }
}

const states = { active: ['Has access', 'good'], expired: ['Expired', 'bad'], revoked: ['Revoked', 'bad'] } as const

export const connectionListPage = (visit: Visit, grants: readonly Grant[]): Sheet => ({
  title: 'Connected apps',
  section: 'connections',
  body: html`<h1>Connected apps</h1>
<p>What admins of ${visit.orgName} allowed apps to do, with OAuth.</p>
${
  grants.length === 0
    ? html`<p class="empty">No app is connected yet. An app that wants access leads you to a page that asks; what you allow
there is listed here. <a href="${visit.at('/agents')}">Connect an agent</a> to try it.</p>`
    : html`<ul class="records">${grants.map(
        (grant) => html`<li>
<h2>${grant.clientName} ${badge(states[grant.status])}</h2>
${scopeList(grant.scopes, grant.scopeVersion)}
${facts([
  ['Allowed by', `${grant.email}${grant.memberId === null ? ', who is no member any more' : ''}`],
  ['Allowed', moment(grant.createdAt, visit.timeZone)],
  ['Last used', lastUse(grant, visit.timeZone)],
  [
    'Expires',
    grant.expiresAt
      ? html`${moment(grant.expiresAt, visit.timeZone)} (${fromNow(grant.expiresAt)})`
      : 'when it is revoked',
  ],
])}
${
  grant.status === 'active' &&
  html`<div class="buttons"><a class="button danger" href="${visit.at(`/connections/${grant.id}/revoke`)}">Revoke access…<span class="unseen"> of ${grant.clientName}</span></a></div>`
}
</li>`,
      )}</ul>`
}`,
})

export const revokeConnectionPage = (visit: Visit, grant: Grant): Sheet => ({
  title: `Revoke the access of ${grant.clientName}?`,
  section: 'connections',
  body: html`<h1>Revoke the access of “${grant.clientName}”?</h1>
<p>${
    grant.lastUsedAt
      ? html`<strong>It was last used ${lastUse(grant, visit.timeZone)}.</strong>`
      : 'It has not been used yet.'
  } It is refused from this moment on, until ${grant.email} allows it again.</p>
<h2>What it can no longer do</h2>
${scopeList(grant.scopes, grant.scopeVersion)}
<form method="post" action="${visit.at(`/connections/${grant.id}/revoke`)}">${visit.seal}
<div class="buttons"><button class="danger">Revoke access</button><a class="button second" href="${visit.at('/connections')}">Keep it</a></div>
</form>`,
})
