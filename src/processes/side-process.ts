// Processes beside the service, for work that would keep requests waiting: they stand behind it, know nothing of its
// environment, and end with it.
import { type ChildProcess, fork } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { setPriority } from 'node:os'
import { fileURLToPath } from 'node:url'
import { setSessionPriority } from '../fairness/session-priority.ts'
import { compileCache } from './compile-cache.ts'

/** They load sources as this process does (`bin/strip-types.js`); the other options of this one are not for them. */
const loadingOptions = process.execArgv.filter((option) => /^--(import|disable-warning)=/.test(option))

interface SideProcessOptions<Message> {
  readonly program: URL
  /** As options of V8. */
  readonly memoryLimits: readonly string[]
  /** How long it is kept without work. */
  readonly idleMs: number
  onMessage(message: Message): void
  /** It ended by itself, or could not be started. */
  onGone(): void
}

export interface SideProcess<Command> {
  /** Starts it where there is none; answers whether it did. It has work from now on. */
  tell(command: Command): boolean
  /** It has no work: it keeps no process from ending, and ends by and by. */
  rest(): void
  /** At once, whatever it is at. */
  end(): void
  /** The same, and settles when it is gone. */
  close(): Promise<void>
}

export function createSideProcess<Command extends object, Message>(
  options: SideProcessOptions<Message>,
): SideProcess<Command> {
  let child: ChildProcess | undefined
  let idleTimer: NodeJS.Timeout | undefined

  return {
    tell(command) {
      clearTimeout(idleTimer)
      const isNew = child === undefined
      child ??= start()
      keepAlive(child, true)
      child.send(command, () => {}) // one that is gone is heard of by its end
      return isNew
    },
    rest() {
      if (!child) return
      keepAlive(child, false)
      clearTimeout(idleTimer)
      idleTimer = setTimeout(end, options.idleMs).unref()
    },
    end,
    async close() {
      if (!child) return
      const { promise: ended, resolve } = Promise.withResolvers<void>()
      keepAlive(child, true)
      child.once('exit', () => resolve())
      child.kill('SIGKILL')
      await ended
    },
  }

  function start(): ChildProcess {
    const started = fork(fileURLToPath(options.program), {
      execArgv: [...loadingOptions, ...options.memoryLimits],
      env: compileCache(), // none of the service's secrets
      serialization: 'advanced',
      detached: true, // a session of its own, which stands behind all others
      // What V8 says about memory that is used up is no line of the service's log.
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    })
    started.on('message', (message) => {
      if (started === child) options.onMessage(message as Message)
    })
    const gone = () => {
      if (started !== child) return
      child = undefined
      options.onGone()
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

function keepAlive(child: ChildProcess, isWorking: boolean): void {
  const change = isWorking ? 'ref' : 'unref'
  child[change]()
  child.channel?.[change]()
}

/** A tenth of a processor is always theirs, however busy the machine is: with a third of that PDFs took too long there. */
const sessionPriority = 10

/** Called by such a process before it loads what it needs, which takes longer than many a task. */
export function standBehindService(): void {
  // Also with the threads in which V8 collects garbage and compiles; on Linux each has a priority of its own.
  const threads = process.platform === 'linux' ? readdirSync('/proc/self/task').map(Number) : [process.pid]
  for (const thread of threads) setPriority(thread, 10)
  // Within a session of the service's, PostgreSQL's processes would wait for it as they do for the service.
  setSessionPriority('self', sessionPriority)
  // systemd reaches it, too, but the service still needs it to finish what it asked for.
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => {})
  process.on('disconnect', () => process.exit())
}
