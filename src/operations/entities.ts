// What each entity is called and what it is, in the words of the people who read the reference or grant a scope.
import type { Entity, Scope } from './scopes.ts'

interface EntityText {
  readonly title: string
  readonly description: string
  /** What a scope on it opens, as it stands after "see" or "delete". */
  readonly scopeObject: string
}

export const entityTexts: Readonly<Record<Entity, EntityText>> = {
  organisation: {
    title: 'Organisation',
    description: 'The business whose data this is, with the defaults that its documents take.',
    scopeObject: "the organisation's details and settings",
  },
  customers: {
    title: 'Customers',
    description: 'The people and businesses the work is done for.',
    scopeObject: 'customers',
  },
  devices: {
    title: 'Devices',
    description: 'What a customer brings in or has on site, from a phone to a boiler.',
    scopeObject: "customers' devices",
  },
  tickets: {
    title: 'Jobs',
    description: 'The work itself (a ticket, in the addresses), with its lines, discount, totals and signature.',
    scopeObject: 'jobs with their lines, discounts and signatures',
  },
  messages: {
    title: 'Messages',
    description: 'The timeline of a job: what people wrote and what the service noted.',
    scopeObject: "messages on a job's timeline",
  },
  services: {
    title: 'Services',
    description: 'Templates for work that is sold again and again, with price and warranty.',
    scopeObject: 'service templates',
  },
  inventory: {
    title: 'Inventory',
    description: 'Parts and goods that are kept in stock and used on jobs.',
    scopeObject: 'inventory items',
  },
  quotes: {
    title: 'Quotes',
    description: 'Offers that a customer can accept and that become invoices.',
    scopeObject: 'quotes',
  },
  invoices: {
    title: 'Invoices',
    description: 'What a customer owes, with reminders and a page to share.',
    scopeObject: 'invoices with their reminders and share links',
  },
  payments: {
    title: 'Payments',
    description: 'Money that came in for an invoice, or went back as a refund.',
    scopeObject: 'payments',
  },
  calendar: {
    title: 'Calendar',
    description: 'When work happens and who does it; a job has at most one event.',
    scopeObject: 'calendar events',
  },
  stations: {
    title: 'Stations',
    description: 'The benches, bays and vans that jobs are assigned to.',
    scopeObject: 'stations',
  },
  'tax-rates': {
    title: 'Tax rates',
    description: 'The rates that lines are taxed at; one of them can be the default.',
    scopeObject: 'tax rates',
  },
  'ticket-statuses': {
    title: 'Job statuses',
    description: 'The stages a job goes through: the built-in ones and those an organisation adds.',
    scopeObject: 'job statuses',
  },
  'recurring-schedules': {
    title: 'Recurring agreements',
    description: 'Work that comes round by itself: schedules, their visits, and presets to start from.',
    scopeObject: 'recurring schedules and presets',
  },
  categories: {
    title: 'Categories',
    description: 'Groups for inventory items and for devices.',
    scopeObject: 'inventory and device categories',
  },
  forms: {
    title: 'Forms',
    description: 'Compliance forms, the rules that ask for them, and what was filled in. Read only.',
    scopeObject: 'form templates, rules and submissions',
  },
  members: {
    title: 'Members',
    description: 'The people who work in the organisation. Read only.',
    scopeObject: 'the members of the organisation',
  },
}

const verbs = { read: 'See', write: 'See, create and change', delete: 'See and delete' } as const

const shortVerbs = { read: 'See', write: 'Create and change', delete: 'Delete' } as const

/** The same in two words, where the things stand beside it. */
export function scopeVerb(scope: Scope): string {
  const [, action] = scope.split(':') as [Entity, keyof typeof shortVerbs]
  return scope === 'organisation:write' ? 'Change' : shortVerbs[action]
}

/** What holding a scope allows, as one says it to the person who grants it. */
export function scopeDescription(scope: Scope): string {
  const [entity, action] = scope.split(':') as [Entity, keyof typeof verbs]
  const verb = scope === 'organisation:write' ? 'See and change' : verbs[action]
  return `${verb} ${entityTexts[entity].scopeObject}.`
}
