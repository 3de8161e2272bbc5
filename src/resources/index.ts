// Every operation of the service, in the order of the specification.
import type { Operation } from '../operations/operation.ts'
import assetCategories from './asset-categories.ts'
import calendarEvents from './calendar-events.ts'
import customers from './customers.ts'
import devices from './devices.ts'
import formRules from './forms/rules.ts'
import formSubmissions from './forms/submissions.ts'
import formTemplates from './forms/templates.ts'
import inventory from './inventory.ts'
import inventoryCategories from './inventory-categories.ts'
import invoices from './invoices/invoices.ts'
import members from './members.ts'
import organisation from './organisation.ts'
import payments from './payments.ts'
import quotes from './quotes/quotes.ts'
import recurringPresets from './recurring/presets.ts'
import recurringSchedules from './recurring/schedules.ts'
import services from './services.ts'
import stations from './stations.ts'
import taxRates from './tax-rates.ts'
import ticketStatuses from './ticket-statuses.ts'
import messages from './tickets/messages.ts'
import tickets from './tickets/tickets.ts'

export const operations: readonly Operation[] = [
  ...organisation,
  ...customers,
  ...devices,
  ...tickets,
  ...messages,
  ...services,
  ...inventory,
  ...quotes,
  ...invoices,
  ...payments,
  ...calendarEvents,
  ...stations,
  ...taxRates,
  ...ticketStatuses,
  ...recurringSchedules,
  ...recurringPresets,
  ...inventoryCategories,
  ...assetCategories,
  ...formTemplates,
  ...formRules,
  ...formSubmissions,
  ...members,
]
