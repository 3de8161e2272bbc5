// What the frame around a page knows of its reader: the same for the desk and for the pages of the shop and its developers.
import type { FastifyRequest } from 'fastify'
import type { BrowserSession } from '../http/browser-session.ts'
import type { Html } from '../http/html.ts'
import { memberCaller } from '../resources/roles.ts'
import type { SignedInMember } from '../sign-in/member-session.ts'
import type { FrameContext } from './frame.ts'
import { placesFor } from './places.ts'

export const keysCookie = 'keys'
export const keysSeconds = 400 * 86_400

/** Single keys are on unless somebody turned them off in this browser. */
export const usesKeysIn = (browser: BrowserSession, request: FastifyRequest): boolean =>
  browser.cookie(request, keysCookie) !== 'off'

export function frameContext(member: SignedInMember, csrfField: Html, usesKeys: boolean): FrameContext {
  const { scopes } = memberCaller(member)
  return {
    ...member,
    csrfField,
    hasSeveralShops: member.memberships.length > 1,
    places: placesFor((scope) => scopes.has(scope), member),
    usesKeys,
  }
}
