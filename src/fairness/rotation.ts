// Those who wait, one of each key after the other: a key with many of them does not delay the others.

export interface Rotation<T> {
  readonly size: number
  push(key: string, item: T): void
  /** The one that is next, of which there must be one. */
  shift(): T
}

export function createRotation<T>(): Rotation<T> {
  /** In the order in which they are next. */
  const queues = new Map<string, T[]>()
  let size = 0
  return {
    get size() {
      return size
    },
    push(key, item) {
      size++
      const queue = queues.get(key)
      if (queue) queue.push(item)
      else queues.set(key, [item])
    },
    shift() {
      const [key, queue] = queues.entries().next().value!
      size--
      const item = queue.shift()!
      queues.delete(key)
      if (queue.length > 0) queues.set(key, queue) // behind everybody else
      return item
    },
  }
}
