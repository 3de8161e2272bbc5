// Chance that comes out the same every time, so that two demos of the same size hold the same people and things.

export interface Random {
  /** A whole number from 0 up to, but not including, the limit. */
  below(limit: number): number
  pick<T>(list: readonly T[]): T
}

/** Mulberry32: a few operations, evenly spread, and no need to be unguessable. */
export function createRandom(seed: number): Random {
  let state = seed
  const below = (limit: number) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit)
  }
  return { below, pick: (list) => list[below(list.length)]! }
}
