// The portal in a real browser: on a phone and a desktop, in light and dark, with and without scripts.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { inspectColorSchemes, noBrowser, openBrowser, openPage, screens } from '../../test/browser.ts'
import { startTestService } from '../../test/test-service.ts'
import { type Person, person, resetTotp, totpCode } from '../../test/visitor.ts'
import { sql } from '../db/database.ts'
import { fillDemo } from '../demo/demo.ts'
import { approve } from '../identity/grants.ts'

/** Where pictures of the pages go, for people to look at. */
const pictures = process.env.PAGE_PICTURES
if (pictures) mkdirSync(pictures, { recursive: true })

describe('the portal in Chromium', { skip: noBrowser }, async () => {
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
    await inspectColorSchemes(page, name, async (scheme) => {
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${scheme}.png`, fullPage: true })
    })
  }
  async function signIn(who: Person, path: string, options: Parameters<typeof openPage>[2]) {
    await resetTotp(here, who)
    const opened = await openPage(browser, `${authUrl}/portal/${who.orgId}${path}`, options)
    await opened.page.getByLabel('Email').fill(who.email)
    await opened.page.getByLabel('Password').fill(who.password)
    await opened.page.getByLabel('Code', { exact: true }).fill(totpCode(who))
    await opened.page.getByRole('button', { name: 'Sign in' }).click()
    return opened
  }
  async function shop(name: string): Promise<Person> {
    const { orgId } = await here.organisation({ name })
    await database.transaction('test', (transaction) => fillDemo(transaction, orgId))
    const admin = await person(here, orgId)
    const [who] = await database.query<{ id: string }>(sql`select id from people where email = ${admin.email}`)
    await database.transaction('test', (transaction) =>
      approve(transaction, {
        orgId,
        personId: who!.id,
        clientId: `dyn_${orgId}`,
        clientName: 'Pocket Agent',
        scopes: ['tickets:read', 'tickets:write', 'customers:read', 'calendar:read'],
        refusedScopes: [],
        lifeSeconds: 30 * 86_400,
        isRemembered: false,
      }),
    )
    await database.query(sql`
      update api_keys set last_used_at = now() - interval '3 hours', last_used_for = 'rest', last_used_from = '203.0.113.7'
      where org_id = ${orgId}`)
    return admin
  }

  /** As if the worker had tried: there is none here. */
  const failDeliveries = (orgId: string) =>
    database.query(sql`
      update webhook_deliveries set tries = 2, next_attempt_at = now() + interval '5 minutes', attempts = ${JSON.stringify(
        [
          {
            at: new Date().toISOString(),
            statusCode: 503,
            durationMs: 48,
            response: '<h1>Back soon</h1>',
            error: null,
          },
          {
            at: new Date().toISOString(),
            statusCode: null,
            durationMs: 15_000,
            response: null,
            error: 'There was no answer within 15 seconds',
          },
        ],
      )}::jsonb where org_id = ${orgId}`)

  for (const [size, viewport] of Object.entries(screens)) {
    test(`every page can be read and used, on a ${size}, in light and dark`, async () => {
      const admin = await shop('Harbour Repairs')
      const { page, complaints, close } = await signIn(admin, '', { viewport })
      /** Each click leads to a page of its own: what is looked at or clicked before that is there belongs to the one before. */
      const arriveAt = async (heading: string | RegExp) => {
        await page.getByRole('heading', { name: heading, level: 1 }).waitFor()
        await page.waitForLoadState()
      }
      await arriveAt('Harbour Repairs')
      await inspectPage(page, `overview-${size}`)
      const menu = page.locator('.menu > summary')
      const go = async (link: string, heading: string, name: string) => {
        assert.equal(await menu.isVisible(), size === 'phone', 'the menu is folded only where there is no room')
        if (size === 'phone') await menu.click()
        await page
          .getByRole('navigation', { name: 'Developers' })
          .getByRole('link', { name: link, exact: true })
          .click()
        await arriveAt(heading)
        await inspectPage(page, `${name}-${size}`)
      }
      await go('API keys', 'API keys', 'keys')
      await page.getByRole('link', { name: 'Make a key' }).click()
      await arriveAt('Make a key')
      await inspectPage(page, `key-new-${size}`)
      await page.getByLabel('Name', { exact: true }).fill('Web shop')
      await page.getByRole('radio', { name: 'Only what I tick below' }).check()
      await page.getByText('Choose one by one').click()
      await page.getByRole('checkbox', { name: 'Create and change customers', exact: true }).check()
      await page.getByRole('button', { name: 'Make the key' }).click()
      await arriveAt('The key is made')
      await inspectPage(page, `key-made-${size}`)
      await page.getByRole('link', { name: 'I have copied it' }).click()
      await arriveAt('API keys')
      await page.getByRole('link', { name: 'Web shop' }).click()
      await arriveAt('Web shop')
      await inspectPage(page, `key-${size}`)
      await page.getByRole('button', { name: 'Pause the key' }).click()
      await page.locator('.done').waitFor()
      await arriveAt('Web shop')
      await inspectPage(page, `key-paused-${size}`)
      await page.getByRole('link', { name: 'Revoke the key' }).click()
      await arriveAt('Revoke “Web shop”?')
      await page.getByText('nothing should break').waitFor()
      await page.getByRole('link', { name: 'Keep it' }).click()
      await arriveAt(/^Web shop/)
      await go('API keys', 'API keys', 'keys-two')
      await page.getByRole('link', { name: 'API key', exact: true }).click()
      await arriveAt(/^API key\b/)
      await page.getByRole('link', { name: 'Revoke the key' }).click()
      await arriveAt('Revoke “API key”?')
      await inspectPage(page, `key-revoke-${size}`)

      await go('Connected apps', 'Connected apps', 'connections')
      await page.getByRole('link', { name: 'Revoke access' }).click()
      await arriveAt(/^Revoke the access of/)
      await inspectPage(page, `connection-revoke-${size}`)
      await go('Registered apps', 'Registered apps', 'apps-empty')
      await page.getByRole('link', { name: 'Register an app' }).click()
      await arriveAt('Register an app')
      await page.getByLabel('Name', { exact: true }).fill('Bench Helper')
      await page.getByLabel('Where it leads people back to').fill('http://bench.example/back')
      await page.getByRole('button', { name: 'Register the app' }).click()
      await page.getByRole('alert').waitFor()
      await inspectPage(page, `app-wrong-${size}`)
      await page.getByLabel('Where it leads people back to').fill('https://bench.example/back')
      await page.getByRole('button', { name: 'Register the app' }).click()
      await arriveAt('The secret of Bench Helper')
      await inspectPage(page, `app-secret-${size}`)
      await go('Connect an agent', 'Connect an agent', 'agents')
      await go('Webhooks', 'Webhooks', 'webhooks-empty')
      await page.getByRole('link', { name: 'Make a webhook' }).click()
      await arriveAt('Make a webhook')
      await page.getByRole('radio', { name: 'Only what I tick below' }).check()
      await page.getByText('Choose one by one').click()
      await page.getByRole('checkbox', { name: 'A job gets another status' }).check()
      await inspectPage(page, `webhook-new-${size}`)
      await page.getByLabel('Address').fill('https://127.0.0.1/hooks')
      await page.getByRole('button', { name: 'Make the webhook' }).click()
      await page.getByRole('alert').waitFor()
      await inspectPage(page, `webhook-wrong-${size}`)
      await page
        .getByLabel('Address')
        .fill('https://hooks.harbour-repairs.example/jobwright?token=a-very-long-value-that-has-to-be-broken-somewhere')
      await page.getByRole('button', { name: 'Make the webhook' }).click()
      await arriveAt('The webhook is made')
      await inspectPage(page, `webhook-made-${size}`)
      await page.getByRole('link', { name: 'I have copied it' }).click()
      await arriveAt(/^https:/)
      await page.getByRole('button', { name: 'Send a test' }).click()
      await page.locator('.done').waitFor()
      await failDeliveries(admin.orgId)
      await page.reload()
      await inspectPage(page, `webhook-${size}`)
      await page.getByRole('link', { name: 'A webhook is tested' }).click()
      await page.getByRole('button', { name: 'Try it now' }).waitFor()
      await inspectPage(page, `webhook-delivery-${size}`)
      await page.getByRole('button', { name: 'Try it now' }).click()
      await page.locator('.done').waitFor()
      await page.getByRole('link', { name: 'The webhook' }).click()
      await arriveAt(/^https:/)
      await page.getByRole('link', { name: 'Delete' }).click()
      await arriveAt('Delete the webhook?')
      await inspectPage(page, `webhook-delete-${size}`)
      await go('Webhooks', 'Webhooks', 'webhooks')
      await go('Your account', 'Your account', 'account')
      await go('Audit log', 'Audit log', 'audit')
      assert.match(await page.locator('main').innerText(), /Ann made the API key Web shop/)
      assert.deepEqual(
        complaints.filter((one) => !/400|favicon/.test(one)),
        [],
        'the browser found nothing to complain of',
      )
      await close()
    })
  }
})
