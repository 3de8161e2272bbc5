// What a start says: a newcomer's first one makes something to look at; later ones only say where things are.
import type { Config } from '../config/config.ts'
import { isLoopback } from '../config/networks.ts'
import type { Database } from '../db/database.ts'
import { hasOrganisations } from '../identity/organisations.ts'
import { createVault } from '../identity/secrets.ts'
import { greeting } from './greeting.ts'

export async function startupMessage(config: Config, database: Database): Promise<string> {
  const mayCreateDemo = config.demo === 'auto' && config.databaseUrl === null && isLoopback(config.host)
  if (!mayCreateDemo || (await hasOrganisations(database))) return greeting(config)
  const { makeDemo } = await import('./demo.ts') // needed once in the life of an installation
  return greeting(config, await makeDemo(database, await createVault(config)))
}
