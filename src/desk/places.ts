// The places of the desk, in the order of the rail: which there are, and what a member needs to be let in.
import type { Scope } from '../operations/scopes.ts'
import type { Icon } from './icons.ts'
import { reportScopes } from './report-kinds.ts'

interface Shop {
  readonly isEntitled: boolean
}

export interface Place {
  /** Its path below `/desk/{org}`, unless it has another. */
  readonly name: string
  readonly pathFor?: (orgId: string) => string
  readonly words: string
  readonly icon: Icon
  /** Whoever lacks one of these does not see it, and is refused. */
  readonly needs: readonly Scope[]
  /** Whether the shop has it at all. */
  readonly isOpenTo?: (shop: Shop) => boolean
  /** At the foot of the rail. */
  readonly isBelow?: boolean
  /** Who has one of these has a better place instead. */
  readonly unless?: Scope
}

const places: readonly Place[] = [
  { name: 'today', words: 'Today', icon: 'today', needs: ['tickets:read', 'invoices:read'] },
  { name: 'my-day', words: 'My day', icon: 'today', needs: ['tickets:read'], unless: 'invoices:read' },
  { name: 'board', words: 'Board', icon: 'board', needs: ['tickets:read'] },
  { name: 'calendar', words: 'Calendar', icon: 'calendar', needs: ['calendar:read'] },
  { name: 'customers', words: 'Customers', icon: 'customers', needs: ['customers:read'] },
  { name: 'quotes', words: 'Quotes', icon: 'quotes', needs: ['quotes:read'] },
  { name: 'invoices', words: 'Invoices', icon: 'invoices', needs: ['invoices:read'] },
  { name: 'stock', words: 'Stock', icon: 'stock', needs: ['inventory:read'] },
  { name: 'services', words: 'Services', icon: 'services', needs: ['services:read'] },
  { name: 'reports', words: 'Reports', icon: 'reports', needs: reportScopes },
  { name: 'recurring', words: 'Agreements', icon: 'repeat', needs: ['recurring-schedules:read'] },
  { name: 'forms', words: 'Forms', icon: 'form', needs: ['forms:read'] },
  { name: 'exports', words: 'Bookkeeper', icon: 'books', needs: ['invoices:write', 'payments:read'], isBelow: true },
  { name: 'import', words: 'Moving in', icon: 'stock', needs: ['imports:write'], isBelow: true },
  // Managers have most of it; the first page that a member has is where it leads.
  { name: 'settings', words: 'Settings', icon: 'settings', needs: ['ticket-statuses:write'], isBelow: true },
  {
    name: 'developers',
    words: 'Developers',
    icon: 'developers',
    needs: ['organisation:write'],
    isBelow: true,
    // Keys, apps and webhooks are for shops on Pro or a trial.
    isOpenTo: ({ isEntitled }) => isEntitled,
    pathFor: (orgId) => `/portal/${orgId}`,
  },
]

/** Those that a member has in the rail. */
export const placesFor = (may: (scope: Scope) => boolean, shop: Shop): readonly Place[] =>
  places.filter(
    ({ needs, unless, isOpenTo = () => true }) => needs.every(may) && !(unless && may(unless)) && isOpenTo(shop),
  )

export const placePath = ({ name, pathFor }: Place, orgId: string): string =>
  pathFor?.(orgId) ?? `/desk/${orgId}/${name}`
