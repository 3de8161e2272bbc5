// Every command, in the order help lists them.
import apps from './apps.ts'
import type { Command } from './command.ts'
import demo from './demo.ts'
import doctor from './doctor.ts'
import keys from './keys.ts'
import members from './members.ts'
import migrate from './migrate.ts'
import organisations from './organisations.ts'
import settings from './settings.ts'

export const commands: readonly Command[] = [
  ...organisations,
  ...members,
  ...keys,
  ...apps,
  ...demo,
  ...settings,
  ...migrate,
  ...doctor,
]
