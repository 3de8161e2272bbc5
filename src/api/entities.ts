// What each entity is called and what it is, in the words of the people who read the reference or grant a scope.
import type { Entity, Scope } from './scopes.ts'

interface Words {
  readonly title: string
  readonly sentence: string
  /** What a scope on it opens, as it stands after "see" or "delete". */
  readonly things: string
}

export const entityWords: Readonly<Record<Entity, Words>> = {
  organisation: {
    title: 'Organisation',
    sentence: 'The business whose data this is, with the defaults that its documents take.',
    things: "the organisation's details and settings",
  },
  customers: {
    title: 'Customers',
    sentence: 'The people and businesses the work is done for.',
    things: 'customers',
  },
  devices: {
    title: 'Devices',
    sentence: 'What a customer brings in or has on site, from a phone to a boiler.',
    things: "customers' devices",
  },
  tickets: {
    title: 'Jobs',
    sentence: 'The work itself (a ticket, in the addresses), with its lines, discount, totals and signature.',
    things: 'jobs with their lines, discounts and signatures',
  },
  messages: {
    title: 'Messages',
    sentence: 'The timeline of a job: what people wrote and what the service noted.',
    things: "messages on a job's timeline",
  },
  services: {
    title: 'Services',
    sentence: 'Templates for work that is sold again and again, with price and warranty.',
    things: 'service templates',
  },
  inventory: {
    title: 'Inventory',
    sentence: 'Parts and goods that are kept in stock and used on jobs.',
    things: 'inventory items',
  },
  quotes: {
    title: 'Quotes',
    sentence: 'Offers that a customer can accept and that become invoices.',
    things: 'quotes',
  },
  invoices: {
    title: 'Invoices',
    sentence: 'What a customer owes, with reminders and a page to share.',
    things: 'invoices with their reminders and share links',
  },
  payments: {
    title: 'Payments',
    sentence: 'Money that came in for an invoice, or went back as a refund.',
    things: 'payments',
  },
  calendar: {
    title: 'Calendar',
    sentence: 'When work happens and who does it; a job has at most one event.',
    things: 'calendar events',
  },
  stations: {
    title: 'Stations',
    sentence: 'The benches, bays and vans that jobs are assigned to.',
    things: 'stations',
  },
  'tax-rates': {
    title: 'Tax rates',
    sentence: 'The rates that lines are taxed at; one of them can be the default.',
    things: 'tax rates',
  },
  'ticket-statuses': {
    title: 'Job statuses',
    sentence: 'The stages a job goes through: the built-in ones and those an organisation adds.',
    things: 'job statuses',
  },
  'recurring-schedules': {
    title: 'Recurring agreements',
    sentence: 'Work that comes round by itself: schedules, their visits, and presets to start from.',
    things: 'recurring schedules and presets',
  },
  categories: {
    title: 'Categories',
    sentence: 'Groups for inventory items and for devices.',
    things: 'inventory and device categories',
  },
  forms: {
    title: 'Forms',
    sentence: 'Compliance forms, the rules that ask for them, and what was filled in. Read only.',
    things: 'form templates, rules and submissions',
  },
  members: {
    title: 'Members',
    sentence: 'The people who work in the organisation. Read only.',
    things: 'the members of the organisation',
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
export function scopeSentence(scope: Scope): string {
  const [entity, action] = scope.split(':') as [Entity, keyof typeof verbs]
  const verb = scope === 'organisation:write' ? 'See and change' : verbs[action]
  return `${verb} ${entityWords[entity].things}.`
}
