// What is asked over one kind of connection: how much is under way, how much was answered, how long all of it took.

export interface Tally {
  underWay: number
  answered: number
  ms: number
}

export const tally = (): Tally => ({ underWay: 0, answered: 0, ms: 0 })

export function begun(tally: Tally): number {
  tally.underWay++
  return performance.now()
}

export function ended(tally: Tally, begin: number): void {
  tally.underWay--
  tally.answered++
  tally.ms += performance.now() - begin
}
