// Every resource of the service, and what is made from all of them: the operations and the catalogue of scopes.
import { createEventCatalogue } from '../operations/event-catalogue.ts'
import type { Operation, Resource } from '../operations/operation.ts'
import { createScopeCatalogue, refuseUnknownScopes } from '../operations/scope-catalogue.ts'
import { refuseUnlockedReads } from '../operations/versions.ts'
import assetCategories from './asset-categories.ts'
import calendarEvents from './calendar-events.ts'
import customers from './customers.ts'
import devices from './devices.ts'
import events from './events.ts'
import exports from './exports/exports.ts'
import formRules from './forms/rules.ts'
import formSubmissions from './forms/submissions.ts'
import formTemplates from './forms/templates.ts'
import imports from './imports/imports.ts'
import inventory from './inventory.ts'
import inventoryCategories from './inventory-categories.ts'
import invoices from './invoices/invoices.ts'
import members from './members.ts'
import organisation from './organisation.ts'
import payments from './payments.ts'
import quotes from './quotes/quotes.ts'
import recurringPresets from './recurring/presets.ts'
import recurringSchedules from './recurring/schedules.ts'
import reports from './reports/reports.ts'
import services from './services.ts'
import stations from './stations.ts'
import taxRates from './tax-rates.ts'
import ticketStatuses from './ticket-statuses.ts'
import messages from './tickets/messages.ts'
import tickets from './tickets/tickets.ts'
import webhooks from './webhooks/webhooks.ts'

/** In the order of the specification. */
export const resources: readonly Resource[] = [
  organisation,
  customers,
  devices,
  tickets,
  messages,
  services,
  inventory,
  quotes,
  invoices,
  payments,
  calendarEvents,
  stations,
  taxRates,
  ticketStatuses,
  recurringSchedules,
  recurringPresets,
  inventoryCategories,
  assetCategories,
  formTemplates,
  formRules,
  formSubmissions,
  members,
  events,
  webhooks,
  reports,
  imports,
  exports,
]

export const operations: readonly Operation[] = resources.flatMap((resource) => resource.operations)

/** One resource of each entity, in the order in which scopes are listed to callers. */
const byScope = [
  organisation,
  tickets,
  customers,
  devices,
  services,
  inventory,
  quotes,
  invoices,
  payments,
  calendarEvents,
  stations,
  taxRates,
  ticketStatuses,
  messages,
  recurringSchedules,
  inventoryCategories,
  formTemplates,
  members,
  events,
  webhooks,
  imports,
]

export const eventCatalogue = createEventCatalogue(resources)
export const scopeCatalogue = createScopeCatalogue(byScope.map(({ entity }) => entity))
refuseUnknownScopes(scopeCatalogue, operations)
refuseUnlockedReads(operations)
