// The organisation: what a shop tells its customers about itself, and the defaults its documents take.
import { sql } from '../db/database.ts'
import { organisationLock } from '../db/organisation-lock.ts'
import { debtorAccountProblem } from '../domain/books/datev-settings.ts'
import { eInvoiceFormats } from '../domain/e-invoice/formats.ts'
import { secondFactorRules } from '../domain/second-factor.ts'
import { badRequest } from '../operations/errors.ts'
import { dateTime, email, httpsUrl, integer, nullable, oneOf, optional, text } from '../operations/fields.ts'
import { type Context, operation, resource, type Statement, statement } from '../operations/operation.ts'
import { t } from '../operations/schemas.ts'
import { entity } from '../operations/scopes.ts'
import { table } from '../operations/table.ts'
import { type AccountingSettings, accountingSettings } from './accounting-settings.ts'
import { mailEvents } from './outbox.ts'
import { tradingFields } from './trading-fields.ts'

const numberPrefix = (example: string, description: string) =>
  t.String({ maxLength: 10, pattern: '^[A-Za-z0-9/_-]*$', examples: [example], description: description })

const organisations = table({
  name: 'organisations',
  noun: 'organisation',
  prefix: 'org',
  writable: {
    name: text(120, { examples: ['Harbour Repairs'] }),
    email: optional(email({ examples: ['hello@harbour-repairs.example'] })),
    phone: optional(text(40, { examples: ['+44 20 7946 0018'] })),
    website: optional(httpsUrl(300, { examples: ['https://harbour-repairs.example'] })),
    address: optional(text(500, { examples: ['3 Quay Street\nBristol BS1 4DB'] })),
    taxNumber: optional(text(60, { examples: ['GB123456789'], description: 'Printed on documents.' })),
    currency: t.String({
      format: 'currency',
      maxLength: 3,
      examples: ['GBP'],
      description: 'ISO 4217 code of all amounts.',
    }),
    timeZone: t.String({ format: 'time-zone', maxLength: 64, examples: ['Europe/London'], description: 'IANA name.' }),
    locale: t.String({
      format: 'locale',
      maxLength: 35,
      examples: ['en-GB'],
      description: 'Formats documents and email.',
    }),
    logoUrl: optional(httpsUrl(500, { examples: ['https://harbour-repairs.example/logo.png'] })),
    quoteNumberPrefix: numberPrefix('Q-', 'What new quote numbers begin with.'),
    invoiceNumberPrefix: numberPrefix('INV-', 'What new invoice numbers begin with.'),
    quoteValidDays: integer(0, 365, { examples: [30], description: 'How long a new quote can be accepted.' }),
    invoiceDueDays: integer(0, 365, { examples: [14], description: 'How long after its date a new invoice is due.' }),
    documentTerms: optional(text(5_000, { examples: ['Work is guaranteed for 90 days.'] })),
    paymentInstructions: optional(text(5_000, { examples: ['Sort code 00-00-00, account 12345678'] })),
    legalName: optional(
      text(200, { examples: ['Harbour Repairs Ltd'], description: 'As it is registered; the name if left out.' }),
    ),
    ...tradingFields,
    iban: optional(
      t.String({
        format: 'iban',
        maxLength: 42,
        examples: ['GB82WEST12345698765432'],
        description: 'Where customers pay.',
      }),
    ),
    bic: optional(t.String({ format: 'bic', maxLength: 11, examples: ['WESTGB21'] })),
    eInvoiceFormat: optional(
      oneOf(eInvoiceFormats, {
        examples: ['factur-x'],
        description: 'The e-invoice that goes along when an invoice is sent by email; none if left out.',
      }),
    ),
    accounting: optional(accountingSettings),
    secondFactor: oneOf(secondFactorRules, {
      examples: ['managers'],
      description: 'Which members sign in with a second factor: `managers` are managers and admins. Admins always do.',
    }),
  },
  readOnly: {
    entitlement: oneOf(['pro', 'trial', 'basic', 'none'], { examples: ['pro'] }),
    trialEndsAt: nullable(dateTime()),
  },
  event: { changes: ['created', 'updated'] }, // one that is deleted has nobody left to be told
  order: { column: 'name', type: 'text', direction: 'asc' },
})

const organisationEntity = entity('organisation', {
  title: 'Organisation',
  description: 'The business whose data this is, with the defaults that its documents take.',
  scopeObject: "the organisation's details and settings",
  actions: ['read', 'write'],
  writeVerbs: ['change'],
})

export default resource({ entity: organisationEntity, tables: [organisations], told: [mailEvents] }, [
  operation('GET /', {
    name: 'getOrganisation',
    summary: 'Read the organisation',
    returns: organisations.record,
    async lock(_, ctx) {
      await ctx.query(lockOrganisation(ctx))
      await ctx.query(organisations.lock(ctx, ctx.orgId))
    },
    run: (_, ctx) => organisations.find(ctx, ctx.orgId),
  }),

  operation('PUT /', {
    name: 'updateOrganisation',
    summary: 'Change the organisation',
    body: organisations.updateBody,
    returns: organisations.record,
    transaction: true,
    async run({ body }, ctx) {
      if (body.currency !== undefined) await refuseOtherCurrency(ctx, body.currency)
      refuseAccounts(body.accounting)
      return ctx.query(organisations.update(ctx, ctx.orgId, body))
    },
  }),
])

/** Amounts are in the organisation's currency; documents that are written meanwhile are blocked until this is decided. */
async function refuseOtherCurrency(ctx: Context, currency: string): Promise<void> {
  await ctx.query(lockOrganisation(ctx))
  if (await ctx.query(selectHasOtherCurrency(ctx, currency))) {
    throw badRequest('currency cannot change after documents exist')
  }
}

/** What was stored before stays, and is named when a file is asked for. */
function refuseAccounts(accounting: AccountingSettings | null | undefined): void {
  const problem = debtorAccountProblem(accounting?.datev ?? {})
  if (problem) throw badRequest(`accounting.datev.debtorAccount ${problem}`)
}

const selectHasOtherCurrency = ({ orgId }: Context, currency: string): Statement<boolean> =>
  statement(
    sql`select currency <> ${currency} and (exists (select from quotes where org_id = ${orgId})
          or exists (select from invoices where org_id = ${orgId})) as any
        from organisations where org_id = ${orgId}`,
    ([row]: { any: boolean }[]) => row!.any,
  )

/** Lets one transaction at a time judge what is true of an organisation as a whole; records are still added meanwhile. */
export const lockOrganisation = ({ orgId }: Context): Statement<void> =>
  statement(organisationLock(orgId, 'one judge'), () => {})
