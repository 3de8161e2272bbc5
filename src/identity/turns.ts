// Costly work in turns: few at once, a short queue, and nobody who asks often keeps others from their turn.

/** The queue is full, and whoever asked already has a place in it, or somebody with fewer took theirs. */
export class NoTurn extends Error {
  constructor() {
    super('Too many wait already')
  }
}

export interface Turns {
  /** `who` is whose turn it is: turns go round among all who wait. */
  take<T>(who: string, work: () => Promise<T>): Promise<T>
}

interface Place {
  go(): void
  refuse(): void
}

export function turns({ atOnce, waiting: most }: { atOnce: number; waiting: number }): Turns {
  let running = 0
  let waiting = 0
  /** In the order in which they are next. */
  const places = new Map<string, Place[]>()

  function enter(who: string, place: Place): void {
    if (waiting >= most && !madeRoomFor(who)) {
      place.refuse()
      return
    }
    waiting++
    const own = places.get(who)
    if (own) own.push(place)
    else places.set(who, [place])
  }

  /** Whoever has most places loses the last of them to somebody who would have fewer all the same. */
  function madeRoomFor(who: string): boolean {
    const [fullest, theirs] = [...places].reduce((one, other) => (other[1].length > one[1].length ? other : one))
    if (theirs.length <= (places.get(who)?.length ?? 0) + 1) return false
    leave(fullest, theirs, theirs.pop()!).refuse()
    return true
  }

  function leave(who: string, theirs: Place[], place: Place): Place {
    waiting--
    if (theirs.length === 0) places.delete(who)
    return place
  }

  function next(): void {
    const first = places.entries().next().value
    if (!first) {
      running--
      return
    }
    const [who, theirs] = first
    places.delete(who)
    const place = theirs.shift()!
    if (theirs.length > 0) places.set(who, theirs) // behind everybody else
    leave(who, theirs, place).go()
  }

  return {
    async take(who, work) {
      if (running < atOnce) running++
      else await new Promise<void>((go, fail) => enter(who, { go, refuse: () => fail(new NoTurn()) }))
      try {
        return await work()
      } finally {
        next()
      }
    },
  }
}
