// The page of a job, a new job and forms in a real browser: on a phone and a desktop, in light and dark, with and without scripts.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { desktop, inspectColorSchemes, noBrowser, openBrowser, openPage, phone, screens } from '../../test/browser.ts'
import { startTestService } from '../../test/test-service.ts'
import { type Person, person, resetTotp, totpCode } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { fillDemo } from '../demo/demo.ts'

/** Where pictures of the pages go, for people to look at. */
const pictures = process.env.PAGE_PICTURES
if (pictures) mkdirSync(pictures, { recursive: true })

describe('jobs at the desk in Chromium', { skip: noBrowser }, async () => {
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
  async function signIn(who: Person, path: string, options: Parameters<typeof openPage>[2]) {
    await resetTotp(here, who)
    const opened = await openPage(browser, `${authUrl}/desk/${who.orgId}${path}`, options)
    await opened.page.getByLabel('Email').fill(who.email)
    await opened.page.getByLabel('Password').fill(who.password)
    await opened.page.getByLabel('Code', { exact: true }).fill(totpCode(who))
    await opened.page.getByRole('button', { name: 'Sign in' }).click()
    await opened.page.locator('main#page').waitFor()
    await opened.page.waitForLoadState() // what is chosen before its scripts are there is chosen for nobody
    return opened
  }
  async function shop() {
    const client = await here.organisation({ name: 'Harbour Repairs' })
    await database.transaction('test', (transaction) => fillDemo(transaction, client.orgId))
    const [job] = await database.query<{ id: string; number: number; form: string }>(sql`
      select ticket.id, ticket_number as number, submission.id as form from tickets ticket
      join form_submissions submission on submission.org_id = ticket.org_id and submission.ticket_id = ticket.id
      where ticket.org_id = ${client.orgId} and submission.status = 'inProgress' and ticket.closed_at is null limit 1`)
    return { client, admin: await person(here, client.orgId), job: job! }
  }
  const noComplaints = (complaints: readonly string[], expected = /favicon/) =>
    assert.deepEqual(
      complaints.filter((one) => !expected.test(one)),
      [],
    )
  /** What a refusal answers is no fault of the page. */
  const refusals = /favicon|status of 4(00|09|12)/

  for (const [size, viewport] of Object.entries(screens)) {
    test(`the pages can be read, on a ${size}, in light and dark`, async () => {
      const { admin, job } = await shop()
      const { page, complaints, close } = await signIn(admin, `/jobs/${job.number}`, { viewport })
      const pages = [`/jobs/${job.id}`, '/jobs/new', '/forms', `/forms/${job.form}`]
      for (const [n, path] of pages.entries()) {
        await page.goto(`${authUrl}/desk/${admin.orgId}${path}`)
        await inspectPage(page, `job-${n}-${size}`)
      }
      noComplaints(complaints)
      await close()
    })
  }

  test('choices act at once and are taken back; lines are found, reckoned, refused in words and brought back', async () => {
    const { client, admin, job } = await shop()
    const { page, complaints, close } = await signIn(admin, `/jobs/${job.id}`, { viewport: desktop })
    const toast = page.locator('.toast')
    const read = async () => (await client.get(`/tickets/${job.id}`)).body.data
    const before = await read()
    await page.getByLabel('Priority').selectOption('urgent')
    await toast.getByText('Priority: Urgent').waitFor()
    assert.equal((await read()).priority, 'urgent')
    await toast.getByRole('button', { name: 'Undo' }).click()
    await toast.getByText('Taken back').waitFor()
    assert.equal((await read()).priority, before.priority)
    const status = page.locator('select[name=status]:visible')
    await status.selectOption('Closed')
    await toast.getByText('Gas safety record is still open').waitFor()
    assert.equal(await status.inputValue(), before.status, 'refused, and put back')

    const add = page.getByRole('combobox', { name: 'Add a service or a part' })
    await add.pressSequentially('gas')
    await page.getByRole('option', { name: /Group gasket set/ }).click()
    const quantity = page.getByLabel('Quantity of Group gasket set')
    await quantity.waitFor()
    assert.equal(await add.inputValue(), '', 'the next one can be typed')
    await add.pressSequentially('Parking in town')
    await page.getByRole('option', { name: 'Add “Parking in town” as it is' }).waitFor()
    await page.keyboard.press('Enter')
    const price = page.getByLabel('Price of Parking in town')
    await price.waitFor()
    const total = page.locator('#totals .sum').last()
    const sum = async () => Number((await total.textContent())!.replaceAll(/[^\d.]/g, ''))
    const start = await sum()
    await price.fill('10')
    await page.locator('#saved', { hasText: /^Saved$/ }).waitFor()
    assert.ok((await sum()) > start, 'the sum follows')
    const expected = (await client.get(`/tickets/${job.id}/totals`)).body.data.total
    assert.equal(await sum(), expected)
    await quantity.fill('0')
    await toast.getByText('Group gasket set: the quantity must be more than 0').waitFor()
    assert.equal(await quantity.inputValue(), '0', 'what was typed stays')
    await quantity.fill('2')
    await quantity.press('Enter')
    await page.locator('#saved', { hasText: /^Saved$/ }).waitFor()
    assert.equal(await quantity.inputValue(), '2', 'Enter saves, and removes nothing')
    await page.getByRole('button', { name: 'Remove Parking in town' }).click()
    await toast.getByText('Parking in town is removed').waitFor()
    assert.equal(await price.count(), 0)
    await page.locator('body').press('z')
    await price.waitFor()
    assert.equal(await price.inputValue(), '10.00')
    noComplaints(complaints, refusals)
    await close()
  })

  test('where somebody else wrote the same meanwhile, what was typed stays and both are shown', async () => {
    const { client, admin, job } = await shop()
    const { page, complaints, close } = await signIn(admin, `/jobs/${job.id}`, { viewport: desktop })
    const description = page.getByLabel('Description')
    await client.put(`/tickets/${job.id}`, { description: 'What Niamh wrote' })
    await description.fill('What I wrote')
    await page.locator('.toast').getByRole('button', { name: 'Look at both' }).click()
    await page.getByRole('heading', { name: 'Somebody else changed this meanwhile' }).waitFor()
    await inspectPage(page, 'job-both')
    await page.getByText('What Niamh wrote').waitFor()
    assert.equal(await page.getByLabel('Description, yours').inputValue(), 'What I wrote')
    await page.getByRole('button', { name: 'Save mine' }).click()
    await page.getByText('Saved.').waitFor()
    assert.equal((await client.get(`/tickets/${job.id}`)).body.data.description, 'What I wrote')
    noComplaints(complaints, refusals)
    await close()
  })

  test('who types on while what was typed before is still on its way is in conflict with nobody', async () => {
    const { client, admin, job } = await shop()
    const { page, complaints, close } = await signIn(admin, `/jobs/${job.id}`, { viewport: desktop })
    await page.route(`**/jobs/${job.id}`, async (route) => {
      await new Promise((done) => setTimeout(done, 800)) // longer than the pause before the next is sent
      await route.continue()
    })
    const description = page.getByLabel('Description')
    for (const text of ['One', 'One two', 'One two three']) {
      const isSent = page.waitForRequest((request) => request.method() === 'POST')
      await description.fill(text)
      await isSent
    }
    await page.locator('#words-form:not([data-dirty])').waitFor({ state: 'attached' })
    assert.equal((await client.get(`/tickets/${job.id}`)).body.data.description, 'One two three')
    assert.equal(await page.locator('.toast').count(), 0)
    noComplaints(complaints)
    await close()
  })

  test('a customer signs on a page that was come to from the board, and what was drawn is kept', async () => {
    const { client, admin, job } = await shop()
    const { page, complaints, close } = await signIn(admin, '/board', { viewport: desktop })
    await page.locator(`#j-${job.id} a`).click()
    await page.getByText('Let the customer sign').click()
    const pad = page.locator('canvas')
    await pad.waitFor() // shown by the script that draws
    await pad.scrollIntoViewIfNeeded()
    const { x, y, width, height } = (await pad.boundingBox())!
    await page.mouse.move(x + width * 0.2, y + height * 0.6)
    await page.mouse.down()
    await page.mouse.move(x + width * 0.8, y + height * 0.3, { steps: 5 })
    await page.mouse.up()
    await page.getByRole('button', { name: 'Keep the signature' }).click()
    await page.getByRole('img', { name: /The signature of/ }).waitFor()
    const { signature } = (await client.get(`/tickets/${job.id}/signature`)).body.data
    assert.match(signature, /^data:image\/png;base64,/)
    noComplaints(complaints)
    await close()
  })

  test('a job is made on a phone: the customer is found as one types, with their devices', async () => {
    const { client, admin } = await shop()
    const { page, complaints, close } = await signIn(admin, '/jobs/new', { viewport: phone, hasTouch: true })
    await page.getByLabel('In a few words').fill('Boiler is noisy')
    await page.getByLabel('Name, phone or email').pressSequentially('pembert')
    await page.getByRole('option', { name: /George Pemberton/ }).click()
    await page.getByRole('button', { name: 'Another customer' }).waitFor()
    assert.equal(await page.getByLabel('In a few words').inputValue(), 'Boiler is noisy', 'what was typed stays')
    await page.locator('select[name=deviceId]').selectOption({ index: 1 })
    await page.getByLabel('Day').fill('2026-12-01')
    await page.getByLabel('From').fill('11:00')
    await page.getByLabel('Until').fill('10:00')
    await page.getByLabel('In a few words').press('Enter')
    await page.getByText('The end of the visit must be after the beginning of the visit').waitFor()
    assert.equal(await page.getByLabel('From').inputValue(), '11:00', 'what was typed is kept')
    await page.getByLabel('Until').fill('12:00')
    await page.getByRole('button', { name: 'Make the job' }).click()
    await page.getByRole('heading', { name: 'Boiler is noisy', level: 1 }).waitFor()
    const [, id] = /\/jobs\/(tkt_\w+)/.exec(page.url())!
    const made = (await client.get(`/tickets/${id}`)).body.data
    assert.equal(made.customerName, 'George Pemberton')
    assert.ok(made.deviceId)
    noComplaints(complaints, refusals)
    await close()
  })

  test('without scripts a job is moved, noted and charged by plain forms', async () => {
    const { client, admin, job } = await shop()
    const { page, close } = await signIn(admin, `/jobs/${job.id}`, { viewport: desktop, javaScriptEnabled: false })
    await page.getByLabel('Write a note').fill('From a plain browser')
    await page.getByRole('button', { name: 'Add note' }).click()
    await page.getByText('From a plain browser').waitFor()
    await page.getByLabel('Add a service or a part').fill('Parking in town')
    await page.getByRole('button', { name: 'Add', exact: true }).click()
    await page.getByLabel('Price of Parking in town').fill('7.5')
    await page.getByRole('button', { name: 'Save Parking in town' }).click()
    await page.getByText('Saved.').waitFor()
    const { services } = (await client.get(`/tickets/${job.id}/services`)).body.data
    assert.equal(services.at(-1).unitPrice, 7.5)
    await page.locator('select[name=status]:visible').selectOption('In Progress')
    await page.getByRole('button', { name: 'Move' }).first().click()
    await page.getByText('The job is moved.').waitFor()
    await close()
  })

  for (const javaScriptEnabled of [true, false]) {
    test(`a form is filled in, signed and submitted on a phone, ${javaScriptEnabled ? 'with' : 'without'} scripts`, async () => {
      const { admin } = await shop()
      const options = { viewport: phone, hasTouch: true, javaScriptEnabled }
      const { page, complaints, close } = await signIn(admin, '/forms', options)
      await page
        .getByRole('link', { name: /Gas safety record/ })
        .first()
        .click()
      await page.getByRole('heading', { name: /Gas safety record/, level: 1 }).waitFor()
      await page.waitForLoadState() // all questions, also where no script waits for the whole page
      const as = javaScriptEnabled ? 'scripted' : 'plain'
      if (javaScriptEnabled) await inspectPage(page, `form-${as}`)
      for (const box of await page.locator('fieldset.question').all()) {
        const radio = box.getByRole('radio').first()
        if ((await radio.count()) > 0) await radio.check()
        const tick = box.getByRole('checkbox').first()
        if ((await tick.count()) > 0) await tick.check()
      }
      for (const field of await page.locator('form[action*="/forms/"] input[inputmode="decimal"]').all())
        await field.fill('20.5')
      for (const field of await page.locator('form[action*="/forms/"] input[type="date"]').all())
        await field.fill('2026-11-15')
      for (const field of await page.locator('form[action*="/forms/"] textarea').all()) await field.fill('As expected')
      if (javaScriptEnabled) {
        const drawn = await page.evaluate<string>(
          `Object.assign(document.createElement('canvas'), { width: 400 }).toDataURL('image/png')`,
        )
        const buffer = Buffer.from(drawn.split(',')[1]!, 'base64')
        await page
          .getByLabel('Take or choose a picture')
          .setInputFiles({ name: 'printout.png', mimeType: 'image/png', buffer })
        await page.getByText('The picture is ready').waitFor()
      }
      let signatures = 0
      for (const role of ['technician', 'customer']) {
        const button = page.getByRole('button', { name: `Sign as ${role}` })
        if ((await button.count()) === 0) continue
        if (javaScriptEnabled) {
          const pad = page.locator('section', { has: button }).locator('canvas')
          await pad.waitFor() // shown by the script that draws
          await pad.scrollIntoViewIfNeeded()
          const { x, y, width, height } = (await pad.boundingBox())!
          await page.mouse.move(x + width * 0.2, y + height * 0.6)
          await page.mouse.down()
          await page.mouse.move(x + width * 0.5, y + height * 0.2, { steps: 5 })
          await page.mouse.move(x + width * 0.8, y + height * 0.7, { steps: 5 })
          await page.mouse.up()
        }
        await button.click()
        // The note that a signature is kept is there from the first one on.
        await page.getByText('Signed by').nth(signatures++).waitFor()
      }
      await page.getByRole('button', { name: 'Submit the form' }).click()
      await page.getByText('The form is submitted').waitFor()
      if (javaScriptEnabled) {
        assert.ok((await page.getByRole('img', { name: /The signature of/ }).count()) > 0, 'what was drawn is shown')
        const photo = page.getByRole('img', { name: 'Photo of the analyser’s printout' })
        await photo.evaluate((image) => (image as unknown as { decode(): Promise<void> }).decode()) // once it is there
        const width = await photo.evaluate((image) => (image as unknown as { naturalWidth: number }).naturalWidth)
        assert.equal(width, 400, 'and the photo')
      }
      noComplaints(complaints)
      await close()
    })
  }
})
