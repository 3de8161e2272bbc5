// The command that fills an organisation with sample data.
import { whole } from '../api/fields.ts'
import { regulars } from '../demo/customers.ts'
import { fillDemo } from '../demo/demo.ts'
import { command } from './command.ts'
import { databaseWith, organisationId } from './organisations.ts'

export default [
  command('demo', {
    summary: 'Fill an organisation with sample data',
    options: {
      org: organisationId,
      size: whole(1, 100_000, { default: regulars.length, description: 'how many customers' }),
    },
    async run({ org, size }, ctx) {
      const database = await databaseWith(org, ctx)
      return { orgId: org, added: await database.transaction((transaction) => fillDemo(transaction, org, size)) }
    },
    show: ({ added }) => `Added ${listed(Object.entries(added).map(counted))}.`,
  }),
]

const counted = ([kind, count]: [string, number]) => `${count} ${count === 1 ? kind.replace(/s$/, '') : kind}`

const listed = (parts: readonly string[]) => new Intl.ListFormat('en-GB').format(parts)
