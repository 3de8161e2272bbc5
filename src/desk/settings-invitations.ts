// Inviting people: by mail, or by a link that the admin passes on where there is no mail server.
import { type Queryable, sql } from '../db/database.ts'
import { secondsUntilReset } from '../http/rate-limit-headers.ts'
import { type AuditAction, auditEntry, type NewAuditEntry } from '../identity/audit.ts'
import {
  createInvitation,
  type Invitation,
  refuseUnlessEmail,
  renewInvitation,
  withdrawInvitation,
} from '../identity/invitations.ts'
import { fullName, roles } from '../identity/members.ts'
import { tooManyRequests } from '../operations/errors.ts'
import type { Context } from '../operations/operation.ts'
import { invitationMail } from '../rendering/invitation.ts'
import { enqueueMail } from '../resources/outbox.ts'
import { invitationPath } from '../sign-in/invitation-pages.ts'
import type { Performed } from './perform.ts'
import { withReadableErrors } from './readable-errors.ts'
import type { DeskDependencies, DeskRequest, DeskRouter } from './router.ts'
import { needsOf } from './settings.ts'
import { invitationLinkPage, newMemberPage } from './settings-invitations-view.ts'

type NewInvitation = Invitation & { readonly token: string }

export function addInvitationSettings(router: DeskRouter, { config, limits }: DeskDependencies): void {
  const needs = needsOf('members')
  const isMailed = config.smtpUrl !== null
  const linkOf = ({ token }: NewInvitation) => `${config.authUrl}${invitationPath(token)}`

  const limitInvitations = async (orgId: string) => {
    const count = await limits.invitation(orgId)
    const minutes = Math.ceil(secondsUntilReset(count) / 60)
    if (count.isOver)
      throw tooManyRequests(
        `Your organisation invited ${count.limit} people within an hour; go on in ${minutes} minutes`,
        secondsUntilReset(count),
      )
  }

  /** Makes or renews an invitation and sends its link in one transaction. */
  const invite = async (
    request: DeskRequest,
    action: AuditAction,
    work: (transaction: Queryable) => Promise<NewInvitation>,
  ): Promise<Performed<NewInvitation>> => {
    await limitInvitations(request.orgId)
    return request.audited(
      async (ctx, transaction) => {
        const invitation = await withReadableErrors(() => work(transaction))
        if (isMailed) await mailInvitation(request, ctx, transaction, invitation)
        return invitation
      },
      (invitation) => invitationEntry(action, invitation),
    )
  }

  const mailInvitation = async (
    request: DeskRequest,
    ctx: Context,
    transaction: Queryable,
    invitation: NewInvitation,
  ) => {
    const [organisation] = await transaction.query<{ email: string | null }>(sql`
      select email from organisations where org_id = ${request.orgId}`)
    const mail = invitationMail({ ...request, link: linkOf(invitation) })
    const from = { name: request.orgName, email: organisation!.email }
    await ctx.query(enqueueMail(ctx, { ...mail, from, to: invitation.email, isPrivate: true }))
  }

  const answer = async (request: DeskRequest, performed: Performed<NewInvitation>) =>
    performed.isDone && !isMailed
      ? request.render(invitationLinkPage(request, performed.data, linkOf(performed.data)))
      : request.answer(performed, { to: '/settings/members', done: 'invited' })

  router.get('/settings/members/new', needs, async (request) => request.render(newMemberPage(request, { isMailed })))
  router.post('/settings/members', needs, async (request) => {
    const wanted = parseMemberForm(request.form)
    if (typeof wanted === 'string') return request.render(newMemberPage(request, { isMailed, wrong: wanted }))
    const performed = await invite(request, 'invitation.created', (transaction) =>
      createInvitation(transaction, request.orgId, wanted, isMailed),
    )
    return performed.isDone
      ? answer(request, performed)
      : request.render(newMemberPage(request, { isMailed, wrong: performed.refusal.message }))
  })

  router.post('/settings/invitations/:id/renew', needs, async (request) =>
    answer(
      request,
      await invite(request, 'invitation.renewed', (transaction) =>
        renewInvitation(transaction, request.orgId, request.params.id!, isMailed),
      ),
    ),
  )
  router.post('/settings/invitations/:id/withdraw', needs, async (request) => {
    const performed = await request.audited(
      (_, transaction) => withReadableErrors(() => withdrawInvitation(transaction, request.orgId, request.params.id!)),
      (invitation) => invitationEntry('invitation.withdrawn', invitation),
    )
    return request.answer(performed, { to: '/settings/members', done: 'withdrawn' })
  })
}

const invitationEntry = (action: AuditAction, invitation: Invitation): NewAuditEntry =>
  auditEntry(
    action,
    { id: invitation.id, name: fullName(invitation) },
    { email: invitation.email, role: invitation.role },
  )

/** What was filled in, or what is wrong with it. */
function parseMemberForm(form: URLSearchParams) {
  const text = (name: string) => (form.get(name) ?? '').trim()
  const firstName = text('firstName')
  const lastName = text('lastName') || null
  if (firstName === '' || [firstName, lastName ?? ''].some((name) => name.length > 120 || /\p{Cc}/u.test(name)))
    return 'A first name is required; names have at most 120 characters.'
  const role = roles.find((one) => one === form.get('role'))
  if (!role) return 'Choose a role.'
  const email = text('email')
  try {
    refuseUnlessEmail(email)
  } catch (error) {
    return `${(error as Error).message}.`
  }
  return { email, firstName, lastName, role }
}
