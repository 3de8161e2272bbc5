// Starts Jobwright: reads the settings, opens the database, serves, and stops cleanly when asked.
import { createApp } from './app.ts'
import { type Config, ConfigError, readConfig } from './config/config.ts'
import { isInsecureOrigin, isLoopback } from './config/networks.ts'
import { Database } from './db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from './db/embedded/launcher.ts'
import { hasOrganisations, makeDemo } from './demo/demo.ts'
import { greeting } from './demo/greeting.ts'
import { createVault } from './identity/secrets.ts'

try {
  await start(readConfig())
} catch (error) {
  process.stderr.write(`${describeError(error)}\n`)
  process.exit(1)
}

async function start(config: Config): Promise<void> {
  let stopping = false
  let embedded = config.databaseUrl === null ? await startPostgres() : undefined
  const database = new Database(embedded?.connection ?? { connectionString: config.databaseUrl! })
  const { app, prepare, announceShutdown, close } = await createApp(config, database)
  process.once('SIGINT', stop)
  process.once('SIGTERM', () => announceShutdown().then(stop)) // a person waits, a proxy has to hear of it first

  await app.listen({ host: config.host, port: config.port })
  await prepare()
  if ([config.restOrigin, config.authUrl].some(isInsecureOrigin)) {
    app.log.warn(
      'REST_ORIGIN or AUTH_URL is http off this machine: keys and passwords can be read on the way. Use https.',
    )
  }
  process.stdout.write(`${await startupMessage(config, database)}\nready ${config.restOrigin}\n`)

  async function startPostgres(): Promise<EmbeddedPostgres> {
    const postgres = await startEmbeddedPostgres({ dataDir: config.dataDir, mode: 'serve' })
    postgres.exited.then(restart)
    return postgres
  }

  /** PostgreSQL that ended by itself is started again; meanwhile requests are answered 503. */
  async function restart(): Promise<void> {
    if (stopping) return
    app.log.error('PostgreSQL ended; starting it again')
    try {
      embedded = await startPostgres()
    } catch (error) {
      app.log.error(error, 'PostgreSQL did not start')
      setTimeout(restart, 1_000)
    }
  }

  async function stop(): Promise<void> {
    if (stopping) return
    stopping = true
    process.once('SIGINT', () => process.exit(1)) // asked twice: at once
    await close()
    await database.close()
    await embedded?.stop()
    process.exit(0)
  }
}

/** A newcomer's first start makes something to look at; later ones only say where things are. */
async function startupMessage(config: Config, database: Database): Promise<string> {
  const mayCreateDemo = config.demo === 'auto' && config.databaseUrl === null && isLoopback(config.host)
  if (!mayCreateDemo || (await hasOrganisations(database))) return greeting(config)
  return greeting(config, await makeDemo(database, await createVault(config)))
}

function describeError(error: unknown): string {
  const { code, message, stack } = error as NodeJS.ErrnoException
  if (error instanceof ConfigError) return message
  if (code === 'EADDRINUSE') return `${message}: something else listens there; set PORT to another port`
  // Our own sentences stand for themselves; what nobody foresaw shows where it happened.
  return (error as Error).constructor === Error ? message : (stack ?? String(error))
}
