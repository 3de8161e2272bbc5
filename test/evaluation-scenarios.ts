// What a shop would ask of an agent, and the tool calls that get it done: the evaluation of our tools, on the demo shop.
import assert from 'node:assert/strict'
import { dayMs } from '../src/domain/durations.ts'
import type { ToolResult } from './agent.ts'

export type Call = (name: string, args?: Record<string, unknown>) => Promise<ToolResult>

// biome-ignore lint/suspicious/noExplicitAny: scenarios read whatever the tools answer
export type Data = any
export type Step = (name: string, args?: Record<string, unknown>) => Promise<Data>

export interface EvaluationScenario {
  readonly prompt: string
  /** Calls tools, and checks that what was asked for is answered or done. */
  run(step: Step, call: Call): Promise<void>
}

export const soon = (days: number, hour: number) => {
  const at = new Date(Date.now() + days * dayMs)
  at.setUTCHours(hour, 0, 0, 0)
  return at.toISOString()
}
export const read = (step: Step, operation: string, args = {}) => step('read_operation', { operation, arguments: args })
export const write = (step: Step, operation: string, args = {}) =>
  step('write_operation', { operation, arguments: args })
export const customer = async (step: Step, search: string) => (await step('list_customers', { search })).customers[0]
export const statusId = async (step: Step, name: string) => {
  const { ticketStatuses } = await read(step, 'list_ticket_statuses')
  return ticketStatuses.find((status: Data) => status.name === name).id
}
export const named = (list: Data[], pattern: RegExp) => list.find(({ name }: Data) => pattern.test(name))

/**
 * In this order: some rest on what those before them did, as a day does. The demo shop lives in the week around now, so
 * they name customers whose papers are weeks old: visits of this week may be still to come.
 */
export const evaluationScenarios: readonly EvaluationScenario[] = [
  {
    prompt: 'Who owes us money for more than 30 days?',
    async run(step) {
      const { invoices } = await step('list_invoices', { paid: false })
      const late = invoices.filter(({ isOverdue }: Data) => isOverdue)
      const longest = late.filter(({ dueAt }: Data) => Date.parse(dueAt) < Date.now() - 30 * dayMs)
      assert.ok(late.length > 0 && longest.length < late.length)
      assert.ok(late.every(({ balance, customerName }: Data) => balance > 0 && customerName))
    },
  },
  {
    prompt: 'What did we take this month, how much is still owed, and what do we have on the shelf?',
    async run(step) {
      const [money] = (await read(step, 'get_money_in_report', { groupBy: 'month' })).totals
      assert.equal(money.currency, 'GBP')
      const { rows, totals } = await read(step, 'get_receivables_report')
      const owed = rows.reduce((sum: number, { balance }: Data) => sum + balance, 0)
      assert.ok(totals[0].balance > 0 && Math.abs(owed - totals[0].balance) < 0.005)
      assert.ok((await read(step, 'get_stock_value_report')).totals[0].value > 0)
    },
  },
  {
    prompt: 'How did the last two months go: jobs, how long they took, who did what, and which quotes did we win?',
    async run(step) {
      const day = (days: number) => new Date(Date.now() - days * dayMs).toISOString().slice(0, 10)
      const period = { from: day(60), to: day(0) }
      assert.ok((await read(step, 'get_jobs_report', period)).totals[0].closed > 0)
      assert.ok((await read(step, 'get_turnaround_report', period)).totals[0].medianHours > 0)
      const { rows } = await read(step, 'get_technicians_report', period)
      assert.ok(rows.some(({ technician, jobsClosed }: Data) => technician && jobsClosed > 0))
      assert.ok((await read(step, 'get_quotes_report', { ...period, groupBy: 'month' })).totals[0].made > 0)
    },
  },
  {
    prompt:
      "Book Mrs. Khan's boiler service next Tuesday at 9 and quote her for the valve. She rang from 07700 900777.",
    async run(step, call) {
      assert.match((await call('lookup_customers', { phone: '07700 900777' })).text, /^404: Customer not found/)
      const khan = await step('create_customer', { firstName: 'Samira', lastName: 'Khan', phone: '07700 900777' })
      const service = named((await step('list_services', { search: 'boiler' })).services, /boiler/i)
      const job = await step('create_ticket', {
        customerId: khan.id,
        serviceRequired: 'Boiler service',
        scheduledFrom: soon(7, 9),
        scheduledTo: soon(7, 10),
      })
      assert.ok(job.calendarEventId)
      await step('add_ticket_service', { ticketId: job.id, serviceId: service.id })
      const quote = await step('create_quote', {
        ticketId: job.id,
        title: 'New valve',
        lineItems: [{ name: 'Pressure relief valve', unitPrice: 48, quantity: 1 }],
      })
      assert.deepEqual([quote.customerId, quote.status, quote.subtotal], [khan.id, 'draft', 48])
    },
  },
  {
    prompt: 'What is on the calendar this week?',
    async run(step) {
      const { calendarEvents } = await step('list_calendar_events', { from: soon(-7, 0), to: soon(7, 23) })
      assert.ok(calendarEvents.length > 5)
    },
  },
  {
    prompt: 'Which number do I ring for the Okafor Bakery?',
    run: async (step) => assert.equal((await customer(step, 'okafor')).phone, '020 7946 0123'),
  },
  {
    prompt: 'Who rang from 07700 900114?',
    async run(step) {
      const { matches } = await step('lookup_customers', { phone: '07700 900114' })
      assert.equal(matches[0].lastName, 'Lefèvre')
    },
  },
  {
    prompt: 'Hana has a new email address: hana@kovar.example.',
    async run(step) {
      const { id } = await customer(step, 'hana')
      assert.equal(
        (await step('update_customer', { customerId: id, email: 'hana@kovar.example' })).email,
        'hana@kovar.example',
      )
    },
  },
  {
    prompt: 'Which jobs wait for parts?',
    async run(step) {
      const { tickets } = await step('list_tickets', { statusId: await statusId(step, 'Waiting for parts') })
      assert.ok(tickets.length >= 3)
    },
  },
  {
    prompt: "How far is Chloé's laptop?",
    async run(step) {
      const { id } = await customer(step, 'chlo')
      const { tickets } = await step('list_tickets', { customerId: id })
      const laptop = tickets.find(({ serviceRequired }: Data) => /keyboard/.test(serviceRequired))
      const { messages } = await read(step, 'list_ticket_messages', { ticketId: laptop.id })
      assert.equal(laptop.status, 'In Progress')
      assert.ok(messages.length > 0)
    },
  },
  {
    prompt: "Daniel's screen has come in: move his job on and note it for him.",
    async run(step) {
      const { id } = await customer(step, 'osei')
      const waiting = await statusId(step, 'Waiting for parts')
      const { tickets } = await step('list_tickets', { customerId: id, statusId: waiting })
      const moved = await step('set_ticket_status', { ticketId: tickets[0].id, status: 'In Progress' })
      assert.equal(moved.status, 'In Progress')
      const text = 'The screen has arrived; we fit it tomorrow.'
      const said = await step('add_ticket_message', { ticketId: moved.id, text, visibility: 'customer' })
      assert.equal(said.visibility, 'customer')
    },
  },
  {
    prompt: "Close George Pemberton's boiler job.",
    async run(step, call) {
      const { id } = await customer(step, 'pemberton')
      const { tickets } = await step('list_tickets', { customerId: id })
      const refused = await call('set_ticket_status', { ticketId: tickets[0].id, status: 'Closed' })
      assert.match(refused.text, /^409 FORM_GATE_TRANSITION: .* Details: .*"submissionIds"/)
      const [submissionId] = JSON.parse(refused.text.slice(refused.text.indexOf('Details: ') + 9)).submissionIds
      const form = await read(step, 'get_form_submission', { submissionId })
      assert.match(form.templateName, /Gas safety/)
    },
  },
  {
    prompt: 'Which parts do we have to order?',
    async run(step) {
      const { inventory, pagination } = await step('list_inventory', { limit: 100 })
      assert.equal(pagination.hasMore, false)
      assert.ok(inventory.some(({ isLowStock }: Data) => isLowStock))
    },
  },
  {
    prompt: 'Ten boiler service kits have been delivered.',
    async run(step) {
      const { inventory } = await step('list_inventory', { sku: 'BOILER-KIT' })
      const { operations } = await step('find_operations', { query: 'change inventory item stock' })
      assert.ok(operations.some(({ name }: Data) => name === 'update_inventory_item'))
      const [{ id, quantityOnHand }] = inventory
      const after = await write(step, 'update_inventory_item', { itemId: id, quantityOnHand: quantityOnHand + 10 })
      assert.equal(after.quantityOnHand, quantityOnHand + 10)
    },
  },
  {
    prompt: 'What does a battery replacement cost?',
    async run(step) {
      const { services } = await step('list_services', { search: 'battery' })
      assert.equal(services[0].price, 35)
    },
  },
  {
    prompt:
      'A new customer, Priya Nair, brings in a phone with a cracked screen. Take it in, for the usual screen replacement.',
    async run(step) {
      const { customers } = await step('list_customers', { search: 'nair' })
      assert.equal(customers.length, 0)
      const { id } = await step('create_customer', { firstName: 'Priya', lastName: 'Nair' })
      const { operations } = await step('find_operations', { query: 'add device to customer' })
      assert.equal(operations[0].name, 'create_device')
      const device = await write(step, 'create_device', { customerId: id, type: 'Phone', brand: 'Fairphone' })
      const screen = (await step('list_services', { search: 'screen' })).services[0]
      const job = await step('create_ticket', {
        customerId: id,
        deviceId: device.id,
        serviceRequired: 'Cracked screen',
      })
      await step('add_ticket_service', { ticketId: job.id, serviceId: screen.id })
      const whole = await step('get_ticket', { ticketId: job.id, include: 'customer,device,lines' })
      assert.equal(whole.lines.services.length, 1)
      assert.equal(whole.device.brand, 'Fairphone')
    },
  },
  {
    prompt: 'Invoice the Khan job and send it to samira@khan.example.',
    async run(step) {
      const { id } = await customer(step, 'khan')
      const { tickets } = await step('list_tickets', { customerId: id })
      const invoice = await step('create_invoice', { ticketId: tickets[0].id })
      assert.ok(invoice.lineItems.some(({ name }: Data) => /boiler/i.test(name)))
      const sent = await step('send_invoice', { invoiceId: invoice.id, to: 'samira@khan.example' })
      assert.equal(sent.status, 'sent')
    },
  },
  {
    prompt: 'Khan paid her invoice in cash.',
    async run(step) {
      const { id } = await customer(step, 'khan')
      const [{ id: invoiceId, balance }] = (await step('list_invoices', { customerId: id, paid: false })).invoices
      await step('create_payment', { invoiceId, amount: balance, paymentMethod: 'cash' })
      const after = await read(step, 'get_invoice', { invoiceId })
      assert.deepEqual([after.paid, after.balance], [true, 0])
    },
  },
  {
    prompt: 'Which quotes has nobody answered yet?',
    async run(step) {
      const { quotes } = await step('list_quotes', { accepted: false })
      assert.ok(quotes.some(({ status }: Data) => status === 'sent'))
    },
  },
  {
    prompt: 'Mrs. Khan accepted the valve: make an invoice of the quote.',
    async run(step) {
      const { id } = await customer(step, 'khan')
      const { quotes } = await step('list_quotes', { customerId: id })
      const accepted = await write(step, 'update_quote', { quoteId: quotes[0].id, status: 'accepted' })
      assert.equal(accepted.accepted, true)
      const invoice = await step('convert_quote', { quoteId: quotes[0].id })
      assert.equal(invoice.netTotal, 48)
    },
  },
  {
    prompt: 'Convert that quote again.',
    async run(step, call) {
      const { id } = await customer(step, 'khan')
      const { quotes } = await step('list_quotes', { customerId: id })
      const refused = await call('convert_quote', { quoteId: quotes[0].id })
      assert.match(refused.text, /^409 QUOTE_ALREADY_INVOICED: .*force=true/)
    },
  },
  {
    prompt: 'Remind Quinn Abara of the overdue invoice the day after tomorrow.',
    async run(step) {
      const { id } = await customer(step, 'abara')
      const { invoices } = await step('list_invoices', { customerId: id, paid: false })
      assert.ok(invoices.at(-1).isOverdue)
      const { operations } = await step('find_operations', { query: 'remind customer of invoice' })
      const found = operations.find(({ name }: Data) => name === 'create_reminder')
      assert.ok(found.inputSchema.properties.invoiceId)
      const reminder = await write(step, 'create_reminder', { invoiceId: invoices.at(-1).id, ...when(found) })
      assert.ok(reminder.id)
    },
  },
  {
    prompt: 'Give me a link to the invoice of Sjöberg Ceramics that I can paste into a chat.',
    async run(step) {
      const { id } = await customer(step, 'sjöberg')
      const { invoices } = await step('list_invoices', { customerId: id })
      const { operations } = await step('find_operations', { query: 'invoice share link' })
      assert.equal(operations[0].name, 'create_invoice_share_link')
      const { url } = await write(step, 'create_invoice_share_link', { invoiceId: invoices[0].id })
      assert.match(url, /^http/)
    },
  },
  {
    prompt: 'Take ten percent off the job of Priya Nair and tell me what it comes to.',
    async run(step) {
      const { id } = await customer(step, 'nair')
      const [job] = (await step('list_tickets', { customerId: id })).tickets
      await write(step, 'set_ticket_discount', { ticketId: job.id, type: 'percent', value: 10 })
      const { subtotal, discountTotal } = await read(step, 'get_ticket_totals', { ticketId: job.id })
      assert.equal(discountTotal, subtotal / 10)
    },
  },
  {
    prompt: 'Who works here, and who of them is free on Thursday?',
    async run(step) {
      const { members } = await read(step, 'list_members', { isActive: true })
      const { calendarEvents } = await step('list_calendar_events', {
        assignedToId: members[0].id,
        from: soon(4, 0),
        to: soon(5, 0),
      })
      assert.ok(members.length > 2 && Array.isArray(calendarEvents))
    },
  },
  {
    prompt: 'Give the piano job to Keisha and put it on the calendar for tomorrow at 14:00.',
    async run(step) {
      const { members } = await read(step, 'list_members')
      const keisha = members.find(({ firstName }: Data) => firstName === 'Keisha')
      const { id } = await customer(step, 'pryce')
      const [job] = (await step('list_tickets', { customerId: id, status: 'In Progress' })).tickets
      const moved = await step('update_ticket', {
        ticketId: job.id,
        assignedTechnician: keisha.id,
        scheduledFrom: soon(1, 14),
        scheduledTo: soon(1, 15),
      })
      assert.equal(moved.assignedTechnician, keisha.id)
      const { calendarEvents } = await step('list_calendar_events', { ticketId: job.id })
      assert.equal(calendarEvents[0].from, soon(1, 14))
    },
  },
  {
    prompt: 'Block Friday afternoon for stock-taking.',
    async run(step) {
      const event = await step('create_calendar_event', { title: 'Stock-taking', from: soon(5, 13), to: soon(5, 17) })
      assert.equal(event.title, 'Stock-taking')
    },
  },
  {
    prompt: 'Skip the next oven service at the Okafor Bakery: they are closed.',
    async run(step) {
      const [schedule] = (await read(step, 'list_recurring_schedules')).recurringSchedules
      const { occurrences } = await read(step, 'list_occurrences', {
        scheduleId: schedule.id,
        from: soon(0, 0),
        limit: 2,
      })
      const { index } = occurrences[0]
      const skipped = await write(step, 'skip_occurrence', { scheduleId: schedule.id, index })
      assert.equal(skipped.status, 'skipped')
    },
  },
  {
    prompt: 'Delete the customer Tove.',
    async run(step, call) {
      const { id } = await customer(step, 'tove')
      const refused = await call('write_operation', {
        operation: 'delete_customer',
        arguments: { customerId: id, cascade: false },
      })
      assert.match(refused.text, /^409 CUSTOMER_HAS_TICKETS/)
      assert.match(refused.text, /"ticketIds":\["tkt_/)
    },
  },
  {
    prompt: 'How much did we take this month, and by which means?',
    async run(step) {
      const payments: Data[] = []
      for (let startAfter: string | undefined; ; ) {
        const page = await read(step, 'list_payments', startAfter ? { startAfter } : {})
        payments.push(...page.payments)
        startAfter = page.pagination.nextCursor
        if (!page.pagination.hasMore) break
      }
      assert.ok(payments.length > 5 && payments.every(({ paymentMethod }) => paymentMethod))
    },
  },
]

/** When a reminder is due, by the name its schema gives the moment. */
function when({ inputSchema }: Data): Record<string, string> {
  const name = Object.keys(inputSchema.properties).find((one) => inputSchema.properties[one].format === 'date-time')!
  return { [name]: soon(2, 9) }
}
