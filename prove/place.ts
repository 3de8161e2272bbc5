// An instance of a fleet as the tests' visitors and apps take it.
import { readConfig } from '../src/config.ts'
import type { Served } from '../test/programs.ts'
import type { Site } from '../test/world.ts'
import type { Fleet } from './fleet.ts'

/** `settings`: what the instance was started with beyond the fleet's own. */
export const placeOf = (
  fleet: Fleet,
  { origin, port }: Served,
  settings: Readonly<Record<string, string>> = {},
): Site => ({
  origin,
  database: fleet.database,
  config: readConfig({ ...fleet.settings, PORT: String(port), ...settings }),
})
