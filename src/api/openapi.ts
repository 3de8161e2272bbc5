// The OpenAPI 3.1 document, read off the operations: what they declare is what it says.
import { STATUS_CODES } from 'node:http'
import type { Config } from '../config.ts'
import { entityWords } from './entities.ts'
import { type ApiError, type ConflictCode, capitalised, conflict, conflicts } from './errors.ts'
import { exampleId, exampleOf } from './examples.ts'
import { idPattern } from './fields.ts'
import type { JsonSchema } from './json-schema.ts'
import * as components from './openapi-components.ts'
import { conflictData, headersOf, refer, refusals } from './openapi-components.ts'
import { introduction } from './openapi-introduction.ts'
import { keyPaths, keySecurity, keysTag } from './openapi-keys.ts'
import { schemaCollection } from './openapi-schemas.ts'
import { idsIn, message, type Operation, pdf } from './operation.ts'
import { basePath, failure } from './rest.ts'

type Show = ReturnType<typeof schemaCollection>['show']

export interface OpenApi {
  readonly openapi: '3.1.0'
  readonly info: Readonly<Record<string, unknown>>
  readonly servers: readonly { readonly url: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>
  readonly components: Readonly<Record<string, Readonly<Record<string, unknown>>>>
}

export function openapi(operations: readonly Operation[], config: Config): OpenApi {
  const { named, show } = schemaCollection()
  const paths: Record<string, Record<string, unknown>> = {}
  for (const operation of operations) {
    const path = `/organisations/{orgId}${operation.path === '/' ? '' : operation.path.replace(/:(\w+)/g, '{$1}')}`
    paths[path] ??= { parameters: pathParameters(operation) }
    const item = paths[path]
    item[operation.method.toLowerCase()] = described(operation, show)
    if (operation.method === 'PUT') item.patch = asPatch(operation, show)
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
        name: entityWords[entity].title,
        description: entityWords[entity].sentence,
      })),
      keysTag,
    ],
    paths: { ...paths, ...keyPaths(config, show) },
    components: {
      schemas: { ...named, Error: components.errorSchema },
      responses: Object.fromEntries(Object.entries(refusals).map(([status, one]) => [responseName(status), one])),
      parameters: components.parameters,
      headers: components.headers,
      securitySchemes: { ...components.securitySchemes(config), ...keySecurity },
    },
  }
}

function described(operation: Operation, show: Show) {
  const { method, name, summary, entity, needs, status } = operation
  const query = queryParameters(operation, show)
  const isPost = method === 'POST'
  return {
    operationId: name,
    summary,
    description: notes(operation).join('\n\n'),
    tags: [entityWords[entity].title],
    security: [{ apiKey: [] }, { bearer: [] }, { oauth: [...needs] }],
    'x-scopes': [...needs],
    ...((isPost || query.length > 0) && {
      parameters: isPost ? [...query, refer('parameters', 'idempotencyKey')] : query,
    }),
    ...(hasBody(operation) && { requestBody: requestBody(operation, show) }),
    responses: {
      ...(operation.mayExist && { 200: { ...success(operation, show), description: 'It was there already.' } }),
      [status]: success(operation, show),
      ...refusalsOf(operation, show),
    },
  }
}

/** PATCH is routed to the same operation; documents need every operationId once. */
const asPatch = (operation: Operation, show: Show) => ({
  ...described(operation, show),
  operationId: /^update/.test(operation.name) ? operation.name.replace('update', 'patch') : `${operation.name}ByPatch`,
  summary: `${operation.summary} (the same as PUT)`,
})

function notes({ method, needs, mayNeed }: Operation): string[] {
  const scopes = (names: readonly string[]) => names.map((name) => `\`${name}\``).join(' and ')
  return [
    `Needs ${scopes(needs)}.${mayNeed.length > 0 ? ` Where it also does what ${scopes(mayNeed)} guards, it needs that too.` : ''}`,
    ...(method === 'PUT' ? ['Fields left out stay as they are; `null` clears a field that may be empty.'] : []),
  ]
}

function pathParameters({ path }: Operation) {
  return [
    refer('parameters', 'orgId'),
    ...idsIn(path).map((name) => ({
      name,
      in: 'path',
      required: true,
      description: name.endsWith('Id') ? `The id of the ${wordsOf(name.slice(0, -2))}.` : `The ${wordsOf(name)}.`,
      schema: { type: 'string', pattern: idPattern },
      example: name.endsWith('Id') ? exampleId(name) : '0',
    })),
  ]
}

/** An example of a filter is told in words: given as one, tools would send it along with the first try. */
function queryParameters({ query }: Operation, show: Show) {
  const { properties = {}, required = [] } = show(query)
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
function requestBody(operation: Operation, show: Show) {
  const schema = Object.keys(operation.body.properties).length > 0 ? show(operation.body) : { type: 'object' }
  return { required: true, content: json(schema, exampleOf(operation.body, nounOf(operation))) }
}

function success(operation: Operation, show: Show) {
  const { status, method, returns } = operation
  if (returns === pdf)
    return { description: 'The document.', content: { 'application/pdf': { schema: show(returns) } } }
  const noun = nounOf(operation)
  const isDeletion = returns === message
  const data = isDeletion
    ? { message: `${capitalised(wordsOf(noun))} deleted`, id: exampleId(noun) }
    : exampleOf(returns, noun)
  const schema = {
    type: 'object',
    required: ['success', 'data'],
    properties: { success: { type: 'boolean', const: true }, data: show(returns) },
  }
  return {
    description: status === 201 ? 'Created.' : 'Done.',
    headers: headersOf('X-Ignored-Fields', ...(method === 'POST' ? (['Idempotent-Replayed'] as const) : [])),
    content: json(schema, { success: true, data }),
  }
}

function refusalsOf(operation: Operation, show: Show) {
  const codes = [...operation.conflicts, ...(operation.method === 'POST' ? (['IDEMPOTENCY_IN_PROGRESS'] as const) : [])]
  const statuses = [400, 401, 403, ...(mayMiss(operation) ? [404] : []), ...(hasBody(operation) ? [413, 415] : []), 429]
  return {
    ...Object.fromEntries([...statuses, 500, 503].map((status) => [status, refer('responses', responseName(status))])),
    ...(codes.length > 0 && { 409: conflictResponse(operation, codes, show) }),
  }
}

/** Below a collection something is named that may not be there, and so it is in a body with ids. */
function mayMiss({ path, body }: Operation): boolean {
  const fields = Object.values(body.properties) as JsonSchema[]
  return path.split('/').length > 2 || fields.some(({ pattern }) => pattern === idPattern)
}

function conflictResponse({ path }: Operation, codes: readonly ConflictCode[], show: Show) {
  // Who names the one job refused need not be told which jobs are in the way.
  const carried = idsIn(path).includes('ticketId') ? { ...conflictData, FORM_GATE_DELETE: undefined } : conflictData
  const schemaOf = (code: ConflictCode) => carried[code as keyof typeof carried]
  const refusal = (code: ConflictCode): ApiError =>
    conflict(code, ...((schemaOf(code) ? [exampleOf(schemaOf(code)!, 'ticket')] : []) as never))
  const shapes = [...new Set(codes.map(schemaOf))].filter((schema) => schema !== undefined).map(show)
  return {
    description: ['A rule is in the way:', ...codes.map((code) => `- \`${code}\`: ${conflicts[code]}`)].join('\n'),
    headers: headersOf(),
    content: {
      'application/json': {
        schema: {
          type: 'object',
          required: ['success', 'error', 'code'],
          properties: {
            success: { type: 'boolean', const: false },
            error: { type: 'string' },
            code: { type: 'string', enum: codes },
            ...(shapes.length > 0 && { data: shapes.length > 1 ? { anyOf: shapes } : shapes[0] }),
          },
        },
        examples: Object.fromEntries(codes.map((code) => [code, { value: JSON.parse(failure(refusal(code), '')) }])),
      },
    },
  }
}

const json = (schema: JsonSchema, example: unknown) => ({ 'application/json': { schema, example } })

const responseName = (status: string | number) => STATUS_CODES[status]!.replace(/\W/g, '')

/** The record an operation is about: the last one its path names, else the entity. */
const nounOf = ({ path, entity }: Operation) => idsIn(path).at(-1)?.replace(/Id$/, '') ?? entity

/** `recurringScheduleId` as people say it. */
const wordsOf = (name: string) => name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
