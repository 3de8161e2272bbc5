// A background task: run at an interval and when woken, never twice at the same time, with its metrics.
import { Unavailable } from '../db/database.ts'
import { serializeError } from '../http/log-error.ts'

export interface Log {
  info(details: object, message: string): void
  error(details: object, message: string): void
}

/** What fails is logged, counted and retried at the next interval. */
export function createTask(log: Log, name: string, intervalMs: number, work: () => Promise<unknown>) {
  let running: Promise<void> | undefined
  let rerun = false
  let isClosed = false
  /** `lastSuccess` in seconds since 1970; until the first run is over, when the task was created. */
  const metrics = { name, lastSuccess: Date.now() / 1_000, failures: 0 }
  const wake = (): void => {
    if (isClosed) return
    if (running) rerun = true
    else running = run()
  }
  const run = async (): Promise<void> => {
    do {
      rerun = false
      const succeeded = work().then(() => {
        metrics.lastSuccess = Date.now() / 1_000
      })
      await succeeded.catch((error: unknown) => {
        metrics.failures++
        // A database that is away shows in the requests that fail.
        if (!(error instanceof Unavailable)) log.error({ err: serializeError(error) }, `task ${name} failed`)
      })
    } while (rerun && !isClosed)
    running = undefined
  }
  const timer = setInterval(wake, intervalMs).unref()
  return {
    metrics,
    wake,
    async close(): Promise<void> {
      isClosed = true
      clearInterval(timer)
      await running
    },
  }
}
