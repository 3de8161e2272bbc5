// A customer's answer to a quote, given on its shared page. It takes no money and moves no job: that stays with the shop.
import { sql } from '../../db/database.ts'
import { isAnswerable, transitionQuote } from '../../domain/lifecycles.ts'
import { notFound } from '../../operations/errors.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { type QuoteAnswer, renderMail } from '../../rendering/mail.ts'
import { selectPrintDocument } from '../billing/print-document.ts'
import { shareUrlOf } from '../billing/share-link.ts'
import { selectSharedDocument } from '../billing/shared-document.ts'
import { enqueueMail } from '../outbox.ts'
import { addTimelineEntries } from '../tickets/timeline.ts'
import { lockQuote, momentColumns, quotes } from './record.ts'

export interface SubmittedAnswer extends QuoteAnswer {
  /** A picture of it, as a data URL. */
  readonly signature: string | null
  /** Where it was given from; only its fingerprint is kept. */
  readonly address: string
}

/**
 * False where it comes too late; the same answer again changes nothing and is taken. The link is looked at again once the
 * quote is locked: what was removed meanwhile opens nothing.
 */
export async function answerQuote(
  ctx: Context,
  quoteId: string,
  token: string,
  answer: SubmittedAnswer,
): Promise<boolean> {
  const quote = await lockQuote(ctx, quoteId)
  if (!(await ctx.query(selectSharedDocument(token)))) throw notFound('quote')
  const to = answer.isAccepted ? 'accepted' : 'declined'
  if (quote.status === to) return true
  if (!isAnswerable(quote.status) || quote.isExpired) return false
  const { name, reason } = answer
  const now = await ctx.query(upsertAnswer(ctx, quoteId, answer))
  await ctx.query(quotes.updateColumns(ctx, quoteId, momentColumns(transitionQuote(quote, to, { now, name, reason }))))
  const data = { quoteId, quoteNumber: quote.quoteNumber }
  if (quote.ticketId) {
    await ctx.query(
      addTimelineEntries(ctx, quote.ticketId, [
        answer.isAccepted
          ? { event: 'quoteAccepted', data: { ...data, name } }
          : { event: 'quoteDeclined', data: { ...data, reason } },
      ]),
    )
  }
  await mailAnswerToShop(ctx, quoteId, token, answer)
  return true
}

/** Answers when it was given, by the database's clock. */
const upsertAnswer = (ctx: Context, quoteId: string, { signature, address }: SubmittedAnswer): Statement<string> =>
  statement(
    sql`insert into quote_answers (org_id, quote_id, signature, address_hash)
        values (${ctx.orgId}, ${quoteId}, ${signature}, ${ctx.vault.fingerprint(`${quoteId} ${address}`)})
        on conflict (org_id, quote_id) do update set signature = excluded.signature,
          address_hash = excluded.address_hash, answered_at = excluded.answered_at
        returning answered_at as at`,
    ([row]: { at: Date }[]) => row!.at.toISOString(),
  )

async function mailAnswerToShop(
  ctx: Context,
  quoteId: string,
  token: string,
  { isAccepted, name, reason }: SubmittedAnswer,
): Promise<void> {
  const document = await ctx.query(selectPrintDocument(ctx, 'quote', quoteId))
  const { organisation } = document
  if (!organisation.email) return
  const shareUrl = shareUrlOf(ctx, token)
  const mail = renderMail(document, { kind: 'answer', answer: { isAccepted, name, reason }, shareUrl })
  await ctx.query(enqueueMail(ctx, { ...mail, from: organisation, to: organisation.email }))
}
