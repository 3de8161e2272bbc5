// Sign-in, setting up a second factor and consent in a real browser: on a phone and a desktop, in light and dark, by keyboard.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { createServer } from 'node:http'
import { after, before, describe, test } from 'node:test'
import { Secret, TOTP } from 'otpauth'
import type { Browser, Page } from 'playwright-core'
import { inspectColorSchemes, noBrowser, openBrowser, openPage, screens } from '../../test/browser.ts'
import { redeem, register, startAuthorization } from '../../test/oauth-app.ts'
import { startTestService } from '../../test/test-service.ts'
import { type Person, person, resetTotp, totpCode } from '../../test/visitor.ts'
import { updateMember } from '../identity/members.ts'
import { scopeCatalogue } from '../resources/index.ts'

/** Where pictures of the pages go, for people to look at. */
const pictures = process.env.PAGE_PICTURES
if (pictures) mkdirSync(pictures, { recursive: true })

describe('pages in Chromium', { skip: noBrowser }, async () => {
  const here = await startTestService()
  let browser: Browser
  before(async () => {
    browser = await openBrowser()
  })
  after(() => browser.close())
  const { authUrl } = here.config

  const app = createServer((_request, response) =>
    response.setHeader('content-type', 'text/html').end('<title>Back</title>Back in the app'),
  )
  await new Promise<void>((resolve) => app.listen(0, '127.0.0.1', resolve))
  after(() => void app.closeAllConnections())
  after(() => void app.close())
  const redirect = `http://127.0.0.1:${(app.address() as { port: number }).port}/callback`

  async function inspectPage(page: Page, name: string): Promise<void> {
    assert.equal(await page.evaluate('document.querySelectorAll("script, [style], [onclick]").length'), 0)
    await inspectColorSchemes(page, name, async (scheme) => {
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${scheme}.png`, fullPage: true })
    })
  }
  async function fillIn(page: Page, who: Person): Promise<void> {
    await resetTotp(here, who)
    await page.getByLabel('Email').fill(who.email)
    await page.getByLabel('Password').fill(who.password)
    await page.getByLabel('Code', { exact: true }).fill(totpCode(who))
  }

  for (const [size, viewport] of Object.entries(screens)) {
    test(`an admin signs in and allows an app, on a ${size}, in light and dark`, async () => {
      const { orgId } = await here.organisation({ name: 'Harbour Repairs' })
      const admin = await person(here, orgId)
      const client = await register(here, { client_name: 'Bench Helper', redirect_uris: [redirect] })
      const journey = await startAuthorization(client, { scope: 'write' })
      const { page, complaints, close } = await openPage(browser, journey.address.href, {
        viewport,
        javaScriptEnabled: true,
      })
      assert.match(page.url(), /\/sign-in/)
      await inspectPage(page, `sign-in-${size}`)
      await page.getByLabel('Email').fill(admin.email)
      await page.getByLabel('Password').fill('wrong')
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('alert').waitFor()
      await inspectPage(page, `sign-in-wrong-${size}`)
      await fillIn(page, admin)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: /Bench Helper/ }).waitFor()
      await inspectPage(page, `consent-${size}`)
      assert.equal(await page.getByRole('checkbox', { checked: true }).count(), scopeCatalogue.bundles.write.length)
      await page.getByLabel('Create and change jobs').uncheck()
      await page.getByLabel('For how long').selectOption('30d')
      await page.getByRole('button', { name: 'Allow' }).click()
      await page.waitForURL(/callback/)
      assert.equal(await page.title(), 'Back')
      const { searchParams } = new URL(page.url())
      assert.deepEqual([searchParams.get('state'), searchParams.get('iss')], [journey.state, authUrl])
      const issued = await redeem(here, client, { code: searchParams.get('code')!, verifier: journey.verifier })
      assert.equal(issued.status, 200)
      assert.ok(!issued.body.scope.split(' ').includes('tickets:write'))
      assert.ok(issued.body.scope.split(' ').includes('tickets:read'))
      const foreign = complaints.filter((one) => !one.includes(redirect) && !/40[13]|favicon/.test(one))
      assert.deepEqual(foreign, [], 'the browser found nothing to complain of')
      await close()
    })

    test(`somebody new sets up a second factor, on a ${size}`, async () => {
      const { orgId } = await here.organisation()
      const admin = await person(here, orgId, 'technician')
      await updateMember(here.database, orgId, admin.memberId, { role: 'admin' })
      const { page, close } = await openPage(browser, `${authUrl}/portal`, { viewport })
      await page.getByLabel('Email').fill(admin.email)
      await page.getByLabel('Password').fill(admin.password)
      await page.getByRole('button', { name: 'Sign in' }).click()
      await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor()
      await inspectPage(page, `enrolment-${size}`)
      const secret = (await page.locator('code').innerText()).replaceAll(' ', '')
      await page.getByLabel('Code', { exact: true }).fill(new TOTP({ secret: Secret.fromBase32(secret) }).generate())
      await page.getByRole('button', { name: 'Continue' }).click()
      await page.getByRole('heading', { name: 'Your recovery codes' }).waitFor()
      assert.equal(await page.getByRole('listitem').count(), 10)
      await inspectPage(page, `recovery-${size}`)
      await page.getByRole('link', { name: 'I have kept them' }).click()
      await page.getByRole('heading', { name: 'Test Repairs' }).waitFor()
      await close()
    })
  }

  test('everything works without JavaScript and by keyboard alone', async () => {
    const { orgId } = await here.organisation()
    const admin = await person(here, orgId)
    const client = await register(here, { redirect_uris: [redirect] })
    const { page, close } = await openPage(browser, (await startAuthorization(client)).address.href, {
      javaScriptEnabled: false,
    })
    await resetTotp(here, admin)
    await page.keyboard.press('Tab')
    await page.keyboard.type(admin.email)
    await page.keyboard.press('Tab')
    await page.keyboard.type(admin.password)
    await page.keyboard.press('Tab')
    await page.keyboard.type(totpCode(admin))
    await page.keyboard.press('Enter')
    await page.getByRole('button', { name: 'Allow' }).focus()
    await page.keyboard.press('Enter')
    await page.waitForURL(/callback\?code=/)
    await close()
  })

  test('denying leads back to the app, to an app’s own scheme too', async () => {
    const { orgId } = await here.organisation()
    const admin = await person(here, orgId)
    const client = await register(here, { redirect_uris: [redirect, 'com.example.app:/callback'] })
    const { page, close } = await openPage(browser, (await startAuthorization(client)).address.href)
    await fillIn(page, admin)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('button', { name: 'Deny' }).click()
    await page.waitForURL(/error=access_denied/)

    const own = await startAuthorization({ ...client, redirect: 'com.example.app:/callback' })
    await page.goto(own.address.href)
    const left = page
      .waitForRequest((request) => request.url().startsWith('com.example.app:'), { timeout: 3_000 })
      .catch(() => undefined)
    const refused = new Promise<string>((resolve) => page.on('console', (message) => resolve(message.text())))
    await page.getByRole('button', { name: 'Allow' }).click()
    const outcome = await Promise.race([left, refused])
    assert.ok(typeof outcome !== 'string' || !/Content Security Policy/.test(outcome), String(outcome))
    await close()
  })

  test('a page of ours is shown in nobody’s frame', async () => {
    const { page, complaints, close } = await openPage(browser, `${authUrl}/sign-in`)
    await page.goto(redirect)
    await page.evaluate(`document.body.innerHTML = '<iframe src="${authUrl}/sign-in"></iframe>'`)
    const isRefused = () => complaints.some((one) => /frame-ancestors|X-Frame-Options|refused to connect/i.test(one))
    for (let tries = 0; tries < 100 && !isRefused(); tries++) await page.waitForTimeout(50)
    assert.ok(isRefused(), complaints.join('\n'))
    await close()
  })
})
