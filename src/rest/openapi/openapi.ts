// The OpenAPI 3.1 document, read off the operations: what they declare is what it says.
import type { Config } from '../../config/config.ts'
import { errorBody } from '../../http/envelope.ts'
import { type FileKind, fileKindOf } from '../../operations/answers.ts'
import { basePath } from '../../operations/base-path.ts'
import type { Conflict } from '../../operations/errors.ts'
import { idPattern } from '../../operations/fields.ts'
import { idempotencyInProgress } from '../../operations/idempotency.ts'
import { isRequired, type JsonSchema } from '../../operations/json-schema.ts'
import { deletionMessage, idsIn, type Operation, type Resource } from '../../operations/operation.ts'
import type { ScopeCatalogue } from '../../operations/scope-catalogue.ts'
import { capitalise } from '../../operations/string-case.ts'
import { createVersions, type Versions } from '../../operations/versions.ts'
import { listKeyOf } from '../client/calls.ts'
import { type ClientSamples, createClientSamples } from '../client/samples.ts'
import * as components from './components.ts'
import { errorResponses, headerRefs, ref } from './components.ts'
import { type ConflictSchemas, createConflictSchemas } from './conflicts.ts'
import { eventSchemas, eventWebhooks } from './events.ts'
import { createExamples, type Examples } from './examples.ts'
import {
  apiKeysTag,
  identityPaths,
  identitySecurity,
  jsonContent,
  openApiPath,
  responseName,
} from './identity-operations.ts'
import { introduction } from './introduction.ts'
import { createSchemaRegistry } from './schemas.ts'

/** How the schemas and values of one document are shown. */
interface Renderer {
  readonly toSchema: ReturnType<typeof createSchemaRegistry>['toSchema']
  readonly examples: Examples
  readonly versions: Versions
  readonly samples: ClientSamples
  readonly conflicts: ConflictSchemas
}

export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly webhooks: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export function createOpenApi(resources: readonly Resource[], scopes: ScopeCatalogue, config: Config): OpenApi {
  const { schemas, toSchema } = createSchemaRegistry()
  const operations = resources.flatMap((resource) => resource.operations)
  const renderer: Renderer = {
    toSchema,
    examples: createExamples(resources),
    versions: createVersions(operations),
    samples: createClientSamples(operations),
    conflicts: createConflictSchemas(operations, toSchema),
  }
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = `/organisations/{orgId}${operation.path === '/' ? '' : openApiPath(operation.path)}`
    paths[path] ??= { parameters: pathParameters(operation, renderer) }
    const item = paths[path]
    item[operation.method.toLowerCase()] = describeOperation(operation, renderer)
    if (operation.method === 'PUT') item.patch = describePatch(operation, renderer)
  }
  const entities = new Set(operations.map(({ entity }) => entity))
  const events = eventSchemas(resources, toSchema)
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

const hasBody = ({ method }: Operation) => method === 'POST' || method === 'PUT'

/** Also where an operation takes no fields: the content type is required all the same, and `{}` is what to send. */
function requestBody({ body, path }: Operation, { toSchema, examples }: Renderer) {
  const isEmpty = Object.keys(body.properties).length === 0
  return {
    required: true,
    ...(isEmpty && { description: 'Nothing to say: send `{}`. Without a JSON Content-Type the answer is 415.' }),
    content: jsonContent(isEmpty ? { type: 'object' } : toSchema(body), examples.valueOf(body, path)),
  }
}

function successResponse(operation: Operation, { toSchema, examples, versions }: Renderer) {
  const { status, method, path, returns, orFile } = operation
  const file = fileKindOf(returns)
  if (file) return { description: `The ${file.noun} itself.`, content: fileContent(file) }
  const isDeletion = returns === deletionMessage
  const data = isDeletion
    ? { message: `${capitalise(splitCamelCase(nounOf(operation)))} deleted`, id: examples.idAt(path) }
    : examples.valueOf(returns, path)
  const schema = {
    type: 'object',
    required: ['success', 'data'],
    properties: { success: { type: 'boolean', const: true }, data: toSchema(returns) },
  }
  return {
    description: status === 201 ? 'Created.' : 'Done.',
    headers: headerRefs(
      'X-Ignored-Fields',
      ...(versions.isVersioned(operation) ? (['ETag'] as const) : []),
      ...(method === 'POST' ? (['Idempotent-Replayed'] as const) : []),
    ),
    content: { ...jsonContent(schema, { success: true, data }), ...(orFile && fileContent(orFile)) },
  }
}

const fileContent = ({ mediaTypes }: FileKind) =>
  Object.fromEntries(mediaTypes.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }]))

function errorResponsesFor(operation: Operation, renderer: Renderer) {
  const conflicts = [...operation.conflicts, ...(operation.method === 'POST' ? [idempotencyInProgress] : [])]
  const statuses = [
    400,
    401,
    403,
    ...(mayAnswerNotFound(operation) ? [404] : []),
    ...(renderer.versions.readOf(operation) ? [412] : []),
    ...(hasBody(operation) ? [413, 415] : []),
    429,
  ]
  return {
    ...Object.fromEntries([...statuses, 500, 503].map((status) => [status, ref('responses', responseName(status))])),
    ...(conflicts.length > 0 && { 409: conflictResponse(operation, conflicts, renderer) }),
  }
}

/** Below a collection something is named that may not be there, and so it is in a body with ids. */
function mayAnswerNotFound({ path, body }: Operation): boolean {
  const fields = Object.values(body.properties) as JsonSchema[]
  return path.split('/').length > 2 || fields.some(({ pattern }) => pattern === idPattern)
}

function conflictResponse({ path }: Operation, conflicts: readonly Conflict[], renderer: Renderer) {
  const exampleBody = (conflict: Conflict) => {
    const data = conflict.data ? [renderer.examples.valueOf(conflict.data, path)] : []
    return JSON.parse(errorBody(conflict(...(data as never[])), ''))
  }
  return {
    description: ['A rule is in the way:', ...conflicts.map(({ code, sentence }) => `- \`${code}\`: ${sentence}`)].join(
      '\n',
    ),
    headers: headerRefs(),
    content: {
      'application/json': {
        schema: renderer.conflicts.oneOf(conflicts),
        examples: Object.fromEntries(conflicts.map((conflict) => [conflict.code, { value: exampleBody(conflict) }])),
      },
    },
  }
}

/** The record an operation is about: the last one its path names, else the entity. */
const nounOf = ({ path, entity }: Operation) => idsIn(path).at(-1)?.replace(/Id$/, '') ?? entity.name

/** `recurringScheduleId` as people say it. */
const splitCamelCase = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
