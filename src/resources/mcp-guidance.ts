// What a model reads about the service before it uses a tool: instructions, a guide, and prompts for common tasks.
import { directTools } from './mcp-tools.ts'

const instructions = `Jobwright keeps the customers, jobs (tickets), calendar, quotes, invoices and payments of one repair or \
field-service business; the credential decides which. Find records with a list or lookup tool before writing, and never \
guess an id. Lists give 25 records: go on with startAfter = pagination.nextCursor while pagination.hasMore. Fields without a \
value are left out of answers. Times are ISO 8601 with an offset. Sums are in the organisation's currency. What no tool \
does is found with find_operations. What adds or sends something takes an idempotencyKey, a name of letters and digits that \
you make up: a call that is repeated with it does nothing twice. Ask the user before you delete, send email or record money.`

const guide = `# How to use Jobwright

## What there is
- A **customer** has devices and jobs. A **job** (ticket) has a status, service and inventory lines, messages, a discount,
  totals and at most one calendar event.
- A **quote** offers work, an **invoice** asks for money, a **payment** settles it. Amounts and taxes are reckoned by the
  service from the lines: send lines, never totals.
- A **recurring schedule** makes jobs by a rule. A visit is moved or skipped through its schedule.
- **Forms** may hold a job back: a refusal FORM_GATE_… names them, and people fill them in.

## Finding things
- Know a phone number or an email? \`lookup_customers\`. Part of a name? \`list_customers\` with \`search\`.
- Jobs of a customer: \`list_tickets\` with \`customerId\`. What is owed: \`list_invoices\` with \`paid=false\`.
- What records come to (takings, what is owed, jobs, turnaround, technicians, stock, quotes won): a report, \`get_…_report\`, never by
  adding up lists; it is found with \`find_operations\` and read with \`read_operation\`.
- Lists leave out what a record lists itself (lines, taxes): read one record for those.
- In a change, empty text empties a field.
- Members, job statuses, tax rates, stations and all else: \`find_operations\`, then \`read_operation\`.

## Common errands
1. **Take a job in:** look the customer up, create them if they are new, \`create_ticket\`, then \`add_ticket_service\`.
2. **Book a visit:** \`create_calendar_event\` with the job's \`ticketId\`, \`from\` and \`to\`; the job's schedule follows.
3. **Quote and invoice:** \`create_quote\` with lines from \`list_services\` and \`list_inventory\`, send it with
   \`write_operation\` (\`send_quote\`), and once it is accepted \`convert_quote\`, then \`send_invoice\`.
4. **Take money:** \`create_payment\` with the invoice and the amount received.

## When something is refused
The text begins with a status and, for conflicts, a code. 400 names the argument to correct. 404 means the id is not of this
organisation. 409 names a rule and what to do instead; details give the ids it is about. 403 insufficient_scope
names what the credential lacks. 429 says how long to wait. Do not repeat a call unchanged, except after 429 and 503;
with an \`idempotencyKey\` that is safe after a lost connection, too: the first answer is given again for 24 hours.
`

/** What people say for the shop's nouns. */
const synonyms = [
  ['ticket', 'job repair work order'],
  ['inventory', 'part stock item product'],
  ['calendar', 'appointment booking visit schedule'],
  ['member', 'staff technician employee user'],
  ['reminder', 'remind chase overdue'],
  ['occurrence', 'visit'],
  ['recurring', 'agreement contract maintenance repeat'],
  ['device', 'asset equipment'],
  ['tax', 'vat'],
  ['void', 'cancel'],
  ['report', 'statistics figures sum takings revenue'],
] as const

export const guidance = {
  directTools,
  searchExamples: '"delete payment", "job statuses", "recurring schedule skip" or "device"',
  searchLimits: 'Documents as PDF are not among them: a share link (create_invoice_share_link) leads a person to one.',
  synonyms,
  instructions,
  guide,
  prompts: [
    {
      name: 'todays_schedule',
      title: 'Plan the day',
      description: 'What is on today, for whom, and what to prepare.',
      arguments: [{ name: 'date', description: 'A day such as 2026-11-16; today if left out.', required: false }],
      render: ({ date }: Readonly<Record<string, string>>) =>
        `List the calendar events of ${date || 'today'} with list_calendar_events (in the organisation's time zone) and read ` +
        'the job of each with get_ticket and include=customer,device,lines. Give me one line for each in order of time: when, who, ' +
        'where, what is to be done, which parts to bring. Point out overlaps and jobs without a technician. Change nothing.',
    },
    {
      name: 'draft_quote',
      title: 'Draft a quote for a job',
      description: 'A quote with lines from the price list, left as a draft.',
      arguments: [
        { name: 'customer', description: 'Who it is for: a name, phone number or email.', required: true },
        { name: 'work', description: 'What is to be done.', required: true },
      ],
      render: ({ customer, work }: Readonly<Record<string, string>>) =>
        `Draft a quote for ${customer}: ${work}. Find the customer and, if there is one, their open job. Take the lines from ` +
        'list_services and list_inventory where they fit and say where you had to estimate. Create the quote with create_quote, ' +
        'leave it a draft, and show me its lines, taxes and total. Do not send it.',
    },
    {
      name: 'chase_overdue',
      title: 'Chase overdue invoices',
      description: 'Who owes money for how long, and reminders to approve.',
      arguments: [{ name: 'days', description: 'Overdue by at least so many days; 1 if left out.', required: false }],
      render: ({ days }: Readonly<Record<string, string>>) =>
        `List all unpaid invoices with list_invoices and paid=false, page by page, and keep those that are neither draft nor void and whose dueAt passed at least ` +
        `${days || '1'} days ago. Show them by customer: invoice number, days overdue, what is owed, last contact. Then propose for ` +
        'each a friendly reminder in a sentence or two. Send nothing until I have agreed.',
    },
  ],
}
