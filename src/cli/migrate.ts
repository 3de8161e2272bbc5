// The command that brings the database up to date, for operators who do it before they start a new version.
import { migrate } from '../db/migrate.ts'
import { command } from './command.ts'

export default [
  command('migrate', {
    summary: 'Bring the database up to date; the server does it by itself when it starts',
    run: async (_, ctx) => ({ applied: await migrate(await ctx.unmigratedDatabase()) }),
    render: ({ applied }) =>
      applied.length === 0 ? 'The database is up to date.' : ['Applied:', ...applied].join('\n  '),
  }),
]
