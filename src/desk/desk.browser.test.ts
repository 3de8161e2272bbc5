// The desk in a real browser: every page for everybody, cards that are moved and come back, pages that stay live.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page, Route } from 'playwright-core'
import { desktop, inspectColorSchemes, noBrowser, openBrowser, openPageAs, phone, screens } from '../../test/browser.ts'
import { type DeskVisitor, demoShop, deskVisitor } from '../../test/desk.ts'
import { freePort } from '../../test/programs.ts'
import { agreement as newAgreement } from '../../test/recurring.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'
import { roles } from '../identity/members.ts'

describe('the desk in Chromium', { skip: noBrowser }, async () => {
  const here = await startTestService({ PORT: await freePort(), ROLE: 'rest,auth,worker' })
  const { database } = here
  const shop = await demoShop(here)
  const { orgId } = shop
  const [customer] = (await shop.get('/customers')).body.data.customers
  const [item] = (await shop.get('/inventory?sku=FP5-DISPLAY')).body.data.inventory
  const [admin, manager, technician] = (await Promise.all(roles.map((role) => deskVisitor(here, orgId, role)))) as [
    DeskVisitor,
    DeskVisitor,
    DeskVisitor,
  ]
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  const at = (path: string) => `${here.config.authUrl}/desk/${orgId}${path}`
  const open = (who: DeskVisitor, path: string, options: BrowserContextOptions = {}) =>
    openPageAs(who.session, browser, at(path), { viewport: desktop, ...options })
  const newJob = async (title: string) =>
    (await shop.post('/tickets', { customerId: customer.id, serviceRequired: title })).body.data as {
      id: string
      ticketNumber: number
    }
  const column = (page: Page, name: string) => page.locator(`.column[data-drop="${name}"]`)

  const agreement = await newAgreement(shop, { name: 'Ovens', lineItems: [{ name: 'Oven service', unitPrice: 80 }] })
  const [template] = (await shop.get('/form-templates')).body.data.formTemplates
  /** Made of the same parts: what they say and their colours are looked at on a phone, on a desktop there is more room. */
  const alike = [
    '/board?choose=yes',
    '/invoices?state=overdue&choose=yes',
    '/recurring',
    `/recurring/${agreement.id}`,
    `/recurring/${agreement.id}/edit`,
    `/recurring/${agreement.id}/visits/0`,
    '/exports',
    '/settings/organisation',
    '/settings/accounting',
    '/settings/members',
    '/settings/members/new',
    `/settings/members/${technician.memberId}`,
    '/settings/statuses',
    '/settings/taxes/new',
    '/settings/forms',
    `/settings/forms/${template.id}`,
    '/settings/forms/rules/new',
    '/settings/mail',
    '/settings/calendars',
    '/import',
  ]
  test('agreements, settings and several at once can be read and used, in light and dark', async () => {
    for (const viewport of Object.values(screens)) {
      const { page, complaints, close } = await open(admin, alike[0]!, { viewport })
      for (const path of alike) {
        await page.goto(at(path))
        assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${path} is too wide`)
        await inspectColorSchemes(page, `${path} ${viewport.width}`)
      }
      assert.deepEqual(complaints, [])
      await close()
    }
  })

  test('a status is dragged to another place, and the next ten visits follow what is chosen', async () => {
    const { page, complaints, close } = await open(manager, '/settings/statuses')
    const names = () => page.locator('.entry a').allInnerTexts()
    const before = await names()
    await page.locator('.entry').last().locator('.grip').dragTo(page.locator('.entry').first())
    await page.getByText('The order is changed').waitFor()
    assert.deepEqual(await names(), [before.at(-1), ...before.slice(0, -1)])
    await page.reload()
    assert.deepEqual(await names(), [before.at(-1), ...before.slice(0, -1)])
    await page.goto(at(`/recurring/new?customer=${customer.id}`))
    await page.getByLabel('Unit').selectOption('weeks')
    await page.getByRole('checkbox', { name: 'Friday' }).check()
    await page.locator('#preview').getByText('Every week on Friday').waitFor()
    await page.getByLabel('Every').fill('2')
    await page.getByRole('button', { name: 'Show the visits of what is chosen' }).click()
    await page.locator('#preview').getByText('Every 2 weeks on Friday').waitFor()
    assert.equal(await page.locator('#preview li').count(), 10)
    assert.deepEqual(complaints, [])
    await close()
  })

  test('a quantity is corrected in its row and taken back, and files are dropped onto the page of moving in', async () => {
    const { page, complaints, close } = await open(manager, `/stock?q=${encodeURIComponent(item.name)}`)
    const row = page.locator(`#q-${item.id}`)
    const onHand = async () => (await shop.get(`/inventory/${item.id}`)).body.data.quantityOnHand
    await row.locator('summary').click()
    await row.getByLabel('Add, or take away').fill('5')
    await row.getByLabel('Why').fill('Delivery')
    await row.getByRole('button', { name: 'Correct' }).click()
    const toast = page.locator('.toast')
    await toast.getByText(`${item.name}: ${item.quantityOnHand + 5} on hand`).waitFor()
    await page.locator(`#on-${item.id}`, { hasText: String(item.quantityOnHand + 5) }).waitFor()
    assert.equal(await onHand(), item.quantityOnHand + 5)
    await toast.getByRole('button', { name: 'Undo' }).click()
    await toast.getByText('Taken back').waitFor()
    assert.equal(await onHand(), item.quantityOnHand)

    await page.goto(at('/import'))
    for (const name of ['people', 'more']) {
      const dataTransfer = await page.evaluateHandle(
        `(() => { const all = new DataTransfer()
          all.items.add(new File(['Name,Email\\n${name},${name}@x.example\\n,,nobody\\n'], '${name}.csv'))
          return all })()`,
      )
      await page.dispatchEvent('body', 'drop', { dataTransfer })
      await page.locator('[data-chosen]').getByText(`${name}.csv`).waitFor()
    }
    await page.getByRole('button', { name: 'Look at the files' }).click()
    await page.getByRole('heading', { name: 'Ready to be brought' }).waitFor() // the page looks again by itself
    await page.getByRole('heading', { name: 'people.csv' }).waitFor()
    await page.getByRole('heading', { name: 'more.csv' }).waitFor()
    await inspectColorSchemes(page, 'an import that was judged')
    assert.deepEqual(complaints, [])
    await close()
  })

  for (const [role, who, paths] of [
    [
      'admin',
      admin,
      [
        ...['/today', '/board', '/customers', '/customers/new', '/search?q=boiler', '/more'],
        ...['/stock', '/stock/labels', `/stock/${item.id}`, '/reports', '/reports?report=technicians'],
      ],
    ],
    ['technician', technician, ['/my-day', '/board', '/today', `/stock/${item.id}`]],
  ] as const) {
    test(`every page of a ${role} can be read and used, in light and dark`, async () => {
      for (const viewport of Object.values(screens)) {
        const { page, complaints, close } = await open(who, paths[0], { viewport })
        for (const path of paths) {
          await page.goto(at(path))
          assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), `${path} is too wide`)
          await inspectColorSchemes(page, `${role} ${path} ${viewport.width}`)
        }
        assert.deepEqual(
          complaints.filter((one) => !one.includes('403')),
          [],
        )
        await close()
      }
    })
  }

  test('a card that is dragged moves, and Undo brings it back', async () => {
    const { id, ticketNumber } = await newJob('Kettle trips the fuse')
    const { page, complaints, close } = await open(manager, '/board')
    const card = page.locator(`#j-${id}`)
    await card.scrollIntoViewIfNeeded()
    await card.dragTo(column(page, 'In Progress').locator('header'))
    await page.getByText(`#${ticketNumber} is now In Progress`).waitFor()
    await column(page, 'In Progress').locator(`#j-${id}`).waitFor()
    assert.equal((await shop.get(`/tickets/${id}`)).body.data.status, 'In Progress')
    await page.keyboard.press('z')
    await column(page, 'Open').locator(`#j-${id}`).waitFor()
    await page.locator(`#j-${id}:not(.waiting)`).waitFor()
    assert.equal((await shop.get(`/tickets/${id}`)).body.data.status, 'Open')
    assert.deepEqual(complaints, [])
    await close()
  })

  test('a card that may not move goes back, and says which form is open', async () => {
    const [gated] = await database.query<{ id: string; name: string; status: string }>(sql`
      select ticket.id, submission.template_name as name, status.name as status from tickets ticket
      join form_submissions submission on submission.org_id = ticket.org_id and submission.ticket_id = ticket.id
      join ticket_statuses status on status.org_id = ticket.org_id and status.id = ticket.status_id
      where ticket.org_id = ${orgId} and ticket.closed_at is null and submission.status in ('open', 'inProgress')
        and submission.gate = 'completion' limit 1`)
    const { page, close } = await open(manager, '/board')
    const card = page.locator(`#j-${gated!.id}`)
    await card.scrollIntoViewIfNeeded()
    await card.locator('a').focus()
    await page.keyboard.press('m')
    await page.locator('#mover button[value="Closed"]').click()
    await page.getByRole('alert').filter({ hasText: gated!.name }).waitFor()
    await column(page, gated!.status).locator(`#j-${gated!.id}`).waitFor()
    await page.getByRole('link', { name: 'Open the form' }).waitFor()
    await close()
  })

  test("somebody else's change arrives, and takes nothing away that one is at", async () => {
    const { id } = await newJob('Toaster glows')
    const [from, to] = [30, 31].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
    await shop.post('/tickets', { customerId: customer.id, scheduledFrom: from, scheduledTo: to })
    const { page, complaints, isListening, close } = await open(manager, '/board')
    await isListening
    await column(page, 'Open').locator(`#j-${id}`).waitFor()
    await page.locator('.later summary').first().click()
    await shop.put(`/tickets/${id}/status`, { status: 'In Progress' })
    await column(page, 'In Progress').locator(`#j-${id}`).waitFor()
    assert.equal(await page.locator('.later[open]').count(), 1)
    assert.deepEqual(complaints, [])
    await close()
  })

  test('news asks nobody whether to leave what was typed, and leaves it', async () => {
    const quote = (await shop.post('/quotes', { customerId: customer.id, title: 'Two taps' })).body.data
    await shop.put(`/quotes/${quote.id}`, { status: 'sent' })
    const { page, isListening, close } = await open(manager, `/quotes/${quote.id}`)
    await isListening
    await page.getByLabel('Title', { exact: true }).fill('Three taps')
    const refresh = page.waitForResponse((one) => one.request().resourceType() === 'fetch' && one.url() === page.url())
    await shop.put(`/customers/${customer.id}`, { notes: 'Rings at noon' })
    await refresh // a question would be answered No here, and the page not be fetched
    assert.equal(await page.getByLabel('Title', { exact: true }).inputValue(), 'Three taps')
    await close()
  })

  test('a browser has one stream, and the tab that takes it over catches up with what happened in between', async () => {
    const { page, isListening, close } = await open(manager, '/board')
    const other = await page.context().newPage()
    const stream = Promise.withResolvers<Route>()
    await other.route('**/live', (route) => stream.resolve(route))
    await Promise.all([isListening, other.goto(page.url())])
    const still = await page.context().newPage() // at a page that does not say what it shows
    const fetched: string[] = []
    await still.goto(at('/jobs/new'))
    still.on('request', (request) => request.resourceType() === 'fetch' && fetched.push(request.url()))
    const shows = (tab: Page, { id }: { id: string }) =>
      column(tab, 'Open').locator(`#j-${id}`).waitFor({ state: 'attached' })
    const isTold = async ({ id }: { id: string }) =>
      (await shop.get(`/events?recordId=${id}`)).body.data.events.length > 0

    const first = await newJob('Iron leaks')
    await Promise.all([shows(page, first), shows(other, first)])
    await page.close()
    const takingOver = await stream.promise
    const second = await newJob('Fan squeaks')
    while (!(await isTold(second))) await other.waitForTimeout(50)
    await takingOver.continue()
    await shows(other, second)
    await still.waitForTimeout(500) // by then it would have been fetched anew as well
    assert.deepEqual(fetched, [])
    await close()
  })

  test('the palette finds a job by its number, and keys lead to places', async () => {
    const { id, ticketNumber } = await newJob('Mixer hums')
    const { page, close } = await open(manager, '/today')
    await page.keyboard.press('Control+k')
    await page.locator('#palette input').fill(String(ticketNumber))
    await page.getByRole('option', { name: 'Mixer hums' }).waitFor()
    assert.match((await page.locator(`#f-${id}`).getAttribute('data-href'))!, new RegExp(`/jobs/${id}$`))
    await page.keyboard.press('Escape')
    await page.locator('#palette:not([open])').waitFor({ state: 'attached' })
    // Two keys belong together within a second or so: a browser that was busy is asked again.
    for (let tries = 0; tries < 5 && !page.url().endsWith('/board'); tries++) {
      await page.keyboard.press('g')
      await page.keyboard.press('b')
      await page.waitForURL(/\/board$/, { timeout: 5_000 }).catch(() => {})
    }
    assert.match(page.url(), /\/board$/)
    await close()
  })

  test('a technician on a phone says that the work is done, without scripts', async () => {
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    const { id } = (
      await shop.post('/tickets', {
        customerId: customer.id,
        serviceRequired: 'Doorbell is silent',
        assignedTechnician: technician.memberId,
        scheduledFrom: at(-0.2),
        scheduledTo: at(0.2),
      })
    ).body.data
    const { page, close } = await open(technician, '/my-day', { viewport: phone, javaScriptEnabled: false })
    await page.getByRole('heading', { name: 'Doorbell is silent' }).waitFor()
    await page.getByRole('button', { name: 'Start the work' }).click()
    await page.getByRole('button', { name: 'Work is done' }).click()
    await page.getByText('No visit is left today').waitFor()
    assert.equal((await shop.get(`/tickets/${id}`)).body.data.status, 'Closed')
    await close()
  })
})
