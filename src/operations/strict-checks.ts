// Checks while testing: an operation returns every field that it declares and no other, and declares its conflicts and scopes.
import type { TSchema } from 'typebox'
import { Compile } from 'typebox/schema'
import { ApiError } from './errors.ts'
import type { Operation } from './operation.ts'
import type { Scope } from './scopes.ts'

export type StrictChecks = ReturnType<typeof createStrictChecks>

export function createStrictChecks(operations: readonly Operation[]) {
  const checks = new Map(operations.map((operation) => [operation, Compile(closeSchema(operation.returns))]))
  return {
    checkResult(operation: Operation, data: unknown) {
      const [, [failure]] = checks.get(operation)!.Errors(data)
      if (failure) throw new Error(`${operation.name} answered ${failure.instancePath}: ${failure.message}`)
    },
    /** A scope that is needed only at times must still be declared, or no caller could know of it. */
    checkRequiredScope({ name, needs, mayNeed }: Operation, scope: Scope) {
      if (![...needs, ...mayNeed].includes(scope)) throw new Error(`${name} did not declare that it may need ${scope}`)
    },
    checkError(operation: Operation, error: unknown) {
      if (!(error instanceof ApiError) || error.status !== 409) return
      if (!operation.conflicts.some(({ code }) => code === error.details.code)) {
        throw new Error(`${operation.name} did not declare ${error.details.code}`)
      }
    },
  }
}

function closeSchema(schema: TSchema): TSchema {
  const copy: Record<string, unknown> = { ...schema }
  if (copy.properties) {
    copy.additionalProperties = false
    copy.properties = Object.fromEntries(
      Object.entries(copy.properties as Record<string, TSchema>).map(([name, member]) => [name, closeSchema(member)]),
    )
  }
  if (copy.items) copy.items = closeSchema(copy.items as TSchema)
  return copy as TSchema
}
