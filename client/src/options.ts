// What every method takes last, and what a client is made with.

export interface Options {
  /** Ends the call; it rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  /** How long one attempt may take, in milliseconds. It is not repeated after that. */
  readonly timeoutMs?: number | undefined
}

export interface CreateOptions extends Options {
  /** Names this request for 24 hours, so that a repetition does nothing twice. Made up for each call unless given. */
  readonly idempotencyKey?: string | undefined
}

export interface ChangeOptions extends Options {
  /** The version that was read (`etagOf(record)`): if somebody has changed it since, the call is refused with 412. */
  readonly ifMatch?: string | undefined
}

export interface JobwrightOptions {
  /** Ends in `/api/v1`. */
  readonly baseUrl: string
  /** The organisation that the credential belongs to. */
  readonly organisation: string
  readonly apiKey?: string | undefined
  /** A token, or what finds one: `() => oauth.accessToken()`. */
  readonly accessToken?: string | (() => string | Promise<string>) | undefined
  /** 30,000 unless given. */
  readonly timeoutMs?: number | undefined
  /** How often a call is repeated at most: 3 times unless given. */
  readonly maxRetries?: number | undefined
  /** Waits for the next minute before the quota is spent, so that no call is refused with 429. */
  readonly isPaced?: boolean | undefined
  /** In place of the platform's own. */
  readonly fetch?: typeof fetch | undefined
}
