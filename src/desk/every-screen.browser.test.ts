// The whole matrix, when it is asked for (EVERY_SCREEN=yes): every page of the desk, for every role that may see it, on a phone
// and a desktop, in light and dark. With every change the pages of desk.browser.test.ts stand for the others.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Browser } from 'playwright-core'
import { desktop, inspectColorSchemes, noBrowser, openBrowser, openPage, phone } from '../../test/browser.ts'
import { shopWithDeskPages } from '../../test/desk-pages.ts'
import { startTestService } from '../../test/test-service.ts'

const skip = noBrowser || (process.env.EVERY_SCREEN === undefined && 'only with EVERY_SCREEN=yes')

describe('every screen of the desk in Chromium', { skip }, async () => {
  if (skip) return
  const here = await startTestService()
  const { shop, visitors, pages } = await shopWithDeskPages(here)
  const at = (path: string) => `${here.config.authUrl}/desk/${shop.orgId}${path}`
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())

  for (const [role, { session }] of Object.entries(visitors))
    for (const viewport of [phone, desktop])
      test(`${role}, ${viewport.width} pixels wide`, { timeout: 1_800_000 }, async () => {
        const { page, complaints, close } = await openPage(browser, `${here.config.authUrl}/sign-in`, { viewport })
        await page.context().addCookies([{ name: 'jobwright_session', value: session, url: here.config.authUrl }])
        const findings: string[] = []
        for (const [path, allowed, kind] of pages) {
          if (kind !== undefined || !allowed.includes(role)) continue
          await page.goto(at(path))
          await inspectColorSchemes(page, `${role} ${path} ${viewport.width}`).catch((error: Error) =>
            findings.push(error.message),
          )
        }
        assert.deepEqual([...findings, ...complaints.filter((one) => !one.includes('favicon'))], [])
        await close()
      })
})
