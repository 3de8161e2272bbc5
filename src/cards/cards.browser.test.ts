// Cards in a browser: a host that speaks the protocol, a frame in a sandbox, and answers of the real tools.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, test } from 'node:test'
import type { Browser, Frame, Page } from 'playwright-core'
import { connectAgent } from '../../test/agent.ts'
import { accessibilityFindings, noBrowser, openBrowser, openPage, sidewaysScroll } from '../../test/browser.ts'
import { type Client, startTestService } from '../../test/test-service.ts'
import { cards } from './cards.ts'

const here = await startTestService()

/** A host as small as can be: it shows one card, with the policy that hosts have to set, and writes down what the card says. */
const hostPage = `<!doctype html><html lang="en"><head><title>Host</title></head><body>
<iframe title="Card" sandbox="allow-scripts" style="width:360px;height:600px"></iframe><script>
const said = [], frame = document.querySelector('iframe')
const tell = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*')
let given
addEventListener('message', ({ source, data }) => {
  if (source !== frame.contentWindow) return
  said.push(data)
  if (data.result) document.body.dataset.answered = data.id
  if (data.method === 'ui/notifications/size-changed' && data.params.height > 60) document.body.dataset.sized = 'yes'
  if (data.method === 'ui/initialize')
    tell({ id: data.id, result: { protocolVersion: '2026-01-26', hostInfo: { name: 'host', version: '1' }, hostCapabilities: {}, hostContext: { theme: 'light', timeZone: 'Europe/London' } } })
  if (data.method === 'ui/notifications/initialized') {
    tell({ method: 'ui/notifications/tool-input', params: { arguments: {} } })
    tell({ method: 'ui/notifications/tool-result', params: given })
  }
})
</script></body></html>`
const policy =
  "default-src 'none'; script-src 'self' 'unsafe-inline'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src 'none'"
const host = createServer((_, response) => {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8', 'content-security-policy': policy })
  response.end(hostPage)
}).listen(0, '127.0.0.1')

let browser: Browser
before(async () => {
  if (noBrowser) return
  browser = await openBrowser()
})
after(async () => {
  await browser?.close()
  host.close()
})

interface Shown {
  readonly page: Page
  readonly frame: Frame
  /** What the card said to its host. */
  said(): Promise<{ jsonrpc?: string }[]>
  tell(message: object): Promise<void>
}

async function show(name: string, result: object, look: (shown: Shown) => Promise<void>): Promise<void> {
  if (!host.listening) await once(host, 'listening')
  const url = `http://127.0.0.1:${(host.address() as AddressInfo).port}/`
  const { page, complaints, close } = await openPage(browser, url)
  try {
    const html = await cards.find((card) => card.name === name)!.read()
    await page.evaluate(
      `given = ${JSON.stringify(result)}; document.querySelector('iframe').srcdoc = ${JSON.stringify(html)}; undefined`,
    )
    const frame = await (await page.waitForSelector('iframe')).contentFrame()
    await frame!.waitForSelector('#card:not([hidden])')
    await look({
      page,
      frame: frame!,
      said: () => page.evaluate('said') as ReturnType<Shown['said']>,
      tell: (message) => page.evaluate(`tell(${JSON.stringify(message)})`) as Promise<void>,
    })
    assert.deepEqual(complaints, [], name)
  } finally {
    await close()
  }
}

const hostile = `<img src=x onerror="parent.postMessage('owned','*')">&amp;"'</script><script>parent.postMessage('owned','*')</script>`

async function result(shop: Client, tool: string, args: Record<string, unknown>): Promise<object> {
  const { client } = await connectAgent(here, shop.key)
  return client.callTool({ name: tool, arguments: args })
}

/** Both themes as the host says, and every word as it was written. */
async function inspect({ page, frame, said, tell }: Shown, words: readonly string[]): Promise<void> {
  const text = await frame.locator('#card').innerText()
  for (const word of words) assert.ok(text.includes(word), `${word} is not in ${text}`)
  for (const theme of ['light', 'dark']) {
    await tell({ method: 'ui/notifications/host-context-changed', params: { theme } })
    await frame.waitForSelector(`html[data-theme="${theme}"]`, { state: 'attached' })
    assert.deepEqual(await accessibilityFindings(frame as unknown as Page), [], theme)
  }
  assert.equal(await sidewaysScroll(frame as unknown as Page), 0)
  await tell({ id: 7, method: 'ui/resource-teardown', params: { reason: 'over' } })
  await page.waitForSelector('body[data-answered="7"][data-sized]')
  assert.ok((await said()).every(({ jsonrpc }) => jsonrpc === '2.0'))
}

test('a job is shown as the desk shows it, and what people wrote stays text', { skip: noBrowser }, async () => {
  const shop = await here.organisation()
  const created = await result(shop, 'create_ticket', {
    customerName: hostile,
    serviceRequired: hostile,
    description: `First line\n${hostile}`,
    priority: 'urgent',
    address: '3 Quay Street',
    scheduledFrom: '2026-11-16T09:30:00Z',
    scheduledTo: '2026-11-16T10:30:00Z',
  })
  await show('job', created, async (shown) => {
    await inspect(shown, [hostile, 'Urgent', 'Open', '3 Quay Street'])
    assert.equal(await shown.frame.locator('#card img, #card script').count(), 0)
    // A refusal has no card: the host shows its words.
    await shown.tell({ method: 'ui/notifications/tool-result', params: { isError: true, content: [] } })
    await shown.frame.waitForSelector('#card[hidden]', { state: 'attached' })
  })
})

test('a quote is shown with its lines and what they come to', { skip: noBrowser }, async () => {
  const shop = await here.organisation()
  const quote = await result(shop, 'create_quote', {
    customerName: 'Amara Okafor',
    title: hostile,
    lineItems: [{ name: hostile, quantity: 2, unitPrice: 40.5, warrantyDays: 90 }],
    discount: { type: 'fixed', value: 1 },
  })
  await show('quote', quote, async (shown) => {
    await shown.page.evaluate(`document.querySelector('iframe').style.width = '320px'`)
    // What it is has the width to itself where there is little: words are not broken apart.
    await shown.frame.waitForFunction(
      `innerWidth <= 320 && document.querySelector('.lines td').clientWidth > innerWidth / 2`,
    )
    await inspect(shown, ['Quote for Amara Okafor', 'Draft', hostile, '90 days’ warranty', '81.00', '80.00'])
  })
})

test('a day is shown in the host’s time, also where the host hands over text alone', { skip: noBrowser }, async () => {
  const shop = await here.organisation()
  const event = { title: hostile, from: '2026-07-01T08:00:00Z', to: '2026-07-01T09:30:00Z', location: 'Pier 4' }
  assert.equal((await shop.post('/calendar-events', event)).status, 201)
  const range = { from: '2026-07-01T00:00:00Z', to: '2026-07-02T00:00:00Z' }
  const { content } = (await result(shop, 'list_calendar_events', range)) as { content: object[] }
  await show('day', { content }, (shown) =>
    inspect(shown, ['Wednesday 1 July', '1 event', '09:00–10:30', hostile, 'Pier 4']),
  )
  await show('day', await result(shop, 'list_calendar_events', { from: '2030-01-01T00:00:00Z' }), async ({ frame }) => {
    assert.match(await frame.locator('#card').innerText(), /Nothing is planned/)
  })
})
