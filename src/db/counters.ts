// Counters of one kind of connection: queries in flight, queries answered, and their total latency.

export interface CallCounters {
  inFlight: number
  completed: number
  totalMs: number
}

export const createCounters = (): CallCounters => ({ inFlight: 0, completed: 0, totalMs: 0 })

export function startCall(counters: CallCounters): number {
  counters.inFlight++
  return performance.now()
}

export function endCall(counters: CallCounters, startedAt: number): void {
  counters.inFlight--
  counters.completed++
  counters.totalMs += performance.now() - startedAt
}
