// What tokens are for: one audience for MCP and REST, and the other resource indicators that clients send for it.
import type { Config } from '../config/config.ts'
import { basePath } from '../operations/base-path.ts'
import type { Bundle, ScopeCatalogue } from '../operations/scope-catalogue.ts'
import type { Scope } from '../operations/scopes.ts'

export const mcpResource = ({ authUrl }: Config): string => `${authUrl}/mcp`

/** Clients that build addresses write an origin with a slash at its end. */
export const acceptedAudiences = (config: Config): ReadonlySet<string> =>
  new Set([mcpResource(config), config.restOrigin, `${config.restOrigin}/`, config.restOrigin + basePath])

export const supportedScopes = ({ bundles, scopes }: ScopeCatalogue): readonly string[] => [
  ...Object.keys(bundles),
  ...scopes,
  'offline_access',
]

/** What the edge puts in place of scopes of which none exists. */
export const unknownScope = 'unknown'

const resourceScopeNames = (text: string | null): string[] =>
  (text ?? '').split(/[ +]+/).filter((name) => name !== '' && name !== 'offline_access' && name !== 'openid')

export const requestsNoScope = (text: string): boolean => resourceScopeNames(text).length === 0

/**
 * Bundles become the scopes they stand for, `offline_access` and what nobody knows fall away. Nothing requested is
 * `read`. Undefined: none of what was requested exists.
 */
export function requestedScopes(
  text: string | null,
  { bundles, isGrantable, scopes }: ScopeCatalogue,
): Scope[] | undefined {
  const scopeNames = resourceScopeNames(text)
  if (scopeNames.length === 0) return [...bundles.read]
  const known = scopeNames.filter(isGrantable)
  const wanted = new Set(known.flatMap((name) => bundles[name as Bundle] ?? [name as Scope]))
  return wanted.size > 0 ? scopes.filter((scope) => wanted.has(scope)) : undefined
}
