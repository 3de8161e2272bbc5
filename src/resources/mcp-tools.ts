// The operations that an agent needs daily: each is a tool of its own, every other one is found by searching.

/** In this order, as tools are listed; what is said of each stands with the operation. */
export const directTools: readonly string[] = [
  'listCustomers',
  'lookupCustomers',
  'createCustomer',
  'updateCustomer',
  'listTickets',
  'getTicket',
  'createTicket',
  'updateTicket',
  'setTicketStatus',
  'addTicketService',
  'addTicketMessage',
  'listCalendarEvents',
  'createCalendarEvent',
  'listQuotes',
  'createQuote',
  'convertQuote',
  'listInvoices',
  'createInvoice',
  'sendInvoice',
  'createPayment',
  'listServices',
  'listInventory',
]
