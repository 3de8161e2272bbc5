// A shop's day in a real browser, from a customer's call to the payment, at the counter and on a technician's phone.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import { desktop, noBrowser, openBrowser, openPageAs, phone } from '../../test/browser.ts'
import { type DeskVisitor, deskVisitor } from '../../test/desk.ts'
import { formWriter } from '../../test/forms.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import type { ServiceEvent } from '../events/event.ts'

describe('a day of a shop in Chromium', { skip: noBrowser }, async () => {
  const here = await startTestService({ PORT: await freePort(), ROLE: 'rest,auth,worker' })
  const { database } = here
  const shop = await here.organisation({ name: 'Harbour Repairs' })
  const { orgId } = shop
  await shop.put('', { timeZone: 'Europe/London' })
  await formWriter(database, orgId).import(
    [
      {
        name: 'Gas safety record',
        status: 'published',
        fields: [{ id: 'safe', label: 'Safe to use', type: 'boolean', required: true }],
        signatureRoles: ['technician'],
      },
    ],
    [{ name: 'All jobs', template: 'Gas safety record', gate: 'completion' }],
  )
  const valve = (
    await shop.post('/inventory', { name: 'Gas valve', sku: 'GV-15', price: 48, trackStock: true, quantityOnHand: 5 })
  ).body.data
  const [manager, technician] = (await Promise.all([
    deskVisitor(here, orgId, 'manager'),
    deskVisitor(here, orgId, 'technician'),
  ])) as [DeskVisitor, DeskVisitor]
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  const open = (who: DeskVisitor, path: string, options: BrowserContextOptions) =>
    openPageAs(who.session, browser, `${here.config.authUrl}/desk/${orgId}${path}`, options)
  const today = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/London' }).format()

  test('a customer calls, the job is made, planned, done, signed, invoiced and paid', async () => {
    const [counter, pocket] = await Promise.all([
      open(manager, '/board', { viewport: desktop }),
      open(technician, '/my-day', { viewport: phone, hasTouch: true }),
    ])
    const jobId = await takeCall(counter.page)
    await plan(counter.page, jobId)
    await doTheWork(pocket.page)
    const invoiceId = await invoice(counter.page, jobId)

    const job = (await shop.get(`/tickets/${jobId}`)).body.data
    assert.deepEqual([job.status, job.assignedTechnician], ['Closed', technician.memberId])
    assert.equal((await shop.get(`/inventory/${valve.id}`)).body.data.quantityOnHand, 4)
    assert.equal((await shop.get(`/invoices/${invoiceId}`)).body.data.paid, true)
    await assertAudited()
    await assertTold()
    for (const { complaints, close } of [counter, pocket]) {
      assert.deepEqual(
        complaints.filter((one) => !one.includes('favicon')),
        [],
      )
      await close()
    }
  })

  async function takeCall(page: Page): Promise<string> {
    await page.getByRole('link', { name: 'New job' }).first().click()
    await page.getByRole('heading', { name: 'New job', level: 1 }).waitFor()
    await page.getByText('New customer', { exact: true }).click()
    await page.getByLabel('First name').fill('Ada')
    await page.getByLabel('Last name').fill('Pemberton')
    await page.getByLabel('Phone', { exact: true }).fill('020 7946 0144')
    await page.getByLabel('Email', { exact: true }).fill('ada@mail.example')
    await page.getByLabel('In a few words').fill('Oven does not light')
    await page.getByRole('button', { name: 'Make the job' }).last().click()
    await page.getByRole('heading', { name: 'Oven does not light', level: 1 }).waitFor()
    return /\/jobs\/(tkt_\w+)/.exec(page.url())![1]!
  }

  async function plan(page: Page, jobId: string): Promise<void> {
    await page.goto(`${here.config.authUrl}/desk/${orgId}/calendar?view=day&date=${today}`)
    const lane = page.locator(`#track-${technician.memberId}`)
    const from = await middleOf(page.locator(`#p-${jobId} .id`))
    const { x, y, width, height } = (await lane.boundingBox())!
    await page.mouse.move(from.x, from.y)
    await page.mouse.down()
    await page.mouse.move(x + width / 3, y + height / 2, { steps: 8 })
    await page.mouse.up()
    await lane.getByText('Oven does not light').waitFor()
  }

  /** What the counter does appears on the phone by itself. */
  async function doTheWork(page: Page): Promise<void> {
    await page.getByRole('heading', { name: 'Oven does not light' }).waitFor()
    await page.getByRole('button', { name: 'Start the work' }).click()
    await page.getByRole('button', { name: 'Work is done' }).waitFor()
    await page.getByRole('link', { name: '1 form to fill in' }).click()
    await page
      .getByRole('link', { name: /Gas safety record/ })
      .first()
      .click()
    await page.locator('fieldset.question').getByRole('radio').first().check()
    const sign = page.getByRole('button', { name: 'Sign as technician' })
    await drawIn(page, page.locator('section', { has: sign }).locator('canvas'))
    await sign.click()
    await page.getByText('The signature is kept').waitFor()
    await page.getByRole('button', { name: 'Submit the form' }).click()
    await page.getByText('The form is submitted').waitFor()

    await page.goto(`${here.config.authUrl}/desk/${orgId}/my-day`)
    await page.getByRole('link', { name: 'Oven does not light' }).click()
    await page.getByRole('combobox', { name: 'Add a service or a part' }).pressSequentially('valve')
    await page.getByRole('option', { name: /Gas valve/ }).click()
    await page.getByLabel('Quantity of Gas valve').waitFor()
    await page.goto(`${here.config.authUrl}/desk/${orgId}/my-day`)
    await page.getByRole('button', { name: 'Work is done' }).click()
    await page.getByText('No visit is left today').waitFor()
  }

  async function invoice(page: Page, jobId: string): Promise<string> {
    await page.goto(`${here.config.authUrl}/desk/${orgId}/jobs/${jobId}`)
    await page.locator('#documents').getByRole('button', { name: 'Make an invoice' }).click()
    await page.getByRole('heading', { name: 'Invoice for Ada Pemberton', level: 1 }).waitFor()
    const invoiceId = /\/invoices\/(inv_\w+)/.exec(page.url())![1]!
    await page.getByRole('link', { name: 'Send invoice' }).click()
    await page.getByRole('heading', { name: /^Send INV/, level: 1 }).waitFor()
    assert.equal(await page.getByLabel('To', { exact: true }).inputValue(), 'ada@mail.example')
    await page.getByRole('button', { name: 'Send it' }).click()
    await page.getByText('the mail was written to a file').waitFor()
    await page.getByText('Record a payment').click()
    await page.getByRole('button', { name: 'Record it' }).click()
    await page.getByText('The payment is recorded.').waitFor()
    return invoiceId
  }

  /** Each act under the name of who did it. */
  async function assertAudited(): Promise<void> {
    const entries = await database.query<{ actor: string; operation: string }>(sql`
      select member_id as actor, detail ->> 'operation' as operation from audit_log where org_id = ${orgId} order by at, id`)
    const operationsOf = (who: DeskVisitor) =>
      entries.filter(({ actor }) => actor === who.memberId).map(({ operation }) => operation)
    for (const operation of ['createCustomer', 'createTicket', 'createInvoice', 'sendInvoice', 'createPayment'])
      assert.ok(operationsOf(manager).includes(operation), `${operation}: ${operationsOf(manager)}`)
    for (const operation of ['setTicketStatus', 'addTicketInventory'])
      assert.ok(operationsOf(technician).includes(operation), `${operation}: ${operationsOf(technician)}`)
  }

  /** In the order in which it happened. */
  async function assertTold(): Promise<void> {
    const steps: [type: string, who: DeskVisitor][] = [
      ['customer.created', manager],
      ['ticket.created', manager],
      ['ticket.scheduled', manager],
      ['ticket.status_changed', technician],
      ['form_submission.submitted', technician],
      ['ticket_inventory.created', technician],
      ['ticket.closed', technician],
      ['invoice.created', manager],
      ['invoice.sent', manager],
      ['payment.created', manager],
      ['invoice.paid', manager],
    ]
    // They are told a moment after they happened.
    let events: ServiceEvent[] = []
    for (let looks = 0; looks < 100 && !events.some(({ type }) => type === 'invoice.paid'); looks++) {
      if (looks > 0) await delay(100)
      events = (await shop.get('/events?limit=100')).body.data.events
    }
    const positions = steps.map(([type, who]) => {
      const event = events.find((one) => one.type === type)
      assert.deepEqual([type, event?.actor.kind, event?.actor.id], [type, 'member', who.memberId])
      return event!.position!
    })
    assert.deepEqual(
      positions,
      positions.toSorted((a, b) => a - b),
    )
  }
})

async function middleOf(locator: Locator): Promise<{ x: number; y: number }> {
  const { x, y, width, height } = (await locator.boundingBox())!
  return { x: x + width / 2, y: y + height / 2 }
}

async function drawIn(page: Page, canvas: Locator): Promise<void> {
  await canvas.waitFor() // shown by the script that draws
  await canvas.scrollIntoViewIfNeeded()
  const { x, y, width, height } = (await canvas.boundingBox())!
  await page.mouse.move(x + width * 0.2, y + height * 0.6)
  await page.mouse.down()
  await page.mouse.move(x + width * 0.8, y + height * 0.3, { steps: 5 })
  await page.mouse.up()
}
