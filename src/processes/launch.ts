// One process that the first one starts: what it asks is answered, and how it ended is told.
import type { ChildProcess, SendHandle } from 'node:child_process'
import cluster from 'node:cluster'
import { type Calls, connectCalls } from './calls.ts'
import { compileCache } from './compile-cache.ts'
import type { createCounts } from './counts.ts'
import type { PrimaryCalls, ProcessCalls, ProcessStart, StopReason } from './protocol.ts'

export interface Launched {
  readonly pid: number
  /** Rejects with what it said, or how it ended, if that was before it was ready. */
  readonly ready: Promise<void>
  /** How it ended, in words. */
  readonly exited: Promise<string>
  readonly calls: Calls<ProcessCalls>
  /** Settles when it is gone. */
  stop(reason: StopReason): Promise<void>
}

/** What the first process does for all others. */
export interface SharedParts {
  readonly count: ReturnType<typeof createCounts>
  readonly metrics: PrimaryCalls['metrics']
}

/** Draining takes 9 seconds at most, and mail that is on its way 3 more. */
const stopTimeoutMs = 20_000

export function launchProcess(start: ProcessStart, shared: SharedParts): Launched {
  const worker = cluster.fork(compileCache())
  const handed = watchHandedConnection(worker.process)
  const ready = Promise.withResolvers<void>()
  const exited = Promise.withResolvers<string>()
  let isReady = false
  let reason: string | undefined
  const calls: Calls<ProcessCalls> = connectCalls<ProcessCalls, PrimaryCalls>(worker.process, {
    metrics: shared.metrics,
    count: (counts) => shared.count(counts, recall),
    start: () => start,
    ready() {
      isReady = true
      ready.resolve()
    },
    failed(text) {
      reason = text
    },
  })
  const recall = (limit: string, key: string) => calls.call('recall', limit, key)
  const end = (how: string) => {
    calls.close()
    ready.reject(new Error(reason ?? `${start.name} ended before it was ready: ${how}`))
    exited.resolve(reason ?? how)
  }
  worker.on('error', (error) => end(error.message))
  worker.on('exit', (code, signal) => {
    if (code !== 0) handed.close()
    end(signal ?? `exit code ${code}`)
  })
  ready.promise.catch(() => {}) // whoever waits for it hears of it
  return {
    pid: worker.process.pid!,
    ready: ready.promise,
    exited: exited.promise,
    calls,
    async stop(why) {
      const kill = () => worker.process.kill('SIGKILL')
      const timer = setTimeout(kill, stopTimeoutMs)
      // One that has ended meanwhile answers nothing.
      if (isReady) await calls.call('stop', why).catch(() => {})
      else kill()
      await exited.promise
      clearTimeout(timer)
    },
  }
}

/**
 * Node hands a process one connection after the other, and closes its own copy when the process has taken it. Of one that is
 * killed before, the copy would stay open, and its caller would wait for an answer for ever. What is closed twice is closed once.
 */
function watchHandedConnection(child: ChildProcess): { close(): void } {
  const send = child.send.bind(child) as (...given: unknown[]) => boolean
  let last: { close?(): void } | undefined
  child.send = (message: unknown, handle?: SendHandle | unknown, ...more: unknown[]) => {
    if (typeof handle === 'object' && handle !== null) last = handle
    return send(message, handle, ...more)
  }
  return { close: () => last?.close?.() }
}
