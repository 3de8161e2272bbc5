// The command that takes over payments which another system keeps.
import { Type as t } from 'typebox'
import { createContext } from '../operations/context.ts'
import { constraintToApiError } from '../operations/errors.ts'
import { dateTime, id, oneOf, text } from '../operations/fields.ts'
import { recordPayment } from '../resources/payments.ts'
import { command } from './command.ts'
import { fields } from './layout.ts'
import { databaseWithOrganisation, organisationId } from './organisations.ts'

export default [
  command('payment import', {
    summary: 'Record a payment that a processor or an accounting system keeps',
    options: {
      org: organisationId,
      invoice: id({ description: 'the id of the invoice' }),
      amount: t.Number({ description: 'how much; below zero for a refund' }),
      source: oneOf(['processor', 'accounting'], { description: 'who keeps it' }),
      externalId: t.Optional(text(200, { description: 'what that system calls it; taken over once only' })),
      method: text(50, { default: 'other', description: 'how it was paid' }),
      paidAt: t.Optional(dateTime({ description: 'when; now if not given' })),
    },
    example: '--org org_01kbx5… --invoice inv_01kbx6… --amount 36 --source processor',
    async run({ org, invoice, amount, source, externalId = null, method, paidAt }, ctx) {
      const database = await databaseWithOrganisation(org, ctx)
      const dependencies = await ctx.dependencies()
      const caller = { orgId: org, credentialId: source, name: source, scopes: new Set<never>() }
      const wanted = { invoiceId: invoice, amount, paymentMethod: method, ...(paidAt && { paidAt }) }
      const { row } = await database
        .transaction(org, (transaction) =>
          recordPayment(createContext(transaction, caller, dependencies), wanted, { source, external_id: externalId }),
        )
        .catch((error: unknown) => {
          throw constraintToApiError(error, [])
        })
      return row
    },
    render: ({ id, invoiceId, amount, source }) =>
      `The payment is recorded.\n\n${fields({ Payment: id, Invoice: invoiceId, Amount: String(amount), Source: source })}`,
  }),
]
