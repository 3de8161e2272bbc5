// The OpenAPI 3.1 document, read off the operations: what they declare is what it says.
import { STATUS_CODES } from 'node:http'
import type { Config } from '../../config/config.ts'
import { entityTexts } from '../../operations/entities.ts'
import { type ApiError, type ConflictCode, capitalise, conflict, conflicts } from '../../operations/errors.ts'
import { idPattern } from '../../operations/fields.ts'
import type { JsonSchema } from '../../operations/json-schema.ts'
import { deletionMessage, idsIn, type Operation, pdfResponse } from '../../operations/operation.ts'
import { basePath, errorBody } from '../rest.ts'
import * as components from './components.ts'
import { conflictDataSchemas, errorResponses, headerRefs, ref } from './components.ts'
import { exampleId, exampleOf } from './examples.ts'
import { introduction } from './introduction.ts'
import { apiKeysTag, keyPaths, keySecurity } from './key-rotation.ts'
import { createSchemaRegistry } from './schemas.ts'

type ToSchema = ReturnType<typeof createSchemaRegistry>['toSchema']

export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export function createOpenApi(operations: readonly Operation[], config: Config): OpenApi {
  const { schemas, toSchema } = createSchemaRegistry()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = `/organisations/{orgId}${operation.path === '/' ? '' : operation.path.replace(/:(\w+)/g, '{$1}')}`
    paths[path] ??= { parameters: pathParameters(operation) }
    const item = paths[path]
    item[operation.method.toLowerCase()] = describeOperation(operation, toSchema)
    if (operation.method === 'PUT') item.patch = describePatch(operation, toSchema)
  }
  const entities = new Set(operations.map(({ entity }) => entity))
  return {
    openapi: '3.1.0',
    info: {
      title: 'Jobwright API',
      version: '1.0.0',
      summary: 'Customers, jobs, the catalogue and the calendar of one organisation.',
      description: introduction(config),
      contact: { name: 'API reference', url: `${config.restOrigin}/docs` },
      license: { name: 'Proprietary', identifier: 'LicenseRef-Proprietary' },
    },
    servers: [{ url: config.restOrigin + basePath }],
    tags: [
      ...[...entities].map((entity) => ({
        name: entityTexts[entity].title,
        description: entityTexts[entity].description,
      })),
      apiKeysTag,
    ],
    paths: { ...paths, ...keyPaths(config, toSchema) },
    components: {
      schemas: { ...schemas, Error: components.errorSchema },
      responses: Object.fromEntries(Object.entries(errorResponses).map(([status, one]) => [responseName(status), one])),
      parameters: components.parameters,
      headers: components.headers,
      securitySchemes: { ...components.securitySchemes(config), ...keySecurity },
    },
  }
}

function describeOperation(operation: Operation, toSchema: ToSchema) {
  const { method, name, summary, entity, needs, status } = operation
  const query = queryParameters(operation, toSchema)
  const isPost = method === 'POST'
  return {
    operationId: name,
    summary,
    description: descriptionParts(operation).join('\n\n'),
    tags: [entityTexts[entity].title],
    security: [{ apiKey: [] }, { bearer: [] }, { oauth: [...needs] }],
    'x-scopes': [...needs],
    ...((isPost || query.length > 0) && {
      parameters: isPost ? [...query, ref('parameters', 'idempotencyKey')] : query,
    }),
    ...(hasBody(operation) && { requestBody: requestBody(operation, toSchema) }),
    responses: {
      ...(operation.mayExist && {
        200: { ...successResponse(operation, toSchema), description: 'It was there already.' },
      }),
      [status]: successResponse(operation, toSchema),
      ...errorResponsesFor(operation, toSchema),
    },
  }
}

/** PATCH is routed to the same operation; documents need every operationId once. */
const describePatch = (operation: Operation, toSchema: ToSchema) => ({
  ...describeOperation(operation, toSchema),
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

function pathParameters({ path }: Operation) {
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
      example: name.endsWith('Id') ? exampleId(name) : '0',
    })),
  ]
}

/** An example of a filter is told in words: given as one, tools would send it along with the first try. */
function queryParameters({ query }: Operation, toSchema: ToSchema) {
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

/** Also where an operation takes no fields: the content type is asked for all the same. */
function requestBody(operation: Operation, toSchema: ToSchema) {
  const schema = Object.keys(operation.body.properties).length > 0 ? toSchema(operation.body) : { type: 'object' }
  return { required: true, content: jsonContent(schema, exampleOf(operation.body, nounOf(operation))) }
}

function successResponse(operation: Operation, toSchema: ToSchema) {
  const { status, method, returns } = operation
  if (returns === pdfResponse)
    return { description: 'The document.', content: { 'application/pdf': { schema: toSchema(returns) } } }
  const noun = nounOf(operation)
  const isDeletion = returns === deletionMessage
  const data = isDeletion
    ? { message: `${capitalise(splitCamelCase(noun))} deleted`, id: exampleId(noun) }
    : exampleOf(returns, noun)
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

function errorResponsesFor(operation: Operation, toSchema: ToSchema) {
  const codes = [...operation.conflicts, ...(operation.method === 'POST' ? (['IDEMPOTENCY_IN_PROGRESS'] as const) : [])]
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
    ...(codes.length > 0 && { 409: conflictResponse(operation, codes, toSchema) }),
  }
}

/** Below a collection something is named that may not be there, and so it is in a body with ids. */
function mayAnswerNotFound({ path, body }: Operation): boolean {
  const fields = Object.values(body.properties) as JsonSchema[]
  return path.split('/').length > 2 || fields.some(({ pattern }) => pattern === idPattern)
}

function conflictResponse({ path }: Operation, codes: readonly ConflictCode[], toSchema: ToSchema) {
  // Who names the one job refused need not be told which jobs are in the way.
  const dataSchemas = idsIn(path).includes('ticketId')
    ? { ...conflictDataSchemas, FORM_GATE_DELETE: undefined }
    : conflictDataSchemas
  const schemaOf = (code: ConflictCode) => dataSchemas[code as keyof typeof dataSchemas]
  const exampleError = (code: ConflictCode): ApiError =>
    conflict(code, ...((schemaOf(code) ? [exampleOf(schemaOf(code)!, 'ticket')] : []) as never))
  const schemas = [...new Set(codes.map(schemaOf))].filter((schema) => schema !== undefined).map(toSchema)
  return {
    description: ['A rule is in the way:', ...codes.map((code) => `- \`${code}\`: ${conflicts[code]}`)].join('\n'),
    headers: headerRefs(),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['success', 'error', 'code'],
          properties: {
            success: { type: 'boolean', const: false },
            error: { type: 'string' },
            code: { type: 'string', enum: codes },
            ...(schemas.length > 0 && { data: schemas.length > 1 ? { anyOf: schemas } : schemas[0] }),
          },
        },
        examples: Object.fromEntries(
          codes.map((code) => [code, { value: JSON.parse(errorBody(exampleError(code), '')) }]),
        ),
      },
    },
  }
}

const jsonContent = (schema: JsonSchema, example: unknown) => ({ 'application/json': { schema, example } })

const responseName = (status: string | number) => STATUS_CODES[status]!.replace(/\W/g, '')

/** The record an operation is about: the last one its path names, else the entity. */
const nounOf = ({ path, entity }: Operation) => idsIn(path).at(-1)?.replace(/Id$/, '') ?? entity

/** `recurringScheduleId` as people say it. */
const splitCamelCase = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
