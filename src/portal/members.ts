// The members of an organisation in the portal: added, given another role, shut out and let in again.
import { badRequest, notFound, tooManyRequests } from '../api/errors.ts'
import { secondsUntilReset } from '../api/guard.ts'
import { firstPassword, inviteMember, refuseUnlessEmail, resetMember } from '../identity/invitations.ts'
import {
  changeMember,
  fullName,
  listMembers,
  type Member,
  memberAdded,
  memberLine,
  type Role,
  roles,
} from '../identity/members.ts'
import { type Html, html } from '../pages/html.ts'
import { attempt, type Desk, type Sheet, said, type Visit } from './desk.ts'
import { badge, complaint, facts, secret } from './wording.ts'

const roleWords: Readonly<Record<Role, { title: string; sentence: string }>> = {
  technician: { title: 'Technician', sentence: 'Does jobs and fills in their forms.' },
  manager: { title: 'Manager', sentence: 'Does jobs and fills in their forms.' },
  admin: { title: 'Admin', sentence: 'Also runs this portal: keys, apps, members, form templates.' },
}

export function memberPages(desk: Desk): void {
  const { database } = desk
  const memberOf = async ({ orgId, params }: Visit): Promise<Member> => {
    const member = (await listMembers(database, orgId)).find(({ id }) => id === params.id)
    if (!member) throw notFound('member')
    return member
  }

  const refuseTooManyInvitations = async (orgId: string) => {
    const counted = await desk.limits.invitation(orgId)
    const minutes = Math.ceil(secondsUntilReset(counted) / 60)
    if (counted.isOver)
      throw tooManyRequests(
        `Your organisation added ${counted.limit} people within an hour; go on in ${minutes} minutes`,
        secondsUntilReset(counted),
      )
  }

  desk.get('/members', async (visit) => visit.show(listPage(visit, await listMembers(database, visit.orgId))))
  desk.get('/members/new', async (visit) => visit.show(newPage(visit)))
  desk.post('/members', async (visit) => {
    const added = await attempt(async () => {
      const wanted = await said(async () => wantedIn(visit.form))
      await refuseTooManyInvitations(visit.orgId)
      const first = await firstPassword(visit.orgId)
      return visit.act((transaction) => inviteMember(transaction, visit.orgId, first, wanted), memberAdded)
    })
    return visit.show(
      'wrong' in added
        ? newPage(visit, added.wrong)
        : passwordPage(visit, desk.config.authUrl, added.result, 'is added'),
    )
  })

  desk.get('/members/:id', async (visit) => visit.show(memberPage(visit, await memberOf(visit))))
  desk.post('/members/:id', async (visit) => {
    const before = await memberOf(visit)
    // Whoever could shut themselves out might leave nobody to let anybody in.
    if (before.id === visit.memberId) throw badRequest('Another admin has to change your role or shut you out')
    const role = roles.find((one) => one === visit.form.get('role')) ?? before.role
    const active = visit.form.get('active')
    const isActive = active === null ? before.isActive : active === 'yes'
    await visit.act(
      (transaction) => changeMember(transaction, visit.orgId, before.id, { role, isActive }),
      () =>
        memberLine('member.changed', before, {
          ...(role !== before.role && { role, roleBefore: before.role }),
          ...(isActive !== before.isActive && { isActive }),
        }),
    )
    return visit.goTo(`/members/${before.id}`, 'changed')
  })

  desk.post('/members/:id/reset', async (visit) => {
    const member = await memberOf(visit)
    if (member.id === visit.memberId) throw badRequest('Change your own password on the page of your account')
    const first = await firstPassword(visit.orgId)
    await visit.act(
      (transaction) => resetMember(transaction, visit.orgId, first, member.id),
      () => memberLine('member.reset', member),
    )
    return visit.show(
      passwordPage(visit, desk.config.authUrl, { ...member, password: first.password }, 'has a new password'),
    )
  })
}

const resetSection = (visit: Visit, { id }: Member): Html => html`<section><h2>Lost password or device</h2>
<p>They get a new first password, which you pass on, and set up their second factor anew. What they had no longer works.</p>
<form method="post" action="${visit.at(`/members/${id}/reset`)}">${visit.seal}
<div class="buttons"><button class="danger">Make a new password</button></div></form></section>`

function wantedIn(form: URLSearchParams) {
  const text = (name: string) => (form.get(name) ?? '').trim()
  const firstName = text('firstName')
  const lastName = text('lastName') || null
  if (firstName === '' || [firstName, lastName ?? ''].some((name) => name.length > 120 || /\p{Cc}/u.test(name)))
    throw new Error('A first name is required; names have at most 120 characters')
  const role = roles.find((one) => one === form.get('role'))
  if (!role) throw new Error('Choose a role')
  const email = text('email')
  refuseUnlessEmail(email)
  return { email, firstName, lastName, role }
}

const state = ({ isActive }: Member) => badge(isActive ? ['Active', 'good'] : ['Shut out', 'bad'])

const listPage = (visit: Visit, members: readonly Member[]): Sheet => ({
  title: 'Members',
  section: 'members',
  body: html`<h1>Members</h1>
<p>The people of ${visit.orgName}. Those who leave are shut out, not deleted: their work stays theirs.</p>
<div class="buttons"><a class="button" href="${visit.at('/members/new')}">Add a member</a></div>
<ul class="records">${members.map(
    (member) => html`<li>
<h2><a href="${visit.at(`/members/${member.id}`)}">${fullName(member)}</a> ${state(member)}</h2>
${facts([
  ['Email', member.email],
  ['Role', roleWords[member.role].title],
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
<span>${roleWords[role].title} <small>${roleWords[role].sentence}</small></span></label>`,
  )}</fieldset>`

const newPage = (visit: Visit, wrong?: string): Sheet => ({
  title: 'Add a member',
  section: 'members',
  status: wrong === undefined ? 200 : 400,
  body: html`<h1>Add a member</h1>
${complaint(wrong)}
<form method="post" action="${visit.at('/members')}">
${visit.seal}
<label for="firstName">First name</label>
<input id="firstName" name="firstName" required maxlength="120" autocomplete="off" value="${visit.form.get('firstName') ?? ''}">
<label for="lastName">Last name (optional)</label>
<input id="lastName" name="lastName" maxlength="120" autocomplete="off" value="${visit.form.get('lastName') ?? ''}">
<label for="email">Email</label>
<input id="email" name="email" type="email" required maxlength="254" autocomplete="off" value="${visit.form.get('email') ?? ''}">
${roleField(roles.find((role) => role === visit.form.get('role')) ?? 'technician')}
<div class="buttons"><button>Add the member</button><a class="button second" href="${visit.at('/members')}">Cancel</a></div>
</form>`,
})

const passwordPage = (
  visit: Visit,
  authUrl: string,
  member: Member & { password: string },
  outcome: string,
): Sheet => ({
  title: `${fullName(member)} ${outcome}`,
  section: 'members',
  body: html`<h1>${fullName(member)} ${outcome}</h1>
<p>They sign in at <strong>${authUrl}/portal</strong> with ${member.email} and this password, and set up their second factor
with an authenticator app the first time. Then they choose a password of their own, under their email at the top.</p>
${secret('First password', member.password)}
<div class="buttons"><a class="button" href="${visit.at('/members')}">I have passed it on</a></div>`,
})

const memberPage = (visit: Visit, member: Member): Sheet => ({
  title: fullName(member),
  section: 'members',
  body: html`<p class="back"><a href="${visit.at('/members')}">All members</a></p>
<h1>${fullName(member)} ${state(member)}</h1>
${facts([
  ['Email', member.email],
  ['Role', roleWords[member.role].title],
])}
${
  member.id === visit.memberId
    ? html`<p class="empty">This is you. Another admin has to change your role or shut you out.</p>`
    : html`<section><h2>Change the role</h2>
<form method="post" action="${visit.at(`/members/${member.id}`)}">${visit.seal}${roleField(member.role)}
${member.role === 'admin' && html`<p class="hint">Apps that an admin allowed lose their access when the admin becomes something else.</p>`}
<div class="buttons"><button class="second">Change the role</button></div></form></section>
<section><h2>${member.isActive ? 'Shut out' : 'Let in again'}</h2>
<p>${
        member.isActive
          ? 'They can no longer sign in here or be given new jobs, and apps they allowed lose their access. API keys stay: revoke those yourself.'
          : 'They can sign in again. Apps they had allowed must be allowed anew.'
      }</p>
<form method="post" action="${visit.at(`/members/${member.id}`)}">${visit.seal}
<input type="hidden" name="active" value="${member.isActive ? 'no' : 'yes'}">
<div class="buttons"><button class="${member.isActive ? 'danger' : 'second'}">${member.isActive ? 'Shut out' : 'Let in again'}</button></div></form></section>
${resetSection(visit, member)}`
}`,
})
