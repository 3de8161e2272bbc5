// Versions of records: which answers are one record and carry its ETag, and If-Match, which makes a change depend on it.
import { type EntityTags, entityTag, entityTagWith, isSameVersion, parseEntityTags } from '../domain/entity-tags.ts'
import { fileKindOf, Json } from './answers.ts'
import { ApiError, badRequest } from './errors.ts'
import type { JsonSchema } from './json-schema.ts'
import { type Context, idsIn, type Operation, type Statement } from './operation.ts'
import { onlyDeclared } from './schemas.ts'

export interface Versions {
  /** Whether its answer is one record as it is read, so that an ETag can name its version. */
  isVersioned(operation: Operation): boolean
  /** What reads the record that an operation changes: at its own path, or for an action at the nearest one above. */
  readOf(operation: Operation): Operation | undefined
  /** The same for an action by POST as well, which a page lets depend on what it has shown. */
  readBefore(operation: Operation): Operation | undefined
}

export function createVersions(operations: readonly Operation[]): Versions {
  const reads = new Map(operations.filter(isReadOfOne).map((operation) => [operation.path, operation]))
  const shapes = new Set([...reads.values()].map(shapeOf))
  const readBefore = ({ path }: Operation) => {
    for (let above = path; above !== ''; above = above.slice(0, above.lastIndexOf('/'))) {
      const read = reads.get(above)
      if (read) return read
    }
    return undefined
  }
  return {
    isVersioned: (operation) => shapes.has(shapeOf(operation)),
    readOf: (operation) =>
      operation.method === 'PUT' || operation.method === 'DELETE' ? readBefore(operation) : undefined,
    readBefore,
  }
}

/** Reads what a path names: no list, no search, no file. */
const isReadOfOne = ({ method, path, returns }: Operation): boolean => {
  const isOne = path === '/' || idsIn(path).length > 0
  return method === 'GET' && isOne && !fileKindOf(returns) && !(returns as JsonSchema).properties?.pagination
}

/** A job that is read may come with others; it is the same record that a change answers. */
const shapeOf = ({ returns }: Operation): string => [...((returns as JsonSchema).required ?? [])].sort().join()

/** What can be changed must be lockable, or two changes with one ETag could both be made. */
export function refuseUnlockedReads(operations: readonly Operation[]): void {
  const { readOf } = createVersions(operations)
  for (const operation of operations) {
    const isChange = operation.method === 'PUT' || operation.method === 'DELETE'
    if (isChange && !readOf(operation)?.lock)
      throw new Error(`${operation.name} takes If-Match, but what reads its record does not say how that is locked`)
  }
}

/** The JSON text of `data`: what was declared, and nothing else. */
export const answerText = ({ returns }: Operation, value: unknown): string =>
  value instanceof Json ? value.text : JSON.stringify(onlyDeclared(returns, value))

export const tagOf = (value: unknown, text: string): string =>
  value instanceof Json && value.record !== undefined ? entityTagWith(value.record, text) : entityTag(text)

export const preconditionFailed = (current: string) =>
  new ApiError(
    412,
    'The record has changed since you read it; read it again, look at what changed, and send yours again with the new ETag in If-Match',
    { code: 'PRECONDITION_FAILED', data: { current } },
    { etag: current },
  )

export function parseIfMatch(value: string): EntityTags {
  const tags = parseEntityTags(value)
  if (tags) return tags
  throw badRequest('If-Match must be * or ETags as they were answered, in double quotes and separated by commas')
}

/** Locked first and read after that, so that the version stays what it is until the change is made. */
export async function refuseOtherVersion(tags: EntityTags, read: Operation, input: never, ctx: Context): Promise<void> {
  await read.lock!((input as { params: Readonly<Record<string, string>> }).params, ctx)
  const current = entityTag(answerText(read, await ctx.query(read.run(input, ctx) as Statement<unknown>)))
  if (!isSameVersion(tags, current)) throw preconditionFailed(current)
}
