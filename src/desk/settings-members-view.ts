// The pages of members: the list, one of them, and a new password, shown once.
import { type Html, html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import type { Invitation } from '../identity/invitations.ts'
import { fullName, type Member, roleTitles } from '../identity/members.ts'
import type { View } from './frame.ts'
import { badge, definitionList, secretBlock } from './office-parts.ts'
import type { Refusal } from './perform.ts'
import type { DeskRequest } from './router.ts'
import { settingsView } from './settings.ts'
import { invitationList, roleField } from './settings-invitations-view.ts'

const statusBadge = ({ isActive }: Member) => badge(isActive ? ['Active', 'good'] : ['Shut out', 'bad'])

export const memberListPage = (
  request: DeskRequest,
  members: readonly Member[],
  invitations: readonly Invitation[],
): View =>
  settingsView(request, 'members', {
    title: 'Members',
    body: html`<h1>Members</h1>
<p>The people of ${request.orgName}. Those who leave are shut out, not deleted: their work stays theirs.</p>
<div class="buttons"><a class="button" href="${request.href('/settings/members/new')}">Add a member</a></div>
<ul class="records">${members.map(
      (member) => html`<li>
<h2><a href="${request.href(`/settings/members/${member.id}`)}">${fullName(member)}</a> ${statusBadge(member)}</h2>
${definitionList([
  ['Email', member.email],
  ['Role', roleTitles[member.role]],
])}
</li>`,
    )}</ul>
${invitationList(request, invitations)}
${members.length === 1 && html`<p class="empty">You are the only one so far. Add the people who do the jobs, and a second admin for when you are away.</p>`}`,
  })

export const passwordPage = (request: DeskRequest, authUrl: string, member: Member & { password: string }): View =>
  settingsView(request, 'members', {
    title: `${fullName(member)} has a new password`,
    body: html`<h1>${fullName(member)} has a new password</h1>
<p>They sign in at <strong>${authUrl}</strong> with ${member.email} and this password, and set up their second factor anew
where they need one. Then they choose a password of their own, under “Your account”.</p>
${secretBlock('First password', member.password)}
<div class="buttons"><a class="button" href="${request.href('/settings/members')}">I have passed it on</a></div>`,
  })

interface MemberPage {
  readonly openJobs: number
  readonly version: string | undefined
  readonly refusal?: Refusal | undefined
}

export const memberPage = (
  request: DeskRequest,
  member: Member,
  { openJobs, version = '', refusal }: MemberPage,
): View =>
  settingsView(request, 'members', {
    title: fullName(member),
    ...(refusal && { status: refusal.status }),
    body: html`<p class="back"><a href="${request.href('/settings/members')}">All members</a></p>
<h1>${fullName(member)} ${statusBadge(member)}</h1>
${errorAlert(refusal?.message)}
${definitionList([
  ['Email', member.email],
  ['Role', roleTitles[member.role]],
  ['Open jobs', openJobsLink(request, member, openJobs)],
])}
${
  member.id === request.memberId
    ? html`<p class="empty">This is you. Another admin has to change your role or shut you out.</p>`
    : html`<section><h2>Change the role</h2>
<form method="post" action="${request.href(`/settings/members/${member.id}`)}">${request.csrfField}<input type="hidden" name="version" value="${version}">${roleField(member.role)}
${member.role === 'admin' && html`<p class="hint">Apps that an admin allowed lose their access when the admin becomes something else.</p>`}
<div class="buttons"><button class="second">Change the role</button></div></form></section>
<section><h2>${member.isActive ? 'Shut out' : 'Let in again'}</h2>
<p>${
        member.isActive
          ? 'They are signed out at once, cannot sign in here or be given new jobs, and apps they allowed lose their access. Their jobs stay theirs until you give them to somebody else. API keys stay: revoke those yourself.'
          : 'They can sign in again. Apps they had allowed must be allowed anew.'
      }</p>
<form method="post" action="${request.href(`/settings/members/${member.id}`)}">${request.csrfField}<input type="hidden" name="version" value="${version}">
<input type="hidden" name="active" value="${member.isActive ? 'no' : 'yes'}">
<div class="buttons"><button class="${member.isActive ? 'danger' : 'second'}">${member.isActive ? 'Shut out' : 'Let in again'}</button></div></form></section>
${resetSection(request, member)}`
}`,
  })

const openJobsLink = ({ href }: DeskRequest, { id }: Member, openJobs: number): Html | string => {
  const address = href(`/board?who=${id}`)
  return openJobs === 0 ? 'none' : html`<a href="${address}">${openJobs}</a>`
}

const resetSection = (request: DeskRequest, { id }: Member): Html => html`<section><h2>Lost password or device</h2>
<p>They get a new first password, which you pass on, and set up their second factor anew. What they had no longer works.</p>
<form method="post" action="${request.href(`/settings/members/${id}/reset`)}">${request.csrfField}
<div class="buttons"><button class="danger">Make a new password</button></div></form></section>`
