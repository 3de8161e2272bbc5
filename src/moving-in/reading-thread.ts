// The thread in which one file is unpacked and parsed: a path comes in, its rows are written to another, and what it is goes out.
import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { FileRefused } from '../domain/moving-in/recognise.ts'
import { type FileShape, spoolRows } from './spool.ts'

export interface ReadingTask {
  readonly path: string
  readonly to: string
}

export type ReadingOutcome =
  | { readonly is: 'read'; readonly shape: FileShape }
  | { readonly is: 'refused'; readonly reason: string }
  | { readonly is: 'failed'; readonly reason: string }

// Requests go first: on Linux 0 names the calling thread, elsewhere it would be the whole process.
if (process.platform === 'linux') setPriority(0, 10)

const { path, to } = workerData as ReadingTask
const outcome = await spoolRows(path, to).then(
  (shape): ReadingOutcome => ({ is: 'read', shape }),
  (error: Error): ReadingOutcome =>
    error instanceof FileRefused
      ? { is: 'refused', reason: error.message }
      : { is: 'failed', reason: String(error.stack ?? error) },
)
parentPort!.postMessage(outcome)
