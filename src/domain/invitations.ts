// How somebody who holds the link of an invitation is let in. A pure rule: one shop must not get into an account that
// opens another.

export const invitationDays = 7

interface KnownPerson {
  readonly hasPassword: boolean
  /** The organisation whose admin has seen a secret of theirs; null: none has. */
  readonly madeByOrg: string | null
  /** Whether they are a member of another organisation, active or not. */
  readonly isElsewhere: boolean
  /** Whether the address is the same letter by letter, but for ASCII's capitals. */
  readonly isSameAddress: boolean
}

/**
 * `new password`: they choose one, and whatever the account had before no longer counts; `own password`: they show the one
 * they have, which stays; `refused`: the operator adds them.
 */
export type Admission = 'new password' | 'own password' | 'refused'

export function judgeAdmission(orgId: string, person: KnownPerson | undefined): Admission {
  if (!person) return 'new password'
  if (!person.isSameAddress) return 'refused'
  if (person.hasPassword && person.madeByOrg === null) return 'own password'
  const isOfOthers = person.isElsewhere || (person.madeByOrg !== null && person.madeByOrg !== orgId)
  return isOfOthers ? 'refused' : 'new password'
}
