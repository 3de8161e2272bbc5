// The pages of members: the list, one of them, the form to add one, and a first password, shown once.
import { type Html, html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import { fullName, type Member, type Role, roles } from '../identity/members.ts'
import type { PortalRequest, View } from './router.ts'
import { badge, definitionList, secretBlock } from './view-components.ts'

const roleLabels: Readonly<Record<Role, { title: string; sentence: string }>> = {
  technician: { title: 'Technician', sentence: 'Does jobs and fills in their forms.' },
  manager: { title: 'Manager', sentence: 'Does jobs and fills in their forms.' },
  admin: { title: 'Admin', sentence: 'Also runs this portal: keys, apps, members, form templates.' },
}

const statusBadge = ({ isActive }: Member) => badge(isActive ? ['Active', 'good'] : ['Shut out', 'bad'])

export const memberListPage = (request: PortalRequest, members: readonly Member[]): View => ({
  title: 'Members',
  section: 'members',
  body: html`<h1>Members</h1>
<p>The people of ${request.orgName}. Those who leave are shut out, not deleted: their work stays theirs.</p>
<div class="buttons"><a class="button" href="${request.href('/members/new')}">Add a member</a></div>
<ul class="records">${members.map(
    (member) => html`<li>
<h2><a href="${request.href(`/members/${member.id}`)}">${fullName(member)}</a> ${statusBadge(member)}</h2>
${definitionList([
  ['Email', member.email],
  ['Role', roleLabels[member.role].title],
])}
</li>`,
  )}</ul>
${members.length === 1 && html`<p class="empty">You are the only one so far. Add the people who do the jobs, and a second admin for when you are away.</p>`}`,
})

const roleField = (chosen: Role): Html =>
  html`<fieldset><legend>Role</legend>${roles.toReversed().map(
    (
      role,
    ) => html`<label class="choice"><input type="radio" name="role" value="${role}"${role === chosen && html` checked`}>
<span>${roleLabels[role].title} <small>${roleLabels[role].sentence}</small></span></label>`,
  )}</fieldset>`

export const newMemberPage = (request: PortalRequest, wrong?: string): View => ({
  title: 'Add a member',
  section: 'members',
  status: wrong === undefined ? 200 : 400,
  body: html`<h1>Add a member</h1>
${errorAlert(wrong)}
<form method="post" action="${request.href('/members')}">
${request.csrfField}
<label for="firstName">First name</label>
<input id="firstName" name="firstName" required maxlength="120" autocomplete="off" value="${request.form.get('firstName') ?? ''}">
<label for="lastName">Last name (optional)</label>
<input id="lastName" name="lastName" maxlength="120" autocomplete="off" value="${request.form.get('lastName') ?? ''}">
<label for="email">Email</label>
<input id="email" name="email" type="email" required maxlength="254" autocomplete="off" value="${request.form.get('email') ?? ''}">
${roleField(roles.find((role) => role === request.form.get('role')) ?? 'technician')}
<div class="buttons"><button>Add the member</button><a class="button second" href="${request.href('/members')}">Cancel</a></div>
</form>`,
})

export const passwordPage = (
  request: PortalRequest,
  authUrl: string,
  member: Member & { password: string },
  outcome: string,
): View => ({
  title: `${fullName(member)} ${outcome}`,
  section: 'members',
  body: html`<h1>${fullName(member)} ${outcome}</h1>
<p>They sign in at <strong>${authUrl}/portal</strong> with ${member.email} and this password, and set up their second factor
with an authenticator app the first time. Then they choose a password of their own, under their email at the top.</p>
${secretBlock('First password', member.password)}
<div class="buttons"><a class="button" href="${request.href('/members')}">I have passed it on</a></div>`,
})

export const memberPage = (request: PortalRequest, member: Member): View => ({
  title: fullName(member),
  section: 'members',
  body: html`<p class="back"><a href="${request.href('/members')}">All members</a></p>
<h1>${fullName(member)} ${statusBadge(member)}</h1>
${definitionList([
  ['Email', member.email],
  ['Role', roleLabels[member.role].title],
])}
${
  member.id === request.memberId
    ? html`<p class="empty">This is you. Another admin has to change your role or shut you out.</p>`
    : html`<section><h2>Change the role</h2>
<form method="post" action="${request.href(`/members/${member.id}`)}">${request.csrfField}${roleField(member.role)}
${member.role === 'admin' && html`<p class="hint">Apps that an admin allowed lose their access when the admin becomes something else.</p>`}
<div class="buttons"><button class="second">Change the role</button></div></form></section>
<section><h2>${member.isActive ? 'Shut out' : 'Let in again'}</h2>
<p>${
        member.isActive
          ? 'They can no longer sign in here or be given new jobs, and apps they allowed lose their access. API keys stay: revoke those yourself.'
          : 'They can sign in again. Apps they had allowed must be allowed anew.'
      }</p>
<form method="post" action="${request.href(`/members/${member.id}`)}">${request.csrfField}
<input type="hidden" name="active" value="${member.isActive ? 'no' : 'yes'}">
<div class="buttons"><button class="${member.isActive ? 'danger' : 'second'}">${member.isActive ? 'Shut out' : 'Let in again'}</button></div></form></section>
${resetSection(request, member)}`
}`,
})

const resetSection = (request: PortalRequest, { id }: Member): Html => html`<section><h2>Lost password or device</h2>
<p>They get a new first password, which you pass on, and set up their second factor anew. What they had no longer works.</p>
<form method="post" action="${request.href(`/members/${id}/reset`)}">${request.csrfField}
<div class="buttons"><button class="danger">Make a new password</button></div></form></section>`
