// The cookies of our pages: the session, the nonce that forms are tied to, and those that a single page needs.
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Config } from '../config/config.ts'

export interface Cookies {
  /** The value of the session's cookie. */
  session(request: FastifyRequest): string | undefined
  /** Kept until the browser is closed, or for so many seconds. */
  startSession(reply: FastifyReply, token: string, seconds?: number): void
  endSession(reply: FastifyReply): void
  /** The value that CSRF tokens of this browser are derived from. */
  formNonce(request: FastifyRequest): string | undefined
  setFormNonce(reply: FastifyReply, nonce: string): void
  /** A cookie that a single page needs, under its path. */
  setCookie(reply: FastifyReply, name: string, value: string | null, path: string, seconds: number): void
  cookie(request: FastifyRequest, name: string): string | undefined
}

export function createCookies({ authUrl }: Config): Cookies {
  const isSecure = authUrl.startsWith('https:')
  // The prefix makes browsers refuse such a cookie from anywhere but here; they do so only over TLS.
  const cookieName = (name: string) => `${isSecure ? '__Host-' : ''}jobwright_${name}`
  const attributes = (path: string) => `Path=${path}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  const addSetCookie = (reply: FastifyReply, cookie: string) => void reply.header('set-cookie', cookie)
  return {
    session: (request) => readCookie(request, cookieName('session')),
    startSession: (reply, token, seconds) =>
      addSetCookie(
        reply,
        `${cookieName('session')}=${token}; ${attributes('/')}${seconds === undefined ? '' : `; Max-Age=${seconds}`}`,
      ),
    endSession: (reply) => addSetCookie(reply, `${cookieName('session')}=; ${attributes('/')}; Max-Age=0`),
    formNonce: (request) => readCookie(request, cookieName('form')),
    setFormNonce: (reply, nonce) => addSetCookie(reply, `${cookieName('form')}=${nonce}; ${attributes('/')}`),
    setCookie: (reply, name, value, path, seconds) =>
      addSetCookie(
        reply,
        `jobwright_${name}=${value ?? ''}; ${attributes(path)}; Max-Age=${value === null ? 0 : seconds}`,
      ),
    cookie: (request, name) => readCookie(request, `jobwright_${name}`),
  }
}

function readCookie({ headers }: FastifyRequest, name: string): string | undefined {
  for (const part of headers.cookie?.split(';') ?? []) {
    const at = part.indexOf('=')
    if (part.slice(0, at).trim() === name) return part.slice(at + 1).trim()
  }
  return undefined
}
