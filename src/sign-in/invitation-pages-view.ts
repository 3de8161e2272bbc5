// The pages of accepting an invitation.
import { needsSecondFactor } from '../domain/second-factor.ts'
import { type Html, html } from '../http/html.ts'
import { errorAlert, type Page } from '../http/layout.ts'
import type { OpenInvitation } from '../identity/invitations.ts'
import { roleTitles } from '../identity/members.ts'
import { rememberField } from './session-pages-view.ts'

interface InvitationForm {
  readonly action: string
  readonly csrfField: Html
  readonly wrong?: string
  readonly status?: number
}

export const invitationPage = (
  invitation: OpenInvitation,
  { action, csrfField, wrong, status = 200 }: InvitationForm,
): Page => {
  const isNew = invitation.admission === 'new password'
  return {
    title: `Join ${invitation.orgName}`,
    status,
    body: html`<h1>Join ${invitation.orgName}</h1>
<p>Hello ${invitation.firstName}. You are invited as <strong>${roleTitles[invitation.role].toLowerCase()}</strong>.
${isNew ? 'Choose a password, and you are in.' : 'You have an account here already: show its password, which stays as it is.'}</p>
${errorAlert(wrong)}
<form method="post" action="${action}">${csrfField}
<label for="email">You sign in as</label>
<input id="email" name="email" type="email" autocomplete="username" readonly value="${invitation.email}">
${isNew ? newPasswordField : ownPasswordField}
${rememberField}
${
  needsSecondFactor(invitation) &&
  html`<p class="hint">Next comes your second factor: have the phone with your authenticator app at hand.</p>`
}
<div class="buttons"><button>Join ${invitation.orgName}</button></div>
</form>`,
  }
}

const newPasswordField = html`<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="new-password" required minlength="12" maxlength="200" aria-describedby="password-hint">
<p class="hint" id="password-hint">At least 12 characters; several words are good. Nobody else learns it.</p>`

const ownPasswordField = html`<label for="password">Password</label>
<input id="password" name="password" type="password" autocomplete="current-password" required maxlength="200">`

export const refusedInvitationPage = ({ orgName, email }: OpenInvitation): Page => ({
  title: `Join ${orgName}`,
  status: 409,
  body: html`<h1>Join ${orgName}</h1>
<p>The account of ${email} cannot be added with a link. Ask whoever runs this server to add you to ${orgName}.</p>`,
})

export const endedInvitationPage: Page = {
  title: 'This invitation is no longer good',
  status: 404,
  body: html`<h1>This invitation is no longer good</h1>
<p>It was accepted or withdrawn, a newer one replaced it, or it is older than seven days. Ask who invited you for another one.
If you have accepted it, sign in.</p>
<div class="buttons"><a class="button" href="/sign-in">Sign in</a></div>`,
}
