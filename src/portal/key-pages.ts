// The pages of API keys: what each can do, when it was last used, and what breaks without it.
import { entityWords, scopeVerb } from '../api/entities.ts'
import { type Entity, scopes } from '../api/scopes.ts'
import type { Key } from '../identity/keys.ts'
import { type Html, html } from '../pages/html.ts'
import type { Sheet, Visit } from './desk.ts'
import {
  badge,
  bundleWords,
  complaint,
  facts,
  fromNow,
  lastUse,
  moment,
  scopeList,
  secret,
  useWords,
} from './wording.ts'

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

const states = {
  active: ['Works', 'good'],
  paused: ['Paused', 'idle'],
  expired: ['Expired', 'bad'],
  revoked: ['Revoked', 'bad'],
} as const
const state = ({ status }: Key) => badge(states[status])

const factsOf = ({ timeZone }: Visit, key: Key): Html =>
  facts([
    ['Begins with', html`<code>${key.prefix}…</code>`],
    ['Used over', key.allowedUses.map((use) => useWords[use]).join(' and ')],
    ['Used from', key.ipAllowlist.join(', ') || 'any address'],
    ['Last used', lastUse(key, timeZone)],
    ['Expires', key.expiresAt ? html`${moment(key.expiresAt, timeZone)} (${fromNow(key.expiresAt)})` : 'never'],
  ])

export const keyListPage = (visit: Visit, keys: readonly Key[]): Sheet => ({
  title: 'API keys',
  section: 'keys',
  body: html`<h1>API keys</h1>
<p>A key lets a program work with ${visit.orgName} without a person. Give each program its own, with no more than it needs.</p>
<div class="buttons"><a class="button" href="${visit.at('/keys/new')}">Make a key</a></div>
${
  keys.length === 0
    ? html`<p class="empty">There is no key yet. Make one for the first program that should read or write your jobs.</p>`
    : html`<ul class="records">${keys.map(
        (key) => html`<li>
<h2><a href="${visit.at(`/keys/${key.id}`)}">${key.name}</a> ${state(key)}</h2>
${scopeList(key.scopes, key.scopeVersion)}
${factsOf(visit, key)}
</li>`,
      )}</ul>`
}`,
})

const ticked = (is: boolean): Html | false => is && html` checked`

export function newKeyPage(visit: Visit, wrong?: string): Sheet {
  const { form, query } = visit
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
${complaint(wrong)}
<form method="post" action="${visit.at('/keys')}">
${visit.seal}
<label for="name">Name</label>
<input id="name" name="name" required maxlength="120" value="${form.get('name') ?? ''}" aria-describedby="name-hint">
<p class="hint" id="name-hint">After the program that uses it, such as “Web shop”. You will know it by this name when you wonder what breaks without it.</p>
<fieldset>
<legend>What it may do</legend>
${Object.entries(bundleWords).map(
  ([value, { title, sentence }]) =>
    html`<label class="choice"><input type="radio" name="access" value="${value}"${ticked(access === value)}>
<span>${title} <small>${sentence}</small></span></label>`,
)}
<label class="choice"><input type="radio" name="access" value="chosen"${ticked(access === 'chosen')}>
<span>Only what I tick below <small>Nothing else, whatever is added to Jobwright later.</small></span></label>
<details${access === 'chosen' && html` open`}><summary>Choose one by one</summary>
${byEntity().map(
  ([entity, own]) => html`<div class="group" role="group" aria-label="${entityWords[entity].title}">
<p><strong>${entityWords[entity].title}</strong></p>
${own.map(
  (
    scope,
  ) => html`<label class="choice"><input type="checkbox" name="scope" value="${scope}"${ticked(chosen.has(scope))}>
<span>${scopeVerb(scope)}<span class="unseen"> ${entityWords[entity].things}</span></span></label>`,
)}
</div>`,
)}
</details>
</fieldset>
<fieldset>
<legend>Where it may be used</legend>
<label class="choice"><input type="checkbox" name="use" value="rest"${ticked(uses.includes('rest'))}>
<span>REST <small>Programs and integrations.</small></span></label>
<label class="choice"><input type="checkbox" name="use" value="mcp"${ticked(uses.includes('mcp'))}>
<span>MCP <small>Agents and assistants.</small></span></label>
</fieldset>
<label for="expiry">When it expires</label>
<select id="expiry" name="expiry">${expiries.map(
      ({ value, words }) => html`<option value="${value}"${value === expiry && html` selected`}>${words}</option>`,
    )}</select>
<label for="addresses">Only from these addresses (optional)</label>
<textarea id="addresses" name="addresses" rows="2" maxlength="5000" aria-describedby="addresses-hint">${form.get('addresses') ?? ''}</textarea>
<p class="hint" id="addresses-hint">Networks such as 203.0.113.0/24, one on a line. Empty: from anywhere.</p>
<div class="buttons"><button>Make the key</button><a class="button second" href="${visit.at('/keys')}">Cancel</a></div>
</form>`,
  }
}

function byEntity() {
  return [...Map.groupBy(scopes, (scope) => scope.split(':')[0] as Entity)]
}

export const madePage = (visit: Visit, key: Key & { key: string }, overlapHours?: number): Sheet => ({
  title: overlapHours === undefined ? 'The key is made' : 'The key has a new value',
  section: 'keys',
  body: html`<h1>${overlapHours === undefined ? 'The key is made' : 'The key has a new value'}</h1>
<p>${key.name}</p>
${secret('The key', key.key)}
${
  overlapHours !== undefined &&
  html`<p>${
    overlapHours === 0
      ? 'The value before no longer works: put this one in its place now.'
      : `The value before works for ${overlapHours === 1 ? 'another hour' : `another ${overlapHours} hours`}: put this one in its place until then.`
  }</p>`
}
${scopeList(key.scopes, key.scopeVersion)}
<div class="buttons"><a class="button" href="${visit.at('/keys')}">I have copied it</a></div>`,
})

export const keyPage = (visit: Visit, key: Key, maker: string | undefined, wrong?: string): Sheet => ({
  title: key.name,
  section: 'keys',
  status: wrong === undefined ? 200 : 400,
  body: html`<p class="back"><a href="${visit.at('/keys')}">All keys</a></p>
<h1>${key.name} ${state(key)}</h1>
${complaint(wrong)}
<h2>What it may do</h2>
${scopeList(key.scopes, key.scopeVersion)}
${factsOf(visit, key)}
${maker !== undefined && html`<p class="quiet">Made by ${maker}.</p>`}
${
  key.status === 'revoked'
    ? html`<p class="empty">It was revoked and cannot come back. <a href="${visit.at('/keys/new')}">Make a new key</a> if something still needs one.</p>`
    : html`<section>
<h2>${key.status === 'paused' ? 'Resume' : 'Pause'}</h2>
<p>${key.status === 'paused' ? 'It is refused at the moment.' : 'It is refused until you resume it: a way to find out what breaks.'}</p>
<form method="post" action="${visit.at(`/keys/${key.id}/${key.status === 'paused' ? 'resume' : 'pause'}`)}">${visit.seal}
<div class="buttons"><button class="second">${key.status === 'paused' ? 'Resume the key' : 'Pause the key'}</button></div></form>
</section>
<section>
<h2>Rotate</h2>
<p>A new value for the same key, for example because somebody saw it who should not have.</p>
<form method="post" action="${visit.at(`/keys/${key.id}/rotate`)}">${visit.seal}
<label for="overlap">The value before stops working</label>
<select id="overlap" name="overlap">${overlaps.map(({ hours, words }) => html`<option value="${hours}">${words}</option>`)}</select>
<div class="buttons"><button class="second">Rotate the key</button></div></form>
</section>
<section>
<h2>Revoke</h2>
<p>For good. The next page says what will break.</p>
<div class="buttons"><a class="button danger" href="${visit.at(`/keys/${key.id}/revoke`)}">Revoke the key…</a></div>
</section>`
}`,
})

export const revokePage = (visit: Visit, key: Key): Sheet => ({
  title: `Revoke ${key.name}?`,
  section: 'keys',
  body: html`<h1>Revoke “${key.name}”?</h1>
${
  key.lastUsedAt === null
    ? html`<p>It has never been used: nothing should break.</p>`
    : html`<p><strong>It was last used ${lastUse(key, visit.timeZone)}.</strong> Whatever uses it is refused from this moment
on, and only a new key mends that.</p>`
}
<h2>What will no longer be possible with it</h2>
${scopeList(key.scopes, key.scopeVersion)}
${
  key.status === 'active' &&
  key.lastUsedAt !== null &&
  html`<p class="quiet">Not sure? Pause it first: that can be undone.</p>`
}
<form method="post" action="${visit.at(`/keys/${key.id}/revoke`)}">${visit.seal}
<div class="buttons"><button class="danger">Revoke for good</button><a class="button second" href="${visit.at(`/keys/${key.id}`)}">Keep it</a></div>
</form>`,
})
