// The parts of the OpenAPI document that every operation shares: credentials, headers, parameters and refusals.
import type { Config } from '../../config/config.ts'
import { errorBody } from '../../http/envelope.ts'
import type { ApiError } from '../../operations/errors.ts'
import * as errors from '../../operations/errors.ts'
import { idPattern } from '../../operations/fields.ts'
import { exampleId } from '../../operations/ids.ts'
import type { ScopeCatalogue } from '../../operations/scope-catalogue.ts'
import { preconditionFailed } from '../../operations/versions.ts'

export const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })

export const securitySchemes = ({ authUrl }: Config, { scopes, describe }: ScopeCatalogue) => ({
  apiKey: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'An API key. It begins with `sk_live_`, belongs to one organisation and may do what its scopes allow.',
  },
  bearer: {
    type: 'http',
    scheme: 'bearer',
    description: 'The same key, as `Authorization: Bearer <API_KEY>`.',
  },
  oauth: {
    type: 'oauth2',
    description:
      'An access token, as `Authorization: Bearer <ACCESS_TOKEN>`: the authorization code flow with PKCE (S256). An admin ' +
      'allows an app what it asks for, or less, in one organisation.',
    flows: {
      authorizationCode: {
        authorizationUrl: `${authUrl}/authorize`,
        tokenUrl: `${authUrl}/token`,
        refreshUrl: `${authUrl}/token`,
        scopes: {
          read: 'Every `:read` scope.',
          write: 'Every `:read` and `:write` scope.',
          full: 'Everything, deleting included.',
          ...Object.fromEntries(scopes.map((scope) => [scope, describe(scope)])),
        },
      },
    },
  },
})

export const parameters = {
  orgId: {
    name: 'orgId',
    in: 'path',
    required: true,
    description: 'The organisation that the credential belongs to.',
    schema: { type: 'string', pattern: idPattern },
    example: exampleId('org'),
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'A name you make up for this request, which makes it safe to send it again: for 24 hours a repetition with the ' +
      'same key is given the first answer, and nothing is done twice.',
    // No example: a tool that sends it along would be given the answer to somebody's first try.
    schema: { type: 'string', pattern: idPattern },
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'The `ETag` of the record as you read it: if it has changed since, nothing is done and the answer is 412. Several are ' +
      'separated by commas; `*` is any version. Without it the change is made in any case.',
    schema: { type: 'string' },
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'The `ETag` of an earlier answer: if that is still current the answer is 304, without a body.',
    schema: { type: 'string' },
  },
}

const text = { type: 'string' }
const integer = { type: 'integer' }
export const headers = {
  'X-Request-Id': { description: 'Names this request; quote it to support.', schema: text },
  'X-RateLimit-Limit': { description: 'How many requests a minute are allowed.', schema: integer },
  'X-RateLimit-Remaining': { description: 'How many are left in this minute.', schema: integer },
  'X-RateLimit-Reset': { description: 'When the count starts anew: seconds since 1970.', schema: integer },
  'X-Ignored-Fields': {
    description: 'Fields that were sent but are not known here: they had no effect.',
    schema: text,
  },
  ETag: {
    description:
      'The version of the record: another whenever what is read of it is another. Send it back in `If-Match`.',
    schema: text,
  },
  'Idempotent-Replayed': {
    description: '`true` when this is the stored answer to an earlier request with the same Idempotency-Key.',
    schema: text,
  },
  'Retry-After': { description: 'How many seconds to wait before the next attempt.', schema: integer },
  'WWW-Authenticate': { description: 'What the credential lacks, and where to get a better one.', schema: text },
}
const commonHeaders = ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] as const
export const headerRefs = (...more: (keyof typeof headers)[]) =>
  Object.fromEntries([...commonHeaders, ...more].map((name) => [name, ref('headers', name)]))

/** The body of every refusal; of one that is about the credential, `code` is one of a few. */
const errorSchema = {
  type: 'object',
  required: ['success', 'error'],
  properties: {
    success: { type: 'boolean', const: false },
    error: { type: 'string', description: 'What is wrong, as a sentence for people. Its wording may change.' },
    code: { type: 'string', description: 'What is wrong, for programs: on every 403, 409 and 412, and on some 400.' },
    data: { type: 'object', description: 'What belongs to the code, where that says so.' },
    requiredScopes: { type: 'array', items: text, description: 'What `insufficient_scope` asks for.' },
    requestId: { type: 'string', description: 'On 5xx: quote it to support.' },
  },
}

export const errorSchemas = {
  ErrorResponse: errorSchema,
  PermissionError: {
    ...errorSchema,
    required: [...errorSchema.required, 'code'],
    properties: {
      ...errorSchema.properties,
      code: { type: 'string', enum: Object.keys(errors.permissionCodes), description: 'Why, for programs.' },
    },
  },
}

const exampleBody = (error: ApiError) => JSON.parse(errorBody(error, exampleId('req')))
const jsonContent = (schema: object, examples: Record<string, ApiError>) => ({
  'application/json': {
    schema,
    examples: Object.fromEntries(Object.entries(examples).map(([name, one]) => [name, { value: exampleBody(one) }])),
  },
})
const errorResponse = (
  description: string,
  examples: Record<string, ApiError>,
  ...more: Parameters<typeof headerRefs>
) => responseOf('ErrorResponse', description, examples, ...more)
const responseOf = (
  schema: keyof typeof errorSchemas,
  description: string,
  examples: Record<string, ApiError>,
  ...more: Parameters<typeof headerRefs>
) => ({ description, headers: headerRefs(...more), content: jsonContent(ref('schemas', schema), examples) })

const codesIn = (sentence: string, codes: Readonly<Record<string, string>>) =>
  [sentence, ...Object.entries(codes).map(([code, meaning]) => `- \`${code}\`: ${meaning}`)].join('\n')

/** Of what is read by one who has it already. */
export const notModified = { description: 'What you have is still current.', headers: headerRefs('ETag') }

/** Of a change to a version that is no longer the current one. */
export const preconditionFailedResponse = errorResponse(
  'The record has changed since you read it (`If-Match`); `data.current` is its ETag now.',
  { changed: preconditionFailed('"mB0xM4fJ1s0oYc2pQk9T3w"') },
  'ETag',
)

/** Refusals by their status; each is written once and referred to. */
export const errorResponses = {
  400: errorResponse(
    codesIn(
      'The request is wrong: a path id, a parameter, the JSON, or a field. With a `code` where what was there before is in the way:',
      errors.stateCodes,
    ),
    {
      missing: errors.badRequest('firstName is required'),
      malformed: errors.badRequest('The body is not valid JSON'),
    },
  ),
  401: errorResponse(
    'There is no credential, or it is unknown, paused, revoked or expired.',
    { missing: errors.unauthorised('Send an API key in X-API-Key, or a token as Authorization: Bearer') },
    'WWW-Authenticate',
  ),
  403: responseOf(
    'PermissionError',
    codesIn('The credential does not allow this; `code` says why:', errors.permissionCodes),
    {
      insufficientScope: errors.insufficientScope(['customers:write']),
      otherOrganisation: errors.organisationMismatch(),
      noSubscription: errors.subscriptionRequired(),
    },
    'WWW-Authenticate',
  ),
  404: errorResponse('There is no such record.', { notFound: errors.notFound('customer') }),
  413: errorResponse('The body is larger than 1 MB.', { tooLarge: errors.tooLarge() }),
  415: errorResponse('The Content-Type is not JSON.', { notJson: errors.notJson() }),
  429: errorResponse(
    'Too many requests in this minute, or too many failed authentications from one address.',
    { tooMany: errors.tooManyRequests('Too many requests; wait for the Retry-After seconds', 12) },
    'Retry-After',
  ),
  500: errorResponse('An unexpected error. Try again with growing pauses, a few times.', {
    unexpected: errors.unexpected(),
  }),
  503: errorResponse('A part of the service is away for the moment. Try again shortly.', {
    unavailable: errors.unavailable(),
  }),
}
