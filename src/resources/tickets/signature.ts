// The signature on a job: kept apart from it, because it is large and seldom looked at.
import { Type as t } from 'typebox'
import { notFound } from '../../api/errors.ts'
import { dateTime, nullable, optional, text } from '../../api/fields.ts'
import { type Context, Json, operation, type Statement, statement } from '../../api/operation.ts'
import { packing } from '../../api/packing.ts'
import { sql } from '../../database.ts'
import { noted } from './timeline.ts'
import { ticketTouched } from './touch.ts'

const signature = t.String({ maxLength: 400_000, examples: ['data:image/png;base64,iVBORw0KGgo='] })
const fields = {
  signature: nullable(signature),
  signedByName: nullable(text(120, { examples: ['Amara Okafor'] })),
  signedAt: nullable(dateTime()),
}
const record = t.Object(fields, { title: 'Signature' })
const { packed, json } = packing(fields, 'ticket_signatures')
const path = '/tickets/:ticketId/signature'

export const signatureOperations = [
  operation(`GET ${path}`, {
    name: 'getTicketSignature',
    summary: 'Read the signature on a job',
    returns: record,
    run: ({ params: { ticketId } }, ctx) => signatureOf(ctx, ticketId),
  }),

  operation(`PUT ${path}`, {
    name: 'setTicketSignature',
    summary: 'Set the signature on a job, or clear it with null',
    body: t.Object({ signature: nullable(signature), signedByName: optional(text(120)) }, { title: 'SignatureWrite' }),
    returns: record,
    async run({ params: { ticketId }, body: { signature, signedByName = null } }, ctx) {
      await ctx.ask(ticketTouched(ctx, ticketId))
      if (signature === null) {
        const cleared = await ctx.ask(signatureCleared(ctx, ticketId))
        if (cleared) await ctx.ask(noted(ctx, ticketId, [{ event: 'signatureCleared', data: {} }]))
      } else {
        await ctx.ask(signatureStored(ctx, ticketId, signature, signedByName))
        await ctx.ask(noted(ctx, ticketId, [{ event: 'signatureCaptured', data: { signedByName } }]))
      }
      return ctx.ask(signatureOf(ctx, ticketId))
    },
  }),
]

const signatureOf = ({ orgId }: Context, ticketId: string): Statement<Json> =>
  statement(
    sql`select ${packed} from tickets
        left join ticket_signatures on ticket_signatures.org_id = tickets.org_id and ticket_id = tickets.id
        where tickets.org_id = ${orgId} and tickets.id = ${ticketId}`,
    ([row]: { packed: string }[]) => {
      if (!row) throw notFound('job')
      return new Json(json(row.packed))
    },
  )

const signatureStored = ({ orgId }: Context, ticketId: string, text: string, name: string | null): Statement<void> =>
  statement(
    sql`insert into ticket_signatures (org_id, ticket_id, signature, signed_by_name)
        values (${orgId}, ${ticketId}, ${text}, ${name})
        on conflict (org_id, ticket_id) do update
        set signature = excluded.signature, signed_by_name = excluded.signed_by_name, signed_at = now()`,
    () => {},
  )

const signatureCleared = ({ orgId }: Context, ticketId: string): Statement<boolean> =>
  statement(
    sql`delete from ticket_signatures where org_id = ${orgId} and ticket_id = ${ticketId} returning 1`,
    (rows) => rows.length > 0,
  )
