// More of what a shop would ask of an agent, after the first day's errands: weeks to plan, money to chase, stock, agreements, and what it must not do.
import assert from 'node:assert/strict'
import { dayMs } from '../src/domain/durations.ts'
import {
  customer,
  type Data,
  type EvaluationScenario,
  named,
  read,
  type Step,
  soon,
  statusId,
  write,
} from './evaluation-scenarios.ts'

const day = (days: number) => new Date(Date.now() + days * dayMs).toISOString().slice(0, 10)
const member = async (step: Step, firstName: string) => {
  const { members } = await read(step, 'list_members')
  return members.find((one: Data) => one.firstName === firstName)
}
const jobOf = async (step: Step, search: string, about: RegExp) => {
  const { id } = await customer(step, search)
  const { tickets } = await step('list_tickets', { customerId: id })
  return tickets.find(({ serviceRequired }: Data) => about.test(serviceRequired))
}
const item = async (step: Step, sku: string) => (await step('list_inventory', { sku })).inventory[0]

export const moreErrands: readonly EvaluationScenario[] = [
  {
    prompt: 'Keisha is away the week after next: block it, and give what she has then to Tomasz.',
    async run(step) {
      const [keisha, tomasz] = [await member(step, 'Keisha'), await member(step, 'Tomasz')]
      const away = { from: soon(14, 0), to: soon(19, 0) }
      await step('create_calendar_event', { title: 'Keisha away', assignedToId: keisha.id, allDay: true, ...away })
      const mine = { assignedTechnician: keisha.id, scheduledFrom: away.from, scheduledTo: away.to }
      const { id: customerId } = await customer(step, 'raman')
      await step('create_ticket', {
        customerId,
        serviceRequired: 'New phone: move the photos',
        assignedTechnician: keisha.id,
        scheduledFrom: soon(15, 10),
        scheduledTo: soon(15, 11),
      })
      const { tickets } = await step('list_tickets', mine)
      assert.ok(tickets.length > 0)
      for (const { id: ticketId } of tickets) await step('update_ticket', { ticketId, assignedTechnician: tomasz.id })
      assert.equal((await step('list_tickets', mine)).tickets.length, 0)
    },
  },
  {
    prompt: 'Chase everybody who is overdue, politely, on Monday.',
    async run(step) {
      const { invoices } = await step('list_invoices', { state: 'overdue' })
      assert.ok(invoices.length > 0)
      for (const { id: invoiceId, number, customerName, customerEmail } of invoices) {
        if (!customerEmail) continue
        const message = `Hello ${customerName}, invoice ${number} is still open. Could you have a look this week? Thank you!`
        const reminder = await write(step, 'create_reminder', { invoiceId, remindAt: soon(5, 9), message })
        assert.equal(reminder.status, 'scheduled')
      }
    },
  },
  {
    prompt: 'Is any bench double-booked next week?',
    async run(step) {
      const { stations } = await read(step, 'list_stations')
      const { id: stationId } = named(stations, /Bench 1/)
      const { id: customerId } = await customer(step, 'mensah')
      for (const serviceRequired of ['Vacuum: no suction', 'Vacuum: cable'])
        await step('create_ticket', {
          customerId,
          serviceRequired,
          stationId,
          scheduledFrom: soon(8, 9),
          scheduledTo: soon(8, 11),
        })
      const { tickets } = await step('list_tickets', { stationId, scheduledFrom: soon(7, 0), scheduledTo: soon(14, 0) })
      const clashes = tickets.filter((one: Data) =>
        tickets.some(
          (other: Data) =>
            other.id !== one.id && other.scheduledFrom < one.scheduledTo && one.scheduledFrom < other.scheduledTo,
        ),
      )
      assert.equal(clashes.length, 2)
    },
  },
  {
    prompt: 'The bakery complains that Tuesdays are bad: move their oven service to Wednesdays from now on.',
    async run(step, call) {
      const [schedule] = (await read(step, 'list_recurring_schedules')).recurringSchedules
      const change = { scheduleId: schedule.id, rrule: 'FREQ=MONTHLY;BYDAY=2WE' }
      const refused = await call('write_operation', { operation: 'update_recurring_schedule', arguments: change })
      assert.match(refused.text, /^409 SERIES_SHAPE_CHANGE: .*resync=thisAndFuture/)
      const moved = await write(step, 'update_recurring_schedule', { ...change, resync: 'thisAndFuture' })
      assert.equal(moved.rrule, change.rrule)
    },
  },
  {
    prompt: 'How did last month go?',
    async run(step) {
      const last = new Date()
      last.setUTCDate(0)
      const to = last.toISOString().slice(0, 10)
      const period = { from: `${to.slice(0, 8)}01`, to }
      const money = await read(step, 'get_money_in_report', { ...period, groupBy: 'week' })
      assert.equal(money.totals[0].currency, 'GBP')
      assert.ok((await read(step, 'get_jobs_report', period)).totals.length > 0)
    },
  },
  {
    prompt: 'What do we have to order for next week, by supplier?',
    async run(step) {
      const { inventory } = await step('list_inventory', { isLow: true })
      const bySupplier = Map.groupBy(inventory, ({ supplier }: Data) => supplier ?? 'nobody')
      assert.ok(bySupplier.size > 0)
      assert.ok(inventory.every(({ quantityOnHand, reorderLevel }: Data) => quantityOnHand <= reorderLevel))
    },
  },
  {
    prompt: 'Give Mrs. Khan 20 pounds back on her boiler invoice, in cash.',
    async run(step) {
      const { id } = await customer(step, 'khan')
      const [invoice] = (await step('list_invoices', { customerId: id, paid: true })).invoices
      await step('create_payment', { invoiceId: invoice.id, amount: -20, paymentMethod: 'cash', notes: 'Goodwill' })
      const after = await read(step, 'get_invoice', { invoiceId: invoice.id })
      assert.deepEqual([after.paid, after.balance], [false, 20])
    },
  },
  {
    prompt: 'She sent a photo: a phone, glass broken, the battery swollen. Quote Wren for that and mail it.',
    async run(step) {
      const wren = await customer(step, 'castellanos')
      const [screen] = (await step('list_services', { search: 'screen' })).services
      const [battery] = (await step('list_services', { search: 'battery' })).services
      const quote = await step('create_quote', {
        customerId: wren.id,
        title: 'Phone: glass and battery',
        lineItems: [{ serviceId: screen.id }, { serviceId: battery.id }],
      })
      assert.equal(quote.subtotal, 95)
      const sent = await write(step, 'send_quote', { quoteId: quote.id, message: 'As you asked.' })
      assert.equal(sent.status, 'sent')
    },
  },
  {
    prompt: 'Which jobs has nobody taken yet? Give the oldest to Tomasz.',
    async run(step) {
      const { tickets } = await step('list_tickets', { assignedTechnician: 'none', stage: 'open' })
      const { id } = await member(step, 'Tomasz')
      const taken = await step('update_ticket', { ticketId: tickets.at(-1).id, assignedTechnician: id })
      assert.equal(taken.assignedTechnician, id)
    },
  },
  {
    prompt: 'What have we ever done to the hotel’s boilers?',
    async run(step) {
      const { id } = await customer(step, 'lindqvist')
      const { devices } = await read(step, 'list_devices', { customerId: id })
      const boilers = devices.filter(({ type }: Data) => type === 'Boiler')
      assert.equal(boilers.length, 2)
      const histories = await Promise.all(boilers.map((one: Data) => step('list_tickets', { deviceId: one.id })))
      assert.ok(histories.some(({ tickets }: Data) => tickets.length > 0))
    },
  },
  {
    prompt: "Put a case on Priya Nair's job.",
    async run(step) {
      const job = await jobOf(step, 'nair', /screen/)
      const { id, quantityOnHand } = await item(step, 'CASE-CLEAR')
      await write(step, 'add_ticket_inventory', { ticketId: job.id, inventoryItemId: id, quantity: 1 })
      assert.equal((await item(step, 'CASE-CLEAR')).quantityOnHand, quantityOnHand - 1)
    },
  },
  {
    prompt: 'She does not want the case after all.',
    async run(step) {
      const job = await jobOf(step, 'nair', /screen/)
      const { lines } = await step('get_ticket', { ticketId: job.id, include: 'lines' })
      const [line] = lines.inventory
      await write(step, 'delete_ticket_inventory', { ticketId: job.id, lineId: line.id })
      assert.equal((await read(step, 'list_ticket_inventory', { ticketId: job.id })).inventory.length, 0)
    },
  },
  {
    prompt: 'We counted: two chains fewer than the system says. Write down that they were damaged.',
    async run(step) {
      const { id: itemId, quantityOnHand } = await item(step, 'CHAIN-10')
      await write(step, 'update_inventory_item', { itemId, quantityDelta: -2, reason: 'Damaged' })
      const { corrections } = await read(step, 'list_stock_corrections', { itemId })
      assert.deepEqual([corrections[0].reason, corrections[0].quantityAfter], ['Damaged', quantityOnHand - 2])
    },
  },
  {
    prompt: 'A bicycle service costs 89 from today.',
    async run(step) {
      const [{ id: serviceId }] = (await step('list_services', { search: 'bicycle' })).services
      assert.equal((await write(step, 'update_service', { serviceId, price: 89 })).price, 89)
    },
  },
  {
    prompt: 'We never did the valve for Mrs. Khan: void that invoice.',
    async run(step) {
      const { id } = await customer(step, 'khan')
      const { invoices } = await step('list_invoices', { customerId: id, state: 'draft' })
      const voided = await write(step, 'update_invoice', { invoiceId: invoices[0].id, status: 'void' })
      assert.equal(voided.status, 'void')
    },
  },
  {
    prompt: 'Let Wren see the quote in the browser; and an hour later: take the link away again.',
    async run(step) {
      const { id } = await customer(step, 'castellanos')
      const [{ id: quoteId }] = (await step('list_quotes', { customerId: id })).quotes
      assert.match((await write(step, 'create_quote_share_link', { quoteId })).url, /^http/)
      assert.match((await write(step, 'remove_quote_share_link', { quoteId })).message, /removed|deleted|ended/i)
    },
  },
  {
    prompt: 'The bakery closes for four weeks: no visits until then.',
    async run(step) {
      const [{ id: scheduleId }] = (await read(step, 'list_recurring_schedules')).recurringSchedules
      const paused = await write(step, 'pause_recurring_schedule', { scheduleId, until: soon(28, 6) })
      assert.deepEqual([paused.status, paused.resumesAt], ['paused', soon(28, 6)])
    },
  },
  {
    prompt: 'They are back already. Go on.',
    async run(step) {
      const [{ id: scheduleId }] = (await read(step, 'list_recurring_schedules')).recurringSchedules
      assert.equal((await write(step, 'resume_recurring_schedule', { scheduleId })).status, 'active')
    },
  },
  {
    prompt: 'Farah wants her boiler serviced every year, as our usual agreement has it, in spring at nine.',
    async run(step) {
      const { id: customerId } = await customer(step, 'haddad')
      const preset = named((await read(step, 'list_recurring_presets')).recurringPresets, /boiler/i)
      const schedule = await write(step, 'create_recurring_schedule', {
        customerId,
        presetId: preset.id,
        startsAt: soon(150, 9),
      })
      assert.deepEqual([schedule.rrule, schedule.durationMinutes], ['FREQ=YEARLY', 75])
    },
  },
  {
    prompt: 'Which quotes ran out without an answer?',
    async run(step) {
      const { quotes } = await step('list_quotes', { state: 'expired' })
      assert.ok(quotes.every(({ validUntil }: Data) => Date.parse(validUntil) < Date.now()))
    },
  },
  {
    prompt: 'Who owes us the most?',
    async run(step) {
      const { rows } = await read(step, 'get_receivables_report')
      const most = rows.toSorted((one: Data, other: Data) => other.balance - one.balance)[0]
      assert.ok(most.balance > 0)
    },
  },
  {
    prompt: 'Zoë Adeyemi has moved: 4 Quarry Hill, London SE23 1AA.',
    async run(step) {
      const { id: customerId } = await customer(step, 'adeyemi')
      const address = '4 Quarry Hill\nLondon SE23 1AA'
      assert.equal((await step('update_customer', { customerId, address })).address, address)
    },
  },
  {
    prompt: 'Somebody calling himself Test was entered by mistake: delete him.',
    async run(step) {
      const { id: customerId } = await step('create_customer', { firstName: 'Test', lastName: 'Mistake' })
      await write(step, 'delete_customer', { customerId, cascade: false })
      assert.equal((await step('list_customers', { search: 'mistake' })).customers.length, 0)
    },
  },
  {
    prompt: 'Bike 1 of the couriers is urgent now. Tell them, and note for us that they rang.',
    async run(step) {
      const job = await jobOf(step, 'malik', /bike 1/i)
      assert.equal((await step('update_ticket', { ticketId: job.id, priority: 'urgent' })).priority, 'urgent')
      for (const visibility of ['customer', 'internal'])
        await step('add_ticket_message', { ticketId: job.id, text: 'It is next in line.', visibility })
      const { messages } = await read(step, 'list_ticket_messages', { ticketId: job.id })
      assert.ok(messages.filter(({ text }: Data) => text === 'It is next in line.').length === 2)
    },
  },
  {
    prompt: 'Take in a lamp for Morag Sinclair. The line dropped: did it work? Try again.',
    async run(step) {
      const { id: customerId } = await customer(step, 'sinclair')
      const errand = { customerId, serviceRequired: 'Lamp flickers', idempotencyKey: 'errand-lamp' }
      const [first, second] = [await step('create_ticket', errand), await step('create_ticket', errand)]
      assert.equal(first.id, second.id, 'one job, however often it is asked for')
    },
  },
  {
    prompt: 'We have a second van. And a status for jobs that wait for an answer.',
    async run(step) {
      const van = await write(step, 'create_station', { name: 'Van 2', capacity: 4 })
      const waiting = await write(step, 'create_ticket_status', { name: 'Waiting for an answer', stage: 'inProgress' })
      assert.deepEqual([van.activeJobCount, waiting.type], [0, 'custom'])
    },
  },
  {
    prompt: 'Which safety forms are still open, and for whom?',
    async run(step) {
      const { formSubmissions } = await read(step, 'list_form_submissions', { status: 'open' })
      for (const { ticketId } of formSubmissions) assert.ok((await step('get_ticket', { ticketId })).customerName)
    },
  },
  {
    prompt: 'What has changed since this morning?',
    async run(step) {
      const { tickets } = await step('list_tickets', { updatedAfter: `${day(0)}T00:00:00Z` })
      assert.ok(tickets.length > 0)
    },
  },
  {
    prompt: 'Delete the status Open, we do not use it.',
    async run(step, call) {
      const refused = await call('write_operation', {
        operation: 'delete_ticket_status',
        arguments: { statusId: await statusId(step, 'Open') },
      })
      assert.match(refused.text, /^400: /)
    },
  },
  {
    prompt: "Send Tove's voided invoice after all.",
    async run(step, call) {
      const { id } = await customer(step, 'tove')
      const [{ id: invoiceId }] = (await step('list_invoices', { customerId: id, state: 'void' })).invoices
      const args = { invoiceId, status: 'sent' }
      const refused = await call('write_operation', { operation: 'update_invoice', arguments: args })
      assert.match(refused.text, /^400: status cannot change from void to sent/)
    },
  },
]
