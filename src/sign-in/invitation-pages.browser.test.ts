// An invitation in a real browser, from the mail to the desk: on a phone, in light and dark, as its reader sees it.
import assert from 'node:assert/strict'
import { mkdirSync } from 'node:fs'
import { test } from 'node:test'
import { inspectColorSchemes, noBrowser, openBrowser, openPage, phone } from '../../test/browser.ts'
import { signIntoDesk } from '../../test/desk-user.ts'
import { mailServer } from '../../test/mail-server.ts'
import { freePort } from '../../test/programs.ts'
import { startTestService } from '../../test/test-service.ts'
import { invitationLink, totpCode } from '../../test/visitor.ts'

/** Where pictures of the pages go, for people to look at. */
const pictures = process.env.PAGE_PICTURES
if (pictures) mkdirSync(pictures, { recursive: true })

test('somebody invited by mail chooses a password, sets up the second factor and lands at the desk', {
  skip: noBrowser,
}, async () => {
  const smtp = await mailServer()
  const mail = { SMTP_URL: smtp.url, MAIL_FROM: 'jobwright@mail.example' }
  const here = await startTestService({ PORT: await freePort(), ROLE: 'all', ...mail })
  const { orgId } = await here.organisation({ name: 'Harbour Repairs' })
  const admin = await signIntoDesk(here, orgId)
  const arrival = smtp.arrival()
  await admin.post('/settings/members', { firstName: 'Vi', email: 'vi@mail.example', role: 'manager' })
  await arrival
  while (smtp.received.length === 0) await new Promise((resolve) => setTimeout(resolve, 10))
  const link = invitationLink(smtp.received[0]!.mail.text!)

  const browser = await openBrowser()
  const { page, complaints, close } = await openPage(browser, `${here.config.authUrl}${link}`, { viewport: phone })
  const inspect = (name: string) =>
    inspectColorSchemes(page, name, async (scheme) => {
      if (pictures) await page.screenshot({ path: `${pictures}/${name}-${scheme}.png`, fullPage: true })
    })
  await page.getByRole('heading', { name: 'Join Harbour Repairs' }).waitFor()
  await inspect('invitation')
  await page.getByLabel('Password').fill('several long words')
  await page.getByLabel('Keep me signed in').check()
  await page.getByRole('button', { name: 'Join Harbour Repairs' }).click()
  await page.getByRole('heading', { name: 'Set up your second factor' }).waitFor()
  const totpSecret = (await page.locator('code').innerText()).replaceAll(' ', '')
  await page.getByLabel('Code', { exact: true }).fill(totpCode({ totpSecret }))
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.getByRole('link', { name: 'I have kept them' }).click()
  await page.waitForURL(`**/desk/${orgId}/today`)
  await page.goto(`${here.config.authUrl}/portal/${orgId}/account`)
  await page.getByRole('heading', { name: 'Where you are signed in' }).waitFor()
  assert.equal(await page.getByText('This browser').count(), 1)
  assert.equal(await page.getByText('for 30 days').count(), 1)
  await inspect('account')
  assert.deepEqual(complaints, [])
  await close()
  await browser.close()
})
