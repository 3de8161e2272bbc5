// What a share link leads to, and what is kept of its being opened.
import { raw, sql } from '../../db/database.ts'
import { type Context, type Statement, statement } from '../../operations/operation.ts'
import { hashShareToken } from '../../operations/share-tokens.ts'
import { addTimelineEntries } from '../tickets/timeline.ts'
import type { DocumentKind } from './print-document.ts'

export interface SharedDocument {
  readonly orgId: string
  readonly kind: DocumentKind
  readonly documentId: string
}

/** Nothing for a token that never was, was removed, or has expired: whoever asks cannot tell which. */
export const selectSharedDocument = (token: string): Statement<SharedDocument | undefined> =>
  statement(
    sql`select org_id as "orgId", case when quote_id is null then 'invoice' else 'quote' end as kind,
          coalesce(quote_id, invoice_id) as "documentId"
        from share_links where token_hash = ${hashShareToken(token)} and (expires_at is null or expires_at > now())`,
    ([sharedDocument]: SharedDocument[]) => sharedDocument,
  )

/** Counts a look at the page; the first one is dated on the document and noted on its job. */
export async function recordView(ctx: Context, { kind, documentId }: SharedDocument): Promise<void> {
  const first = await ctx.query(countView(ctx, kind, documentId))
  if (kind === 'quote' && first?.ticketId) {
    const data = { quoteId: documentId, quoteNumber: first.number }
    await ctx.query(addTimelineEntries(ctx, first.ticketId, [{ event: 'quoteViewed', data }]))
  }
}

interface FirstView {
  readonly ticketId: string | null
  readonly number: string
}

const countView = ({ orgId }: Context, kind: DocumentKind, documentId: string): Statement<FirstView | undefined> =>
  statement(
    sql`with counting as (
          update share_links set view_count = view_count + 1, last_viewed_at = now()
          where org_id = ${orgId} and ${raw(`${kind}_id`)} = ${documentId})
        update ${raw(`${kind}s`)} set viewed_at = now() where org_id = ${orgId} and id = ${documentId} and viewed_at is null
        returning ticket_id as "ticketId", ${raw(`${kind}_number`)} as number`,
    ([first]: FirstView[]) => first,
  )
