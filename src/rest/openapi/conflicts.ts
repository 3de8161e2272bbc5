// Conflicts in the OpenAPI document: a schema for each code, so that `code` tells what `data` is.
import type { Conflict } from '../../operations/errors.ts'
import { idempotencyInProgress } from '../../operations/idempotency.ts'
import type { JsonSchema } from '../../operations/json-schema.ts'
import type { Operation } from '../../operations/operation.ts'
import { capitalise } from '../../operations/string-case.ts'
import { ref } from './components.ts'
import type { createSchemaRegistry } from './schemas.ts'

export interface ConflictSchemas {
  readonly schemas: Readonly<Record<string, unknown>>
  /** The schema of a 409 that may be any of these. */
  oneOf(conflicts: readonly Conflict[]): object
}

/** `CUSTOMER_HAS_TICKETS` is a `CustomerHasTicketsConflict`. */
const schemaName = (code: string) => `${code.toLowerCase().split('_').map(capitalise).join('')}Conflict`

export function createConflictSchemas(
  operations: readonly Operation[],
  toSchema: ReturnType<typeof createSchemaRegistry>['toSchema'],
): ConflictSchemas {
  const all: readonly Conflict[] = [...operations.flatMap(({ conflicts }) => conflicts), idempotencyInProgress]
  const byCode = Map.groupBy(all, ({ code }) => code)
  return {
    schemas: Object.fromEntries(
      [...byCode].map(([code, declared]) => [schemaName(code), conflictSchema(code, declared, toSchema)]),
    ),
    oneOf(conflicts) {
      const refs = conflicts.map(({ code }) => ref('schemas', schemaName(code)))
      if (refs.length === 1) return refs[0]!
      const mapping = Object.fromEntries(conflicts.map(({ code }, index) => [code, refs[index]!.$ref]))
      return { oneOf: refs, discriminator: { propertyName: 'code', mapping } }
    },
  }
}

/** Where one operation says more than another, `data` may be left out. */
function conflictSchema(
  code: string,
  declared: readonly Conflict[],
  toSchema: ReturnType<typeof createSchemaRegistry>['toSchema'],
): JsonSchema {
  const shapes = new Map(
    declared.flatMap(({ data }) => (data ? [toSchema(data)] : [])).map((shape) => [JSON.stringify(shape), shape]),
  )
  const [data, ...others] = [...shapes.values()]
  const isAlways = data !== undefined && declared.every((one) => one.data)
  return {
    description: [...new Set(declared.map(({ sentence }) => sentence))].join(' '),
    type: 'object',
    required: ['success', 'error', 'code', ...(isAlways ? ['data'] : [])],
    properties: {
      success: { type: 'boolean', const: false },
      error: { type: 'string' },
      code: { type: 'string', const: code },
      ...(data && { data: others.length > 0 ? { anyOf: [data, ...others] } : data }),
    },
  }
}
