// The background work in a process of its own: the worker with what it needs, and no server.
import { keyMarks } from './backup/key-mark.ts'
import type { Config } from './config/config.ts'
import type { Database } from './db/database.ts'
import { prepareDatabase } from './db/prepare.ts'
import { openDependencies } from './dependencies.ts'
import { serializeError } from './http/log-error.ts'
import { createVault } from './identity/secrets.ts'
import { backgroundMetrics } from './metrics/metrics.ts'
import { createProcessMetrics } from './metrics/process-metrics.ts'
import { eventCatalogue } from './resources/index.ts'
import type { Log } from './worker/task.ts'
import { startWorker } from './worker/worker.ts'

export async function createBackground(config: Config, database: Database, log: Log) {
  const vault = await createVault(config)
  const { dependencies, destinations, pdfs } = openDependencies(config, database, vault)
  const processMetrics = createProcessMetrics()
  let worker: ReturnType<typeof startWorker> | undefined
  let isClosing = false
  return {
    families: [...processMetrics.families, ...backgroundMetrics({ database, pdfs, worker: () => worker?.metrics() })],
    async prepare(): Promise<void> {
      await prepareDatabase(database, {
        waiting: (cause) => log.error({ err: serializeError(cause) }, 'waiting for the database'),
        isClosing: () => isClosing,
      })
      if (isClosing) return
      const keyMark = keyMarks(vault)[0]!
      worker = startWorker({ config, database, dependencies, destinations, eventCatalogue, keyMark, log })
    },
    async close(): Promise<void> {
      isClosing = true
      await worker?.close()
      await pdfs.close()
      processMetrics.close()
    },
  }
}
