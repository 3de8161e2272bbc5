// The command that distributes the tables over the nodes of a Citus cluster.
import { distribute } from '../db/distribute.ts'
import { t } from '../operations/schemas.ts'
import { command } from './command.ts'
import { table } from './layout.ts'

export default [
  command('db distribute', {
    summary: 'Distribute the tables over the nodes of a Citus cluster, by organisation; stop the servers first',
    options: { dryRun: t.Boolean({ default: false, description: 'only say what would be done' }) },
    example: '--dry-run',
    async run({ dryRun }, ctx) {
      const database = await ctx.database()
      const distribution = await distribute(database, { isDryRun: dryRun, onProgress: ctx.reportProgress })
      return { isDryRun: dryRun, ...distribution }
    },
    render({ isDryRun, moved, tables }) {
      const places = `${tables.distributed} tables are distributed, ${tables.reference} are on every node, ${tables.local} on the coordinator.`
      if (moved.length === 0) return `Nothing is left to do: ${places}`
      const list = table(
        ['table', 'becomes', 'rows'],
        moved.map(({ table: name, placement, rows }) => [name, placement, String(rows)]),
      )
      return isDryRun
        ? `${list}\n\nNothing was changed. Without --dry-run these tables move, all or none.`
        : `${list}\n\n${places} Start the servers again.`
    },
  }),
]
