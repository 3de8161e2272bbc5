// Quotes and invoices at the desk in a real browser: from a job to the payment, on a phone and a desktop, in light and dark.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { desktop, inspectColorSchemes, noBrowser, openBrowser, openPageAs, screens } from '../../test/browser.ts'
import { demoShop, deskVisitor } from '../../test/desk.ts'
import { startTestService } from '../../test/test-service.ts'
import { sql } from '../db/database.ts'

/** Where pictures of the pages go, for people to look at. */
const pictures = process.env.PAGE_PICTURES
if (pictures) mkdirSync(pictures, { recursive: true })

describe('quotes and invoices at the desk in Chromium', { skip: noBrowser }, async () => {
  const here = await startTestService()
  const { database } = here
  const { authUrl } = here.config
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  async function inspectPage(page: Page, name: string): Promise<void> {
    assert.equal(await page.evaluate('document.querySelectorAll("script:not([src]), [style], [onclick]").length'), 0)
    assert.equal(await page.locator('h1').count(), 1)
    await inspectColorSchemes(page, name, async (scheme) => {
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${scheme}.png`, fullPage: true })
    })
  }

  /** A manager of the demo shop, at one of its pages. */
  async function at(client: Awaited<ReturnType<typeof demoShop>>, path: string, options: BrowserContextOptions) {
    const { session } = await deskVisitor(here, client.orgId, 'manager')
    return openPageAs(session, browser, `${authUrl}/desk/${client.orgId}${path}`, options)
  }
  const draftQuote = async (orgId: string) => {
    const [quote] = await database.query<{ id: string }>(
      sql`select id from quotes where org_id = ${orgId} and status = 'draft' order by created_at desc limit 1`,
    )
    return quote!.id
  }
  const noComplaints = (complaints: readonly string[]) =>
    assert.deepEqual(
      complaints.filter((one) => !/favicon|status of 4(00|09|12)/.test(one)),
      [],
    )

  for (const [size, viewport] of Object.entries(screens)) {
    test(`the pages can be read, on a ${size}, in light and dark`, async () => {
      const client = await demoShop(here)
      const [open] = (await client.get('/invoices?state=partlyPaid')).body.data.invoices
      const [accepted] = (await client.get('/quotes?state=accepted')).body.data.quotes
      const draft = await draftQuote(client.orgId)
      const { page, complaints, close } = await at(client, '/quotes', { viewport })
      const paths = [
        '/quotes',
        '/invoices?state=open',
        `/quotes/${draft}`,
        `/quotes/${accepted.id}`,
        `/invoices/${open.id}`,
      ]
      for (const [n, path] of [...paths, `/quotes/${draft}/send`].entries()) {
        await page.goto(`${authUrl}/desk/${client.orgId}${path}`)
        await inspectPage(page, `money-${n}-${size}`)
      }
      noComplaints(complaints)
      await close()
    })
  }

  test('an invoice is made of a job, changed with live sums, sent and paid', async () => {
    const client = await demoShop(here)
    const job = (await client.post('/tickets', { customerName: 'Ada Pemberton', serviceRequired: 'Oven is cold' })).body
      .data
    await client.post(`/tickets/${job.id}/services`, { name: 'Call-out', unitPrice: 45, taxRateId: null })
    const { page, complaints, close } = await at(client, `/jobs/${job.id}`, { viewport: desktop })
    const toast = page.locator('.toast')
    const saved = page.locator('#saved', { hasText: /^Saved$/ })
    await page.locator('#documents').getByRole('button', { name: 'Make an invoice' }).click()
    await page.getByRole('heading', { name: 'Invoice for Ada Pemberton', level: 1 }).waitFor()
    const [, id] = /\/invoices\/(inv_\w+)/.exec(page.url())!
    const read = async () => (await client.get(`/invoices/${id}`)).body.data
    const total = page.locator('#totals dd.sum').first()

    await page.getByLabel('Price of Call-out').fill('60')
    await total.getByText('£60.00').waitFor()
    await page.getByRole('combobox', { name: 'Add a service or a part' }).pressSequentially('Parking in town')
    await page.getByRole('option', { name: 'Add “Parking in town” as it is' }).waitFor()
    await page.keyboard.press('Enter')
    const parking = page.getByLabel('Price of Parking in town')
    await parking.fill('10')
    await page.getByLabel('Tax on Parking in town').selectOption({ label: 'No tax' })
    await total.getByText('£70.00').waitFor()
    assert.equal((await read()).total, 70)

    await page.getByLabel('Quantity of Call-out').fill('0')
    await page.locator('[data-row]').first().getByText('Call-out: the quantity must be more than 0').waitFor()
    await page.getByLabel('Quantity of Call-out').fill('2')
    await total.getByText('£130.00').waitFor()
    assert.equal(await page.locator('[aria-invalid]').count(), 0)

    await page.getByRole('button', { name: 'Remove Parking in town' }).click()
    await toast.getByText('Parking in town is removed').hover() // which keeps it there
    await total.getByText('£120.00').waitFor()
    await toast.getByRole('button', { name: 'Undo' }).click()
    await total.getByText('£130.00').waitFor()
    await saved.waitFor()
    assert.deepEqual(
      (await read()).lineItems.map(({ name, lineTotal }: { name: string; lineTotal: number }) => [name, lineTotal]),
      [
        ['Call-out', 120],
        ['Parking in town', 10],
      ],
    )

    // What was typed within the pause before it is saved is on the page that follows.
    const send = page.getByRole('link', { name: 'Send invoice' })
    await send.hover()
    await page.waitForTimeout(300) // by then the page would be fetched ahead, if it were
    await page.getByLabel('Title', { exact: true }).fill('Oven, second visit')
    await send.click()
    await page.getByRole('heading', { name: /^Send INV/, level: 1 }).waitFor()
    const mail = page.locator('#mail')
    await mail.getByText('Oven, second visit').waitFor()
    await page.getByLabel('To', { exact: true }).fill('ada@mail.example')
    await page.getByLabel('Message').fill('As we said on the phone')
    await mail.getByText('As we said on the phone').waitFor()
    await inspectPage(page, 'money-send')
    await page.getByRole('button', { name: 'Send it' }).click()
    const sent = page.getByText('the mail was written to a file')
    await sent.waitFor().catch(async (cause) => {
      throw new Error(`Instead the page says: ${await page.locator('main').innerText()}`, { cause })
    })
    assert.equal((await read()).status, 'sent')

    await page.getByText('Record a payment').click()
    assert.equal(await page.getByLabel('Amount in GBP').inputValue(), '130.00')
    await page.getByRole('button', { name: 'Record it' }).click()
    await page.getByText('The payment is recorded.').waitFor()
    assert.equal((await read()).paid, true)
    noComplaints(complaints)
    await close()
  })

  test('what the customer has waits for its button', async () => {
    const client = await demoShop(here)
    const id = await draftQuote(client.orgId)
    await client.put(`/quotes/${id}`, { status: 'sent' })
    const { page, complaints, close } = await at(client, `/quotes/${id}`, { viewport: desktop })
    const read = async () => (await client.get(`/quotes/${id}`)).body.data
    await page.getByLabel('Title', { exact: true }).fill('A new title')
    await page
      .getByRole('button', { name: /^Remove/ })
      .first()
      .click()
    await page.locator('.toast').getByRole('button', { name: 'Undo' }).click()
    assert.notEqual((await read()).title, 'A new title')
    await page.getByRole('button', { name: 'Change what the customer has' }).click()
    await page.getByText('Saved.').waitFor()
    assert.equal((await read()).title, 'A new title')
    noComplaints(complaints)
    await close()
  })

  test('where somebody else changed the lines meanwhile, both are shown and what was typed is kept', async () => {
    const client = await demoShop(here)
    const id = await draftQuote(client.orgId)
    const { page, complaints, close } = await at(client, `/quotes/${id}`, { viewport: desktop })
    const quantity = page.getByLabel(/^Quantity of/).first()
    await quantity.focus()
    await client.put(`/quotes/${id}`, { lineItems: [{ name: 'What Niamh wrote', unitPrice: 9 }] })
    await quantity.fill('7')
    await page.locator('.toast').getByRole('button', { name: 'Look at both' }).click()
    await page.getByRole('heading', { name: 'Somebody else changed this meanwhile' }).waitFor()
    await page.getByText('1 × What Niamh wrote').waitFor()
    await page.getByText(/^7 × /).waitFor()
    await inspectPage(page, 'money-both')
    noComplaints(complaints)
    await close()
  })
})
