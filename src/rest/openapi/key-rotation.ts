// What no key opens, for the OpenAPI document and the reference: an identity token, and with it a new value for a key.
import { Type as t } from 'typebox'
import type { Config } from '../../config/config.ts'
import { idPattern } from '../../operations/fields.ts'
import { exampleId } from '../../operations/ids.ts'
import { rotationBody } from '../key-rotation.ts'
import { headerRefs, ref } from './components.ts'
import type { Examples } from './examples.ts'
import type { createSchemaRegistry } from './schemas.ts'

type ToSchema = ReturnType<typeof createSchemaRegistry>['toSchema']

export const apiKeysTag = {
  name: 'API keys',
  description:
    'An admin gives a key a new value with an identity token and a code of the authenticator app. Everything else about ' +
    'keys is done in the portal or on the command line.',
}

const rotateApiKey = {
  name: 'rotateApiKey',
  address: 'POST {base_url}/api-keys/{id}/rotate',
  summary: 'Give an API key a new value',
  needs: 'an identity token as Bearer and a code in `X-TOTP-Code`',
}
const createIdentityToken = {
  name: 'createIdentityToken',
  address: 'POST {auth_url}/identity/token',
  summary: 'Show who you are, with email and password',
  needs: 'nothing',
}
export const keyOperations = [rotateApiKey, createIdentityToken]
const operationFields = ({ name, summary }: typeof rotateApiKey) => ({ operationId: name, summary })

export const keySecurity = {
  identity: {
    type: 'http',
    scheme: 'bearer',
    description: 'An identity token of `POST /identity/token`. It lasts 15 minutes and is good for this alone.',
  },
}

const text = (example: string, description: string) => t.String({ description, examples: [example] })
const dateTimeFormat = { format: 'date-time' }

/** A key as its admin sees it, with the new value. */
const rotatedKey = t.Object({
  id: text(exampleId('key'), 'Stays the same.'),
  name: text('Accounting', 'What the admin called it.'),
  key: text('sk_live_…', 'The new value. It is shown this once.'),
  prefix: text('sk_live_Ab3d', 'How the new value begins.'),
  scopes: t.Array(t.String(), { examples: [['read']] }),
  scopeVersion: t.Integer({ examples: [2] }),
  allowedUses: t.Array(t.Enum(['rest', 'mcp']), { examples: [['rest', 'mcp']] }),
  ipAllowlist: t.Array(t.String(), { examples: [[]] }),
  expiresAt: t.Union([t.String(dateTimeFormat), t.Null()], { examples: ['2027-02-13T09:00:00.000Z'] }),
  lastUsedAt: t.Union([t.String(dateTimeFormat), t.Null()], { examples: [null] }),
  lastUsedFor: t.Union([t.Enum(['rest', 'mcp']), t.Null()], { examples: [null] }),
  lastUsedFrom: t.Union([t.String(), t.Null()], { examples: [null] }),
  status: t.Enum(['active', 'paused', 'revoked', 'expired'], { examples: ['active'] }),
  createdBy: t.Union([t.String(), t.Null()], { examples: [exampleId('mem')] }),
})

const signInBody = t.Object({
  email: text('amara@okafor-bakery.example', 'Of an active member.'),
  password: text('a long and secret sentence', 'The one of the portal.'),
})
const identityTokenBody = t.Object({
  identity_token: text('…', 'For `Authorization: Bearer`.'),
  expires_in: t.Integer({ description: 'Seconds.', examples: [900] }),
})
const oauthErrorBody = t.Object({
  error: text('invalid_grant', '`invalid_request`, `invalid_grant` or `temporarily_unavailable`.'),
  error_description: text('The email or the password is wrong', 'As a sentence.'),
})

export const keyPaths = ({ authUrl }: Config, toSchema: ToSchema, examples: Examples) => ({
  '/api-keys/{id}/rotate': {
    post: {
      ...operationFields(rotateApiKey),
      description:
        'For an active admin of the organisation, who shows an identity token and a code. The value before dies at ' +
        'once, or after `overlapHours`.',
      tags: [apiKeysTag.name],
      security: [{ identity: [] }],
      parameters: [
        {
          name: 'id',
          in: 'path',
          required: true,
          description: 'The id of the key.',
          schema: { type: 'string', pattern: idPattern },
          example: exampleId('key'),
        },
        {
          name: 'X-TOTP-Code',
          in: 'header',
          required: true,
          description: 'A code of the authenticator app, or a recovery code. Each works once.',
          schema: { type: 'string' },
        },
      ],
      requestBody: { required: false, content: jsonContent(toSchema(rotationBody), { overlapHours: 24 }) },
      responses: {
        200: {
          description: 'Done.',
          headers: headerRefs(),
          content: jsonContent(
            {
              type: 'object',
              required: ['success', 'data'],
              properties: { success: { type: 'boolean', const: true }, data: toSchema(rotatedKey) },
            },
            { success: true, data: examples.valueOf(rotatedKey, '') },
          ),
        },
        400: ref('responses', 'BadRequest'),
        401: ref('responses', 'Unauthorized'),
        403: ref('responses', 'Forbidden'),
        404: ref('responses', 'NotFound'),
        413: ref('responses', 'PayloadTooLarge'),
        415: ref('responses', 'UnsupportedMediaType'),
        429: ref('responses', 'TooManyRequests'),
        500: ref('responses', 'InternalServerError'),
        503: ref('responses', 'ServiceUnavailable'),
      },
    },
  },
  '/identity/token': {
    post: {
      servers: [{ url: authUrl }],
      ...operationFields(createIdentityToken),
      description: 'The token rotates keys, together with a code, and does nothing else.',
      tags: [apiKeysTag.name],
      security: [],
      requestBody: { required: true, content: jsonContent(toSchema(signInBody), examples.valueOf(signInBody, '')) },
      responses: {
        200: {
          description: 'Done.',
          content: jsonContent(toSchema(identityTokenBody), examples.valueOf(identityTokenBody, '')),
        },
        400: {
          description: 'The email or the password is missing.',
          content: oauthErrorContent('invalid_request', 'email and password are required, as text in JSON', toSchema),
        },
        401: {
          description: 'The email or the password is wrong.',
          content: oauthErrorContent('invalid_grant', 'The email or the password is wrong', toSchema),
        },
        429: {
          description: 'Too many wrong tries from this address; `Retry-After` says how long to wait.',
          content: oauthErrorContent(
            'temporarily_unavailable',
            'Too many wrong tries; wait for the Retry-After seconds',
            toSchema,
          ),
        },
      },
    },
  },
})

const jsonContent = (schema: object, example: unknown) => ({ 'application/json': { schema, example } })
const oauthErrorContent = (error: string, error_description: string, toSchema: ToSchema) =>
  jsonContent(toSchema(oauthErrorBody), { error, error_description })
