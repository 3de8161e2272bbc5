// The published metadata: of the authorization server, and of the resources that its tokens open.
import type { FastifyInstance, FastifyReply } from 'fastify'
import type { Config } from '../config/config.ts'
import { authMethods } from '../identity/clients.ts'
import { basePath } from '../operations/base-path.ts'
import type { ScopeCatalogue } from '../operations/scope-catalogue.ts'
import { mcpResource, supportedScopes } from './resource-indicators.ts'

interface MetadataDependencies {
  readonly config: Config
  readonly scopeCatalogue: ScopeCatalogue
}

const serverMetadata = ({ config: { authUrl, restOrigin }, scopeCatalogue }: MetadataDependencies) => ({
  issuer: authUrl,
  authorization_endpoint: `${authUrl}/authorize`,
  token_endpoint: `${authUrl}/token`,
  registration_endpoint: `${authUrl}/register`,
  revocation_endpoint: `${authUrl}/revoke`,
  scopes_supported: supportedScopes(scopeCatalogue),
  response_types_supported: ['code'],
  response_modes_supported: ['query'],
  grant_types_supported: ['authorization_code', 'refresh_token'],
  token_endpoint_auth_methods_supported: authMethods,
  revocation_endpoint_auth_methods_supported: authMethods,
  code_challenge_methods_supported: ['S256'],
  authorization_response_iss_parameter_supported: true,
  client_id_metadata_document_supported: true,
  service_documentation: `${restOrigin}/docs`,
})

const resourceMetadata = (
  resource: string,
  { config: { authUrl, restOrigin }, scopeCatalogue }: MetadataDependencies,
) => ({
  resource,
  authorization_servers: [authUrl],
  scopes_supported: supportedScopes(scopeCatalogue),
  bearer_methods_supported: ['header'],
  resource_name: 'Jobwright',
  resource_documentation: `${restOrigin}/docs`,
})

const wellKnown = '/.well-known/oauth-protected-resource'

/** A plugin: what the REST origin says. */
export async function restMetadata(app: FastifyInstance, dependencies: MetadataDependencies): Promise<void> {
  const { config } = dependencies
  publish(app, wellKnown, resourceMetadata(config.restOrigin, dependencies))
  publish(app, wellKnown + basePath, resourceMetadata(config.restOrigin + basePath, dependencies))
}

/** A plugin: what the authorization server's origin says. */
export async function authMetadata(app: FastifyInstance, dependencies: MetadataDependencies): Promise<void> {
  publish(app, '/.well-known/oauth-authorization-server', serverMetadata(dependencies))
  publish(app, `${wellKnown}/mcp`, resourceMetadata(mcpResource(dependencies.config), dependencies))
}

function publish(app: FastifyInstance, path: string, document: object): void {
  const text = JSON.stringify(document)
  app.get(path, async (_request, reply) =>
    allowAnyOrigin(reply).header('cache-control', 'public, max-age=300').type('application/json').send(text),
  )
  addPreflightRoute(app, path, 'GET')
}

/** CORS for programs in browsers, from any origin; no cookie counts here. */
export const allowAnyOrigin = (reply: FastifyReply) =>
  reply
    .header('access-control-allow-origin', '*')
    .header('access-control-expose-headers', 'WWW-Authenticate, Retry-After')

export function addPreflightRoute(app: FastifyInstance, path: string, method: string): void {
  app.options(path, async (_request, reply) =>
    allowAnyOrigin(reply)
      .headers({
        'access-control-allow-methods': method,
        'access-control-allow-headers': 'Authorization, Content-Type, MCP-Protocol-Version',
        'access-control-max-age': '3600',
      })
      .code(204)
      .send(),
  )
}
