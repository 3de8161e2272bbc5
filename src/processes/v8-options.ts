// How much memory and how many threads V8 takes. It is told only when a process starts, so the service replaces itself once, as
// `exec` of a shell does, with the same process id: however it was started, it has them. Why these: docs/decisions/processes.md.
import { availableParallelism } from 'node:os'
import { isMainThread } from 'node:worker_threads'

/** Threads that collect garbage and compile: with four, V8's own number, on two cores they were in the way of requests. */
const maxThreads = 4
const threads = Math.min(maxThreads, Math.max(1, availableParallelism() - 1))
const options = [
  // Of one half, in MB: V8 itself lets it grow to 32 or 64, of which there are two, and a busy service becomes no faster by it.
  '--max-semi-space-size=16',
  `--v8-pool-size=${threads}`,
  '--expose-gc', // `collect-after-start.ts`
]

/** Returns where there is nothing to do: they are chosen, by whoever started us, or this process cannot be replaced. */
export function restartWithV8Options(): void {
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? ''].join(' ').replaceAll('_', '-')
  const missing = options.filter((option) => !given.includes(option.split('=')[0]!))
  // A process with a channel to its parent would lose it; those that we fork ourselves take over our options.
  if (missing.length === 0 || process.connected || !isMainThread || !process.execve) return
  try {
    process.execve(process.execPath, [process.execPath, ...missing, ...process.execArgv, ...process.argv.slice(1)])
  } catch {
    // Windows has nothing like it
  }
}
