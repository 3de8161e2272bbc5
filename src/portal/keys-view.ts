// The pages of API keys: what each can do, when it was last used, and what breaks without it.

import { badge, definitionList, fromNow, secretBlock, timeTag } from '../desk/office-parts.ts'
import { type Html, html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import type { Key } from '../identity/keys.ts'
import { scopeCatalogue } from '../resources/index.ts'
import type { PortalRequest, View } from './router.ts'
import { bundleLabels, lastUse, scopeList, useLabels } from './view-components.ts'

export const expiries = [
  { value: '30d', days: 30, words: 'In 30 days' },
  { value: '90d', days: 90, words: 'In 90 days' },
  { value: '365d', days: 365, words: 'In a year' },
  { value: 'never', days: null, words: 'Never' },
] as const

export const overlaps = [
  { hours: 0, words: 'At once' },
  { hours: 1, words: 'In an hour' },
  { hours: 24, words: 'In a day' },
  { hours: 72, words: 'In three days' },
] as const

const statusBadges = {
  active: ['Works', 'good'],
  paused: ['Paused', 'idle'],
  expired: ['Expired', 'bad'],
  revoked: ['Revoked', 'bad'],
} as const
const statusBadge = ({ status }: Key) => badge(statusBadges[status])

const keyFacts = ({ timeZone }: PortalRequest, key: Key): Html =>
  definitionList([
    ['Begins with', html`<code>${key.prefix}…</code>`],
    ['Used over', key.allowedUses.map((use) => useLabels[use]).join(' and ')],
    ['Used from', key.ipAllowlist.join(', ') || 'any address'],
    ['Last used', lastUse(key, timeZone)],
    ['Expires', key.expiresAt ? html`${timeTag(key.expiresAt, timeZone)} (${fromNow(key.expiresAt)})` : 'never'],
  ])

export const keyListPage = (request: PortalRequest, keys: readonly Key[]): View => ({
  title: 'API keys',
  section: 'keys',
  body: html`<h1>API keys</h1>
<p>A key lets a program work with ${request.orgName} without a person. Give each program its own, with no more than it needs.</p>
<div class="buttons"><a class="button" href="${request.href('/keys/new')}">Make a key</a></div>
${
  keys.length === 0
    ? html`<p class="empty">There is no key yet. Make one for the first program that should read or write your jobs.</p>`
    : html`<ul class="records">${keys.map(
        (key) => html`<li>
<h2><a href="${request.href(`/keys/${key.id}`)}">${key.name}</a> ${statusBadge(key)}</h2>
${scopeList(key.scopes, key.scopeVersion)}
${keyFacts(request, key)}
</li>`,
      )}</ul>`
}`,
})

const checkedIf = (is: boolean): Html | false => is && html` checked`

export function newKeyPage(request: PortalRequest, wrong?: string): View {
  const { form, query } = request
  const isSent = form.has('csrf')
  const access = form.get('access') ?? 'read'
  const uses = isSent ? form.getAll('use') : query.for === 'mcp' ? ['mcp'] : ['rest', 'mcp']
  const chosen = new Set(form.getAll('scope'))
  const expiry = form.get('expiry') ?? '90d'
  return {
    title: 'Make a key',
    section: 'keys',
    status: wrong === undefined ? 200 : 400,
    body: html`<h1>Make a key</h1>
${errorAlert(wrong)}
<form method="post" action="${request.href('/keys')}">
${request.csrfField}
<label for="name">Name</label>
<input id="name" name="name" required maxlength="120" value="${form.get('name') ?? ''}" aria-describedby="name-hint">
<p class="hint" id="name-hint">After the program that uses it, such as “Web shop”. You will know it by this name when you wonder what breaks without it.</p>
<fieldset>
<legend>What it may do</legend>
${Object.entries(bundleLabels).map(
  ([value, { title, sentence }]) =>
    html`<label class="choice"><input type="radio" name="access" value="${value}"${checkedIf(access === value)}>
<span>${title} <small>${sentence}</small></span></label>`,
)}
<label class="choice"><input type="radio" name="access" value="chosen"${checkedIf(access === 'chosen')}>
<span>Only what I tick below <small>Nothing else, whatever is added to Jobwright later.</small></span></label>
<details${access === 'chosen' && html` open`}><summary>Choose one by one</summary>
${scopeCatalogue.groupByEntity(scopeCatalogue.scopes).map(
  ([entity, own]) => html`<div class="group" role="group" aria-label="${entity.title}">
<p><strong>${entity.title}</strong></p>
${own.map(
  (
    scope,
  ) => html`<label class="choice"><input type="checkbox" name="scope" value="${scope}"${checkedIf(chosen.has(scope))}>
<span>${scopeCatalogue.verbOf(scope)}<span class="unseen"> ${entity.scopeObject}</span></span></label>`,
)}
</div>`,
)}
</details>
</fieldset>
<fieldset>
<legend>Where it may be used</legend>
<label class="choice"><input type="checkbox" name="use" value="rest"${checkedIf(uses.includes('rest'))}>
<span>REST <small>Programs and integrations.</small></span></label>
<label class="choice"><input type="checkbox" name="use" value="mcp"${checkedIf(uses.includes('mcp'))}>
<span>MCP <small>Agents and assistants.</small></span></label>
</fieldset>
<label for="expiry">When it expires</label>
<select id="expiry" name="expiry">${expiries.map(
      ({ value, words }) => html`<option value="${value}"${value === expiry && html` selected`}>${words}</option>`,
    )}</select>
<label for="addresses">Only from these addresses (optional)</label>
<textarea id="addresses" name="addresses" rows="2" maxlength="5000" aria-describedby="addresses-hint">${form.get('addresses') ?? ''}</textarea>
<p class="hint" id="addresses-hint">Networks such as 203.0.113.0/24, one on a line. Empty: from anywhere.</p>
<div class="buttons"><button>Make the key</button><a class="button second" href="${request.href('/keys')}">Cancel</a></div>
</form>`,
  }
}

export const keySecretPage = (request: PortalRequest, key: Key & { key: string }, overlapHours?: number): View => ({
  title: overlapHours === undefined ? 'The key is made' : 'The key has a new value',
  section: 'keys',
  body: html`<h1>${overlapHours === undefined ? 'The key is made' : 'The key has a new value'}</h1>
<p>${key.name}</p>
${secretBlock('The key', key.key)}
${
  overlapHours !== undefined &&
  html`<p>${
    overlapHours === 0
      ? 'The value before no longer works: put this one in its place now.'
      : `The value before works for ${overlapHours === 1 ? 'another hour' : `another ${overlapHours} hours`}: put this one in its place until then.`
  }</p>`
}
${scopeList(key.scopes, key.scopeVersion)}
<div class="buttons"><a class="button" href="${request.href('/keys')}">I have copied it</a></div>`,
})

export const keyPage = (request: PortalRequest, key: Key, creator: string | undefined, wrong?: string): View => ({
  title: key.name,
  section: 'keys',
  status: wrong === undefined ? 200 : 400,
  body: html`<p class="back"><a href="${request.href('/keys')}">All keys</a></p>
<h1>${key.name} ${statusBadge(key)}</h1>
${errorAlert(wrong)}
<h2>What it may do</h2>
${scopeList(key.scopes, key.scopeVersion)}
${keyFacts(request, key)}
${creator !== undefined && html`<p class="quiet">Made by ${creator}.</p>`}
${
  key.status === 'revoked'
    ? html`<p class="empty">It was revoked and cannot come back. <a href="${request.href('/keys/new')}">Make a new key</a> if something still needs one.</p>`
    : html`<section>
<h2>${key.status === 'paused' ? 'Resume' : 'Pause'}</h2>
<p>${key.status === 'paused' ? 'It is refused at the moment.' : 'It is refused until you resume it: a way to find out what breaks.'}</p>
<form method="post" action="${request.href(`/keys/${key.id}/${key.status === 'paused' ? 'resume' : 'pause'}`)}">${request.csrfField}
<div class="buttons"><button class="second">${key.status === 'paused' ? 'Resume the key' : 'Pause the key'}</button></div></form>
</section>
<section>
<h2>Rotate</h2>
<p>A new value for the same key, for example because somebody saw it who should not have.</p>
<form method="post" action="${request.href(`/keys/${key.id}/rotate`)}">${request.csrfField}
<label for="overlap">The value before stops working</label>
<select id="overlap" name="overlap">${overlaps.map(({ hours, words }) => html`<option value="${hours}">${words}</option>`)}</select>
<div class="buttons"><button class="second">Rotate the key</button></div></form>
</section>
<section>
<h2>Revoke</h2>
<p>For good. The next page says what will break.</p>
<div class="buttons"><a class="button danger" href="${request.href(`/keys/${key.id}/revoke`)}">Revoke the key…</a></div>
</section>`
}`,
})

export const revokeKeyPage = (request: PortalRequest, key: Key): View => ({
  title: `Revoke ${key.name}?`,
  section: 'keys',
  body: html`<h1>Revoke “${key.name}”?</h1>
${
  key.lastUsedAt === null
    ? html`<p>It has never been used: nothing should break.</p>`
    : html`<p><strong>It was last used ${lastUse(key, request.timeZone)}.</strong> Whatever uses it is refused from this moment
on, and only a new key mends that.</p>`
}
<h2>What will no longer be possible with it</h2>
${scopeList(key.scopes, key.scopeVersion)}
${
  key.status === 'active' &&
  key.lastUsedAt !== null &&
  html`<p class="quiet">Not sure? Pause it first: that can be undone.</p>`
}
<form method="post" action="${request.href(`/keys/${key.id}/revoke`)}">${request.csrfField}
<div class="buttons"><button class="danger">Revoke for good</button><a class="button second" href="${request.href(`/keys/${key.id}`)}">Keep it</a></div>
</form>`,
})
