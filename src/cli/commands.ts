// Every command, in the order help lists them.
import apps from './apps.ts'
import calendarFeeds from './calendar-feeds.ts'
import type { Command } from './command.ts'
import demo from './demo.ts'
import distribute from './distribute.ts'
import doctor from './doctor.ts'
import events from './events.ts'
import eventsForward from './events-forward.ts'
import forms from './forms.ts'
import keys from './keys.ts'
import mail from './mail.ts'
import mcp from './mcp.ts'
import members from './members.ts'
import migrate from './migrate.ts'
import organisations from './organisations.ts'
import payments from './payments.ts'
import recurring from './recurring.ts'
import settings from './settings.ts'
import transfer from './transfer.ts'
import webhooks from './webhooks.ts'

export const commands: readonly Command[] = [
  ...organisations,
  ...members,
  ...keys,
  ...apps,
  ...mcp,
  ...payments,
  ...mail,
  ...forms,
  ...recurring,
  ...calendarFeeds,
  ...events,
  ...webhooks,
  ...eventsForward,
  ...transfer,
  ...demo,
  ...settings,
  ...migrate,
  ...distribute,
  ...doctor,
]
