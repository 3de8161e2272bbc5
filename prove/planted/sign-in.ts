// Faults in who is let in: whom an organisation asks for a second factor, remembered browsers, invitations.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const members = ['src/sign-in/member-session.test.ts']
const browsers = ['src/sign-in/remembered-browsers.test.ts']
const invitations = ['src/sign-in/invitation-pages.test.ts']
const secondFactor = ['src/domain/second-factor.test.ts']
const admission = ['src/domain/invitations.test.ts']

export const signIn: readonly Mutant[] = [
  {
    control: 'admins need a second factor whatever their organisation says',
    file: 'src/domain/second-factor.ts',
    find: "  role === 'admin' || secondFactor === 'everybody'",
    replace: "  secondFactor === 'everybody'",
    tests: secondFactor,
  },
  {
    control: 'who set up a second factor by choice is asked for it',
    file: 'src/domain/second-factor.ts',
    find: 'standing.isEnrolled || needsSecondFactor(place)',
    replace: 'needsSecondFactor(place)',
    tests: secondFactor,
  },
  {
    control: 'the developer pages want a recent code',
    file: 'src/domain/second-factor.ts',
    find: 'isGuarded ? standing.hasRecentCode : standing.hasSecondFactor',
    replace: 'standing.hasSecondFactor',
    tests: secondFactor,
  },
  {
    control: 'members are managed with a recent code',
    file: 'src/domain/second-factor.ts',
    find: " || (wants === 'members' && place.role === 'admin')",
    replace: '',
    tests: secondFactor,
    expectedFailure: 'members are managed',
  },
  {
    control: 'a code is recent for twelve hours',
    file: 'src/identity/sessions.ts',
    find: "const codeLife = sql`interval '12 hours'`",
    replace: "const codeLife = sql`interval '30 days'`",
    tests: browsers,
  },
  {
    control: 'the desk asks for what its organisation wants',
    file: 'src/sign-in/member-session.ts',
    find: 'return missingStep(wants, mine, signedIn) ?? mine',
    replace: "return (wants === 'desk' ? undefined : missingStep(wants, mine, signedIn)) ?? mine",
    tests: members,
  },
  {
    control: 'a second factor is set up at the first sign-in',
    file: 'src/sign-in/member-session.ts',
    find: 'return step === undefined ? next : stepPath(step, next)',
    replace: 'return next',
    tests: members,
  },
  {
    control: 'the developer pages need Pro or a trial',
    file: 'src/sign-in/member-session.ts',
    find: "(role === 'admin' && isEntitled)",
    replace: "role === 'admin'",
    tests: members,
  },
  {
    control: 'an app is allowed with a recent code only',
    file: 'src/oauth/consent.ts',
    find: 'if (session.hasRecentCode) return session',
    replace: 'if (session.hasSecondFactor) return session',
    tests: browsers,
  },
  {
    control: 'a browser is remembered only if the person says so',
    file: 'src/sign-in/session-pages.ts',
    find: "const isRemembered = form.has('remember')",
    replace: 'const isRemembered = true',
    tests: browsers,
  },
  {
    control: 'a code makes no session last longer than it was meant to',
    file: 'src/identity/sessions.ts',
    find: 'case when ${isRemembered} and not is_remembered\n        then signed_in_at + ',
    replace: 'case when true\n        then now() + ',
    tests: browsers,
  },
  {
    control: 'who is shut out or removed is signed out for good',
    file: 'migrations/0018-sign-in.sql',
    find: '    delete from sessions where person_id = old.person_id;\n',
    replace: '    null;\n',
    tests: browsers,
  },
  {
    control: 'no organisation signs somebody out of another one',
    file: 'migrations/0018-sign-in.sql',
    find: 'where person_id = old.person_id and org_id <> old.org_id and is_active) then',
    replace: 'where false) then',
    tests: browsers,
  },
  {
    control: 'one signs out one’s own browsers only',
    file: 'src/identity/browsers.ts',
    find: 'delete from sessions where person_id = ${personId} and id = ${id}',
    replace: 'delete from sessions where person_id >= left(${personId}, 0) and id = ${id}',
    tests: browsers,
  },
  {
    control: 'somebody keeps the account that is their own',
    file: 'src/domain/invitations.ts',
    find: "  if (person.hasPassword && person.madeByOrg === null) return 'own password'\n",
    replace: '',
    tests: admission,
  },
  {
    control: 'an invitation opens no account that another organisation made',
    file: 'src/domain/invitations.ts',
    find: 'person.isElsewhere || (person.madeByOrg !== null && person.madeByOrg !== orgId)',
    replace: 'person.isElsewhere',
    tests: admission,
  },
  {
    control: 'an invitation opens no account that opens another organisation',
    file: 'src/domain/invitations.ts',
    find: 'person.isElsewhere || (person.madeByOrg !== null',
    replace: '(person.madeByOrg !== null',
    tests: admission,
  },
  {
    control: 'an address that only looks the same is another one',
    file: 'src/identity/invitations.ts',
    find: 'lower(email collate "C") = lower(${email} collate "C") as "isSameAddress"',
    replace: 'true as "isSameAddress"',
    tests: invitations,
  },
  {
    control: 'the link of an invitation is good once',
    file: 'src/identity/invitations.ts',
    find: 'delete from invitations where org_id = ${orgId} and token_hash = ${hashSecret(token)} and expires_at > now()\n      returning email',
    replace:
      'update invitations set expires_at = expires_at where org_id = ${orgId} and token_hash = ${hashSecret(token)} and expires_at > now()\n      returning email',
    tests: invitations,
  },
  {
    control: 'the link of an invitation ends with its time',
    file: 'src/identity/invitations.ts',
    find: 'where token_hash = ${hashSecret(token)} and expires_at > now()`)',
    replace: 'where token_hash = ${hashSecret(token)}`)',
    tests: invitations,
  },
  {
    control: 'an invitation that is sent again has a new link',
    file: 'src/identity/invitations.ts',
    find: 'update invitations set token_hash = ${hashSecret(token)}, is_mailed',
    replace: 'update invitations set token_hash = coalesce(token_hash, ${hashSecret(token)}), is_mailed',
    tests: invitations,
    isTimeout: true,
  },
  {
    control: 'who has an account shows its password to join',
    file: 'src/sign-in/invitation-pages.ts',
    find: 'return isRight ? passwordHash! : undefined',
    replace: 'return passwordHash!',
    tests: invitations,
  },
  {
    control: 'passwords are not guessed at speed on an invitation',
    file: 'src/sign-in/invitation-pages.ts',
    find: 'if (attempt.isOver) {',
    replace: 'if (false) {',
    tests: invitations,
  },
  {
    control: 'where an admin has seen the link, the account is marked as theirs',
    file: 'src/identity/invitations.ts',
    find: 'madeByOrg: isMailed ? null : orgId',
    replace: 'madeByOrg: null',
    tests: ['src/desk/settings-invitations.test.ts'],
  },
  {
    control: 'the link of an invitation is read by its reader alone',
    file: 'src/desk/settings-mail.ts',
    find: 'mail.isPrivate ? null : decryptBody(mail, vault).text',
    replace: 'decryptBody(mail, vault).text',
    tests: invitations,
  },
  {
    control: 'the link of an invitation is not exported',
    file: 'src/transfer/record-kinds.ts',
    find: ' and not row.is_private`',
    replace: '`',
    tests: ['src/transfer/round-trip.test.ts'],
  },
  {
    control: 'an invitation goes with its organisation',
    file: 'migrations/0018-sign-in.sql',
    find: '    delete from invitations where org_id = old.org_id;\n',
    replace: '    null;\n',
    tests: invitations,
  },
]
