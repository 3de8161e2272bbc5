// OAuth 2.1 for apps: the address where an admin approves, the tokens that follow, and their renewal.
import { JobwrightError } from './errors.ts'

export interface Tokens {
  readonly accessToken: string
  readonly refreshToken: string
  /** The one that the admin chose. */
  readonly organisation: string
  /** What was granted, which may be less than was asked for. */
  readonly scope: string
  /** When the access token ends, in milliseconds since 1970. */
  readonly expiresAt: number
}

/** Where the tokens of one grant are kept. A refresh token works once: what is saved must be the newest. */
export interface TokenStore {
  load(): Tokens | undefined | Promise<Tokens | undefined>
  save(tokens: Tokens | undefined): unknown
}

export interface JobwrightOAuthOptions {
  /** The authorization server: what `/.well-known/oauth-authorization-server` calls `issuer`. */
  readonly authUrl: string
  readonly clientId: string
  /** Of a confidential client. */
  readonly clientSecret?: string | undefined
  readonly redirectUri: string
  /** In memory unless given. */
  readonly store?: TokenStore | undefined
  readonly fetch?: typeof fetch | undefined
}

/** What belongs to one attempt to be approved; keep it until the admin comes back. */
export interface Authorization {
  readonly url: string
  readonly state: string
  readonly codeVerifier: string
}

/** Before it ends, so that no request travels with a token that ends on the way. */
const refreshAheadMs = 60_000

export class JobwrightOAuth {
  readonly #options: JobwrightOAuthOptions
  readonly #authUrl: string
  readonly #store: TokenStore
  #refreshing: Promise<Tokens> | undefined

  constructor(options: JobwrightOAuthOptions) {
    this.#options = options
    this.#authUrl = options.authUrl.replace(/\/+$/, '')
    this.#store = options.store ?? memoryStore()
  }

  /** Where to send an admin. Scopes are `read`, `write`, `full`, or single ones such as `customers:read`. */
  async authorizeUrl({ scope, state = randomText() }: { scope: string; state?: string }): Promise<Authorization> {
    const codeVerifier = randomText()
    const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(codeVerifier))
    const url = new URL(`${this.#authUrl}/authorize`)
    url.search = new URLSearchParams({
      response_type: 'code',
      client_id: this.#options.clientId,
      redirect_uri: this.#options.redirectUri,
      scope,
      state,
      code_challenge: toBase64Url(new Uint8Array(digest)),
      code_challenge_method: 'S256',
    }).toString()
    return { url: url.href, state, codeVerifier }
  }

  /** Tokens for what the admin approved. `callbackUrl` is the whole address that they came back to. */
  async exchange(
    callbackUrl: string | URL,
    { state, codeVerifier }: Pick<Authorization, 'state' | 'codeVerifier'>,
  ): Promise<Tokens> {
    const given = new URL(callbackUrl, this.#options.redirectUri).searchParams
    // Whoever can make a browser open our address must not choose whose grant we work with.
    if (given.get('state') !== state)
      throw new JobwrightError(0, 'state is not the one that was sent', { code: 'invalid_state' })
    if (given.get('iss') !== null && given.get('iss') !== this.#authUrl)
      throw new JobwrightError(0, `iss is not ${this.#authUrl}`, { code: 'invalid_issuer' })
    const error = given.get('error')
    if (error) throw new JobwrightError(0, given.get('error_description') ?? error, { code: error })
    return this.#keep(
      this.#post('/token', {
        grant_type: 'authorization_code',
        code: given.get('code') ?? '',
        redirect_uri: this.#options.redirectUri,
        code_verifier: codeVerifier,
      }),
    )
  }

  /** New tokens for old ones. However many ask at once, one request is sent. */
  refresh(): Promise<Tokens> {
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined
    })
    return this.#refreshing
  }

  async #refresh(): Promise<Tokens> {
    const { refreshToken } = await this.#load()
    return this.#keep(this.#post('/token', { grant_type: 'refresh_token', refresh_token: refreshToken }))
  }

  /** One that works: `new Jobwright({ …, accessToken: () => oauth.accessToken() })`. */
  async accessToken(): Promise<string> {
    const { accessToken, expiresAt } = await this.#load()
    return expiresAt - Date.now() > refreshAheadMs ? accessToken : (await this.refresh()).accessToken
  }

  /** Ends the grant. */
  async revoke(): Promise<void> {
    const tokens = await this.#store.load()
    if (!tokens) return
    await this.#post('/revoke', { token: tokens.refreshToken, token_type_hint: 'refresh_token' })
    await this.#store.save(undefined)
  }

  async #load(): Promise<Tokens> {
    const tokens = await this.#store.load()
    if (!tokens)
      throw new JobwrightError(0, 'There are no tokens yet: send an admin to authorizeUrl', { code: 'no_tokens' })
    return tokens
  }

  async #keep(answer: Promise<Record<string, unknown>>): Promise<Tokens> {
    const { access_token, refresh_token, organisation, scope, expires_in } = await answer
    const tokens: Tokens = {
      accessToken: String(access_token),
      refreshToken: String(refresh_token),
      organisation: String(organisation),
      scope: String(scope),
      expiresAt: Date.now() + Number(expires_in) * 1_000,
    }
    await this.#store.save(tokens)
    return tokens
  }

  async #post(path: string, fields: Record<string, string>): Promise<Record<string, unknown>> {
    const { clientId, clientSecret } = this.#options
    const own = { client_id: clientId, ...(clientSecret !== undefined && { client_secret: clientSecret }) }
    const response = await (this.#options.fetch ?? fetch)(this.#authUrl + path, {
      method: 'POST',
      body: new URLSearchParams({ ...fields, ...own }),
    })
    const text = await response.text()
    let body: Record<string, unknown> = {}
    try {
      body = text ? JSON.parse(text) : {}
    } catch {}
    if (response.ok) return body
    const { error, error_description } = body as { error?: string; error_description?: string }
    throw new JobwrightError(response.status, error_description ?? error ?? `Refused with ${response.status}`, {
      code: error,
    })
  }
}

function memoryStore(): TokenStore {
  let kept: Tokens | undefined
  return {
    load: () => kept,
    save(tokens) {
      kept = tokens
    },
  }
}

const randomText = () => toBase64Url(crypto.getRandomValues(new Uint8Array(32)))
const toBase64Url = (bytes: Uint8Array) =>
  btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
