// What tokens are for: one audience for MCP and REST, and the other names under which clients ask for it.
import { basePath } from '../api/rest.ts'
import { bundles, isGrantable, type Scope, scopes } from '../api/scopes.ts'
import type { Config } from '../config.ts'

export const mcpResource = ({ authUrl }: Config): string => `${authUrl}/mcp`

/** Clients that build addresses write an origin with a slash at its end. */
export const audiencesOf = (config: Config): ReadonlySet<string> =>
  new Set([mcpResource(config), config.restOrigin, `${config.restOrigin}/`, config.restOrigin + basePath])

export const supportedScopes: readonly string[] = [...Object.keys(bundles), ...scopes, 'offline_access']

const meaningfulIn = (text: string | null): string[] =>
  (text ?? '').split(/[ +]+/).filter((name) => name !== '' && name !== 'offline_access' && name !== 'openid')

export const namesNothing = (text: string): boolean => meaningfulIn(text).length === 0

/**
 * Bundles become the scopes they stand for, `offline_access` and what nobody knows fall away. Nothing asked for is
 * `read`. Undefined: none of what was asked for exists.
 */
export function scopesAsked(text: string | null): Scope[] | undefined {
  const meaningful = meaningfulIn(text)
  if (meaningful.length === 0) return [...bundles.read]
  const known = meaningful.filter(isGrantable)
  const wanted = new Set(known.flatMap((name) => bundles[name as keyof typeof bundles] ?? [name as Scope]))
  return wanted.size > 0 ? scopes.filter((scope) => wanted.has(scope)) : undefined
}
