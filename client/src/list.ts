// A list: all of its records one by one, a page at a time behind the scenes, or one page with its cursor.

export interface Page<T> {
  readonly items: readonly T[]
  readonly hasMore: boolean
  /** The next page's `startAfter`. */
  readonly nextCursor: string | null
}

/** Asks for nothing until it is used. */
export class List<T> implements AsyncIterable<T> {
  readonly #read: (startAfter: string | undefined) => Promise<Page<T>>

  constructor(read: (startAfter: string | undefined) => Promise<Page<T>>) {
    this.#read = read
  }

  /** The page that the query asks for, and how to go on. */
  page(): Promise<Page<T>> {
    return this.#read(undefined)
  }

  async toArray(): Promise<T[]> {
    const all: T[] = []
    for await (const item of this) all.push(item)
    return all
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, void, undefined> {
    let cursor: string | undefined
    do {
      const page: Page<T> = await this.#read(cursor)
      yield* page.items
      cursor = page.hasMore ? (page.nextCursor ?? undefined) : undefined
    } while (cursor !== undefined)
  }
}
