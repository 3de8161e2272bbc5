// The page of one's own account.
import { html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import type { PortalRequest, View } from './router.ts'

export const accountPage = (request: PortalRequest, wrong?: string): View => ({
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
<div class="buttons"><button>Change the password</button></div></form></section>`,
})
