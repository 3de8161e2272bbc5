// What a share link leads to, and what is kept of its being opened.
import { type Context, type Statement, statement } from '../../api/operation.ts'
import { tokenHash } from '../../api/secret-addresses.ts'
import { raw, sql } from '../../database.ts'
import { noted } from '../tickets/timeline.ts'
import type { DocumentKind } from './sheet.ts'

export interface Shared {
  readonly orgId: string
  readonly kind: DocumentKind
  readonly documentId: string
}

/** Nothing for a token that never was, was removed, or has expired: whoever asks cannot tell which. */
export const sharedBy = (token: string): Statement<Shared | undefined> =>
  statement(
    sql`select org_id as "orgId", case when quote_id is null then 'invoice' else 'quote' end as kind,
          coalesce(quote_id, invoice_id) as "documentId"
        from share_links where token_hash = ${tokenHash(token)} and (expires_at is null or expires_at > now())`,
    ([shared]: Shared[]) => shared,
  )

/** Counts a look at the page; the first one is dated on the document and noted on its job. */
export async function viewed(ctx: Context, { kind, documentId }: Shared): Promise<void> {
  const first = await ctx.ask(counted(ctx, kind, documentId))
  if (kind === 'quote' && first?.ticketId) {
    const data = { quoteId: documentId, quoteNumber: first.number }
    await ctx.ask(noted(ctx, first.ticketId, [{ event: 'quoteViewed', data }]))
  }
}

interface First {
  readonly ticketId: string | null
  readonly number: string
}

const counted = ({ orgId }: Context, kind: DocumentKind, documentId: string): Statement<First | undefined> =>
  statement(
    sql`with counting as (
          update share_links set view_count = view_count + 1, last_viewed_at = now()
          where org_id = ${orgId} and ${raw(`${kind}_id`)} = ${documentId})
        update ${raw(`${kind}s`)} set viewed_at = now() where org_id = ${orgId} and id = ${documentId} and viewed_at is null
        returning ticket_id as "ticketId", ${raw(`${kind}_number`)} as number`,
    ([first]: First[]) => first,
  )
