// Imports go on in a process beside the service: judging a hundred thousand rows keeps nobody's request waiting, nor does its
// memory stay with the service. What is due is in the database, so that it matters little when or how that process ends.
import { type ConnectionOptions, Unavailable } from '../db/database.ts'
import { createSideProcess } from '../processes/side-process.ts'
import type { ImportCommand, ImportMessage } from './import-process.ts'
import type { Log } from './task.ts'

export interface ImportRunner {
  /** Settles when nothing is due any more, or it was stopped. */
  run(): Promise<void>
  /** After the step that it is at. */
  stop(): void
  close(): Promise<void>
}

const program = new URL('./import-process.ts', import.meta.url)
const memoryLimits = ['--max-old-space-size=256', '--max-semi-space-size=8']
/** Somebody may be looking at what was found, and go on with it. */
const idleTimeoutMs = 60_000

export function createImportRunner(connection: ConnectionOptions, log: Log): ImportRunner {
  const imports = createSideProcess<ImportCommand, ImportMessage>({
    program,
    memoryLimits,
    idleMs: idleTimeoutMs,
    onMessage(message) {
      if (message.is === 'log') log[message.level](message.details, message.message)
      else if (message.is === 'done') settle()
      else if (message.isAway) settle(new Unavailable(message.cause))
      else settle(new Error('Imports could not go on', { cause: message.cause }))
    },
    onGone: () => settle(new Error('The process of imports ended in the middle')),
  })
  let current: PromiseWithResolvers<void> | undefined
  let isStopped = false

  return {
    run() {
      if (isStopped) return Promise.resolve()
      current = Promise.withResolvers<void>()
      imports.tell({ is: 'run', connection })
      return current.promise
    },
    stop() {
      isStopped = true
      if (current) imports.tell({ is: 'stop' })
    },
    close: () => imports.close(),
  }

  function settle(failure?: Error): void {
    const settled = current
    current = undefined
    imports.rest()
    if (failure) settled?.reject(failure)
    else settled?.resolve()
  }
}
