// The pages of inviting people: the form, those who have not answered yet, and a link that is shown once.
import { type Html, html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import type { Invitation } from '../identity/invitations.ts'
import { fullName, type Role, roles, roleTitles } from '../identity/members.ts'
import type { View } from './frame.ts'
import { badge, definitionList, secretBlock, timeTag } from './office-parts.ts'
import type { DeskRequest } from './router.ts'
import { settingsView } from './settings.ts'

const roleSentences: Readonly<Record<Role, string>> = {
  technician: 'Does jobs and fills in their forms.',
  manager: 'Runs the work: jobs, customers, quotes, invoices.',
  admin: 'Also the organisation itself, members, keys and apps.',
}

export const roleField = (chosen: Role): Html =>
  html`<fieldset><legend>Role</legend>${roles.toReversed().map(
    (
      role,
    ) => html`<label class="choice"><input type="radio" name="role" value="${role}"${role === chosen && html` checked`}>
<span>${roleTitles[role]} <small>${roleSentences[role]}</small></span></label>`,
  )}</fieldset>`

export const newMemberPage = (
  request: DeskRequest,
  { isMailed, wrong }: { readonly isMailed: boolean; readonly wrong?: string },
): View =>
  settingsView(request, 'members', {
    title: 'Add a member',
    status: wrong === undefined ? 200 : 400,
    body: html`<h1>Add a member</h1>
<p>${
      isMailed
        ? 'They get a mail with a link, and choose their own password there.'
        : 'You get a link to pass on, where they choose their own password: this server sends no mail.'
    }</p>
${errorAlert(wrong)}
<form method="post" action="${request.href('/settings/members')}">
${request.csrfField}
<label for="firstName">First name</label>
<input id="firstName" name="firstName" required maxlength="120" autocomplete="off" value="${request.form.get('firstName') ?? ''}">
<label for="lastName">Last name (optional)</label>
<input id="lastName" name="lastName" maxlength="120" autocomplete="off" value="${request.form.get('lastName') ?? ''}">
<label for="email">Email</label>
<input id="email" name="email" type="email" required maxlength="254" autocomplete="off" value="${request.form.get('email') ?? ''}">
${roleField(roles.find((role) => role === request.form.get('role')) ?? 'technician')}
<div class="buttons"><button>${isMailed ? 'Send the invitation' : 'Make the link'}</button><a class="button second" href="${request.href('/settings/members')}">Cancel</a></div>
</form>`,
  })

export const invitationLinkPage = (request: DeskRequest, invitation: Invitation, link: string): View =>
  settingsView(request, 'members', {
    title: `${fullName(invitation)} is invited`,
    body: html`<h1>${fullName(invitation)} is invited</h1>
<p>Pass this link on to ${invitation.email}. They choose their own password there and join. It works once, within seven
days.</p>
${secretBlock('Link', link)}
<div class="buttons"><a class="button" href="${request.href('/settings/members')}">I have passed it on</a></div>`,
  })

/** Those who have not joined yet; nothing where there are none. */
export const invitationList = (request: DeskRequest, invitations: readonly Invitation[]): Html | false =>
  invitations.length > 0 &&
  html`<section><h2>Invited</h2>
<ul class="records">${invitations.map(
    (invitation) => html`<li>
<h3>${fullName(invitation)} ${badge(invitation.isExpired ? ['Too late', 'bad'] : ['Not answered', 'idle'])}</h3>
${definitionList([
  ['Email', invitation.email],
  ['Role', roleTitles[invitation.role]],
  [invitation.isExpired ? 'Was good until' : 'Good until', timeTag(invitation.expiresAt, request.timeZone)],
])}
<div class="buttons">${invitationForm(request, invitation, 'renew', 'Invite again')}
${invitationForm(request, invitation, 'withdraw', 'Withdraw')}</div>
</li>`,
  )}</ul></section>`

const invitationForm = (request: DeskRequest, { id }: Invitation, action: string, words: string): Html =>
  html`<form method="post" action="${request.href(`/settings/invitations/${id}/${action}`)}">${request.csrfField}
<button class="second">${words}</button></form>`
