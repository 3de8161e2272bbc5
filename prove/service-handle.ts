// An instance of a fleet as the tests' visitors and apps take it.
import { readConfig } from '../src/config/config.ts'
import type { ServerProcess } from '../test/programs.ts'
import type { ServiceHandle } from '../test/test-service.ts'
import type { Fleet } from './fleet.ts'

/** `settings`: what the instance was started with beyond the fleet's own. */
export const serviceHandle = (
  fleet: Fleet,
  { origin, port }: ServerProcess,
  settings: Readonly<Record<string, string>> = {},
): ServiceHandle => ({
  origin,
  database: fleet.database,
  config: readConfig({ ...fleet.settings, PORT: String(port), ...settings }),
})
