// A customer's answer to a quote, given on its shared page. It takes no money and moves no job: that stays with the shop.
import { notFound } from '../../api/errors.ts'
import { type Context, type Statement, statement } from '../../api/operation.ts'
import { sql } from '../../database.ts'
import { mailOf } from '../../documents/mail.ts'
import { isOpenToAnswer, quoteAfter } from '../../domain/lifecycles.ts'
import { sharedBy } from '../documents/opened-link.ts'
import { addressOf } from '../documents/share-link.ts'
import { sheetOf } from '../documents/sheet.ts'
import { queued } from '../outbox.ts'
import { noted } from '../tickets/timeline.ts'
import { heldQuote, momentColumns, quotes } from './record.ts'

export interface Answer {
  readonly isAccepted: boolean
  readonly name: string | null
  readonly reason: string | null
  /** A picture of it, as a data URL. */
  readonly signature: string | null
  /** Where it was given from; only its fingerprint is kept. */
  readonly address: string
}

/**
 * False where it comes too late; the same answer again changes nothing and is taken. The link is looked at again once the
 * quote is held: what was removed meanwhile opens nothing.
 */
export async function answerQuote(ctx: Context, quoteId: string, token: string, answer: Answer): Promise<boolean> {
  const quote = await heldQuote(ctx, quoteId)
  if (!(await ctx.ask(sharedBy(token)))) throw notFound('quote')
  const to = answer.isAccepted ? 'accepted' : 'declined'
  if (quote.status === to) return true
  if (!isOpenToAnswer(quote.status) || quote.isExpired) return false
  const { name, reason } = answer
  const now = await ctx.ask(answerKept(ctx, quoteId, answer))
  await ctx.ask(quotes.keep(ctx, quoteId, momentColumns(quoteAfter(quote, to, { now, name, reason }))))
  const data = { quoteId, quoteNumber: quote.quoteNumber }
  if (quote.ticketId) {
    await ctx.ask(
      noted(ctx, quote.ticketId, [
        answer.isAccepted
          ? { event: 'quoteAccepted', data: { ...data, name } }
          : { event: 'quoteDeclined', data: { ...data, reason } },
      ]),
    )
  }
  await shopTold(ctx, quoteId, token, answer)
  return true
}

/** Answers when it was given, by the database's clock. */
const answerKept = (ctx: Context, quoteId: string, { signature, address }: Answer): Statement<string> =>
  statement(
    sql`insert into quote_answers (org_id, quote_id, signature, address_hash)
        values (${ctx.orgId}, ${quoteId}, ${signature}, ${ctx.vault.fingerprint(`${quoteId} ${address}`)})
        on conflict (org_id, quote_id) do update set signature = excluded.signature,
          address_hash = excluded.address_hash, answered_at = now()
        returning answered_at as at`,
    ([row]: { at: Date }[]) => row!.at.toISOString(),
  )

async function shopTold(
  ctx: Context,
  quoteId: string,
  token: string,
  { isAccepted, name, reason }: Answer,
): Promise<void> {
  const sheet = await ctx.ask(sheetOf(ctx, 'quote', quoteId))
  const { organisation } = sheet
  if (!organisation.email) return
  const shareUrl = addressOf(ctx, token)
  const mail = mailOf(sheet, { kind: 'answer', answer: { isAccepted, name, reason }, shareUrl })
  await ctx.ask(queued(ctx, { ...mail, from: organisation, to: organisation.email }))
}
