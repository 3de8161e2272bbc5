// Who works at the desk: the member behind a browser's session, in the shop that the address names.
import type { FastifyRequest } from 'fastify'
import { findSignedIn } from '../identity/signed-in.ts'
import type { MemberSessionDependencies, SignedInMember } from '../sign-in/member-session.ts'

/** The same person in the same role, with a session that goes on. */
export async function isStillMember(
  { database, browser }: Pick<MemberSessionDependencies, 'database' | 'browser'>,
  request: FastifyRequest,
  { orgId, role }: Pick<SignedInMember, 'orgId' | 'role'>,
): Promise<boolean> {
  const signedIn = await findSignedIn(database, browser.session(request))
  return signedIn?.memberships.some((one) => one.orgId === orgId && one.role === role) ?? false
}
