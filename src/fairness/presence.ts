// Who was there of late: what is given out in shares is all for whoever is alone.

export interface Presence {
  /** Somebody asks for something. */
  note(key: string, at: number): void
  /** Whether anybody else was there of late. */
  isBesideOthers(key: string, at: number): boolean
}

/** Somebody is there until so long after they last asked. */
export function createPresence(presenceMs: number): Presence {
  let lastKey: string | undefined
  let lastAt = Number.NEGATIVE_INFINITY
  /** When somebody else than the last one asked last. */
  let lastOfOthersAt = Number.NEGATIVE_INFINITY
  return {
    note(key, at) {
      if (key !== lastKey) lastOfOthersAt = lastAt
      lastKey = key
      lastAt = at
    },
    isBesideOthers: (key, at) => at - (key === lastKey ? lastOfOthersAt : lastAt) < presenceMs,
  }
}
