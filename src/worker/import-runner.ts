// Imports go on in a process beside the service: judging a hundred thousand rows keeps nobody's request waiting, nor does its
// memory stay with the service. What is due is in the database, so that it matters little when or how that process ends.
import type { ChildProcess } from 'node:child_process'
import { type ConnectionOptions, Unavailable } from '../db/database.ts'
import { keepAlive, startSideProcess } from '../processes/side-process.ts'
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
  let child: ChildProcess | undefined
  let current: PromiseWithResolvers<void> | undefined
  let idleTimer: NodeJS.Timeout | undefined
  let isStopped = false

  return {
    run() {
      if (isStopped) return Promise.resolve()
      clearTimeout(idleTimer)
      current = Promise.withResolvers<void>()
      child ??= start()
      keepAlive(child, true)
      tell({ is: 'run', connection })
      return current.promise
    },
    stop() {
      isStopped = true
      if (current) tell({ is: 'stop' })
    },
    async close() {
      clearTimeout(idleTimer)
      if (!child) return
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      keepAlive(child, true) // until it is gone
      child.once('exit', () => resolve())
      child.kill('SIGKILL')
      await ended
    },
  }

  /** Where it is gone already, it says so itself. */
  function tell(command: ImportCommand): void {
    child?.send(command, () => {})
  }

  function settle(failure?: Error): void {
    const settled = current
    current = undefined
    if (child) keepAlive(child, false)
    idleTimer = setTimeout(end, idleTimeoutMs).unref()
    if (failure) settled?.reject(failure)
    else settled?.resolve()
  }

  function start(): ChildProcess {
    const started = startSideProcess(program, memoryLimits)
    started.on('message', (message: ImportMessage) => {
      if (message.is === 'log') log[message.level](message.details, message.message)
      else if (message.is === 'done') settle()
      else if (message.isAway) settle(new Unavailable(message.cause))
      else settle(new Error('Imports could not go on', { cause: message.cause }))
    })
    const gone = () => {
      if (started !== child) return
      child = undefined
      if (current) settle(new Error('The process of imports ended in the middle'))
    }
    started.once('exit', gone)
    started.once('error', gone) // there is no room for another process
    return started
  }

  function end(): void {
    child?.kill('SIGKILL')
    child = undefined
  }
}
