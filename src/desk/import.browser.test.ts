// Moving in at the desk in a real browser: what is refused is said where one is.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { desktop, noBrowser, openBrowser, openPageAs } from '../../test/browser.ts'
import { deskVisitor } from '../../test/desk.ts'
import { createImportClient } from '../../test/import-client.ts'
import { startTestService } from '../../test/test-service.ts'

describe('moving in at the desk in Chromium', { skip: noBrowser }, async () => {
  const here = await startTestService()
  const { begin, judge, write } = createImportClient(here.database)
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
})
