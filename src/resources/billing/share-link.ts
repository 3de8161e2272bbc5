// Share links: an unguessable address under which a customer sees one document, and nothing else.
import { raw, sql } from '../../db/database.ts'
import { Existing } from '../../operations/answers.ts'
import { badRequest } from '../../operations/errors.ts'
import { dateTime, integer, nullable, optional } from '../../operations/fields.ts'
import { newId } from '../../operations/ids.ts'
import {
  type Context,
  deletionMessage,
  operation,
  type Statement,
  type StatementContext,
  statement,
} from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import type { Scope } from '../../operations/scopes.ts'
import { hashShareToken, newShareToken } from '../../operations/share-tokens.ts'

/** A kind of document that can be shared: its table, and how others refer to it. */
export interface Shareable {
  readonly table: 'quotes' | 'invoices'
  readonly column: 'quote_id' | 'invoice_id'
  readonly noun: 'quote' | 'invoice'
  /** Locks the document, or refuses because it is not there. */
  lock(ctx: Context, documentId: string): Statement<void>
}

const linkSchema = t.Object(
  {
    url: t.String({ examples: ['https://jobs.harbour-repairs.example/s/4rJ0p2mXkq8sT6vYb1nZ3wE5uH7cL9aD'] }),
    token: t.String({ examples: ['4rJ0p2mXkq8sT6vYb1nZ3wE5uH7cL9aD'] }),
    expiresAt: nullable(dateTime()),
    createdAt: dateTime(),
    viewCount: integer(0, 2_147_483_647),
    lastViewedAt: nullable(dateTime()),
  },
  { title: 'ShareLinkWithToken' },
)

export function shareLinkOperations(path: '/quotes/:quoteId' | '/invoices/:invoiceId', shareable: Shareable) {
  const { noun } = shareable
  const name = noun === 'quote' ? 'Quote' : 'Invoice'
  const documentIdIn = (params: object) => (params as Record<string, string>)[`${noun}Id`]!
  return [
    operation(`POST ${path}/share-link`, {
      name: `create${name}ShareLink`,
      summary: `Make the address under which a customer sees the ${noun}; the one there is stays unless rotated`,
      needs: [`${noun}s:write`],
      body: t.Object(
        {
          expiresAt: optional(dateTime({ description: 'When the address stops working; never if left out.' })),
          rotate: t.Boolean({ default: false, description: 'Whether to make a new address and end the one there is.' }),
        },
        { title: 'ShareLinkCreate' },
      ),
      status: 201,
      mayExist: true,
      returns: linkSchema,
      transaction: true,
      async run({ params, body: { expiresAt = null, rotate = false } }, ctx) {
        const documentId = documentIdIn(params)
        await ctx.query(shareable.lock(ctx, documentId))
        const existing = rotate ? undefined : await ctx.query(selectLiveLink(ctx, shareable, documentId))
        if (existing && decryptToken(ctx, existing.encrypted)) return new Existing(linkResponse(ctx, existing))
        return linkResponse(ctx, await ctx.query(replaceLink(ctx, shareable, documentId, expiresAt)))
      },
    }),

    operation(`DELETE ${path}/share-link`, {
      name: `remove${name}ShareLink`,
      summary: `End the address under which a customer sees the ${noun}`,
      needs: [`${noun}s:write`],
      returns: deletionMessage,
      transaction: true,
      async run({ params }, ctx) {
        const documentId = documentIdIn(params)
        await ctx.query(shareable.lock(ctx, documentId))
        await ctx.query(deleteLink(ctx, shareable, documentId))
        return { message: 'Share link removed', id: documentId }
      },
    }),
  ]
}

interface StoredLink {
  readonly encrypted: string
  readonly expiresAt: Date | null
  readonly createdAt: Date
  readonly viewCount: number
  readonly lastViewedAt: Date | null
}

/** The address of the document, made if there is none that works. Its document must be locked. */
export async function ensureShareUrl(ctx: Context, shareable: Shareable, documentId: string): Promise<string> {
  const existing = await ctx.query(selectLiveLink(ctx, shareable, documentId))
  const token = existing && decryptToken(ctx, existing.encrypted)
  if (token) return shareUrlOf(ctx, token)
  const created = await ctx.query(replaceLink(ctx, shareable, documentId, null))
  return shareUrlOf(ctx, ctx.vault.decrypt(created.encrypted))
}

export const shareUrlOf = ({ restOrigin }: Pick<Context, 'restOrigin'>, token: string): string =>
  `${restOrigin}/s/${token}`

/** Nothing where the key it was encrypted with is lost: the link still works, but it cannot be shown. */
function decryptToken({ vault }: Pick<Context, 'vault'>, encrypted: string): string | undefined {
  try {
    return vault.decrypt(encrypted)
  } catch {
    return undefined
  }
}

/**
 * The JSON of a link as it is stored becomes the one that is answered. Whoever has the address can answer a quote, so it
 * is shown to those alone who may change the document.
 */
export const shareLinkTransform =
  (requiredScope: Scope) =>
  (json: string, ctx: StatementContext): string => {
    const link = JSON.parse(json) as { url: string }
    const token = ctx.caller.scopes.has(requiredScope) ? decryptToken(ctx, link.url) : undefined
    return JSON.stringify({ ...link, url: token ? shareUrlOf(ctx, token) : null })
  }

function linkResponse(ctx: Context, { encrypted, expiresAt, createdAt, lastViewedAt, viewCount }: StoredLink) {
  return {
    url: shareUrlOf(ctx, ctx.vault.decrypt(encrypted)),
    token: ctx.vault.decrypt(encrypted),
    expiresAt: expiresAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    viewCount,
    lastViewedAt: lastViewedAt?.toISOString() ?? null,
  }
}

const linkColumns = sql`sealed_token as encrypted, expires_at as "expiresAt", created_at as "createdAt",
  view_count as "viewCount", last_viewed_at as "lastViewedAt"`

const selectLiveLink = (
  { orgId }: Context,
  { column }: Shareable,
  documentId: string,
): Statement<StoredLink | undefined> =>
  statement(
    sql`select ${linkColumns} from share_links where org_id = ${orgId} and ${raw(column)} = ${documentId}
        and (expires_at is null or expires_at > now())`,
    ([link]: StoredLink[]) => link,
  )

/** Takes the place of the link there is, if there is one. */
function replaceLink(
  { orgId, vault }: Context,
  { column }: Shareable,
  documentId: string,
  expiresAt: string | null,
): Statement<StoredLink> {
  const token = newShareToken()
  return statement(
    sql`insert into share_links (org_id, id, ${raw(column)}, token_hash, sealed_token, expires_at)
        select ${orgId}, ${newId('shl')}, ${documentId}, ${hashShareToken(token)}, ${vault.encrypt(token)}, ${expiresAt}::timestamptz
        where ${expiresAt}::timestamptz is null or ${expiresAt}::timestamptz > now()
        on conflict (org_id, ${raw(column)}) do update set id = excluded.id, token_hash = excluded.token_hash,
          sealed_token = excluded.sealed_token, expires_at = excluded.expires_at, created_at = excluded.created_at,
          view_count = 0,
          last_viewed_at = null
        returning ${linkColumns}`,
    ([link]: StoredLink[]) => {
      if (!link) throw badRequest('expiresAt must be in the future')
      return link
    },
  )
}

const deleteLink = ({ orgId }: Context, { column }: Shareable, documentId: string): Statement<void> =>
  statement(sql`delete from share_links where org_id = ${orgId} and ${raw(column)} = ${documentId}`, () => {})
