// Processes beside the service, for work that would keep requests waiting: they stand behind it, know nothing of its
// environment, and end with it.
import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { compileCache } from './compile-cache.ts'

/** They load sources as this process does (`bin/strip-types.js`); the other options of this one are not for them. */
const loadingOptions = process.execArgv.filter((option) => /^--(import|disable-warning)=/.test(option))

export function startSideProcess(program: URL, memoryLimits: readonly string[]): ChildProcess {
  return fork(fileURLToPath(program), {
    execArgv: [...loadingOptions, ...memoryLimits],
    env: compileCache(), // none of the service's secrets
    serialization: 'advanced',
    // What V8 says about memory that is used up is no line of the service's log.
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  })
}

/** Without work it keeps no process from ending. */
export function keepAlive(child: ChildProcess, isWorking: boolean): void {
  const change = isWorking ? 'ref' : 'unref'
  child[change]()
  child.channel?.[change]()
}

/** Called by such a process before it loads what it needs, which takes longer than many a task. */
export function standBehindService(): void {
  // Also with the threads in which V8 collects garbage and compiles; on Linux each has a priority of its own.
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid]
  for (const thread of threads) setPriority(thread, 10)
  // Ctrl-C and systemd reach it, too, but the service still needs it to finish what it asked for.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
}
