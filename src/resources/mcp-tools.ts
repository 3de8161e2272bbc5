// What a model is told about the service: which operations are tools of their own, with a word of advice, and which reach
// people outside.

/** The operations an agent needs daily, each a tool of its own, in this order; every other one is found by searching. */
export const directTools: Readonly<Record<string, string>> = {
  listCustomers: 'Use search for part of a name, email or business.',
  lookupCustomers: 'Use it first when a phone number or email is known. 404 means that nobody has it.',
  createCustomer: 'Look the customer up first, so that nobody is entered twice.',
  updateCustomer: 'Send only the fields that change; an empty text empties one.',
  listTickets:
    "A job is called a ticket here. For a status of the organisation's own give statusId, from list_ticket_statuses (read_operation).",
  getTicket: 'With include, also its customer, device or lines.',
  createTicket: 'Needs the customer. scheduledFrom and scheduledTo book it into the calendar at once.',
  updateTicket: 'Send only the fields that change; a new scheduledFrom and scheduledTo move its calendar event.',
  setTicketStatus: 'Its name is one of list_ticket_statuses (read_operation).',
  addTicketService: 'Give serviceId from list_services to take over its name, price and tax, or a name and unitPrice.',
  addTicketMessage: 'Notes for staff unless visibility is customer.',
  listCalendarEvents: 'Give from and to; times carry an offset.',
  createCalendarEvent: 'With ticketId it books that job, which must not be on the calendar yet.',
  listQuotes: 'For the quotes of one customer or one job give customerId or ticketId.',
  createQuote: 'Lines take serviceId or inventoryItemId, or a name and unitPrice. It stays a draft until it is sent.',
  convertQuote: 'The customer should have accepted. A quote converted before needs force=true: ask the user.',
  listInvoices:
    'paid=false gives what is owed, with balance, dueAt and isOverdue; drafts and void ones are among them.',
  createInvoice: 'With ticketId and no lines it takes over what stands on the job.',
  sendInvoice: 'This sends an email to the customer: ask the user first.',
  createPayment: 'Only for money that has been received. A negative amount is a refund: ask the user first.',
  listServices: 'The price list of work.',
  listInventory: 'Parts and goods with their prices and stock.',
}

/** What somebody outside hears of. */
export const openWorldOperations: ReadonlySet<string> = new Set([
  'sendQuote',
  'sendInvoice',
  'createReminder',
  'updateReminder',
])
