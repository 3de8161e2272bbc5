// A real browser for tests of pages: Chromium from the PATH, and the checks every page must pass.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core'

const chromiumPath = spawnSync('which', ['chromium'], { encoding: 'utf8' }).stdout.trim()

/** For `test(name, { skip: noBrowser }, …)`: a machine without Chromium skips, CI does not. */
export const noBrowser = chromiumPath === '' && process.env.CI !== 'true' && 'chromium is not on the PATH'

export const phone = { width: 390, height: 844 }
export const desktop = { width: 1280, height: 900 }

export function openBrowser(): Promise<Browser> {
  assert.notEqual(chromiumPath, '', 'chromium is not on the PATH')
  return chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-dev-shm-usage'] })
}

export interface OpenPage {
  readonly page: Page
  /** What the browser complained of: errors on the console, refused content, failed requests. */
  readonly complaints: readonly string[]
  close(): Promise<void>
}

export async function openPage(browser: Browser, url: string, options: BrowserContextOptions = {}): Promise<OpenPage> {
  const context = await browser.newContext({ reducedMotion: 'reduce', ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url())
    if (protocol !== 'data:' && origin !== new URL(url).origin) complaints.push(`asked ${request.url()}`)
  })
  await page.goto(url)
  return { page, complaints, close: () => context.close() }
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding {
  readonly id: string
  readonly impact: string
  readonly help: string
  readonly nodes: readonly { readonly html: string }[]
}

/** The serious and critical findings of an accessibility check, as readable lines. */
export async function accessibilityFindings(page: Page, rules: 'all' | 'colour' = 'all'): Promise<string[]> {
  // Evaluated by the inspector, which the page's policy does not bind.
  if (!(await page.evaluate('"axe" in globalThis'))) await page.evaluate(axe)
  const options = { resultTypes: ['violations'], ...(rules === 'colour' && { runOnly: ['cat.color'] }) }
  const violations = (await page.evaluate(
    `axe.run(document, ${JSON.stringify(options)}).then(({ violations }) => violations)`,
  )) as Finding[]
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, impact, help, nodes }) => `${impact} ${id}: ${help}: ${nodes.map((node) => node.html).join(' | ')}`)
}

/**
 * Every rule in light, and in dark those about colour: the dark scheme changes colours and nothing else, which
 * `the dark scheme changes colours only` in http/stylesheets.test.ts holds the stylesheets to. Leaves the page in light.
 */
export async function inspectColorSchemes(
  page: Page,
  name: string,
  afterEach: (scheme: 'light' | 'dark') => Promise<void> = async () => {},
): Promise<void> {
  for (const [colorScheme, rules] of [
    ['dark', 'colour'],
    ['light', 'all'],
  ] as const) {
    await page.emulateMedia({ colorScheme })
    assert.deepEqual(await accessibilityFindings(page, rules), [], `${name}-${colorScheme}`)
    assert.equal(await sidewaysScroll(page), 0, `${name}-${colorScheme}`)
    await afterEach(colorScheme)
  }
}

/** How far the page can be scrolled sideways, in pixels. */
export function sidewaysScroll(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth')
}
