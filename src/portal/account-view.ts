// The pages of one's own account.

import { badge, dayTag, definitionList } from '../desk/office-parts.ts'
import { describeUserAgent } from '../domain/user-agents.ts'
import { type Html, html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import type { SignedInBrowser } from '../identity/browsers.ts'
import { recoveryCodeCount } from '../identity/recovery-codes.ts'
import { stepPath } from '../sign-in/member-session.ts'
import { recoveryCodeList } from '../sign-in/session-pages-view.ts'
import type { PortalRequest, View } from './router.ts'

interface Account {
  readonly codesLeft: number
  readonly browsers: readonly SignedInBrowser[]
  readonly wrong?: string | undefined
}

export const accountPage = (request: PortalRequest, { codesLeft, browsers, wrong }: Account): View => ({
  title: 'Your account',
  section: 'account',
  status: wrong === undefined ? 200 : 400,
  body: html`<h1>Your account</h1>
<p>You are ${request.memberName}, and sign in as ${request.email}.</p>
${errorAlert(wrong)}
<section><h2>Change your password</h2>
<form method="post" action="${request.href('/account')}">${request.csrfField}
<label for="current">The password you have now</label>
<input id="current" name="current" type="password" autocomplete="current-password" required maxlength="200">
<label for="wanted">The new password</label>
<input id="wanted" name="wanted" type="password" autocomplete="new-password" required minlength="12" maxlength="200" aria-describedby="wanted-hint">
<p class="hint" id="wanted-hint">At least 12 characters; several words are good. You are signed out everywhere else.</p>
<div class="buttons"><button>Change the password</button></div></form></section>
${request.isEnrolled ? recoveryCodeSection(request, codesLeft) : enrolmentSection(request)}
${browserSection(request, browsers)}
<section><h2>Keys</h2>
<p>Single keys work faster than a mouse. <a href="/desk/${request.orgId}/keys">See which there are, or turn them off.</a></p></section>`,
})

const enrolmentSection = (request: PortalRequest): Html => html`<section><h2>Second factor</h2>
<p>You sign in with your password alone. With an authenticator app on your phone, a password that somebody found out opens
nothing.</p>
<div class="buttons"><a class="button" href="${stepPath('enrolment', request.href('/account'))}">Set it up</a></div></section>`

const recoveryCodeSection = (request: PortalRequest, codesLeft: number): Html => html`<section><h2>Recovery codes</h2>
<p>You have <strong>${codesLeft} of ${recoveryCodeCount}</strong> left. Each signs you in once, should you lose your device.</p>
<form method="post" action="${request.href('/account/recovery-codes')}">${request.csrfField}
<label for="totp">Code</label>
<input id="totp" name="totp" autocomplete="one-time-code" autocapitalize="none" spellcheck="false" required maxlength="40" aria-describedby="totp-hint">
<p class="hint" id="totp-hint">Six digits from your authenticator app, or a recovery code. The recovery codes you have now stop
working.</p>
<div class="buttons"><button>Make new recovery codes</button></div></form></section>`

const browserSection = (request: PortalRequest, browsers: readonly SignedInBrowser[]): Html => html`<section>
<h2>Where you are signed in</h2>
<ul class="records">${browsers.map(
  (browser) => html`<li>
<h3>${describeUserAgent(browser.userAgent)} ${browser.isThisOne && badge(['This browser', 'good'])}</h3>
${definitionList([
  ['Signed in', dayTag(browser.signedInAt, request.timeZone)],
  ['Last used', dayTag(browser.lastUsedAt, request.timeZone)],
  ['Stays signed in', browser.isRemembered ? 'for 30 days' : 'for 12 hours'],
])}
${
  !browser.isThisOne &&
  html`<form method="post" action="${request.href(`/account/browsers/${browser.id}/sign-out`)}">${request.csrfField}
<div class="buttons"><button class="second">Sign out</button></div></form>`
}
</li>`,
)}</ul>
${
  browsers.length > 1 &&
  html`<form method="post" action="${request.href('/account/sign-out-elsewhere')}">${request.csrfField}
<div class="buttons"><button class="danger">Sign out everywhere else</button></div></form>`
}</section>`

export const renewedCodesPage = (request: PortalRequest, codes: readonly string[]): View => ({
  title: 'Your recovery codes',
  section: 'account',
  body: html`<h1>Your recovery codes</h1>
${recoveryCodeList(codes)}
<div class="buttons"><a class="button" href="${request.href('/account')}">I have kept them</a></div>`,
})
