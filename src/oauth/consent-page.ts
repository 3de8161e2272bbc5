// The page on which an admin decides what an app may do, for whom and for how long.
import { type Html, html } from '../http/html.ts'
import { errorAlert, type Page } from '../http/layout.ts'
import { withNext } from '../http/next-path.ts'
import { isLoopbackHost } from '../identity/redirect-uris.ts'
import type { ScopeCatalogue } from '../operations/scope-catalogue.ts'
import type { Entity, Scope } from '../operations/scopes.ts'
import { capitalise } from '../operations/string-case.ts'
import type { ClientSource } from './client-validation.ts'

/** How long an approval may last, in seconds; null is until it is revoked. */
export const approvalLifetimes = {
  none: { words: 'Until I revoke it', seconds: null },
  '24h': { words: '24 hours', seconds: 86_400 },
  '7d': { words: '7 days', seconds: 7 * 86_400 },
  '30d': { words: '30 days', seconds: 30 * 86_400 },
  '90d': { words: '90 days', seconds: 90 * 86_400 },
} as const
export type ApprovalLifetime = keyof typeof approvalLifetimes

export interface ConsentRequest {
  readonly clientId: string
  readonly clientName: string
  readonly source: ClientSource
  readonly redirectUri: string
  readonly scopes: readonly Scope[]
  readonly mayBeRemembered: boolean
}

interface ConsentDetails {
  readonly consentRequest: ConsentRequest
  readonly scopeCatalogue: ScopeCatalogue
  /** The organisation whose admin registered the app. */
  readonly registrant: { readonly name: string; readonly isTheirs: boolean } | undefined
  readonly email: string
  readonly organisations: readonly { readonly id: string; readonly name: string }[]
  readonly path: string
  readonly csrfField: Html
  readonly formTarget: string | undefined
  readonly wrong?: string | undefined
}

export function consentPage({
  consentRequest,
  scopeCatalogue,
  registrant,
  email,
  organisations,
  path,
  csrfField,
  formTarget,
  wrong,
}: ConsentDetails): Page {
  return {
    title: `Allow ${consentRequest.clientName}?`,
    status: wrong === undefined ? 200 : 400,
    formTarget,
    body: html`<h1>Allow <strong>${consentRequest.clientName}</strong> to work for you?</h1>
<p>${provenance(consentRequest, registrant)}</p>
<p class="quiet">You go back to <strong>${destination(consentRequest.redirectUri)}</strong> once you have decided.</p>
${accountForm(email, path, csrfField)}
${errorAlert(wrong)}
<form method="post" action="${path}">
${csrfField}
${organisationField(organisations)}
<fieldset>
<legend>What it may do</legend>
<p class="hint">Untick what it should not do.</p>
${scopeCatalogue.groupByEntity(consentRequest.scopes).map(([entity, scopes]) => scopeGroup(entity, scopes, scopeCatalogue))}
</fieldset>
<label for="expiry">For how long</label>
<select id="expiry" name="expiry">
${Object.entries(approvalLifetimes).map(([name, { words }]) => html`<option value="${name}">${words}</option>`)}
</select>
${
  consentRequest.mayBeRemembered &&
  html`<label class="choice"><input type="checkbox" name="remember" value="yes">
<span>Do not ask me again for 90 days <small>As long as it asks for no more than this.</small></span></label>`
}
<div class="buttons">
<button name="decision" value="allow">Allow</button>
<button class="second" name="decision" value="deny">Deny</button>
</div>
</form>`,
  }
}

/** For somebody who may not decide: there is nothing to allow, and the app gets the error. */
export const cannotApprovePage = (details: Omit<ConsentDetails, 'organisations'>): Page => ({
  title: 'You cannot approve apps',
  status: 403,
  formTarget: details.formTarget,
  body: html`<h1>You cannot approve apps</h1>
<p>Only an active admin of an organisation on Pro or a trial can decide what
<strong>${details.consentRequest.clientName}</strong> may do.</p>
${accountForm(details.email, details.path, details.csrfField)}
<form method="post" action="${details.path}">
${details.csrfField}
<div class="buttons"><button class="second" name="decision" value="deny">Deny</button></div>
</form>`,
})

const accountForm = (
  email: string,
  path: string,
  csrfField: Html,
) => html`<form class="inline" method="post" action="/sign-out">
${csrfField}<input type="hidden" name="next" value="${withNext('/sign-in', path)}">
<p>You are signed in as ${email}. <button class="link">Use another account</button></p>
</form>`

const unchecked = 'nobody has checked who is behind it. Go on only if you started this yourself.'

function provenance({ source, clientId }: ConsentRequest, registrant: ConsentDetails['registrant']): Html {
  if (source === 'hosted') return html`It is described at <strong>${new URL(clientId).host}</strong>.`
  if (registrant?.isTheirs) return html`An admin of <strong>${registrant.name}</strong> registered it.`
  if (registrant) {
    return html`An admin of <strong>${registrant.name}</strong>, to which you do not belong, registered it: ${unchecked}`
  }
  return html`It registered itself: ${unchecked}`
}

function destination(redirectUri: string): string {
  const { protocol, host, hostname } = new URL(redirectUri)
  if (isLoopbackHost(hostname)) return `a program on this device (${host})`
  return protocol === 'https:' ? host : `the app for ${protocol}//`
}

function organisationField(organisations: ConsentDetails['organisations']): Html {
  const [only] = organisations
  if (organisations.length === 1) {
    return html`<p>It is for <strong>${only!.name}</strong>.</p>
<input type="hidden" name="organisation" value="${only!.id}">`
  }
  return html`<label for="organisation">Organisation</label>
<select id="organisation" name="organisation" required>
${organisations.map(({ id, name }) => html`<option value="${id}">${name}</option>`)}
</select>`
}

/** Each box is read out with what it is about; who sees the page sees that once, above. */
function scopeGroup({ title, scopeObject }: Entity, scopes: readonly Scope[], { verbOf }: ScopeCatalogue): Html {
  return html`<div class="group">
<p><strong>${title}</strong>${capitalise(scopeObject) !== title && html` <span class="hint">${capitalise(scopeObject)}</span>`}</p>
${scopes.map(
  (scope) => html`<label class="choice"><input type="checkbox" name="scope" value="${scope}" checked>
<span>${verbOf(scope)}<span class="unseen"> ${scopeObject}</span></span></label>`,
)}
</div>`
}
