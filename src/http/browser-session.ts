// What the pages know of a browser: its cookies, and whether a form it sends is one of ours.
import type { Config } from '../config/config.ts'
import { type Cookies, createCookies } from './cookies.ts'
import { type Csrf, createCsrf } from './csrf.ts'

export type BrowserSession = Cookies & Csrf

export function createBrowserSession(config: Config, csrfKeys: readonly string[]): BrowserSession {
  const cookies = createCookies(config)
  return { ...cookies, ...createCsrf(cookies, csrfKeys) }
}
