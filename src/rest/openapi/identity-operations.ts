// The operations of a person in the OpenAPI document: a new value for a key, and the identity token that it needs.
import { STATUS_CODES } from 'node:http'
import { idPattern } from '../../operations/fields.ts'
import type { IdentityOperation, OAuthOperation } from '../../operations/identity-operation.ts'
import { exampleId } from '../../operations/ids.ts'
import { t } from '../../operations/schemas.ts'
import { createIdentityToken } from '../../sign-in/identity-token.ts'
import { rotateApiKey } from '../key-rotation.ts'
import { errorResponses, headerRefs, ref } from './components.ts'
import type { Examples } from './examples.ts'
import type { createSchemaRegistry } from './schemas.ts'

export const apiKeysTag = {
  name: 'API keys',
  description:
    'An admin gives a key a new value with an identity token and a code of the authenticator app. Everything else about ' +
    'keys is done in the portal or on the command line.',
}

/** For the reference: each with what it needs. */
export const identityOperations = [
  { operation: rotateApiKey, origin: '{base_url}', needs: 'an identity token as Bearer and a code in `X-TOTP-Code`' },
  { operation: createIdentityToken, origin: '{base_url}', needs: 'nothing' },
] satisfies { operation: IdentityOperation; origin: string; needs: string }[]

export const identitySecurity = {
  identity: {
    type: 'http',
    scheme: 'bearer',
    description: `An identity token of \`POST ${createIdentityToken.path}\`. It lasts 15 minutes and is good for this alone.`,
  },
}

interface Renderer {
  readonly toSchema: ReturnType<typeof createSchemaRegistry>['toSchema']
  readonly examples: Examples
}

export const openApiPath = (path: string) => path.replace(/:(\w+)/g, '{$1}')

/** The authorization server answers the second, too: under its own address, without `/api/v1`. */
export const identityPaths = (renderer: Renderer) => ({
  [openApiPath(rotateApiKey.path)]: { post: describeOnRest(rotateApiKey, renderer) },
  [openApiPath(createIdentityToken.path)]: { post: describeOAuth(createIdentityToken, renderer) },
})

function describeOnRest(operation: IdentityOperation, { toSchema, examples }: Renderer) {
  const data = toSchema(operation.returns)
  const schema = {
    type: 'object',
    required: ['success', 'data'],
    properties: { success: { type: 'boolean', const: true }, data },
  }
  const example = { success: true, data: examples.valueOf(operation.returns, operation.path) }
  return {
    ...describeRequest(operation, { toSchema, examples }),
    responses: {
      200: { description: 'Done.', headers: headerRefs(), content: jsonContent(schema, example) },
      ...Object.fromEntries(
        Object.keys(errorResponses).map((status) => [status, ref('responses', responseName(status))]),
      ),
    },
  }
}

const oauthErrorBody = t.Object({
  error: t.String({
    description: '`invalid_request`, `invalid_grant` or `temporarily_unavailable`.',
    examples: ['invalid_grant'],
  }),
  error_description: t.String({ description: 'As a sentence.', examples: ['The email or the password is wrong'] }),
})

function describeOAuth(operation: OAuthOperation, { toSchema, examples }: Renderer) {
  const { returns, path, errors } = operation
  return {
    ...describeRequest(operation, { toSchema, examples }),
    responses: {
      200: { description: 'Done.', content: jsonContent(toSchema(returns), examples.valueOf(returns, path)) },
      ...Object.fromEntries(
        Object.entries(errors).map(([status, { description, body }]) => [
          status,
          { description, content: jsonContent(toSchema(oauthErrorBody), body) },
        ]),
      ),
    },
  }
}

function describeRequest(operation: IdentityOperation, { toSchema, examples }: Renderer) {
  const { name, summary, description, path, idPrefix, authentication, body, isBodyRequired } = operation
  const isAuthenticated = authentication !== 'none'
  const parameters = [
    ...(idPrefix === undefined ? [] : [idParameter(idPrefix)]),
    ...(isAuthenticated ? [totpCode] : []),
  ]
  return {
    operationId: name,
    summary,
    description,
    tags: [apiKeysTag.name],
    security: isAuthenticated ? [{ identity: [] }] : [],
    ...(parameters.length > 0 && { parameters }),
    requestBody: {
      required: isBodyRequired,
      content: jsonContent(toSchema(body), operation.exampleBody ?? examples.valueOf(body, path)),
    },
  }
}

const idParameter = (prefix: string) => ({
  name: 'id',
  in: 'path',
  required: true,
  description: `The id of the ${prefix}.`,
  schema: { type: 'string', pattern: idPattern },
  example: exampleId(prefix),
})

const totpCode = {
  name: 'X-TOTP-Code',
  in: 'header',
  required: true,
  description: 'A code of the authenticator app, or a recovery code. Each works once.',
  schema: { type: 'string' },
}

export const responseName = (status: string | number) => STATUS_CODES[status]!.replace(/\W/g, '')
export const jsonContent = (schema: object, example: unknown) => ({ 'application/json': { schema, example } })
