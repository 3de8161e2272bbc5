// The pages of one's own account.
import { html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import { recoveryCodeCount } from '../identity/recovery-codes.ts'
import { recoveryCodeList } from '../sign-in/session-pages-view.ts'
import type { PortalRequest, View } from './router.ts'

export const accountPage = (request: PortalRequest, codesLeft: number, wrong?: string): View => ({
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
<section><h2>Recovery codes</h2>
<p>You have <strong>${codesLeft} of ${recoveryCodeCount}</strong> left. Each signs you in once, should you lose your device.</p>
<form method="post" action="${request.href('/account/recovery-codes')}">${request.csrfField}
<label for="totp">Code</label>
<input id="totp" name="totp" autocomplete="one-time-code" inputmode="numeric" required maxlength="10" aria-describedby="totp-hint">
<p class="hint" id="totp-hint">Six digits from your authenticator app. The recovery codes you have now stop working.</p>
<div class="buttons"><button>Make new recovery codes</button></div></form></section>`,
})

export const renewedCodesPage = (request: PortalRequest, codes: readonly string[]): View => ({
  title: 'Your recovery codes',
  section: 'account',
  body: html`<h1>Your recovery codes</h1>
${recoveryCodeList(codes)}
<div class="buttons"><a class="button" href="${request.href('/account')}">I have kept them</a></div>`,
})
