// Asking the authorization server about a token from a process that serves REST alone. Whatever goes wrong is a 503.
import { unavailable } from '../api/errors.ts'
import type { Config } from '../config.ts'
import type { Introspection } from './credentials.ts'
import type { TokenFacts } from './tokens.ts'

export const introspectionPath = '/internal/introspect'
const timeoutMs = 2_000

export function introspectionOver(config: Config): Introspection {
  const address = `${config.authUrl}${introspectionPath}`
  return async (hash) => {
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers: { authorization: `Bearer ${config.introspectionSecret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ hash }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      if (response.status !== 200) throw new Error(`answered ${response.status}`)
      const { token } = (await response.json()) as { token: TokenFacts | null }
      return token ?? undefined
    } catch (error) {
      throw unavailable(error)
    }
  }
}
