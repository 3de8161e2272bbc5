// The commands that add, change, remove and list the people of an organisation.
import { createInitialPassword, resetByOperator } from '../identity/member-resets.ts'
import {
  addMember,
  fullName,
  listMembers,
  type Member,
  memberAddedEntry,
  memberAuditEntry,
  removeMember,
  roles,
  updateMember,
} from '../identity/members.ts'
import { email, id, oneOf, text } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import { runAudited } from './audit.ts'
import { command, UsageError } from './command.ts'
import { fields, table } from './layout.ts'
import { databaseWithOrganisation, organisationId } from './organisations.ts'

const memberId = id({ description: 'the id of the member' })

export default [
  command('member add', {
    summary: 'Add a person to an organisation',
    options: {
      org: organisationId,
      email: email({ description: 'what they sign in with' }),
      firstName: text(100, { description: 'their first name' }),
      lastName: t.Optional(text(100, { description: 'their last name' })),
      role: oneOf(roles, { default: 'technician', description: 'what they may do' }),
      password: t.Optional(
        text(200, {
          description: 'made at random if not given; who has one already keeps it, unless another organisation made it',
        }),
      ),
    },
    example: '--org org_01kbx5… --email ann@mail.example --first-name Ann --role admin',
    async run({ org, ...person }, ctx) {
      const vault = await ctx.vault()
      return runAudited(org, ctx, (transaction) => addMember(transaction, vault, org, person), memberAddedEntry)
    },
    render: ({ password, totpSecret, recoveryCodes, isAnew, ...member }) =>
      [
        'The member is added.',
        '',
        fields({
          ...memberFields(member),
          Password: password ?? 'the one they already have',
          ...(member.role === 'admin' && { 'TOTP secret': totpSecret ?? 'the one they already have' }),
        }),
        ...(recoveryCodes
          ? ['', 'Recovery codes, each good once in place of a code:', ...recoveryCodes.map((code) => `  ${code}`)]
          : []),
        ...(isAnew ? ['', resetNotice] : []),
        ...(password || totpSecret ? ['', 'Secrets are shown only this once; hand them over safely.'] : []),
      ].join('\n'),
  }),

  command('member set', {
    summary: 'Change what a member may do, or shut them out and let them in again',
    positionals: { org: organisationId, member: memberId },
    options: {
      role: t.Optional(oneOf(roles, { description: 'the new role' })),
      active: t.Optional(t.Boolean({ description: 'whether they may sign in' })),
    },
    example: 'org_01kbx5… mem_01kbx6… --active false',
    async run({ org, member, role, active }, ctx) {
      if (role === undefined && active === undefined) throw new UsageError('--role or --active is required')
      const change = { role: role ?? null, isActive: active ?? null }
      return runAudited(
        org,
        ctx,
        (transaction) => updateMember(transaction, org, member, change),
        (changed) =>
          memberAuditEntry('member.changed', changed, {
            ...(role !== undefined && { role }),
            ...(active !== undefined && { isActive: active }),
          }),
      )
    },
    render: (member) => `The member is changed.\n\n${fields(memberFields(member))}`,
  }),

  command('member reset', {
    summary:
      'Give a member a new password, which is shown only this once; a second factor is set up at the next sign-in',
    positionals: { org: organisationId, member: memberId },
    example: 'org_01kbx5… mem_01kbx6…',
    async run({ org, member }, ctx) {
      const first = await createInitialPassword(org)
      return runAudited(
        org,
        ctx,
        async (transaction) => {
          const found = await updateMember(transaction, org, member, {})
          await resetByOperator(transaction, org, first, member)
          return { ...found, password: first.password }
        },
        (reset) => memberAuditEntry('member.reset', reset),
      )
    },
    render: ({ password, ...member }) =>
      [
        'The member begins anew.',
        '',
        fields({ ...memberFields(member), Password: password }),
        '',
        'It is shown only this once; hand it over safely. They are signed out everywhere.',
      ].join('\n'),
  }),

  command('member remove', {
    summary: 'Remove a person from an organisation',
    positionals: { org: organisationId, member: memberId },
    run: ({ org, member }, ctx) =>
      runAudited(
        org,
        ctx,
        (transaction) => removeMember(transaction, org, member),
        (removed) => memberAuditEntry('member.removed', removed),
      ),
    render: (member) => `The member is removed.\n\n${fields(memberFields(member))}`,
  }),

  command('member list', {
    summary: 'List the people of an organisation by first name',
    options: { org: organisationId },
    run: async ({ org }, ctx) => ({ members: await listMembers(await databaseWithOrganisation(org, ctx), org) }),
    render({ members }) {
      if (members.length === 0) return 'The organisation has no members yet; add one with jobwright member add.'
      const rows = members.map((member) => Object.values(memberFields(member)))
      return table(Object.keys(memberFields(members[0]!)), rows)
    },
  }),
]

const resetNotice =
  'Another organisation made the password they had. It no longer works, nor does their second factor: they begin anew, ' +
  'in every organisation they belong to.'

const memberFields = (member: Member) => ({
  Id: member.id,
  Name: fullName(member),
  Email: member.email,
  Role: member.role,
  Active: member.isActive ? 'yes' : 'no',
})
