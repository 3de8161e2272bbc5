// The command that makes the jobs of recurring visits now, as the worker does by itself.
import { dateTime, id } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import { runRecurring } from '../worker/recurring.ts'
import { command } from './command.ts'
import { fields } from './layout.ts'

export default [
  command('recurring run', {
    summary: 'Make the jobs of recurring visits that are due, as the worker does by itself',
    options: {
      now: t.Optional(dateTime({ description: 'the time to go by, such as 2027-01-31T09:00:00Z; now if not given' })),
      org: t.Optional(id({ description: 'the id of one organisation; all if not given' })),
    },
    async run({ now, org }, ctx) {
      const { generated, resumed, ended, failed } = await runRecurring(await ctx.database(), {
        now: now === undefined ? undefined : new Date(now),
        orgId: org,
      })
      return { generated, resumed, ended, failed }
    },
    render: ({ generated, resumed, ended, failed }) =>
      fields({
        'Visits generated': String(generated),
        'Schedules resumed': String(resumed),
        'Schedules ended': String(ended),
        'Schedules failed': String(failed),
      }),
    isSuccess: ({ failed }) => failed === 0,
  }),
]
