// What a command may touch: settings, database and secrets, each opened when first asked for and closed at the end.
import type { Surroundings } from '../api/operation.ts'
import type { Config } from '../config.ts'
import { Database, sql } from '../database.ts'
import { workshop } from '../documents/pdf-workshop.ts'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../embedded-postgres.ts'
import { type Vault, vaultFrom } from '../identity/secrets.ts'
import { migrate } from '../migrations.ts'

export interface Context {
  config(): Config
  /** The database brought up to date, so that a command works on a fresh data folder. */
  database(): Promise<Database>
  /** The database as it is found. */
  foundDatabase(): Promise<Database>
  vault(): Promise<Vault>
  /** What records are worked on with. */
  surroundings(): Promise<Surroundings>
  /** Tells people how far a long command has come, apart from its result. */
  tell(progress: string): void
}

export function openContext(readConfig: () => Config, tell: Context['tell']): Context & { close(): Promise<void> } {
  let embedded: EmbeddedPostgres | undefined
  let database: Database | undefined
  const pdfs = workshop()

  const config = once(readConfig)
  const foundDatabase = once(async () => {
    const { databaseUrl, dataDir } = config()
    if (databaseUrl === null) embedded = await startEmbeddedPostgres({ dataDir, mode: 'join' })
    database = new Database(embedded?.connection ?? { connectionString: databaseUrl! })
    await database.query(sql`select 1`)
    return database
  })
  const vault = once(() => vaultFrom(config()))
  return {
    config,
    foundDatabase,
    database: once(async () => {
      const found = await foundDatabase()
      await migrate(found)
      return found
    }),
    vault,
    tell,
    surroundings: once(async () => ({ restOrigin: config().restOrigin, vault: await vault(), pdf: pdfs.make })),
    async close() {
      await pdfs.close()
      await database?.close()
      await embedded?.stop()
    },
  }
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}
