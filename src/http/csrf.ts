// Protection against CSRF: a form is accepted only with a token that one of our pages put into it for this session.
import { createHmac } from 'node:crypto'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { isSameSecret } from '../identity/secrets.ts'
import { isWellFormedToken, newToken } from '../identity/tokens.ts'
import { ApiError } from '../operations/errors.ts'
import type { Cookies } from './cookies.ts'
import { type Html, html } from './html.ts'

export interface Csrf {
  /** The hidden field that every form carries. */
  csrfField(request: FastifyRequest, reply: FastifyReply): Html
  /** The fields of a form with a valid token; refuses any other. */
  verifiedForm(request: FastifyRequest): URLSearchParams
}

/** Tokens are made with the first key and accepted with any, so that keys can be rotated. */
export function createCsrf(cookies: Cookies, keys: readonly string[]): Csrf {
  const csrfToken = (key: string, nonce: string, request: FastifyRequest) =>
    createHmac('sha256', key)
      .update(`${nonce} ${cookies.session(request) ?? ''}`)
      .digest()
  return {
    csrfField(request, reply) {
      let nonce = cookies.formNonce(request)
      if (nonce === undefined || !isWellFormedToken(nonce)) {
        nonce = newToken()
        cookies.setFormNonce(reply, nonce)
      }
      return html`<input type="hidden" name="csrf" value="${csrfToken(keys[0]!, nonce, request).toString('base64url')}">`
    },
    verifiedForm(request) {
      const site = request.headers['sec-fetch-site']
      const form = request.body instanceof URLSearchParams ? request.body : new URLSearchParams()
      const given = Buffer.from(form.get('csrf') ?? '', 'base64url')
      const nonce = cookies.formNonce(request) ?? ''
      const isOurs = keys.some((key) => isSameSecret(given, csrfToken(key, nonce, request)))
      const isForeign = site !== undefined && site !== 'same-origin' && site !== 'none'
      if (!isOurs || nonce === '' || isForeign) throw notOurForm()
      return form
    },
  }
}

const notOurForm = () => new ApiError(403, 'The form was not sent from our page, or it is too old')
