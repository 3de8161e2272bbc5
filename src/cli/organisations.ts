// The commands that make, change and list organisations.
import type { Database } from '../db/database.ts'
import { audit, auditEntry, operator } from '../identity/audit.ts'
import {
  createOrganisation,
  entitlements,
  findOrganisation,
  listOrganisations,
  type Organisation,
  updateOrganisation,
} from '../identity/organisations.ts'
import { id, oneOf, text } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import { command, UsageError } from './command.ts'
import type { CommandContext } from './context.ts'
import { fields, table } from './layout.ts'

/** How every command names the organisation it works in. */
export const organisationId = id({ description: 'the id of the organisation' })

export default [
  command('org create', {
    summary: 'Make an organisation',
    options: {
      name: text(120, { description: 'what people call it' }),
      entitlement: oneOf(entitlements, { default: 'pro', description: 'its plan; the API needs pro or trial' }),
      currency: t.String({ format: 'currency', default: 'GBP', description: 'ISO 4217 code of all amounts' }),
      timeZone: t.String({ format: 'time-zone', default: 'Europe/London', description: 'IANA name' }),
      noDefaultStatuses: t.Boolean({ default: false, description: 'leave the built-in job statuses out' }),
    },
    example: `--name 'Harbour Repairs' --currency EUR --time-zone Europe/Dublin`,
    run: async ({ noDefaultStatuses, ...wanted }, ctx) =>
      createOrganisation(await ctx.database(), { ...wanted, hasDefaultStatuses: !noDefaultStatuses }),
    render: (organisation) => `The organisation is made.\n\n${organisationFields(organisation)}`,
  }),

  command('org set', {
    summary: 'Change the name or the plan of an organisation',
    positionals: { org: organisationId },
    options: {
      name: t.Optional(text(120, { description: 'the new name' })),
      entitlement: t.Optional(oneOf(entitlements, { description: 'the new plan; the API needs pro or trial' })),
    },
    example: 'org_01kbx5… --entitlement trial',
    async run({ org, ...changes }, ctx) {
      if (Object.keys(changes).length === 0) throw new UsageError('--name or --entitlement is required')
      const database = await ctx.database()
      return database.transaction(org, async (transaction) => {
        const organisation = await updateOrganisation(transaction, org, changes)
        await audit(transaction, org, operator, auditEntry('organisation.changed', organisation, changes))
        return organisation
      })
    },
    render: (organisation) => `The organisation is changed.\n\n${organisationFields(organisation)}`,
  }),

  command('org list', {
    summary: 'List the organisations by name',
    run: async (_, ctx) => ({ organisations: await listOrganisations(await ctx.database()) }),
    render({ organisations }) {
      if (organisations.length === 0) return 'There is no organisation yet; make one with jobwright org create.'
      const rows = organisations.map(({ id, name, entitlement, currency, timeZone }) => [
        id,
        name,
        entitlement,
        currency,
        timeZone,
      ])
      return table(['Id', 'Name', 'Plan', 'Currency', 'Time zone'], rows)
    },
  }),
]

/** The database, if the organisation is in it. */
export async function databaseWithOrganisation(orgId: string, ctx: CommandContext): Promise<Database> {
  const database = await ctx.database()
  await findOrganisation(database, orgId)
  return database
}

const organisationFields = ({ id, name, entitlement, currency, timeZone }: Organisation) =>
  fields({ Id: id, Name: name, Plan: entitlement, Currency: currency, 'Time zone': timeZone })
