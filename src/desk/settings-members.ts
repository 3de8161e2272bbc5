// The members of the shop: listed, given another role, shut out and let in again, given a new password.
import { type Queryable, sql } from '../db/database.ts'
import { lockOrganisationFor } from '../db/organisation-lock.ts'
import { listInvitations } from '../identity/invitations.ts'
import { createInitialPassword, resetMember } from '../identity/member-resets.ts'
import { listMembers, type Member, memberAuditEntry, roles, updateMember } from '../identity/members.ts'
import { ApiError, badRequest, notFound } from '../operations/errors.ts'
import type { Refusal } from './perform.ts'
import { withReadableErrors } from './readable-errors.ts'
import type { DeskDependencies, DeskRequest, DeskRouter } from './router.ts'
import { needsOf } from './settings.ts'
import { memberListPage, memberPage, passwordPage } from './settings-members-view.ts'

export function addMemberSettings(router: DeskRouter, { config }: DeskDependencies): void {
  const needs = needsOf('members')

  router.get('/settings/members', needs, async (request) => {
    const { database, orgId } = request
    const [members, invitations] = await Promise.all([listMembers(database, orgId), listInvitations(database, orgId)])
    return request.render(memberListPage(request, members, invitations))
  })

  router.get('/settings/members/:id', needs, async (request) => {
    const member = await findMember(request)
    return showMember(request, member)
  })
  router.post('/settings/members/:id', needs, async (request) => {
    const { form, orgId } = request
    const before = await findMember(request)
    // Whoever could shut themselves out might leave nobody to let anybody in.
    if (before.id === request.memberId) throw badRequest('Another admin has to change your role or shut you out')
    const role = roles.find((one) => one === form.get('role')) ?? before.role
    const active = form.get('active')
    const isActive = active === null ? before.isActive : active === 'yes'
    const performed = await request.audited(
      async (_, transaction) => {
        await refuseIfChanged(request, transaction)
        return withReadableErrors(() => updateMember(transaction, orgId, before.id, { role, isActive }))
      },
      memberAuditEntry('member.changed', before, {
        ...(role !== before.role && { role, roleBefore: before.role }),
        ...(isActive !== before.isActive && { isActive }),
      }),
    )
    return request.answer(performed, {
      to: `/settings/members/${before.id}`,
      done: 'changed',
      refused: async (refusal) => showMember(request, await findMember(request), refusal),
    })
  })

  router.post('/settings/members/:id/reset', needs, async (request) => {
    const { orgId } = request
    const member = await findMember(request)
    if (member.id === request.memberId) throw badRequest('Change your own password on the page of your account')
    const first = await createInitialPassword(orgId)
    const performed = await request.audited(
      (_, transaction) => withReadableErrors(() => resetMember(transaction, orgId, first, member.id)),
      memberAuditEntry('member.reset', member),
    )
    if (!performed.isDone) return request.answer(performed, { to: `/settings/members/${member.id}` })
    return request.render(passwordPage(request, config.authUrl, { ...member, password: first.password }))
  })
}

async function showMember(request: DeskRequest, member: Member, refusal?: Refusal) {
  const [openJobs, version] = await Promise.all([countOpenJobs(request, member.id), versionOf(request)])
  return request.render(memberPage(request, member, { openJobs, version, refusal }))
}

const versionOf = (request: DeskRequest): Promise<string | undefined> =>
  request.version('getMember', { memberId: request.params.id! })

/** Nobody else changes members until this is decided. */
async function refuseIfChanged(request: DeskRequest, transaction: Queryable): Promise<void> {
  await lockOrganisationFor(transaction, request.orgId, 'change of members')
  const seen = request.form.get('version')
  if (seen && seen !== (await versionOf(request)))
    throw new ApiError(412, 'Somebody changed this member meanwhile. Look at what they are now, then decide again', {
      code: 'PRECONDITION_FAILED',
    })
}

async function findMember({ database, orgId, params }: DeskRequest): Promise<Member> {
  const member = (await listMembers(database, orgId)).find(({ id }) => id === params.id)
  if (!member) throw notFound('member')
  return member
}

async function countOpenJobs({ database, orgId }: DeskRequest, memberId: string): Promise<number> {
  const [row] = await database.read<{ count: number }>(
    orgId,
    sql`select count(*)::int as count from tickets
      join ticket_statuses on ticket_statuses.org_id = tickets.org_id and ticket_statuses.id = tickets.status_id
      where tickets.org_id = ${orgId} and assigned_technician = ${memberId} and stage <> 'closed'`,
  )
  return row!.count
}
