// Forms and cookies: what a browser sends is read here, and a form is believed only if it came from a page of ours.
import { createHmac, timingSafeEqual } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'
import { isWellFormedToken, newToken } from '../identity/tokens.ts'
import { badRequest, forbidden, tooManyRequests } from '../operations/errors.ts'
import { type Html, html } from './html.ts'
import { secondsUntilReset } from './rate-limit-headers.ts'
import type { RateLimits } from './rate-limits.ts'
import { clientAddress } from './request.ts'

export interface BrowserSession {
  /** The value of the session's cookie. */
  session(request: FastifyRequest): string | undefined
  startSession(reply: FastifyReply, token: string): void
  endSession(reply: FastifyReply): void
  /** A cookie that a single page needs, under its path. */
  setCookie(reply: FastifyReply, name: string, value: string | null, path: string, seconds: number): void
  cookie(request: FastifyRequest, name: string): string | undefined
  /** The hidden field that every form carries. */
  csrfField(request: FastifyRequest, reply: FastifyReply): Html
  /** The fields of a form that carries it; refuses any other. */
  verifiedForm(request: FastifyRequest): URLSearchParams
}

export function createBrowserSession(config: Config, keys: readonly string[]): BrowserSession {
  const isSecure = config.authUrl.startsWith('https:')
  // The prefix makes browsers refuse such a cookie from anywhere but here; they do so only where there is encryption.
  const cookieName = (name: string) => `${isSecure ? '__Host-' : ''}jobwright_${name}`
  const attributes = (path: string) => `Path=${path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  const addSetCookie = (reply: FastifyReply, cookie: string) => void reply.header('set-cookie', cookie)
  const session = (request: FastifyRequest) => readCookie(request, cookieName('session'))
  const csrfToken = (key: string, nonce: string, request: FastifyRequest) =>
    createHmac('sha256', key)
      .update(`${nonce} ${session(request) ?? ''}`)
      .digest()

  return {
    session,
    startSession: (reply, token) => addSetCookie(reply, `${cookieName('session')}=${token}; ${attributes('/')}`),
    endSession: (reply) => addSetCookie(reply, `${cookieName('session')}=; ${attributes('/')}; Max-Age=0`),
    setCookie: (reply, name, value, path, seconds) =>
      addSetCookie(
        reply,
        `jobwright_${name}=${value ?? ''}; ${attributes(path)}; Max-Age=${value === null ? 0 : seconds}`,
      ),
    cookie: (request, name) => readCookie(request, `jobwright_${name}`),
    csrfField(request, reply) {
      let nonce = readCookie(request, cookieName('form'))
      if (nonce === undefined || !isWellFormedToken(nonce)) {
        nonce = newToken()
        addSetCookie(reply, `${cookieName('form')}=${nonce}; ${attributes('/')}`)
      }
      return html`<input type="hidden" name="csrf" value="${csrfToken(keys[0]!, nonce, request).toString('base64url')}">`
    },
    verifiedForm(request) {
      const site = request.headers['sec-fetch-site']
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
      const given = Buffer.from(form.get('csrf') ?? '', 'base64url')
      const nonce = readCookie(request, cookieName('form')) ?? ''
      const isOurs = keys.some((key) => {
        const expected = csrfToken(key, nonce, request)
        return given.length === expected.length && timingSafeEqual(given, expected)
      })
      const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none'
      if (!isOurs || nonce === '' || isForeign) throw forbidden('The form was not sent from our page, or it is too old')
      return form
    },
  }
}

const maxFormBytes = 64 * 1_024

/** Browsers end the lines of a text area with two characters, of which we keep the one that text here may hold. */
export const parseForm = (body: string): URLSearchParams => new URLSearchParams(body.replaceAll(/%0D%0A/gi, '%0A'))

/** Forms are all that the pages of a plugin read. */
export function acceptForms(app: FastifyInstance, bodyLimit = maxFormBytes): void {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string', bodyLimit },
    async (_request: FastifyRequest, body: string) => parseForm(body),
  )
}

/** Text that no database takes is refused once, for all pages: in the address, the query and the form. */
export function addUnstorableTextCheck(app: FastifyInstance): void {
  app.addHook('preValidation', async ({ params, query, body }) => {
    const asked = [params, query].flatMap((given) => Object.entries((given ?? {}) as object).flat(2))
    const sent = body instanceof URLSearchParams ? [...body].flat() : []
    for (const text of [...asked, ...sent])
      if (typeof text === 'string' && (text.includes('\0') || !text.isWellFormed()))
        throw badRequest('What was sent holds a character that cannot be kept')
  })
}

/** Every page of a plugin counts against the address that asks for it. */
export function limitAuthPages(app: FastifyInstance, limits: RateLimits): void {
  app.addHook('onRequest', async (request) => {
    const count = await limits.authPage(clientAddress(request))
    if (count.isOver) throw tooManyRequests('Too many requests from your network', secondsUntilReset(count))
  })
}

function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  for (const part of headers.cookie?.split(';') ?? []) {
    const at = part.indexOf('=')
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}

/** A path here, and nothing else: what a link carries along must not lead elsewhere. */
export const localPath = (path: string | null | undefined, fallback: string): string =>
  path && /^\/(?![/\\])[\w\-./?=&%]*$/.test(path) ? path : fallback

/** An address that goes on to another one of ours afterwards. */
export const withNext = (path: string, next: string): string => `${path}?next=${encodeURIComponent(next)}`
