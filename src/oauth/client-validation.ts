// What an app may say of itself, whether it registers, hosts a document or was registered by an admin.
import { createHash } from 'node:crypto'
import type { Config } from '../config/config.ts'
import { isWithinHosts } from '../config/networks.ts'
import { isAppName, isPrintable } from '../identity/app-names.ts'
import type { ClientMetadata } from '../identity/clients.ts'
import { authMethods } from '../identity/clients.ts'
import { hostsOf, redirectUrisProblem } from '../identity/redirect-uris.ts'
import { isSameSecret } from '../identity/secrets.ts'

/** How we know an app: it registered itself, an admin registered it, or it hosts a document about itself. */
export type ClientSource = 'dynamic' | 'registered' | 'hosted'

export interface RegistrationError {
  readonly error: 'invalid_redirect_uri' | 'invalid_client_metadata'
  readonly error_description: string
}

const maxNameLength = 200
const maxUrlLength = 2_000

export const isHostedClientId = (clientId: string): boolean => /^https:\/\//i.test(clientId)

/** What is wrong with an app's words about itself; undefined if nothing is. */
export function findMetadataError(metadata: Readonly<Record<string, unknown>>): RegistrationError | undefined {
  const redirects = redirectUrisProblem(metadata.redirect_uris)
  if (redirects) return { error: 'invalid_redirect_uri', error_description: redirects }
  const { client_name: name, token_endpoint_auth_method: method = 'client_secret_basic' } = metadata
  if (typeof name !== 'string' || !isAppName(name, maxNameLength)) {
    return invalidMetadata(
      `client_name is required: text of at most ${maxNameLength} characters, none of them invisible`,
    )
  }
  for (const member of ['client_uri', 'logo_uri']) {
    const value = metadata[member]
    if (value !== undefined && !isHttpsUrl(value)) {
      return invalidMetadata(`${member} must be an https address of at most ${maxUrlLength} characters`)
    }
  }
  return authMethods.includes(method as never)
    ? undefined
    : invalidMetadata(`token_endpoint_auth_method must be one of ${authMethods.join(', ')}`)
}

const isHttpsUrl = (value: unknown) =>
  typeof value === 'string' &&
  value.length <= maxUrlLength &&
  isPrintable(value) &&
  URL.parse(value)?.protocol === 'https:'

/** Registration: the members we keep, or what is wrong. Whatever else is sent has no effect. */
export function parseRegistration(
  body: unknown,
  config: Config,
): { metadata: ClientMetadata } | { fault: RegistrationError } {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    return { fault: invalidMetadata('The body must be a JSON object') }
  }
  const given = body as Record<string, unknown>
  const fault = findMetadataError(given) ?? findFlowError(given)
  if (fault) return { fault }
  const metadata = {
    client_name: (given.client_name as string).trim(),
    ...(given.client_uri !== undefined && { client_uri: given.client_uri }),
    ...(given.logo_uri !== undefined && { logo_uri: given.logo_uri }),
    redirect_uris: given.redirect_uris,
    token_endpoint_auth_method: given.token_endpoint_auth_method ?? 'client_secret_basic',
  } as ClientMetadata
  const isBlocked = hostsOf(metadata.redirect_uris).some((host) => isWithinHosts(config.publicClientBlockedHosts, host))
  if (metadata.token_endpoint_auth_method === 'none' && isBlocked) {
    return {
      fault: invalidMetadata('redirect_uris name a host for which an app without a secret cannot register itself'),
    }
  }
  return { metadata }
}

/** Every app has the code flow with refresh; one that needs another is refused at registration. */
function findFlowError({
  grant_types: grants,
  response_types: responses,
}: Record<string, unknown>): RegistrationError | undefined {
  if (grants !== undefined && !(Array.isArray(grants) && grants.includes('authorization_code'))) {
    return invalidMetadata('grant_types must include authorization_code')
  }
  if (responses !== undefined && !(Array.isArray(responses) && responses.includes('code'))) {
    return invalidMetadata('response_types must include code')
  }
  return undefined
}

const invalidMetadata = (error_description: string): RegistrationError => ({
  error: 'invalid_client_metadata',
  error_description,
})

/** How the library is given a secret of which only the hash is known. */
export const encodeSecretHash = (hashInHex: string): string => `sha256:${hashInHex}`

export function matchesStoredSecret(given: string, stored: string | undefined): boolean {
  const expected = Buffer.from((stored ?? '').replace(/^sha256:/, ''), 'hex')
  const actual = createHash('sha256').update(given).digest()
  return isSameSecret(expected, actual)
}
