// Token introspection at the authorization server, for a process that serves REST alone. Every failure is a 503.
import { hash } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { unavailable } from '../operations/errors.ts'
import type { Introspect } from './credentials.ts'
import type { TokenFacts } from './tokens.ts'

export const introspectionPath = '/internal/introspect'

/** What is sent for the secret: a hash has no characters that a header could not carry. */
export const introspectionProof = (secret: string): string => hash('sha256', secret, 'base64url')

const timeoutMs = 2_000

export function createHttpIntrospect(config: Config): Introspect {
  const address = `${config.authUrl}${introspectionPath}`
  const proof = introspectionProof(config.introspectionSecret ?? '')
  return async (tokenHash) => {
    try {
      const response = await fetch(address, {
        method: 'POST',
        headers: { authorization: `Bearer ${proof}`, 'content-type': 'application/json' },
        body: JSON.stringify({ hash: tokenHash }),
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      })
      if (response.status !== 200) throw new Error(`answered ${response.status}`)
      const { token } = (await response.json()) as { token?: TokenFacts | null }
      if (token === undefined) throw new Error('answered something else')
      return token ?? undefined
    } catch (error) {
      throw unavailable(error)
    }
  }
}
