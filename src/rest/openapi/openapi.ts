// The OpenAPI 3.1 document, read off the operations: what they declare is what it says.
import type { Config } from '../../config/config.ts'
import { errorBody } from '../../http/envelope.ts'
import { basePath } from '../../operations/base-path.ts'
import type { Conflict } from '../../operations/errors.ts'
import { idPattern } from '../../operations/fields.ts'
import { idempotencyInProgress } from '../../operations/idempotency.ts'
import type { JsonSchema } from '../../operations/json-schema.ts'
import { deletionMessage, fileKindOf, idsIn, type Operation, type Resource } from '../../operations/operation.ts'
import type { ScopeCatalogue } from '../../operations/scope-catalogue.ts'
import { capitalise } from '../../operations/string-case.ts'
import * as components from './components.ts'
import { errorResponses, headerRefs, ref } from './components.ts'
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
  const renderer: Renderer = { toSchema, examples: createExamples(resources) }
  const operations = resources.flatMap((resource) => resource.operations)
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
    paths: { ...paths, ...identityPaths(config, renderer) },
    webhooks: eventWebhooks(resources),
    components: {
      schemas: { ...schemas, ...events, Error: components.errorSchema },
      responses: Object.fromEntries(Object.entries(errorResponses).map(([status, one]) => [responseName(status), one])),
      parameters: components.parameters,
      headers: components.headers,
      securitySchemes: { ...components.securitySchemes(config, scopes), ...identitySecurity },
    },
  }
}

function describeOperation(operation: Operation, renderer: Renderer) {
  const { method, name, summary, entity, needs, status } = operation
  const query = queryParameters(operation, renderer)
  const isPost = method === 'POST'
  return {
    operationId: name,
    summary,
    description: descriptionParts(operation).join('\n\n'),
    tags: [entity.title],
    security: [{ apiKey: [] }, { bearer: [] }, { oauth: [...needs] }],
    'x-scopes': [...needs],
    ...((isPost || query.length > 0) && {
      parameters: isPost ? [...query, ref('parameters', 'idempotencyKey')] : query,
    }),
    ...(hasBody(operation) && { requestBody: requestBody(operation, renderer) }),
    responses: {
      ...(operation.mayExist && {
        200: { ...successResponse(operation, renderer), description: 'It was there already.' },
      }),
      [status]: successResponse(operation, renderer),
      ...(operation.steps && {
        202: { ...successResponse(operation, renderer), description: 'Begun; the service goes on with it.' },
      }),
      ...errorResponsesFor(operation, renderer),
    },
  }
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
      schema: { type: 'string', pattern: idPattern },
      example: name.endsWith('Id') ? examples.idAt(path.slice(0, path.indexOf(`:${name}`) + name.length + 1)) : '0',
    })),
  ]
}

/** An example of a filter is part of its description: as `example`, tools would send it with the first request. */
function queryParameters({ query }: Operation, { toSchema }: Renderer) {
  const { properties = {}, required = [] } = toSchema(query)
  return Object.entries(properties).map(([name, { description, examples, ...schema }]) => ({
    name,
    in: 'query',
    required: required.includes(name),
    description: [description, examples && `For example \`${examples[0]}\`.`].filter(Boolean).join(' '),
    schema,
  }))
}

const hasBody = ({ method }: Operation) => method === 'POST' || method === 'PUT'

/** Also where an operation takes no fields: the content type is required all the same. */
function requestBody({ body, path }: Operation, { toSchema, examples }: Renderer) {
  const schema = Object.keys(body.properties).length > 0 ? toSchema(body) : { type: 'object' }
  return { required: true, content: jsonContent(schema, examples.valueOf(body, path)) }
}

function successResponse(operation: Operation, { toSchema, examples }: Renderer) {
  const { status, method, path, returns } = operation
  const file = fileKindOf(returns)
  if (file) {
    const contents = file.mediaTypes.map((type) => [type, { schema: { type: 'string', contentMediaType: type } }])
    return { description: `The ${file.noun} itself.`, content: Object.fromEntries(contents) }
  }
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
    headers: headerRefs('X-Ignored-Fields', ...(method === 'POST' ? (['Idempotent-Replayed'] as const) : [])),
    content: jsonContent(schema, { success: true, data }),
  }
}

function errorResponsesFor(operation: Operation, renderer: Renderer) {
  const conflicts = [...operation.conflicts, ...(operation.method === 'POST' ? [idempotencyInProgress] : [])]
  const statuses = [
    400,
    401,
    403,
    ...(mayAnswerNotFound(operation) ? [404] : []),
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

function conflictResponse({ path }: Operation, conflicts: readonly Conflict[], { toSchema, examples }: Renderer) {
  const schemas = withoutDuplicates(conflicts.flatMap(({ data }) => (data ? [toSchema(data)] : [])))
  const exampleBody = (conflict: Conflict) =>
    JSON.parse(errorBody(conflict(...((conflict.data ? [examples.valueOf(conflict.data, path)] : []) as never[])), ''))
  return {
    description: ['A rule is in the way:', ...conflicts.map(({ code, sentence }) => `- \`${code}\`: ${sentence}`)].join(
      '\n',
    ),
    headers: headerRefs(),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['success', 'error', 'code'],
          properties: {
            success: { type: 'boolean', const: false },
            error: { type: 'string' },
            code: { type: 'string', enum: conflicts.map(({ code }) => code) },
            ...(schemas.length > 0 && { data: schemas.length > 1 ? { anyOf: schemas } : schemas[0] }),
          },
        },
        examples: Object.fromEntries(conflicts.map((conflict) => [conflict.code, { value: exampleBody(conflict) }])),
      },
    },
  }
}

const withoutDuplicates = (schemas: readonly JsonSchema[]): JsonSchema[] => [
  ...new Map(schemas.map((schema) => [JSON.stringify(schema), schema])).values(),
]

/** The record an operation is about: the last one its path names, else the entity. */
const nounOf = ({ path, entity }: Operation) => idsIn(path).at(-1)?.replace(/Id$/, '') ?? entity.name

/** `recurringScheduleId` as people say it. */
const splitCamelCase = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
