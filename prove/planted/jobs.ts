// Faults in jobs, their forms and what is arranged around them: locks, gates, unique names, what goes with what.
// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is the text of code.
import type { Mutant } from './mutant.ts'

const statuses = ['src/resources/ticket-statuses.test.ts']
const tickets = ['src/resources/tickets/tickets.test.ts']
const asking = ['src/resources/forms/apply-rules.test.ts']
const filling = ['src/resources/forms/submission-actions.test.ts']
const counters = ['src/resources/forms/counters.test.ts']
const invoices = ['src/resources/invoices/invoices.test.ts']

export const jobs: readonly Mutant[] = [
  {
    control: 'a record that is judged is held until the judgement is carried out',
    file: 'src/operations/table.ts',
    find: 'and ${tableSql}.id = ${recordId} for update`',
    replace: 'and ${tableSql}.id = ${recordId}`',
    tests: tickets,
  },
  {
    control: 'whoever sets another default rate at the same time waits',
    file: 'src/resources/tax-rates.ts',
    find: '  await ctx.query(lockOrganisation(ctx))\n  await ctx.query(\n',
    replace: '  await ctx.query(\n',
    tests: ['src/resources/tax-rates.test.ts'],
  },
  {
    control: 'the last status stays',
    file: 'src/resources/ticket-statuses.ts',
    find: 'if (isLast) throw lastStatus()',
    replace: '',
    tests: statuses,
  },
  {
    control: 'of statuses that are deleted at once one stays',
    file: 'src/resources/ticket-statuses.ts',
    find: 'await ctx.query(lockOrganisation(ctx)) // or two could',
    replace: '// or two could',
    tests: ['src/db/organisation-lock.test.ts'],
    expectedFailure: 'of two statuses',
  },
  {
    control: 'the name of a status is used once',
    file: 'migrations/0002-jobs.sql',
    find: 'create unique index ticket_statuses_name_unique',
    replace: 'create index ticket_statuses_name_unique',
    tests: statuses,
  },
  {
    control: 'a SKU is one item’s alone',
    file: 'migrations/0002-jobs.sql',
    find: 'create unique index inventory_sku_unique',
    replace: 'create index inventory_sku_unique',
    tests: ['src/resources/inventory.test.ts'],
  },
  {
    control: 'a job has one event',
    file: 'migrations/0002-jobs.sql',
    find: 'constraint calendar_event_exists unique (org_id, ticket_id)',
    replace: 'constraint calendar_event_exists check (true)',
    tests: ['src/resources/calendar-events.test.ts'],
  },
  {
    control: 'no device is left behind by a customer who goes',
    file: 'migrations/0001-foundation.sql',
    find: 'constraint devices_customer_id_parent foreign key (org_id, customer_id) references customers on delete cascade',
    replace: 'constraint devices_customer_id_parent check (true)',
    tests: ['src/resources/devices.test.ts'],
  },
  {
    control: 'a job for a customer who is being deleted is not left behind',
    file: 'migrations/0002-jobs.sql',
    find: 'constraint tickets_customer_id_parent foreign key (org_id, customer_id) references customers on delete cascade',
    replace: 'constraint tickets_customer_id_parent check (true)',
    tests: tickets,
  },
  {
    control: 'a customer takes their jobs along only if it is asked to',
    file: 'src/resources/customers.ts',
    find: 'if (tickets.length > 0 && !cascade) throw',
    replace: 'if (false) throw',
    tests: tickets,
  },
  {
    control: 'a station with an active job is not deleted',
    file: 'src/resources/stations.ts',
    find: 'if (await ctx.query(selectHasActiveJob(ctx, stationId))) throw stationInUse()',
    replace: '',
    tests: ['src/resources/stations.test.ts'],
  },
  {
    control: 'a device stays with its customer',
    file: 'src/resources/tickets/facts.ts',
    find: 'if (references.deviceId && facts.device?.customerId !== customerId) {',
    replace: 'if (false) {',
    tests: tickets,
  },
  {
    control: 'a job does not pass a gate while its forms are open',
    file: 'src/resources/tickets/write-ticket.ts',
    find: 'if (status && !hasOtherDevice) await refuseClosedGate(ctx, id, status.stage, before)',
    replace: '',
    tests: asking,
  },
  {
    control: 'a status whose stage changes moves no job past a gate',
    file: 'src/resources/ticket-statuses.ts',
    find: '      if (stage) await refuseGatedRestage(ctx, statusId, stage)\n',
    replace: '',
    tests: ['src/resources/ticket-statuses.test.ts'],
  },
  {
    control: 'a status whose stage changes waits for a form that is being added',
    file: 'src/resources/tickets/status-tickets.ts',
    find: 'order by id for no key update)',
    replace: 'order by id)',
    tests: ['src/resources/ticket-statuses.test.ts'],
    expectedFailure: 'waits for whoever adds a form',
  },
  {
    control: 'closing needs the forms of starting, too',
    file: 'src/domain/gates.ts',
    find: "closed: ['start', 'completion'],",
    replace: "closed: ['completion'],",
    tests: ['src/domain/gates.test.ts'],
  },
  {
    control: 'a job does not begin beyond a gate',
    file: 'src/resources/tickets/write-ticket.ts',
    find: '  refuseBeyondGate(facts, values.customerDeviceType ?? null)\n',
    replace: '',
    tests: asking,
  },
  {
    control: 'a job with open invoice forms is not invoiced',
    file: 'src/resources/billing/invoice-gate.ts',
    find: 'if (outstanding > 0) throw formGateInvoice({ outstanding })',
    replace: '',
    tests: invoices,
  },
  {
    control: 'voiding an invoice needs the invoice forms, too',
    file: 'src/resources/invoices/invoices.ts',
    find: '  await refuseOpenInvoiceForms(ctx, before.ticketId, after.ticketId)',
    replace: "  if (status !== 'void') await refuseOpenInvoiceForms(ctx, before.ticketId, after.ticketId)",
    tests: invoices,
  },
  {
    control: 'an invoice waits for a form that is being counted',
    file: 'src/resources/billing/invoice-gate.ts',
    find: 'order by id for share`',
    replace: 'order by id`',
    tests: invoices,
  },
  {
    control: 'a customer with open forms is not deleted',
    file: 'src/resources/customers.ts',
    find: 'if (blocked.length > 0) throw formGateDelete({ ticketIds: ids(blocked) })',
    replace: '',
    tests: asking,
  },
  {
    control: 'a rule asks a job for its form once',
    file: 'migrations/0004-forms.sql',
    find: 'create unique index form_submissions_once on',
    replace: 'create index form_submissions_once on',
    tests: counters,
  },
  {
    control: 'the database counts the open forms of a job at every change',
    file: 'migrations/0004-forms.sql',
    find: 'create trigger forms_changed after update on form_submissions referencing old table as gone new table as added\n  for each statement execute function count_open_forms();',
    replace: '',
    tests: counters,
  },
  {
    control: 'open forms follow their job',
    file: 'migrations/0004-forms.sql',
    find: 'where org_id = new.org_id and held_ticket_id = new.id and',
    replace: 'where false and',
    tests: asking,
  },
  {
    control: 'a form is submitted once it is complete',
    file: 'src/resources/forms/submission-actions.ts',
    find: 'if (missing) throw badRequest(missing)',
    replace: '',
    tests: filling,
  },
  {
    control: 'a signature is for the answers it was given to',
    file: 'src/resources/forms/submission-actions.ts',
    find: "'answered', { fieldIds, ...(await removeSignatures(ctx, form)) })",
    replace: "'answered', { fieldIds })",
    tests: filling,
  },
  {
    control: 'the job is held before its form',
    file: 'src/resources/forms/locked-submission.ts',
    find: 'where org_id = ${orgId} and id = ${found.ticketId} for no key update`',
    replace: 'where org_id = ${orgId} and id = ${found.ticketId}`',
    tests: counters,
  },
]
