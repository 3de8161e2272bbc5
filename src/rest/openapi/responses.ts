// What an operation answers, as the OpenAPI document says it: the success, and every refusal.
import { errorBody } from '../../http/envelope.ts'
import { type FileKind, fileKindOf } from '../../operations/answers.ts'
import type { Conflict } from '../../operations/errors.ts'
import { idPattern } from '../../operations/fields.ts'
import { idempotencyInProgress } from '../../operations/idempotency.ts'
import type { JsonSchema } from '../../operations/json-schema.ts'
import { deletionMessage, idsIn, type Operation } from '../../operations/operation.ts'
import { capitalise, splitCamelCase } from '../../operations/string-case.ts'
import { headerRefs, ref } from './components.ts'
import { jsonContent, responseName } from './identity-operations.ts'
import type { Renderer } from './renderer.ts'

export const hasBody = ({ method }: Operation) => method === 'POST' || method === 'PUT'

export function successResponse(operation: Operation, { toSchema, examples, versions }: Renderer) {
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

export function errorResponsesFor(operation: Operation, renderer: Renderer) {
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
