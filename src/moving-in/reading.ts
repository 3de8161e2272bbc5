// Files are read in threads beside the service, few at once and one of an organisation: what somebody made of a file keeps
// nobody else waiting, and ends with a sentence.
import { Worker } from 'node:worker_threads'
import { FileRefused } from '../domain/moving-in/recognise.ts'
import { createFairSemaphore, SemaphoreFull } from '../fairness/fair-semaphore.ts'
import type { ReadingOutcome, ReadingTask } from './reading-thread.ts'
import type { FileShape } from './spool.ts'

/** Most of it is for the texts that the cells of a workbook share. */
const memoryLimits = { maxOldGenerationSizeMb: 384, maxYoungGenerationSizeMb: 32 }
/** The longest file that is within all limits takes half of it on a busy machine. */
const readingTimeoutMs = 60_000
const queueTimeoutMs = 20_000

const threads = createFairSemaphore({ maxConcurrent: 2, maxPerKey: 1, maxQueued: 20 })

/** Writes the rows of the file at `path` to `to`, for `spooledRows`. */
export async function readFileRows(orgId: string, task: ReadingTask, timeoutMs = readingTimeoutMs): Promise<FileShape> {
  try {
    return await threads.run(orgId, () => readInThread(task, timeoutMs), queueTimeoutMs)
  } catch (error) {
    if (!(error instanceof SemaphoreFull)) throw error
    throw new FileRefused('Other files are being read at the moment; send it again in a minute')
  }
}

async function readInThread(workerData: ReadingTask, timeoutMs: number): Promise<FileShape> {
  const thread = new Worker(new URL('./reading-thread.ts', import.meta.url), {
    workerData,
    resourceLimits: memoryLimits,
    execArgv: [],
  })
  const { promise, resolve, reject } = Promise.withResolvers<FileShape>()
  const timer = setTimeout(
    () => reject(new FileRefused('It takes too long to read; save it as CSV, in parts')),
    timeoutMs,
  )
  thread.on('message', (outcome: ReadingOutcome) => {
    if (outcome.is === 'read') resolve(outcome.shape)
    else if (outcome.is === 'refused') reject(new FileRefused(outcome.reason))
    else reject(new Error('The file could not be read', { cause: new Error(outcome.reason) }))
  })
  thread.on('error', (error: NodeJS.ErrnoException) =>
    reject(
      error.code === 'ERR_WORKER_OUT_OF_MEMORY'
        ? new FileRefused('It takes too much memory to read; save it as CSV, in parts')
        : error,
    ),
  )
  thread.on('exit', () => reject(new Error('The thread that reads a file ended too soon')))
  try {
    return await promise
  } finally {
    clearTimeout(timer)
    await thread.terminate()
  }
}
