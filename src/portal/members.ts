// The members of an organisation in the portal: added, given another role, shut out and let in again.
import { secondsUntilReset } from '../http/rate-limit-headers.ts'
import { createInitialPassword, inviteMember, refuseUnlessEmail, resetMember } from '../identity/invitations.ts'
import {
  listMembers,
  type Member,
  memberAddedEntry,
  memberAuditEntry,
  roles,
  updateMember,
} from '../identity/members.ts'
import { badRequest, notFound, tooManyRequests } from '../operations/errors.ts'
import { memberListPage, memberPage, newMemberPage, passwordPage } from './members-view.ts'
import { attempt, type PortalRequest, type Router, withReadableErrors } from './router.ts'

export function addMemberRoutes(router: Router): void {
  const { database } = router
  const findMember = async ({ orgId, params }: PortalRequest): Promise<Member> => {
    const member = (await listMembers(database, orgId)).find(({ id }) => id === params.id)
    if (!member) throw notFound('member')
    return member
  }

  const limitInvitations = async (orgId: string) => {
    const count = await router.limits.invitation(orgId)
    const minutes = Math.ceil(secondsUntilReset(count) / 60)
    if (count.isOver)
      throw tooManyRequests(
        `Your organisation added ${count.limit} people within an hour; go on in ${minutes} minutes`,
        secondsUntilReset(count),
      )
  }

  router.get('/members', async (request) =>
    request.render(memberListPage(request, await listMembers(database, request.orgId))),
  )
  router.get('/members/new', async (request) => request.render(newMemberPage(request)))
  router.post('/members', async (request) => {
    const added = await attempt(async () => {
      const wanted = await withReadableErrors(async () => parseMemberForm(request.form))
      await limitInvitations(request.orgId)
      const first = await createInitialPassword(request.orgId)
      return request.runAudited(
        (transaction) => inviteMember(transaction, request.orgId, first, wanted),
        memberAddedEntry,
      )
    })
    return request.render(
      'wrong' in added
        ? newMemberPage(request, added.wrong)
        : passwordPage(request, router.config.authUrl, added.result, 'is added'),
    )
  })

  router.get('/members/:id', async (request) => request.render(memberPage(request, await findMember(request))))
  router.post('/members/:id', async (request) => {
    const before = await findMember(request)
    // Whoever could shut themselves out might leave nobody to let anybody in.
    if (before.id === request.memberId) throw badRequest('Another admin has to change your role or shut you out')
    const role = roles.find((one) => one === request.form.get('role')) ?? before.role
    const active = request.form.get('active')
    const isActive = active === null ? before.isActive : active === 'yes'
    await request.runAudited(
      (transaction) => updateMember(transaction, request.orgId, before.id, { role, isActive }),
      () =>
        memberAuditEntry('member.changed', before, {
          ...(role !== before.role && { role, roleBefore: before.role }),
          ...(isActive !== before.isActive && { isActive }),
        }),
    )
    return request.redirect(`/members/${before.id}`, 'changed')
  })

  router.post('/members/:id/reset', async (request) => {
    const member = await findMember(request)
    if (member.id === request.memberId) throw badRequest('Change your own password on the page of your account')
    const first = await createInitialPassword(request.orgId)
    await request.runAudited(
      (transaction) => resetMember(transaction, request.orgId, first, member.id),
      () => memberAuditEntry('member.reset', member),
    )
    return request.render(
      passwordPage(request, router.config.authUrl, { ...member, password: first.password }, 'has a new password'),
    )
  })
}

function parseMemberForm(form: URLSearchParams) {
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
