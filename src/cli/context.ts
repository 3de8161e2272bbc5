// What a command may touch: settings, database and secrets, each opened on first use and closed at the end.
import type { Config } from '../config/config.ts'
import { operatorActor } from '../db/actor.ts'
import { Database, sql } from '../db/database.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../db/embedded/launcher.ts'
import { migrate } from '../db/migrate.ts'
import { createVault, type Vault } from '../identity/secrets.ts'
import type { Dependencies } from '../operations/operation.ts'

export interface CommandContext {
  config(): Config
  /** The database brought up to date, so that a command works on a fresh data folder. */
  database(): Promise<Database>
  /** The database as it is found. */
  unmigratedDatabase(): Promise<Database>
  vault(): Promise<Vault>
  /** What records are worked on with. */
  dependencies(): Promise<Dependencies>
  /** Shows the progress of a long command, apart from its result. */
  reportProgress(progress: string): void
  /** For a command that goes on: a line of its result, before the end, and whether that is wanted as JSON. */
  print(line: string): void
  readonly isJson: boolean
}

export function openCommandContext(
  readConfig: () => Config,
  reportProgress: CommandContext['reportProgress'],
  print: CommandContext['print'],
): CommandContext & { close(): Promise<void> } {
  let embedded: EmbeddedPostgres | undefined
  let database: Database | undefined
  let closeDependencies = async () => {}

  const config = once(readConfig)
  const unmigratedDatabase = once(async () => {
    const { databaseUrl, dataDir } = config()
    if (databaseUrl === null) embedded = await startEmbeddedPostgres({ dataDir, mode: 'join' })
    database = new Database(embedded?.connection ?? { connectionString: databaseUrl! }, operatorActor)
    await database.query(sql`select 1`)
    return database
  })
  const vault = once(() => createVault(config()))
  return {
    config,
    unmigratedDatabase,
    database: once(async () => {
      const unmigrated = await unmigratedDatabase()
      await migrate(unmigrated)
      return unmigrated
    }),
    vault,
    reportProgress,
    print,
    isJson: false,
    dependencies: once(async () => {
      const { openDependencies } = await import('../dependencies.ts') // most commands need none of it
      const { dependencies, close } = openDependencies(config(), await unmigratedDatabase(), await vault())
      closeDependencies = close
      return dependencies
    }),
    async close() {
      await closeDependencies()
      await database?.close()
      await embedded?.stop()
    },
  }
}

function once<T>(make: () => T): () => T {
  let cached: { value: T } | undefined
  return () => {
    cached ??= { value: make() }
    return cached.value
  }
}
