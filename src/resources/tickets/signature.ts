// The signature on a job: kept apart from it, because it is large and seldom looked at.
import { sql } from '../../db/database.ts'
import { Json } from '../../operations/answers.ts'
import { notFound } from '../../operations/errors.ts'
import { nullable, optional, text } from '../../operations/fields.ts'
import { type Context, operation, type Statement, statement } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { tickets } from './record.ts'
import { signature, signatureCodec, signatureRecord } from './signature-record.ts'
import { addTimelineEntries } from './timeline.ts'
import { touchTicket } from './touch.ts'

const { encoded, toJson } = signatureCodec
const path = '/tickets/:ticketId/signature'

export const signatureOperations = [
  operation(`GET ${path}`, {
    name: 'getTicketSignature',
    summary: 'Read the signature on a job',
    returns: signatureRecord,
    lock: ({ ticketId }, ctx) => ctx.query(tickets.lock(ctx, ticketId)),
    run: ({ params: { ticketId } }, ctx) => selectSignature(ctx, ticketId),
  }),

  operation(`PUT ${path}`, {
    name: 'setTicketSignature',
    summary: 'Set the signature on a job, or clear it with null',
    body: t.Object({ signature: nullable(signature), signedByName: optional(text(120)) }, { title: 'SignatureWrite' }),
    returns: signatureRecord,
    transaction: true,
    async run({ params: { ticketId }, body: { signature, signedByName = null } }, ctx) {
      await ctx.query(touchTicket(ctx, ticketId))
      if (signature === null) {
        const wasCleared = await ctx.query(deleteSignature(ctx, ticketId))
        if (wasCleared) await ctx.query(addTimelineEntries(ctx, ticketId, [{ event: 'signatureCleared', data: {} }]))
      } else {
        await ctx.query(upsertSignature(ctx, ticketId, signature, signedByName))
        await ctx.query(addTimelineEntries(ctx, ticketId, [{ event: 'signatureCaptured', data: { signedByName } }]))
      }
      return ctx.query(selectSignature(ctx, ticketId))
    },
  }),
]

const selectSignature = ({ orgId }: Context, ticketId: string): Statement<Json> =>
  statement(
    sql`select ${encoded} from tickets
        left join ticket_signatures on ticket_signatures.org_id = tickets.org_id and ticket_id = tickets.id
        where tickets.org_id = ${orgId} and tickets.id = ${ticketId}`,
    ([row]: { encoded: string }[]) => {
      if (!row) throw notFound('job')
      return new Json(toJson(row.encoded))
    },
  )

const upsertSignature = ({ orgId }: Context, ticketId: string, text: string, name: string | null): Statement<void> =>
  statement(
    sql`insert into ticket_signatures (org_id, ticket_id, signature, signed_by_name)
        values (${orgId}, ${ticketId}, ${text}, ${name})
        on conflict (org_id, ticket_id) do update
        set signature = excluded.signature, signed_by_name = excluded.signed_by_name, signed_at = excluded.signed_at`,
    () => {},
  )

const deleteSignature = ({ orgId }: Context, ticketId: string): Statement<boolean> =>
  statement(
    sql`delete from ticket_signatures where org_id = ${orgId} and ticket_id = ${ticketId} returning 1`,
    (rows) => rows.length > 0,
  )
