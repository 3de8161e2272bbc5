// A real browser for tests of pages: Chromium from the PATH, and the checks every page must pass.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const chromiumPath = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim()

/** For `test(name, { skip: noBrowser }, …)`: a machine without Chromium skips, CI does not. */
export const noBrowser = chromiumPath === '' && process.env.CI !== 'true' && 'chromium is not on the PATH'

export const phone = { width: 390, height: 844 }
export const desktop = { width: 1280, height: 900 }

/** Set for the whole matrix, as the proof wants it: on a desktop the same markup has more room and the same colours. */
const isEveryScreen = process.env.EVERY_SCREEN !== undefined
/** The sizes at which pages are looked at. What is done at a page is tested at the size at which people do it. */
export const screens: Readonly<Record<string, { readonly width: number; readonly height: number }>> = {
  phone,
  ...(isEveryScreen && { desktop }),
}

export function openBrowser(): Promise<Browser> {
  assert.notEqual(chromiumPath, '', 'chromium is not on the PATH')
  return chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

/** Three test files on two cores may keep a page waiting. */
const patienceMs = 40_000

export interface OpenPage {
  readonly page: Page
  /** What the browser complained of: errors on the console, refused content, failed requests. */
  readonly complaints: readonly string[]
  /** Once the page is told what others do: its stream is answered. */
  readonly isListening: Promise<void>
  close(): Promise<void>
}

export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  page.setDefaultTimeout(patienceMs)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    // The browser shows a PDF by means of its own.
    const isInside = ['data:', 'chrome:', 'chrome-extension:'].includes(protocol)
    if (!isInside && origin !== new URL(url).origin) complaints.push(`asked ${request.url()}`)
  })
  const isListening = listening(page)
  await page.goto(url)
  return { page, complaints, isListening, close: () => context.close() }
}

export function listening(page: Page): Promise<void> {
  return new Promise((resolve) => {
    page.on('response', (response) => {
      if (/\/desk\/\w+\/live$/.test(response.url())) resolve()
    })
  })
}

/** The same for somebody who is signed in: the value of their session's cookie. */
export function openPageAs(
  session: string,
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<OpenPage> {
  const cookie = { name: 'jobwright_session', value: session, domain: new URL(url).hostname, path: '/', expires: -1 }
  const storageState = {
    cookies: [{ ...cookie, httpOnly: true, secure: false, sameSite: 'Lax' as const }],
    origins: [],
  }
  return openPage(browser, url, { storageState, ...options })
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding {
  readonly id: string
  readonly impact: string
  readonly help: string
  readonly nodes: readonly { readonly html: string }[]
}

/** Those of WCAG A and AA; the category of colour would bring those of AAA along. They take two thirds of the time. */
const colourRules = ['color-contrast', 'link-in-text-block']
const rulesOf = {
  all: {},
  colour: { runOnly: { type: 'rule', values: colourRules } },
  'all but colour': { rules: Object.fromEntries(colourRules.map((rule) => [rule, { enabled: false }])) },
}

/** The serious and critical findings of an accessibility check, as readable lines. */
export async function accessibilityFindings(page: Page, rules: keyof typeof rulesOf = 'all'): Promise<string[]> {
  const options = { resultTypes: ['violations'], selectors: false, preload: false, ...rulesOf[rules] }
  for (;;) {
    // While Turbo replaces a page, the document says that it is busy, which axe would complain of; and half of it may be the old one.
    await page.locator('html:not([aria-busy])').waitFor({ state: 'attached' })
    // Evaluated by the inspector, which the page's policy does not bind.
    if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
    const violations = (await page.evaluate(
      `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
    )) as Finding[]
    const found = violations.filter(({ impact }) => impact === 'serious' || impact === 'critical')
    const isReplacedMeanwhile = found.some(({ nodes }) => nodes.some(({ html }) => busyDocument.test(html)))
    if (isReplacedMeanwhile) continue
    return found.map(
      ({ id, impact, help, nodes }) => `${impact} ${id}: ${help}: ${nodes.map((node) => node.html).join(' | ')}`,
    )
  }
}

const busyDocument = /^<html [^>]*aria-busy/

/**
 * Every rule but those about colour in light: the dark scheme changes colours and nothing else, which `the dark scheme changes
 * colours only` in http/stylesheets.test.ts holds the stylesheets to. Colours, which come from a few variables, in one of the two
 * schemes, which is another from page to page; in the whole matrix in both. Leaves the page in light.
 */
export async function inspectColorSchemes(
  page: Page,
  name: string,
  afterEach: (scheme: 'light' | 'dark') => Promise<void> = async () => {},
): Promise<void> {
  const isInspected = isEveryScreen || (page.viewportSize()?.width ?? 0) <= phone.width
  const coloursIn = hash('md5', name, 'buffer')[0]! % 2 ? 'light' : 'dark'
  const isColoured = (scheme: string) => isEveryScreen || scheme === coloursIn
  await page.waitForLoadState() // what is still arriving has no title yet, or no style
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    const rules = colorScheme === 'dark' ? 'colour' : isColoured(colorScheme) ? 'all' : 'all but colour'
    if (isInspected && (rules !== 'colour' || isColoured(colorScheme)))
      assert.deepEqual(await accessibilityFindings(page, rules), [], `${name}-${colorScheme}`)
    assert.equal(await sidewaysScroll(page), 0, `${name}-${colorScheme}`)
    await afterEach(colorScheme)
  }
}

/** How far the page can be scrolled sideways, in pixels. */
export function sidewaysScroll(page: Page): Promise<number> {
  // Room that is kept for a scroll bar makes the difference negative.
  return page.evaluate('Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)')
}
