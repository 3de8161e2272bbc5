// Moving in at the desk in a real browser: what is refused is said where one is.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { accessibilityFindings, desktop, noBrowser, openBrowser, openPageAs, phone } from '../../test/browser.ts'
import { deskVisitor } from '../../test/desk.ts'
import { createImportClient } from '../../test/import-client.ts'
import { startTestService } from '../../test/test-service.ts'

describe('moving in at the desk in Chromium', { skip: noBrowser }, async () => {
  const here = await startTestService()
  const { begin, judge, work, write } = createImportClient(here.database)
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  test('an import that cannot be brought any more says why, with the way on', async () => {
    const shop = await here.organisation()
    const sent = { columns: ['Name', 'Email'], rows: [['Ann', 'ann@x.example']] }
    const [id, other] = [await begin(shop, sent), await begin(shop, sent)]
    for (const one of [id, other]) await judge(shop, one)
    const { session } = await deskVisitor(here, shop.orgId, 'manager')
    const address = `${here.config.authUrl}/desk/${shop.orgId}/import/${id}`
    const { page, close } = await openPageAs(session, browser, address, { viewport: desktop })
    await write(shop, other)
    await page.getByRole('button', { name: 'Bring 1 record' }).click()
    await page.getByRole('alert').filter({ hasText: 'judged' }).waitFor()
    assert.equal(await page.getByRole('button', { name: 'Look at it again' }).count(), 1)
    // An answer without the scripts of the page that the form was on.
    await page.evaluate(
      `document.querySelector('form[action$="/write"]').action = '/desk/${shop.orgId}/import/imp_none/write'`,
    )
    await page.getByRole('button', { name: 'Bring 1 record' }).click()
    await page.getByRole('heading', { name: 'There is nothing here' }).waitFor()
    await close()
  })

  test('names of files and columns that no line holds stay on a phone', async () => {
    const shop = await here.organisation()
    const long = 'all_that_the_other_system_knew_of_those_who_came_here_before_we_moved'
    const table = `Name,Email,${long}_${long}\nAnn Marlow,${long},x\n,,nobody\n`
    const { session } = await deskVisitor(here, shop.orgId, 'manager')
    const address = `${here.config.authUrl}/desk/${shop.orgId}/import`
    const { page, close } = await openPageAs(session, browser, address, { viewport: phone })
    const files = ['one', 'two'].map((name) => ({
      name: `${name}_${long}.csv`,
      mimeType: 'text/csv',
      buffer: Buffer.from(table),
    }))
    await page.locator('input[type=file]').setInputFiles(files)
    await page.getByRole('button', { name: 'Look at the files' }).click()
    await page.waitForURL(/import\/imp_/)
    await work(shop, page.url().split('/').at(-1)!)
    await page.reload()
    await page.getByRole('link', { name: `The wrong rows of two_${long}.csv` }).waitFor()
    for (const summary of await page.locator('summary').all()) await summary.click()
    assert.ok(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), 'it is too wide')
    assert.deepEqual(await accessibilityFindings(page), [])
    await close()
  })
})
