// The OpenAPI 3.1 document, read off the operations: what they declare is what it says.
import type { Config } from '../../config/config.ts'
import { createPace } from '../../http/pacing.ts'
import { basePath } from '../../operations/base-path.ts'
import { idPattern } from '../../operations/fields.ts'
import { isRequired, type JsonSchema } from '../../operations/json-schema.ts'
import { idsIn, type Operation, type Resource } from '../../operations/operation.ts'
import type { ScopeCatalogue } from '../../operations/scope-catalogue.ts'
import { splitCamelCase } from '../../operations/string-case.ts'
import { createVersions } from '../../operations/versions.ts'
import { listKeyOf } from '../client/calls.ts'
import { createClientSamples } from '../client/samples.ts'
import * as components from './components.ts'
import { errorResponses, ref } from './components.ts'
import { createConflictSchemas } from './conflicts.ts'
import { eventSchemas, eventWebhooks } from './events.ts'
import { createExamples } from './examples.ts'
import {
  apiKeysTag,
  identityPaths,
  identitySecurity,
  jsonContent,
  openApiPath,
  responseName,
} from './identity-operations.ts'
import { introduction } from './introduction.ts'
import type { Renderer } from './renderer.ts'
import { errorResponsesFor, hasBody, successResponse } from './responses.ts'
import { createSchemaRegistry } from './schemas.ts'

export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

/** Made in pieces: it takes a few hundred milliseconds, and whoever asks for it first must not make others wait. */
export async function createOpenApi(
  resources: readonly Resource[],
  scopes: ScopeCatalogue,
  config: Config,
): Promise<OpenApi> {
  const pace = createPace()
  const { schemas, toSchema } = createSchemaRegistry()
  const operations = resources.flatMap((resource) => resource.operations)
  const renderer: Renderer = {
    toSchema,
    examples: createExamples(resources),
    versions: createVersions(operations),
    samples: createClientSamples(operations),
    conflicts: createConflictSchemas(operations, toSchema),
  }
  await pace()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = `/organisations/{orgId}${operation.path === '/' ? '' : openApiPath(operation.path)}`
    paths[path] ??= { parameters: pathParameters(operation, renderer) }
    const item = paths[path]
    item[operation.method.toLowerCase()] = describeOperation(operation, renderer)
    if (operation.method === 'PUT') item.patch = describePatch(operation, renderer)
    await pace()
  }
  const entities = new Set(operations.map(({ entity }) => entity))
  const events = eventSchemas(resources, toSchema)
  await pace()
  return {
    openapi: '3.1.0',
    info: {
      title: 'Jobwright API',
      version: '1.0.0',
      summary: 'Customers, jobs, the catalogue and the calendar of one organisation.',
      description: introduction(config, scopes),
      contact: { name: 'API reference', url: `${config.restOrigin}/docs` },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: config.restOrigin + basePath }],
    tags: [...[...entities].map(({ title, description }) => ({ name: title, description })), apiKeysTag],
    paths: { ...paths, ...identityPaths(renderer) },
    webhooks: eventWebhooks(resources),
    components: {
      schemas: { ...schemas, ...events, ...renderer.conflicts.schemas, ...components.errorSchemas },
      responses: Object.fromEntries(
        Object.entries({
          ...errorResponses,
          412: components.preconditionFailedResponse,
          304: components.notModified,
        }).map(([status, one]) => [responseName(status), one]),
      ),
      parameters: components.parameters,
      headers: components.headers,
      securitySchemes: { ...components.securitySchemes(config, scopes), ...identitySecurity },
    },
  }
}

function describeOperation(operation: Operation, renderer: Renderer) {
  const { name, summary, entity, needs, status } = operation
  const parameters = [...queryParameters(operation, renderer), ...headerParameters(operation, renderer)]
  return {
    operationId: name,
    summary,
    description: descriptionParts(operation).join('\n\n'),
    tags: [entity.title],
    security: [{ apiKey: [] }, { bearer: [] }, { oauth: [...needs] }],
    'x-scopes': [...needs],
    ...paginationOf(operation),
    'x-codeSamples': [
      {
        lang: 'JavaScript',
        label: 'jobwright-client',
        source: renderer.samples.sampleOf(operation, renderer.examples),
      },
    ],
    ...(parameters.length > 0 && { parameters }),
    ...(hasBody(operation) && { requestBody: requestBody(operation, renderer) }),
    responses: {
      ...(operation.mayExist && {
        200: { ...successResponse(operation, renderer), description: 'It was there already.' },
      }),
      [status]: successResponse(operation, renderer),
      ...(operation.steps && {
        202: { ...successResponse(operation, renderer), description: 'Begun; the service goes on with it.' },
      }),
      ...(isConditionalRead(operation, renderer) && { 304: ref('responses', responseName(304)) }),
      ...errorResponsesFor(operation, renderer),
    },
  }
}

/** How a list goes on, for generators that know what a cursor is. */
function paginationOf({ query, returns }: Operation) {
  const listKey = listKeyOf(returns as JsonSchema)
  if (listKey === undefined || query.properties.startAfter === undefined) return {}
  const pagination = 'data.pagination'
  return {
    'x-pagination': {
      cursor: 'startAfter',
      limit: 'limit',
      items: `data.${listKey}`,
      nextCursor: `${pagination}.nextCursor`,
      hasMore: `${pagination}.hasMore`,
    },
  }
}

const isConditionalRead = (operation: Operation, { versions }: Renderer) =>
  operation.method === 'GET' && versions.isVersioned(operation)

function headerParameters(operation: Operation, renderer: Renderer) {
  if (operation.method === 'POST') return [ref('parameters', 'idempotencyKey')]
  if (renderer.versions.readOf(operation)) return [ref('parameters', 'ifMatch')]
  return isConditionalRead(operation, renderer) ? [ref('parameters', 'ifNoneMatch')] : []
}

/** PATCH is routed to the same operation; documents need every operationId once. */
const describePatch = (operation: Operation, renderer: Renderer) => ({
  ...describeOperation(operation, renderer),
  operationId: /^update/.test(operation.name) ? operation.name.replace('update', 'patch') : `${operation.name}ByPatch`,
  summary: `${operation.summary} (the same as PUT)`,
})

function descriptionParts({ method, needs, mayNeed }: Operation): string[] {
  const scopes = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' and ')
  return [
    `Needs ${scopes(needs)}.${mayNeed.length > 0 ? ` Where it also does what ${scopes(mayNeed)} guards, it needs that too.` : ''}`,
    ...(method === 'PUT' ? ['Fields left out stay as they are; `null` clears a field that may be empty.'] : []),
  ]
}

function pathParameters({ path }: Operation, { examples }: Renderer) {
  return [
    ref('parameters', 'orgId'),
    ...idsIn(path).map((name) => ({
      name,
      in: 'path',
      required: true,
      description: name.endsWith('Id')
        ? `The id of the ${splitCamelCase(name.slice(0, -2))}.`
        : `The ${splitCamelCase(name)}.`,
      schema: name.endsWith('Id') ? { type: 'string', pattern: idPattern } : { type: 'integer', minimum: 0 },
      example: name.endsWith('Id') ? examples.idAt(path.slice(0, path.indexOf(`:${name}`) + name.length + 1)) : 0,
    })),
  ]
}

/** An example of a filter is part of its description: as `example`, tools would send it with the first request. */
function queryParameters({ query }: Operation, { toSchema }: Renderer) {
  const own = query as JsonSchema
  return Object.entries(query.properties).map(([name, field]) => {
    const { description, examples, ...schema } = toSchema(field)
    return {
      name,
      in: 'query',
      required: isRequired(own, name),
      description: [description, examples && `For example \`${examples[0]}\`.`].filter(Boolean).join(' '),
      schema,
    }
  })
}

/** Also where an operation takes no fields: the content type is required all the same, and `{}` is what to send. */
function requestBody({ body, path }: Operation, { toSchema, examples }: Renderer) {
  const isEmpty = Object.keys(body.properties).length === 0
  return {
    required: true,
    ...(isEmpty && { description: 'Nothing to say: send `{}`. Without a JSON Content-Type the answer is 415.' }),
    content: jsonContent(isEmpty ? { type: 'object' } : toSchema(body), examples.valueOf(body, path)),
  }
}
