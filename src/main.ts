// Starts Jobwright: reads the settings and becomes the one process that does everything, the first of several, or one of them.
import cluster from 'node:cluster'
import { enableCompileCache } from 'node:module'
import { fileURLToPath } from 'node:url'
import { restartWithV8Options } from './processes/v8-options.ts'

restartWithV8Options() // before anything else is loaded, because it is loaded again afterwards

// Compiling is half of a start, so what it made is kept; in a folder of our own, because the code in it is run.
enableCompileCache(fileURLToPath(new URL('../.cache', import.meta.url)))

try {
  // Each loads what it needs and no more: the first of several is small.
  const { readConfig } = await import('./config/config.ts')
  const { plannedProcesses } = await import('./processes/plan.ts')
  const config = readConfig()
  if (cluster.isWorker) await import('./processes/process.ts').then(({ runProcess }) => runProcess(config))
  else if (plannedProcesses(config).length > 0)
    await import('./processes/primary.ts').then(({ startPrimary }) => startPrimary(config))
  else await import('./single.ts').then(({ startSingle }) => startSingle(config))
} catch (error) {
  const { describeStartError } = await import('./processes/start-error.ts')
  process.stderr.write(`${describeStartError(error)}\n`)
  process.exit(1)
}
