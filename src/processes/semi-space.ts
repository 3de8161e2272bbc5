// V8's space for young objects. V8 takes its size only when a process starts, so the service replaces itself once, as `exec` of a
// shell does, with the same process id: however it was started, it has the size. Why this size: docs/decisions/processes.md.
import { isMainThread } from 'node:worker_threads'

/** Of one half, in MB: V8 itself lets it grow to 32 or 64, of which there are two, and a busy service becomes no faster by it. */
const size = '--max-semi-space-size=16'
const isChosen = /--max[-_]semi[-_]space[-_]size/

/** Returns where there is nothing to do: the size is chosen, by whoever started us, or this process cannot be replaced. */
export function restartWithSemiSpace(): void {
  const given = [...process.execArgv, process.env.NODE_OPTIONS ?? '']
  // A process with a channel to its parent would lose it; those that we fork ourselves take over our options.
  if (given.some((option) => isChosen.test(option)) || process.connected || !isMainThread || !process.execve) return
  try {
    process.execve(process.execPath, [process.execPath, size, ...process.execArgv, ...process.argv.slice(1)])
  } catch {
    // Windows has nothing like it
  }
}
