// The sample data is what the service itself would have accepted, and the same every time.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { settingsFor } from '../../test/command-line.ts'
import { numberAll, readFeed, testSequencer } from '../../test/events.ts'
import { formWriter } from '../../test/forms.ts'
import { createSecondDatabase } from '../../test/test-database.ts'
import { type Client, startOwnTestService } from '../../test/test-service.ts'
import { readConfig } from '../config/config.ts'
import { Database, sql } from '../db/database.ts'
import { migrate } from '../db/migrate.ts'
import { dayMs, hourMs } from '../domain/durations.ts'
import { depositAmount, lineTotal, totals } from '../domain/totals.ts'
import { listKeys } from '../identity/keys.ts'
import { hasOrganisations } from '../identity/organisations.ts'
import { createVault } from '../identity/secrets.ts'
import { fillDemo, makeDemo } from './demo.ts'
import { greeting } from './greeting.ts'

// Other files make the demo, too, and its admin would be theirs.
const here = await startOwnTestService()
const vault = await createVault(readConfig(settingsFor(here)))
const demo = await makeDemo(here.database, vault)
const shop = await here.client(demo.orgId)

type Json = Record<string, string | null>
// biome-ignore lint/suspicious/noExplicitAny: tests read whatever the service answers
type Any = any
/** Not a visit of the agreement. */
const isOwnJob = ({ recurringScheduleId }: Any) => recurringScheduleId === null
interface CustomerWithDevices {
  readonly customer: Json
  readonly devices: Json[]
}

describe('the demo', () => {
  it('is a shop with an admin and a key that may do everything until it expires', async () => {
    const call = { headers: { 'x-api-key': demo.key } }
    const path = `/api/v1/organisations/${demo.orgId}`
    const { data } = (await here.request('GET', path, call)).body
    assert.equal(data.name, 'Harbour Repairs')
    for (const field of ['email', 'phone', 'website', 'address', 'taxNumber', 'documentTerms', 'paymentInstructions']) {
      assert.ok(data[field], field)
    }
    const key = (await listKeys(here.database, demo.orgId)).find(({ prefix }) => demo.key.startsWith(prefix))
    assert.deepEqual([key!.scopes, key!.status], [['full'], 'active'])
    assert.ok(Math.abs(key!.expiresAt!.getTime() - Date.now() - 90 * dayMs) < 60_000)
    assert.match(demo.admin.email, /\.example$/)
    assert.match(demo.admin.password, /^[a-z2-7]{24}$/)
    assert.match(demo.admin.totpSecret, /^[A-Z2-7]{32}$/)
  })

  it('has customers of all sorts, with what they own', async () => {
    const customers = await customersWithDevices(shop)
    const all = JSON.stringify(customers)
    assert.equal(customers.length, 24)
    for (const special of ['Chloé', "O'Rourke", 'Café Lucía', 'Hotel, Restaurant and Conference Rooms', 'Boiler']) {
      assert.ok(all.includes(special), special)
    }
    assert.ok(customers.some(({ devices }) => devices.length === 0))
    assert.ok(customers.some(({ devices }) => devices.length === 4))
  })

  it('belongs to nobody: phone numbers and domains are those set aside for fiction', async () => {
    for (const { customer } of await customersWithDevices(await createFilledShop(100))) {
      assert.match(customer.phone ?? '07700 900000', /^(07700 900|020 7946 0)\d{3}$/)
      assert.match(customer.email ?? 'a@b.example', /^[a-z0-9.-]+@[a-z0-9.-]+\.example$/)
    }
  })

  it('can be written back through the API unchanged', async () => {
    const { data } = (await shop.get('')).body
    assert.equal((await shop.put('', data)).status, 200)
    const bigger = await createFilledShop(60)
    for (const { customer, devices } of await customersWithDevices(bigger)) {
      await writeBack(bigger, `/customers/${customer.id}`, customer)
      for (const device of devices) await writeBack(bigger, `/customers/${customer.id}/devices/${device.id}`, device)
    }
  })

  it('is the same every time', async () => {
    const lasting = (customers: CustomerWithDevices[]) =>
      customers.map(({ customer, devices }) => [customer, ...devices].map((record) => ({ ...record, ...passing })))
    const passing = { id: '', customerId: '', categoryId: '', createdAt: '', updatedAt: '' }
    const [one, two] = [
      await customersWithDevices(await createFilledShop(30)),
      await customersWithDevices(await createFilledShop(30)),
    ]
    assert.deepEqual(lasting(one), lasting(two))
  })

  it('grows by other people when it is asked for again', async () => {
    const client = await createFilledShop(30)
    const added = await here.database.transaction('test', (transaction) => fillDemo(transaction, client.orgId, 10))
    assert.equal(added.customers, 10)
    const emails = (await customersWithDevices(client)).map(({ customer }) => customer.email).filter(Boolean)
    assert.equal(new Set(emails).size, emails.length)
    const jobs = await listAll(client, 'tickets')
    assert.equal(added.jobs, 10)
    const byNumber = jobs.toSorted((a, b) => a.ticketNumber - b.ticketNumber).map(({ createdAt }) => createdAt)
    assert.deepEqual(byNumber, byNumber.toSorted())
    for (const kind of ['ticket-statuses', 'stations', 'tax-rates', 'services', 'inventory', 'members']) {
      const names = (await listAll(client, kind)).map(({ name, firstName }) => name ?? firstName)
      assert.equal(new Set(names).size, names.length, kind)
    }
    assert.equal((await listAll(client, 'calendar-events')).filter(({ ticketId }) => ticketId === null).length, 2)
  })

  it('uses what an organisation has under the same names, and its default tax', async () => {
    const client = await here.organisation()
    await client.post('/ticket-statuses', { name: 'READY for pickup', stage: 'closed' })
    await client.post('/inventory-categories', { name: 'counter' })
    const tax = (await client.post('/tax-rates', { name: 'Sales tax', rate: 7.875, defaultEnabled: true })).body.data
    await client.post('/inventory', { name: 'Own battery', sku: 'FP5-BATTERY', price: 31, quantityOnHand: 4 })
    await here.database.transaction('test', (transaction) => fillDemo(transaction, client.orgId))
    const ready = (await listAll(client, 'tickets')).filter(({ status }) => status === 'READY for pickup')
    assert.ok(ready.length > 0 && ready.every(({ closedAt }) => closedAt !== null))
    const lines = (await listAll(client, 'tickets', 'include=lines')).flatMap((job) => job.lines.inventory)
    const battery = lines.find(({ sku }) => sku === 'FP5-BATTERY')
    assert.deepEqual([battery.name, battery.unitPrice, battery.taxRateId], ['Own battery', 31, tax.id])
    const [item] = (await client.get('/inventory?sku=FP5-BATTERY')).body.data.inventory
    assert.equal(item.quantityOnHand, 4)
  })

  it('is made for a database without organisations only', async () => {
    const database = new Database(await createSecondDatabase(here))
    await migrate(database)
    assert.equal(await hasOrganisations(database), false)
    await makeDemo(database, vault)
    assert.equal(await hasOrganisations(database), true)
    await database.close()
  })
})

describe('the jobs of the demo', () => {
  it('are in every status, closed ones with the moment they were closed', async () => {
    const jobs = (await listAll(shop, 'tickets')).filter(isOwnJob)
    assert.equal(jobs.length, 34)
    for (const status of await listAll(shop, 'ticket-statuses')) {
      const having = jobs.filter(({ statusId }) => statusId === status.id)
      assert.ok(having.length > 0, status.name)
      for (const { closedAt } of having) assert.equal(closedAt !== null, status.stage === 'closed')
    }
  })

  it('are numbered in the order they were made, and the next one gets the next number', async () => {
    const client = await createFilledShop(40)
    const jobs = (await listAll(client, 'tickets')).toReversed()
    assert.deepEqual(
      jobs.map(({ ticketNumber }) => ticketNumber),
      jobs.map((_, index) => index + 1),
    )
    const { body } = await client.post('/tickets', { customerName: 'Next' })
    assert.equal(body.data.ticketNumber, jobs.length + 1)
  })

  it('can be written back unchanged, as can what they are made of', async () => {
    const client = await createFilledShop(60)
    for (const kind of ['tickets', 'services', 'inventory', 'calendar-events', 'stations', 'tax-rates']) {
      const records = await listAll(client, kind)
      assert.ok(records.length > 1, kind)
      for (const record of records) await writeBack(client, `/${kind}/${record.id}`, record)
    }
    for (const kind of ['ticket-statuses', 'asset-categories', 'inventory-categories']) {
      for (const record of await listAll(client, kind)) await writeBack(client, `/${kind}/${record.id}`, record)
    }
    for (const { id, lines } of await listAll(client, 'tickets', 'include=lines')) {
      for (const line of lines.services) await writeBack(client, `/tickets/${id}/services/${line.id}`, line)
      for (const line of lines.inventory) await writeBack(client, `/tickets/${id}/inventory/${line.id}`, line)
      const { data } = (await client.get(`/tickets/${id}/discount`)).body
      if (data) assert.deepEqual((await client.put(`/tickets/${id}/discount`, data)).body.data, data)
    }
  })

  it('show the customer and the device as they are called, and never begin before those came', async () => {
    for (const job of await listAll(await createFilledShop(60), 'tickets', 'include=customer,device')) {
      const { customer, device } = job
      const fullName = [customer.firstName, customer.lastName].filter(Boolean).join(' ')
      assert.deepEqual(
        [job.customerName, job.customerEmail, job.address],
        [customer.businessName ?? fullName, customer.email, customer.address],
      )
      assert.deepEqual([job.customerDeviceName, job.customerDeviceType], [device?.name ?? null, device?.type ?? null])
      const moments = [customer.createdAt, device?.createdAt ?? customer.createdAt, job.createdAt, job.updatedAt]
      assert.deepEqual(moments, moments.toSorted())
      assert.ok(Date.parse(job.updatedAt) <= Date.now())
    }
  })

  it('add up', async () => {
    let discounts = 0
    for (const { id, lines } of await listAll(shop, 'tickets', 'include=lines')) {
      const { data } = (await shop.get(`/tickets/${id}/totals`)).body
      const pence = [...lines.services, ...lines.inventory].map((line) => {
        assert.equal(Math.round(line.lineTotal * 100), Math.round(line.quantity * line.unitPrice * 100))
        assert.ok(line.taxRate, line.name)
        return Math.round(line.lineTotal * 100)
      })
      assert.equal(
        Math.round(data.subtotal * 100),
        pence.reduce((sum, one) => sum + one, 0),
      )
      assert.equal(Math.round(data.total * 100), Math.round(data.netTotal * 100) + Math.round(data.taxTotal * 100))
      if (data.discountTotal > 0) discounts++
    }
    assert.equal(discounts, 2)
  })

  it('have a timeline that tells how they came where they are', async () => {
    const members = new Map((await listAll(shop, 'members')).map((member) => [member.id, member]))
    let remarks = 0
    for (const job of (await listAll(shop, 'tickets')).filter(isOwnJob)) {
      const messages = (await shop.get(`/tickets/${job.id}/messages`)).body.data.messages
      const entriesOf = (event: string) => messages.filter((message: Any) => message.systemEvent === event)
      assert.deepEqual([messages[0].systemEvent, messages[0].createdAt], ['jobCreated', job.createdAt])
      let status = 'Open'
      for (const { systemData, text } of entriesOf('statusChanged')) {
        assert.equal(systemData.from, status)
        assert.equal(text, `The status changed from ${status} to ${systemData.to}`)
        status = systemData.to
      }
      assert.equal(status, job.status)
      if (job.closedAt) assert.equal(entriesOf('statusChanged').at(-1).createdAt, job.closedAt)
      const technician = members.get(job.assignedTechnician)
      assert.equal(
        entriesOf('assigneeChanged').at(-1)?.systemData.to,
        technician && [technician.firstName, technician.lastName].filter(Boolean).join(' '),
      )
      assert.equal(entriesOf('scheduled').length, job.scheduledFrom ? 1 : 0)
      for (const message of messages) {
        const isOfCustomers = ['quoteViewed', 'quoteAccepted', 'quoteDeclined'].includes(message.systemEvent)
        if (isOfCustomers) assert.equal(message.authorId, 'customer')
        else assert.ok(members.has(message.authorId) || message.authorId === 'processor')
        assert.ok(message.createdAt >= job.createdAt && Date.parse(message.createdAt) <= Date.now())
        if (!message.isSystem) remarks++
      }
    }
    assert.ok(remarks > 10)
  })
})

describe('the agreement of the demo', () => {
  it('has visits to come, one of which was moved, and is what the service would have made', async () => {
    const [schedule, ...others] = await listAll(shop, 'recurring-schedules')
    assert.deepEqual([schedule.status, schedule.generatedCount >= 3, others.length], ['active', true, 0])
    await writeBack(shop, `/recurring-schedules/${schedule.id}`, schedule)
    const path = `/recurring-schedules/${schedule.id}`
    const { occurrences } = (await shop.get(`${path}/occurrences`)).body.data
    assert.deepEqual(
      occurrences.filter(({ isMoved }: Any) => isMoved).map(({ status }: Any) => status),
      ['generated'],
    )
    for (const { ticketId, from, to } of occurrences.filter(({ status }: Any) => status === 'generated')) {
      const job = (await shop.get(`/tickets/${ticketId}?include=lines`)).body.data
      assert.deepEqual([job.scheduledFrom, job.scheduledTo, job.lines.services.length], [from, to, 2])
      await writeBack(shop, `/tickets/${ticketId}`, (await shop.get(`/tickets/${ticketId}`)).body.data)
    }
    const { body } = await shop.post(`${path}/resync`)
    assert.deepEqual([body.data.created, body.data.removed, body.data.kept], [0, 0, 1])
    for (const preset of await listAll(shop, 'recurring-presets')) {
      await writeBack(shop, `/recurring-presets/${preset.id}`, preset)
    }
  })
})

describe('the papers of the demo', () => {
  it('are quotes in every state', async () => {
    const quotes = await listAll(shop, 'quotes')
    const some = (name: string, is: (quote: Any) => boolean) => {
      const found = quotes.find(is)
      assert.ok(found, name)
      return found
    }
    some('draft', ({ status, sentAt, isExpired }) => status === 'draft' && !sentAt && !isExpired)
    some('sent', ({ status, sentAt, viewedAt, isExpired }) => status === 'sent' && sentAt && !viewedAt && !isExpired)
    some('viewed', ({ status, viewedAt, isExpired }) => status === 'sent' && viewedAt && !isExpired)
    some('accepted', ({ status, acceptedByName }) => status === 'accepted' && acceptedByName === 'Daniel Osei')
    some('declined', ({ status, declineReason, declinedAt }) => status === 'declined' && declinedAt && declineReason)
    some('expired', ({ status, isExpired }) => status === 'sent' && isExpired)
    const { id, invoiceId } = some('invoiced', ({ status, accepted }) => status === 'invoiced' && accepted)
    assert.equal((await shop.get(`/invoices/${invoiceId}`)).body.data.quoteId, id)
  })

  it('are invoices in every state, paid in several ways', async () => {
    const invoices = await listAll(shop, 'invoices')
    const payments = await listAll(shop, 'payments')
    const some = (name: string, is: (invoice: Any) => boolean) => {
      const found = invoices.find(is)
      assert.ok(found, name)
      return payments.filter(({ invoiceId }) => invoiceId === found.id)
    }
    some('draft', ({ status }) => status === 'draft')
    some('not yet due', ({ status, isOverdue, amountPaid }) => status === 'sent' && !isOverdue && amountPaid === 0)
    some('deposit paid', ({ depositPaid, paid, hasBalance }) => depositPaid && !paid && hasBalance)
    some('paid', ({ paid, balance, depositAmount }) => paid && balance === 0 && depositAmount === 0)
    some('paid after a deposit', ({ paid, balance, depositPaid }) => paid && balance === 0 && depositPaid)
    const refunds = some('in credit', ({ paid, balance }) => paid && balance < 0).filter(({ amount }) => amount < 0)
    assert.equal(refunds.length, 1)
    assert.deepEqual(
      some('void', ({ status, voidedAt }) => status === 'void' && voidedAt),
      [],
    )
    const overdue = invoices.find(({ isOverdue }) => isOverdue)
    const { reminders } = (await shop.get(`/invoices/${overdue.id}/reminders`)).body.data
    assert.deepEqual(
      reminders.map(({ status, remindAt }: Any) => [status, Date.parse(remindAt) > Date.now()]),
      [['scheduled', true]],
    )
    const methods = new Set(payments.map(({ paymentMethod }) => paymentMethod))
    assert.deepEqual([...methods].sort(), ['bankTransfer', 'card', 'cash', 'cheque'])
    const managed = payments.filter(({ isManaged }) => isManaged)
    assert.ok(managed.length > 0 && managed.every(({ source, externalId }) => source === 'processor' && externalId))
    assert.ok(payments.every(({ source, externalId }) => source === 'processor' || externalId === null))
  })

  it('add up to what they say, and owe what was not paid', async () => {
    const client = await createFilledShop(120)
    const payments = await listAll(client, 'payments')
    const [quotes, invoices] = [await listAll(client, 'quotes'), await listAll(client, 'invoices')]
    assert.ok(quotes.length > 20 && invoices.length > 60 && payments.length > 60)
    for (const paper of [...quotes, ...invoices]) {
      const { lineItems, discount, deposit, currency } = paper
      assert.ok(lineItems.length > 0)
      for (const line of lineItems) assert.equal(line.lineTotal, lineTotal(line, currency))
      const lines = lineItems.map(({ taxRate, taxRateId, ...line }: Any) => ({
        ...line,
        tax: taxRate && { ...taxRate, taxRateId },
      }))
      const sums = totals(lines, discount, currency)
      for (const field of ['subtotal', 'discountTotal', 'netTotal', 'taxTotal', 'total'] as const) {
        assert.equal(paper[field], sums[field], field)
      }
      assert.deepEqual(paper.taxes, sums.taxes)
      assert.equal(paper.depositAmount, depositAmount(deposit, paper.total, currency))
    }
    for (const invoice of invoices) {
      const own = payments.filter(({ invoiceId }) => invoiceId === invoice.id)
      const paid = own.reduce((sum, { amount }) => sum + Math.round(amount * 100), 0)
      const total = Math.round(invoice.total * 100)
      assert.deepEqual(
        [Math.round(invoice.amountPaid * 100), Math.round(invoice.balance * 100)],
        [paid, total - paid],
        invoice.invoiceNumber,
      )
      assert.equal(invoice.paid, invoice.status !== 'void' && paid >= total)
      assert.equal(invoice.hasBalance, invoice.status !== 'void' && paid < total)
      assert.equal(invoice.depositPaid, invoice.depositAmount > 0 && invoice.amountPaid >= invoice.depositAmount)
      const moments = own.map(({ paidAt }) => paidAt)
      if (invoice.paid) assert.ok(moments.includes(invoice.paidAt))
      assert.ok(moments.every((moment) => moment >= invoice.issuedAt && moment <= invoice.updatedAt))
      for (const { customerId, ticketId } of own) {
        assert.deepEqual([customerId, ticketId], [invoice.customerId, invoice.ticketId])
      }
    }
  })

  it('say what their jobs say, and what the quote said they were made of', async () => {
    const jobs = new Map((await listAll(shop, 'tickets')).map((job) => [job.id, job]))
    const quotes = new Map((await listAll(shop, 'quotes')).map((quote) => [quote.id, quote]))
    const invoices = await listAll(shop, 'invoices')
    for (const paper of [...quotes.values(), ...invoices]) {
      const job = jobs.get(paper.ticketId)
      const { customerId, customerName, customerEmail } = job
      assert.deepEqual(
        [paper.customerId, paper.customerName, paper.customerEmail],
        [customerId, customerName, customerEmail],
      )
      assert.ok(paper.title && paper.terms && paper.createdAt > job.createdAt)
    }
    let converted = 0
    for (const invoice of invoices) {
      const { total } = (await shop.get(`/tickets/${invoice.ticketId}/totals`)).body.data
      assert.equal(invoice.total, total)
      if (!invoice.quoteId) continue
      converted++
      const quote = quotes.get(invoice.quoteId)
      for (const field of ['title', 'lineItems', 'discount', 'deposit', 'notes', 'terms', 'total', 'depositAmount']) {
        assert.deepEqual(invoice[field], quote[field], field)
      }
      assert.deepEqual([quote.status, quote.invoiceId], ['invoiced', invoice.id])
    }
    assert.ok(converted >= 3)
  })

  it('are numbered in the order they were made, without a gap, also when more are added', async () => {
    const client = await createFilledShop(60)
    const before = (await listAll(client, 'quotes')).length
    const added = await here.database.transaction('test', (transaction) => fillDemo(transaction, client.orgId, 80))
    const quotes = (await listAll(client, 'quotes')).toReversed()
    assert.equal(quotes.length, before + added.quotes!)
    assert.deepEqual(
      quotes.map(({ quoteNumber }) => quoteNumber),
      quotes.map((_, place) => `Q-${String(place + 1).padStart(4, '0')}`),
    )
    const invoices = (await listAll(client, 'invoices')).toReversed()
    assert.deepEqual(
      invoices.map(({ invoiceNumber }) => invoiceNumber),
      invoices.map((_, place) => `INV-${String(place + 1).padStart(4, '0')}`),
    )
    const { quoteNumber } = (await client.post('/quotes', { customerName: 'Next' })).body.data
    assert.equal(quoteNumber, `Q-${String(quotes.length + 1).padStart(4, '0')}`)
    const { invoiceNumber } = (await client.post('/invoices', { customerName: 'Next' })).body.data
    assert.equal(invoiceNumber, `INV-${String(invoices.length + 1).padStart(4, '0')}`)
  })

  it('pass over a number that is there already', async () => {
    const client = await here.organisation()
    const next = (number: number) =>
      here.database.query(sql`update counters set next_quote_number = ${number} where org_id = ${client.orgId}`)
    await next(3)
    await client.post('/quotes', { customerName: 'First' })
    await next(1)
    await here.database.transaction('test', (transaction) => fillDemo(transaction, client.orgId))
    const numbers = (await listAll(client, 'quotes')).map(({ quoteNumber }) => quoteNumber).sort()
    assert.deepEqual(
      numbers,
      numbers.map((_, place) => `Q-${String(place + 1).padStart(4, '0')}`),
    )
    assert.equal((await client.post('/quotes', { customerName: 'Next' })).status, 201)
  })

  it('can be written back unchanged', async () => {
    const client = await createFilledShop(60)
    for (const kind of ['quotes', 'invoices', 'payments']) {
      for (const record of await listAll(client, kind)) {
        if (!record.isManaged) await writeBack(client, `/${kind}/${record.id}`, record)
      }
    }
  })

  it('are on the timelines of their jobs, each thing in its turn', async () => {
    const client = await createFilledShop(60)
    const [quotes, invoices] = [await listAll(client, 'quotes'), await listAll(client, 'invoices')]
    const payments = await listAll(client, 'payments')
    const timelines = new Map<string, Any[]>()
    for (const { ticketId } of [...quotes, ...invoices]) {
      timelines.set(ticketId, (await client.get(`/tickets/${ticketId}/messages`)).body.data.messages)
    }
    const eventsFor = ({ ticketId, id }: Any, field: string) =>
      timelines
        .get(ticketId)!
        .filter(({ systemData }) => systemData?.[field] === id)
        .map(({ systemEvent, createdAt }) => [systemEvent, createdAt])
    for (const quote of quotes) {
      const { status, createdAt, sentAt, viewedAt, acceptedAt, declinedAt } = quote
      const converted = invoices.find(({ id }) => id === quote.invoiceId)
      const expected = [
        ['quoteCreated', createdAt],
        ['quoteSent', sentAt],
        ['quoteViewed', viewedAt],
        ['quoteAccepted', acceptedAt],
        ['quoteDeclined', declinedAt],
        ['quoteConverted', converted?.createdAt],
      ].filter(([, at]) => at)
      assert.deepEqual(eventsFor(quote, 'quoteId'), expected)
      assert.equal(status === 'invoiced', converted !== undefined)
      const moments = expected.map(([, at]) => at)
      assert.deepEqual(moments, moments.toSorted())
    }
    for (const invoice of invoices) {
      const events = eventsFor(invoice, 'invoiceId')
      const own = payments.filter(({ invoiceId }) => invoiceId === invoice.id).toReversed()
      const expected = [
        [invoice.quoteId ? 'quoteConverted' : 'invoiceCreated', invoice.createdAt],
        ['invoiceSent', invoice.sentAt],
        ...own.flatMap(({ amount, paidAt }) => [[amount > 0 ? 'paymentRecorded' : 'paymentRefunded', paidAt]]),
        ['invoiceVoided', invoice.voidedAt],
      ].filter(([, at]) => at)
      assert.deepEqual(
        events.filter(([event]) => event !== 'invoicePaid'),
        expected,
      )
      const paid = events.filter(([event]) => event === 'invoicePaid')
      assert.deepEqual(paid, invoice.paid ? [['invoicePaid', invoice.paidAt]] : [])
    }
  })

  it('go to nobody: no letter is on its way, and no address is given out', async () => {
    const [links] = await here.database.query<{ count: number }>(sql`
      select (select count(*) from share_links where org_id = ${demo.orgId})
        + (select count(*) from outbox where org_id = ${demo.orgId}) as count`)
    assert.equal(Number(links!.count), 0)
  })
})

describe('the week of the demo', () => {
  // A Monday just after midnight, within a visit, a Saturday evening, Sundays on which the clocks change, a New Year.
  const moments = ['2026-11-16T00:05Z', '2026-11-17T11:30Z', '2026-11-21T20:00Z', '2026-03-29T12:00Z']
  for (const moment of [...moments, '2026-10-25T00:30Z', '2026-10-26T09:00Z', '2027-01-01T13:00Z']) {
    it(`looks the same at ${moment}, and nothing in it has happened later than that`, async () => {
      const client = await here.organisation()
      const now = new Date(moment)
      await here.database.transaction('test', (transaction) => fillDemo(transaction, client.orgId, 60, now))
      const jobs = await listAll(client, 'tickets')
      assert.equal(new Set(jobs.map(({ status }) => status)).size, 5)
      const [quotes, invoices] = [await listAll(client, 'quotes'), await listAll(client, 'invoices')]
      assert.equal(new Set(quotes.map(({ status }) => status)).size, 5)
      assert.equal(new Set(invoices.map(({ status }) => status)).size, 3)
      for (const { createdAt, updatedAt } of [...quotes, ...invoices, ...(await listAll(client, 'payments'))]) {
        assert.ok(createdAt <= updatedAt && Date.parse(updatedAt) <= +now)
      }
      for (const job of jobs) {
        const { messages } = (await client.get(`/tickets/${job.id}/messages`)).body.data
        const moments = messages.map(({ createdAt }: Any) => createdAt)
        assert.ok([job.updatedAt, ...moments].every((one) => one >= job.createdAt && Date.parse(one) <= +now))
        if (job.scheduledTo) assert.equal(job.status === 'Closed', Date.parse(job.scheduledTo) <= +now)
      }
      const events = await listAll(client, 'calendar-events')
      const days = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/London', weekday: 'short' })
      assert.deepEqual(
        events.map(({ from }) => days.format(new Date(from))),
        ['Mon', 'Mon', 'Mon', 'Tue', 'Tue', 'Wed', 'Thu', 'Thu', 'Fri', 'Sat'],
      )
      const [monday, saturday] = [events[0].from, events.at(-1).to].map(Date.parse)
      assert.ok(monday! - 9 * hourMs <= +now && +now < saturday! + 38 * hourMs)
    })
  }
})

describe('the forms of the demo', () => {
  it('hold a boiler back from being closed, whatever day it is', async () => {
    for (const moment of ['2026-11-16T00:05Z', '2026-11-18T12:00Z', '2026-11-22T20:00Z']) {
      const client = await here.organisation()
      await here.database.transaction('test', (transaction) =>
        fillDemo(transaction, client.orgId, 24, new Date(moment)),
      )
      const gated = (await listAll(client, 'tickets')).filter(({ openCompletionFormCount }) => openCompletionFormCount)
      assert.ok(gated.length > 0)
      for (const { id, customerDeviceType, status } of gated) {
        assert.equal(customerDeviceType, 'Boiler')
        assert.notEqual(status, 'Closed')
        const { body } = await client.put(`/tickets/${id}/status`, { status: 'Closed' })
        assert.deepEqual([body.code, body.data.outstanding], ['FORM_GATE_TRANSITION', 1])
      }
      assert.deepEqual(await formWriter(here.database, client.orgId).miscounted(), [])
    }
  })

  it('are what the service would have stored: complete and signed when submitted, with their trail', async () => {
    const client = await here.organisation()
    const monday = new Date('2026-11-16T00:05Z') // this week's visits are still to come
    await here.database.transaction('test', (transaction) => fillDemo(transaction, client.orgId, 100, monday))
    const pen = formWriter(here.database, client.orgId)
    const boilers = (await listAll(client, 'tickets')).filter((job) => job.customerDeviceType === 'Boiler')
    const forms = await listAll(client, 'form-submissions')
    assert.deepEqual(forms.map(({ ticketId }) => ticketId).sort(), boilers.map(({ id }) => id).sort())
    const states = new Map(forms.map((form) => [form.status, form]))
    assert.deepEqual([...states.keys()].toSorted(), ['inProgress', 'open', 'submitted'])
    for (const { id, ticketId, status, createdAt, assignedToId, templateName, fields } of states.values()) {
      const job = boilers.find((one) => one.id === ticketId)
      assert.equal(status === 'submitted', job.status === 'Closed')
      assert.deepEqual(
        [createdAt, assignedToId, templateName],
        [job.createdAt, job.assignedTechnician, 'Gas safety record'],
      )
      assert.equal(fields.length, 17)
      const { events } = (await client.get(`/form-submissions/${id}/events`)).body.data
      const types = events.map(({ type }: Any) => type)
      assert.deepEqual(types, trail.slice(0, { open: 1, inProgress: 3, submitted: 6 }[status as string]))
      const moments = events.map(({ at }: Any) => at)
      assert.deepEqual(moments, moments.toSorted())
      const { signatures } = (await client.get(`/form-submissions/${id}/signatures`)).body.data
      assert.deepEqual(
        signatures.map(({ role }: Any) => role),
        status === 'submitted' ? ['technician', 'customer'] : [],
      )
    }
    const done = states.get('submitted')
    // A photo is its form's own; the other answers could be anybody's.
    const answers = done.answers.filter(({ type }: Any) => type !== 'photo')
    assert.equal(answers.length, done.answers.length - 1)
    const values = Object.fromEntries(answers.map(({ fieldId, value }: Any) => [fieldId, value]))
    const again = await pen.add(done.ticketId, done.templateId, 'none')
    await pen.answer(again.id, values)
    for (const role of ['technician', 'customer'] as const) {
      await pen.sign(again.id, { role, signerName: 'Ann', signature: 'Ann' })
    }
    assert.deepEqual((await pen.submit(again.id)).answers, answers)
  })

  const trail = ['created', 'opened', 'answered', 'signed', 'signed', 'submitted']
})

describe('the workshop of the demo', () => {
  it('has people of every role, one of whom has left', async () => {
    const members = await listAll(shop, 'members')
    assert.deepEqual(
      members.map(({ firstName, role, isActive }) => [firstName, role, isActive]),
      [
        ['Alec', 'technician', false],
        ['Keisha', 'technician', true],
        ['Niamh', 'manager', true],
        ['Robin', 'admin', true],
        ['Tomasz', 'technician', true],
      ],
    )
    const [row] = await here.database.query<{ count: number }>(sql`
      select count(*) from people where email like '%@harbour-repairs.example' and password_hash is not null
        and email <> 'robin@harbour-repairs.example'`)
    assert.equal(row!.count, 0, 'nobody can sign in with a password that nobody was given')
  })

  it('is low on one part, and its jobs leave as much on the shelf as it means to have', async () => {
    const items = await listAll(await createFilledShop(200), 'inventory')
    assert.deepEqual(
      items.filter(({ isLowStock }) => isLowStock).map(({ sku, quantityOnHand }) => [sku, quantityOnHand]),
      [['IP15-DISPLAY', 1]],
    )
    assert.ok(items.every(({ categoryId, quantityOnHand }) => categoryId && quantityOnHand >= 0))
  })

  it('has a week of appointments in working hours, shared with their jobs', async () => {
    const [week] = await here.database.query<{ from: Date; to: Date }>(sql`
      select monday at time zone 'Europe/London' as from, (monday + interval '6 days') at time zone 'Europe/London' as to
      from (select date_trunc('week', now() at time zone 'Europe/London') as monday)`)
    const window = `from=${week!.from.toISOString()}&to=${week!.to.toISOString()}`
    const events = (await listAll(shop, 'calendar-events', window)).filter(isOwnJob)
    assert.equal(events.length, 10)
    assert.deepEqual((await listAll(shop, 'calendar-events')).filter(isOwnJob), events)
    const jobs = new Map((await listAll(shop, 'tickets')).filter(isOwnJob).map((job) => [job.id, job]))
    const hours = new Intl.DateTimeFormat('en-GB', { timeZone: 'Europe/London', timeStyle: 'short' })
    for (const { id, ticketId, title, from, to, allDay, assignedToId } of events) {
      const times = [from, to].map((moment) => hours.format(new Date(moment)))
      if (allDay) assert.deepEqual(times, ['00:00', '00:00'])
      else assert.ok(times[0]! >= '08:00' && times[1]! <= '18:00', times.join())
      if (!ticketId) continue
      const job = jobs.get(ticketId)!
      assert.deepEqual(
        [job.calendarEventId, job.scheduledFrom, job.scheduledTo, job.scheduledAllDay, job.assignedTechnician],
        [id, from, to, allDay, assignedToId],
      )
      assert.equal(title, `#${job.ticketNumber} ${job.serviceRequired}`)
    }
    assert.deepEqual(
      events.filter(({ ticketId }) => !ticketId).map(({ title, allDay }) => [title, allDay]),
      [
        ['Staff meeting', false],
        ['Delivery from Thames Spares', true],
      ],
    )
    const scheduled = [...jobs.values()].filter(({ calendarEventId }) => calendarEventId)
    assert.equal(scheduled.length, 8)
  })
})

describe('the webhook of the demo', () => {
  it('leads to nobody, and its log shows what failure looks like', async () => {
    const { webhooks } = (await shop.get('/webhooks')).body.data
    assert.equal(webhooks.length, 1)
    const [{ id, url, failingSince, isPaused, createdBy }] = webhooks
    assert.match(url, /\.example\//, 'a name that nobody can have')
    assert.deepEqual([failingSince === null, isPaused, createdBy.kind], [false, false, 'member'])
    const listed = (await shop.get(`/webhooks/${id}/deliveries`)).body.data.deliveries
    // What the shop did since, told meanwhile, is not of the demo.
    const deliveries = listed.filter(({ attempts }: Any) => attempts.length > 0)
    assert.deepEqual(
      deliveries.map(({ status, attempts, nextAttemptAt }: Any) => [status, attempts.length, nextAttemptAt !== null]),
      [
        ['waiting', 2, true],
        ['waiting', 4, true],
        ['failed', 10, false],
      ],
    )
    for (const { attempts, nextAttemptAt } of deliveries as Any[]) {
      assert.ok(attempts.every(({ error, at }: Any) => /does not resolve/.test(error) && Date.parse(at) < Date.now()))
      assert.ok(nextAttemptAt === null || Date.parse(nextAttemptAt) > Date.now())
    }
    const [queue] = await here.database.query<{ isDue: boolean }>(
      sql`select due_at > now() as "isDue" from webhook_queues where webhook_id = ${id}`,
    )
    assert.equal(queue!.isDue, true, 'and it is tried again when the time comes')
  })
})

describe('the events of the demo', () => {
  it('are those of a week, each at the time when its record was made, by somebody', async () => {
    await numberAll(await testSequencer(here), shop.orgId)
    const events = (await readFeed(shop)).filter(({ actor }) => actor.kind === 'member')
    assert.ok(events.length > 40, String(events.length))
    const times = events.map(({ at }) => Date.parse(at))
    assert.deepEqual(
      times,
      times.toSorted((one, other) => one - other),
    )
    assert.ok(times[0]! > Date.now() - 7.01 * dayMs && times.at(-1)! - times[0]! > 2 * dayMs)
    for (const { at, data, type } of events) {
      if (data?.createdAt) assert.equal(Date.parse(at), Date.parse(data.createdAt), type)
    }
  })
})

describe('the greeting', () => {
  it('has a curl line that works as it stands', async () => {
    const text = greeting({ ...here.config, restOrigin: here.origin }, demo)
    const [, key, address] = /^curl -H "X-API-Key: (\S+)" (\S+)$/m.exec(text)!
    const response = await fetch(address!, { headers: { 'x-api-key': key! } })
    assert.equal(response.status, 200)
    assert.equal(((await response.json()) as { data: { customers: unknown[] } }).data.customers.length, 24)
  })

  it('names the addresses and fits a terminal, but for lines that are there to be copied', () => {
    const text = greeting(here.config, demo)
    assert.ok(text.includes(`${here.config.restOrigin}/api/v1\n`))
    assert.ok(text.includes(`${here.config.restOrigin}/docs\n`))
    assert.match(text, /^npm run -s jobwright -- key create --org org_\w+ --scopes read$/m)
    for (const line of text.split('\n')) if (!/^(curl|\{)/.test(line)) assert.ok(line.length <= 90, line)
  })

  it('shows the way to the desk first, into the portal and to the agents’ address', () => {
    const text = greeting(here.config, demo)
    assert.ok(text.indexOf(`${here.config.authUrl}/desk`) < text.indexOf('/api/v1'))
    for (const shown of [
      `${here.config.authUrl}/desk\n`,
      `${here.config.authUrl}/portal\n`,
      `${here.config.authUrl}/mcp\n`,
      demo.admin.email,
      demo.admin.password,
      demo.admin.totpSecret,
    ])
      assert.ok(text.includes(shown), shown)
    const { servers } = JSON.parse(/^\{.*\}$/m.exec(text)![0])
    assert.deepEqual(servers.jobwright.headers, { Authorization: `Bearer ${demo.key}` })
  })

  it('holds no key on later starts', () => {
    const text = greeting(here.config)
    assert.ok(text.includes('/docs'))
    assert.ok(!text.includes('sk_live_'))
    assert.ok(text.includes('/portal') && !text.includes(demo.admin.email))
  })
})

async function createFilledShop(size: number): Promise<Client> {
  const client = await here.organisation()
  await here.database.transaction('test', (transaction) => fillDemo(transaction, client.orgId, size))
  return client
}

/** All records of a kind. */
async function listAll(client: Client, kind: string, query = ''): Promise<Any[]> {
  const records: Any[] = []
  for (let cursor: string | null = ''; cursor !== null; ) {
    const { status, body } = await client.get(`/${kind}?${query}${isPaged(kind) ? `&limit=100${cursor}` : ''}`)
    assert.equal(status, 200, JSON.stringify(body))
    const { pagination, ...lists } = body.data
    records.push(...(Object.values(lists)[0] as Any[]))
    cursor = pagination.nextCursor && `&startAfter=${pagination.nextCursor}`
  }
  return records
}

const isPaged = (kind: string) =>
  /^(tickets|services|inventory|calendar-events|members|customers|form-submissions|quotes|invoices|payments|recurring-schedules|recurring-presets)$/.test(
    kind,
  )

async function customersWithDevices(client: Client): Promise<CustomerWithDevices[]> {
  const { customers } = (await client.get('/customers?limit=100')).body.data
  return Promise.all(
    customers.map(async (customer: Json) => ({
      customer,
      devices: (await client.get(`/customers/${customer.id}/devices`)).body.data.devices,
    })),
  )
}

async function writeBack(client: Client, path: string, record: Json): Promise<void> {
  const { status, body } = await client.put(path, record)
  assert.equal(status, 200, JSON.stringify([record, body]))
  assert.deepEqual({ ...body.data, updatedAt: '' }, { ...record, updatedAt: '' })
}
