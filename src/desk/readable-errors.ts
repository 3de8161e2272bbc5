// What `identity` refuses is said in sentences for people: they become the answer of a page.
import { NotRotatable } from '../identity/keys.ts'
import { ApiError } from '../operations/errors.ts'

/** The sentences of `identity` are for people. */
export async function withReadableErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    const isSentence = (error as Error).constructor === Error || error instanceof NotRotatable
    throw isSentence ? new ApiError(400, (error as Error).message) : error
  }
}
