// Errors in the log: what an operator needs to know of one, and never what a request carried.
import type { FastifyBaseLogger } from 'fastify'
import { unexpected } from '../operations/errors.ts'

export function logError(
  error: unknown,
  { log, id }: { readonly log: FastifyBaseLogger; readonly id: string | undefined },
  message = unexpected().message,
): void {
  log.error({ err: serializeError(error), requestId: id }, message)
}

/** What an operator needs to know of an error; PostgreSQL's details quote the records they are about. */
export function serializeError(error: unknown): object {
  const { message, stack, code, constraint, table, cause } = error as Error & Record<string, unknown>
  return { message, stack, code, constraint, table, ...(cause instanceof Error && { cause: serializeError(cause) }) }
}
