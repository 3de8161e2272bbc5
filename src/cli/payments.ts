// The command that takes over payments which another system keeps.
import { type Queryable, sql } from '../db/database.ts'
import { auditEntry } from '../identity/audit.ts'
import { createContext } from '../operations/context.ts'
import { constraintToApiError } from '../operations/errors.ts'
import { dateTime, id, oneOf, text } from '../operations/fields.ts'
import { t } from '../operations/schemas.ts'
import { recordPayment } from '../resources/payments.ts'
import { runAudited } from './audit.ts'
import { command } from './command.ts'
import { fields } from './layout.ts'
import { organisationId } from './organisations.ts'

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
      const dependencies = await ctx.dependencies()
      const caller = {
        orgId: org,
        kind: 'operator' as const,
        credentialId: source,
        name: source,
        scopes: new Set<never>(),
      }
      const wanted = { invoiceId: invoice, amount, paymentMethod: method, ...(paidAt && { paidAt }) }
      const { payment } = await runAudited(
        org,
        ctx,
        async (transaction) => {
          const origin = { source, external_id: externalId }
          const { row } = await recordPayment(createContext(transaction, caller, dependencies), wanted, origin)
          return { payment: row, invoiceNumber: await findInvoiceNumber(transaction, org, invoice) }
        },
        (imported) =>
          auditEntry(
            'payment.imported',
            { id: imported.payment.id, name: imported.invoiceNumber },
            { amount, source, externalId, method },
          ),
      ).catch((error: unknown) => {
        throw constraintToApiError(error, [])
      })
      return payment
    },
    render: ({ id, invoiceId, amount, source }) =>
      `The payment is recorded.\n\n${fields({ Payment: id, Invoice: invoiceId, Amount: String(amount), Source: source })}`,
  }),
]

async function findInvoiceNumber(database: Queryable, orgId: string, invoiceId: string): Promise<string> {
  const [invoice] = await database.query<{ number: string }>(sql`
    select invoice_number as number from invoices where org_id = ${orgId} and id = ${invoiceId}`)
  return invoice!.number
}
