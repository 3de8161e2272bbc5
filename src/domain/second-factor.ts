// Whom an organisation asks for a second factor, and what a session still lacks for a page. Pure rules.

/** What an organisation may choose; admins need a second factor whatever it says. */
export const secondFactorRules = ['admins', 'managers', 'everybody'] as const
export type SecondFactorRule = (typeof secondFactorRules)[number]

/** What a page is part of: where a shop works, where its members are managed, or where keys and apps are. */
export type Wants = 'desk' | 'members' | 'developer pages'

interface Standing {
  /** Whether the person has an authenticator app set up. */
  readonly isEnrolled: boolean
  /** Whether this session has seen a code at all. */
  readonly hasSecondFactor: boolean
  /** Whether it has seen one within the last hours. */
  readonly hasRecentCode: boolean
}

interface Place {
  readonly role: 'admin' | 'manager' | 'technician'
  readonly secondFactor: SecondFactorRule
}

export const needsSecondFactor = ({ role, secondFactor }: Place): boolean =>
  role === 'admin' || secondFactor === 'everybody' || (secondFactor === 'managers' && role === 'manager')

/**
 * The page that somebody has to pass first; undefined: none. Who set a second factor up by choice is asked for it
 * everywhere: it is there so that the password alone opens nothing.
 */
export function missingStep(wants: Wants, place: Place, standing: Standing): 'code' | 'enrolment' | undefined {
  // Only admins get to see members; everybody else is refused for their role, not asked for a code first.
  const isGuarded = wants === 'developer pages' || (wants === 'members' && place.role === 'admin')
  const isNeeded = isGuarded || standing.isEnrolled || needsSecondFactor(place)
  const isGiven = isGuarded ? standing.hasRecentCode : standing.hasSecondFactor
  if (!isNeeded || isGiven) return undefined
  return standing.isEnrolled ? 'code' : 'enrolment'
}
