// Everything in one process, as a small machine has it: PostgreSQL beside it, the server, and the worker.
import { flushCompileCache } from 'node:module'
import { createApp } from './app.ts'
import type { Config } from './config/config.ts'
import { startupWarnings } from './config/startup-warnings.ts'
import { Database } from './db/database.ts'
import { keepEmbeddedPostgres } from './db/embedded/kept.ts'
import { startupMessage } from './demo/startup-message.ts'
import { collectAfterStart } from './processes/collect-after-start.ts'

export async function startSingle(config: Config): Promise<void> {
  const { dataDir, databaseUrl } = config
  const report = (message: string, err?: unknown): void => {
    app.log.error({ err }, message)
  }
  const embedded = databaseUrl === null ? await keepEmbeddedPostgres({ dataDir }, report) : undefined
  const database = new Database(embedded?.connection ?? { connectionString: databaseUrl! })
  const { app, prepare, announceShutdown, close } = await createApp(config, database)
  let isStopping = false
  process.once('SIGINT', stop)
  // A person waits, a proxy has to hear of it first.
  for (const signal of ['SIGTERM', 'SIGHUP'] as const) process.once(signal, () => announceShutdown().then(stop))

  await app.listen({ host: config.host, port: config.port })
  await prepare()
  for (const warning of startupWarnings(config)) app.log.warn(warning)
  process.stdout.write(`${await startupMessage(config, database)}\nready ${config.restOrigin}\n`)
  flushCompileCache() // a process that is killed would keep nothing
  collectAfterStart()

  async function stop(): Promise<void> {
    if (isStopping) return
    isStopping = true
    process.once('SIGINT', () => process.exit(1)) // asked twice: at once
    await close()
    await database.close()
    await embedded?.stop()
    process.exit(0)
  }
}
