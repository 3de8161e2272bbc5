// The public page in a real browser: readable by all, on a phone and on a desk, by light and by dark, with and without script.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { type FastifyInstance, fastify } from 'fastify'
import type { Browser, Page } from 'playwright-core'
import {
  accessibilityFindings,
  desktop,
  inspectColorSchemes,
  noBrowser,
  openBrowser,
  openPage,
  phone,
  screens,
  sidewaysScroll,
} from '../../test/browser.ts'
import { hostileTexts, printDocument, printDocumentWithText } from '../../test/print-documents.ts'
import { assetHeaders, assets } from '../http/assets.ts'
import { pageHeaders, renderAnsweredPage, renderNotFoundPage, renderPage } from './page.ts'

const options = { token: 'tOkEn', csrf: 'c5rf' }
const messages = [{ text: 'It is on the bench.\nMore soon.', at: '2026-11-16T09:00:00Z', from: 'Harbour Street' }]
const payments = [{ paidAt: '2026-11-16T09:00:00Z', amount: 100, paymentMethod: 'card' }]

const pages: Readonly<Record<string, string>> = {
  'open-quote': renderPage(printDocument({ messages, deposit: { type: 'percent', value: 30 } }), options),
  'accepted-quote': renderPage(
    printDocument({ status: 'accepted', acceptedByName: 'Amira', acceptedAt: '2026-11-20T10:00:00Z' }),
    options,
  ),
  'expired-quote': renderAnsweredPage(printDocument({ isExpired: true }), options),
  'due-invoice': renderPage(printDocument({ kind: 'invoice', amountPaid: 100, payments }), options),
  'refunded-invoice': renderPage(
    printDocument({
      kind: 'invoice',
      lines: [{ name: 'Part', sku: 'SKU-0123456789-01', serialNumber: 'SN-0123', quantity: 1, unitPrice: 1 }],
      payments: [
        ...payments,
        { paidAt: '2026-09-30T09:00:00Z', amount: -12345.67, paymentMethod: 'Standing order of the bank' },
      ],
      earlierPayments: { count: 20, amount: 2_000 },
    }),
    options,
  ),
  'overdue-invoice': renderPage(printDocument({ kind: 'invoice', isOverdue: true }), options),
  'paid-invoice': renderPage(printDocument({ kind: 'invoice', amountPaid: 315.6, payments }), options),
  'void-invoice': renderPage(printDocument({ kind: 'invoice', status: 'void' }), options),
  'arabic-quote': renderPage(
    printDocument({ title: 'صيانة', currency: 'KWD', organisation: { locale: 'ar-EG', name: 'ورشة' } }),
    options,
  ),
  'largest-sums': renderPage(
    printDocument({
      kind: 'invoice',
      currency: 'KWD',
      lines: [{ name: 'Most', quantity: 1e6, unitPrice: 1e8 - 0.0001 }],
    }),
    options,
  ),
  hostile: renderPage(printDocumentWithText(hostileTexts.join(' ')), options),
  'not-found': renderNotFoundPage(),
}

const badPage = `<!doctype html><title>Bad</title><main><script>alert(1)</script>
<img src="data:,"><p style="color:#ddd;background:#fff;width:2000px">pale and wide</p></main>`

describe('the public page in a browser', { skip: noBrowser }, () => {
  let browser: Browser
  let app: FastifyInstance
  let origin: string
  const posted: URLSearchParams[] = []

  before(async () => {
    app = fastify({ bodyLimit: 1_048_576 })
    app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
      done(null, new URLSearchParams(String(body)))
    })
    for (const { path, type, body } of assets)
      app.get(path, async (_request, reply) => reply.headers({ ...assetHeaders, 'content-type': type }).send(body))
    app.get<{ Params: { name: string } }>('/page/:name', async ({ params }, reply) =>
      reply.headers(pageHeaders).send(pages[params.name]),
    )
    app.get('/bad-page', async (_request, reply) =>
      reply.headers({ ...pageHeaders, 'content-security-policy': "script-src 'self'" }).send(badPage),
    )
    app.post('/s/tOkEn', async ({ body }, reply) => {
      posted.push(body as URLSearchParams)
      return reply.headers(pageHeaders).send(pages['accepted-quote'])
    })
    origin = await app.listen({ host: '127.0.0.1', port: 0 })
    browser = await openBrowser()
  })
  after(async () => {
    await browser?.close()
    await app?.close()
  })

  for (const name of Object.keys(pages))
    test(`${name}: no serious finding, no sideways scrolling, nothing refused or asked elsewhere`, async () => {
      const { page, complaints, close } = await openPage(browser, `${origin}/page/${name}`)
      for (const viewport of Object.values(screens)) {
        await page.setViewportSize(viewport)
        await inspectColorSchemes(page, `${name}-${viewport.width}`)
      }
      assert.deepEqual(complaints, [])
      await close()
    })

  test('on a phone a refund stays on one line, and no dot stands at the start or the end of a line', async () => {
    const { page, close } = await openPage(browser, `${origin}/page/refunded-invoice`, { viewport: phone })
    const heights = await page
      .locator('.payments .figure bdi')
      .evaluateAll((sums) => sums.map((sum) => sum.getClientRects().length))
    assert.deepEqual(heights, [1, 1, 1])
    // Each dot stands in the gap before its detail: at the start of a line that is outside, where it is cut off.
    const lefts = await page
      .locator('.details span')
      .evaluateAll((details) =>
        details.map(
          (detail) => detail.getBoundingClientRect().left - detail.parentElement!.getBoundingClientRect().left,
        ),
      )
    assert.deepEqual(lefts, [0, 0], 'two details, each on a line of its own')
    await close()
  })

  test('these checks find what is wrong with a page', async () => {
    const { page, complaints, close } = await openPage(browser, `${origin}/bad-page`, { viewport: phone })
    const findings = (await accessibilityFindings(page)).join('\n')
    assert.match(findings, /image-alt/)
    assert.match(findings, /color-contrast/)
    assert.ok((await sidewaysScroll(page)) > 0)
    assert.match(complaints.join('\n'), /Content Security Policy/)
    await close()
  })

  test('the sum and what is asked are seen without scrolling, and can be touched with a thumb', async () => {
    const { page, close } = await openPage(browser, `${origin}/page/open-quote`, { viewport: phone })
    for (const seen of [page.locator('.amount'), page.getByRole('link', { name: 'Accept or decline' })]) {
      const box = await seen.boundingBox()
      assert.ok(box && box.y + box.height < phone.height)
    }
    for (const control of await page.locator('.button, input[type=text], textarea').all()) {
      const box = await control.boundingBox()
      assert.ok(box && box.height >= 44, `${box?.height} pixels high`)
    }
    await close()
  })

  test('everything can be reached with the keyboard, in the order of reading', async () => {
    const { page, close } = await openPage(browser, `${origin}/page/open-quote`, { viewport: desktop })
    const reached: string[] = []
    for (let step = 0; step < 9; step++) {
      await page.keyboard.press('Tab')
      reached.push(await page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()'))
    }
    assert.deepEqual(reached, [
      'Accept or decline',
      'Download PDF',
      'name',
      'Accept',
      'reason',
      'Decline',
      '+44 20 7946 0018',
      'hello@harbour-street.example',
      'harbour-street.example/',
    ])
    await close()
  })

  test('a quote is accepted without JavaScript, and no place to sign is shown', async () => {
    const { page, close } = await openPage(browser, `${origin}/page/open-quote`, {
      viewport: phone,
      javaScriptEnabled: false,
    })
    assert.equal(await page.locator('canvas').isVisible(), false)
    await page.getByLabel('Your name').fill('Amira Ōsei')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.waitForURL('**/s/tOkEn')
    assert.deepEqual(Object.fromEntries(posted.pop()!), {
      csrf: 'c5rf',
      name: 'Amira Ōsei',
      signature: '',
      answer: 'accept',
      reason: '',
    })
    await close()
  })

  test('accepting asks for a name, declining does not', async () => {
    const { page, close } = await openPage(browser, `${origin}/page/open-quote`, { viewport: phone })
    await page.getByRole('button', { name: 'Accept' }).click()
    assert.match(page.url(), /open-quote/)
    await page.getByLabel('Tell us why').fill('Too dear')
    await page.getByRole('button', { name: 'Decline' }).click()
    await page.waitForURL('**/s/tOkEn')
    assert.deepEqual(Object.fromEntries(posted.pop()!), {
      csrf: 'c5rf',
      name: '',
      signature: '',
      answer: 'decline',
      reason: 'Too dear',
    })
    await close()
  })

  test('a drawn signature is sent as a picture, and can be taken back', async () => {
    const { page, complaints, close } = await openPage(browser, `${origin}/page/open-quote`, {
      viewport: phone,
      deviceScaleFactor: 3,
    })
    const field = page.locator('input[name=signature]')
    await draw(page)
    const drawn = await field.inputValue()
    assert.match(drawn, /^data:image\/png;base64,/)
    assert.ok(drawn.length <= 400_000)
    await page.getByRole('button', { name: 'Clear signature' }).click()
    assert.equal(await field.inputValue(), '')
    await draw(page)
    await page.getByLabel('Your name').fill('Amira')
    await page.getByRole('button', { name: 'Accept' }).click()
    await page.waitForURL('**/s/tOkEn')
    assert.equal(posted.pop()!.get('signature'), drawn)
    assert.deepEqual(complaints, [])
    await close()
  })
})

async function draw(page: Page): Promise<void> {
  const canvas = page.locator('canvas')
  await canvas.scrollIntoViewIfNeeded()
  const box = (await canvas.boundingBox())!
  await page.mouse.move(box.x + 20, box.y + 60)
  await page.mouse.down()
  for (let step = 1; step <= 20; step++) await page.mouse.move(box.x + 20 + step * 12, box.y + 60 + (step % 2) * 30)
  await page.mouse.up()
}
