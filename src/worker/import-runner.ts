// Imports go on in a process beside the service: judging a hundred thousand rows keeps nobody's request waiting, nor does its
// memory stay with the service. What is due is in the database, so that it matters little when or how that process ends.
import { type Database, Unavailable } from '../db/database.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import { serializeError } from '../http/log-error.ts'
import { createSideProcess } from '../processes/side-process.ts'
import { postponeStep } from '../resources/imports/attempts.ts'
import type { ImportCommand, ImportMessage } from './import-process.ts'
import type { ImportStep } from './imports.ts'
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
/** A step takes well under a second. One that does not end would keep the imports of everybody waiting. */
const longestStepMs = 30_000

export function createImportRunner(database: Database, log: Log, stepTimeoutMs = longestStepMs): ImportRunner {
  const imports = createSideProcess<ImportCommand, ImportMessage>({
    program,
    memoryLimits,
    idleMs: idleTimeoutMs,
    onMessage(message) {
      if (message.is === 'log') log[message.level](message.details, message.message)
      else if (message.is === 'begun') begin(message.step)
      else if (message.is === 'over') finish(message.step)
      else if (message.is === 'done') {
        isOneByOne = false
        settle()
      } else if (message.isAway) settle(new Unavailable(message.cause))
      else settle(new Error('Imports could not go on', { cause: message.cause }))
    },
    onGone: () => void handleEnd(),
  })
  /** Steps that have begun and are not over, each with what ends it if it takes too long. */
  const atWork = new Map<string, { readonly step: ImportStep; readonly timer: NodeJS.Timeout }>()
  let current: PromiseWithResolvers<void> | undefined
  let isStopped = false
  let isClosed = false
  let isOneByOne = false

  return {
    run() {
      if (isStopped) return Promise.resolve()
      current = Promise.withResolvers<void>()
      imports.tell({ is: 'run', connection: database.servers.options, ...(isOneByOne && { maxConcurrent: 1 }) })
      return current.promise
    },
    stop() {
      isStopped = true
      if (current) imports.tell({ is: 'stop' })
    },
    close() {
      isClosed = true
      return imports.close()
    },
  }

  function begin(step: ImportStep): void {
    const timer = setTimeout(() => {
      imports.end()
      void handleEnd()
    }, stepTimeoutMs).unref()
    atWork.set(step.importId, { step, timer })
  }

  function finish({ importId }: ImportStep): void {
    clearTimeout(atWork.get(importId)?.timer)
    atWork.delete(importId)
  }

  /** The step that ended it is put off. Where it was one of two, the next process takes one after the other, to find out which. */
  async function handleEnd(): Promise<void> {
    const steps = [...atWork.values()].map(({ step }) => step)
    for (const step of steps) finish(step)
    isOneByOne = steps.length > 1
    try {
      if (!isClosed && steps.length === 1) await postpone(steps[0]!)
    } catch (error) {
      log.error({ err: serializeError(error) }, 'an import could not be put off')
    }
    settle(new Error('The process of imports ended in the middle'))
  }

  async function postpone({ orgId, importId }: ImportStep): Promise<void> {
    const reason = 'a part of it took too much time or memory each time; bring the file in parts'
    await database.write(backgroundWork(orgId), postponeStep(orgId, importId, reason))
  }

  function settle(failure?: Error): void {
    const settled = current
    current = undefined
    imports.rest()
    if (failure) settled?.reject(failure)
    else settled?.resolve()
  }
}
