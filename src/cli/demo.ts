// The command that fills an organisation with sample data.
import { regularCustomers } from '../demo/data/customers.ts'
import { fillDemo } from '../demo/demo.ts'
import { integer } from '../operations/fields.ts'
import { command } from './command.ts'
import { databaseWithOrganisation, organisationId } from './organisations.ts'

export default [
  command('demo', {
    summary: 'Fill an organisation with sample data',
    options: {
      org: organisationId,
      size: integer(1, 100_000, { default: regularCustomers.length, description: 'how many customers' }),
    },
    async run({ org, size }, ctx) {
      const database = await databaseWithOrganisation(org, ctx)
      return { orgId: org, added: await database.transaction(org, (transaction) => fillDemo(transaction, org, size)) }
    },
    render: ({ added }) => `Added ${joinList(Object.entries(added).map(countLabel))}.`,
  }),
]

const countLabel = ([kind, count]: [string, number]) => `${count} ${count === 1 ? kind.replace(/s$/, '') : kind}`

const joinList = (parts: readonly string[]) => new Intl.ListFormat('en-GB').format(parts)
