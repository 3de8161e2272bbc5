// Share links: an unguessable address under which a customer sees one document, and nothing else.
import { Type as t } from 'typebox'
import { badRequest } from '../../api/errors.ts'
import { dateTime, nullable, optional, whole } from '../../api/fields.ts'
import { newId } from '../../api/ids.ts'
import {
  type Context,
  Existing,
  message,
  operation,
  type Place,
  type Statement,
  statement,
} from '../../api/operation.ts'
import type { Scope } from '../../api/scopes.ts'
import { newToken, tokenHash } from '../../api/secret-addresses.ts'
import { raw, sql } from '../../database.ts'

/** A kind of document that can be shared: its table, and how others refer to it. */
export interface Shareable {
  readonly table: 'quotes' | 'invoices'
  readonly column: 'quote_id' | 'invoice_id'
  readonly noun: 'quote' | 'invoice'
  /** Holds the document, or refuses because it is not there. */
  lock(ctx: Context, documentId: string): Statement<void>
}

const link = t.Object(
  {
    url: t.String({ examples: ['https://jobs.harbour-repairs.example/s/4rJ0p2mXkq8sT6vYb1nZ3wE5uH7cL9aD'] }),
    token: t.String({ examples: ['4rJ0p2mXkq8sT6vYb1nZ3wE5uH7cL9aD'] }),
    expiresAt: nullable(dateTime()),
    createdAt: dateTime(),
    viewCount: whole(0, 2_147_483_647),
    lastViewedAt: nullable(dateTime()),
  },
  { title: 'ShareLinkWithToken' },
)

export function shareLinkOperations(path: '/quotes/:quoteId' | '/invoices/:invoiceId', shareable: Shareable) {
  const { noun } = shareable
  const name = noun === 'quote' ? 'Quote' : 'Invoice'
  const idIn = (params: object) => (params as Record<string, string>)[`${noun}Id`]!
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
      returns: link,
      async run({ params, body: { expiresAt = null, rotate = false } }, ctx) {
        const documentId = idIn(params)
        await ctx.ask(shareable.lock(ctx, documentId))
        const there = rotate ? undefined : await ctx.ask(liveLink(ctx, shareable, documentId))
        if (there && opened(ctx, there.sealed)) return new Existing(shown(ctx, there))
        return shown(ctx, await ctx.ask(freshLink(ctx, shareable, documentId, expiresAt)))
      },
    }),

    operation(`DELETE ${path}/share-link`, {
      name: `remove${name}ShareLink`,
      summary: `End the address under which a customer sees the ${noun}`,
      needs: [`${noun}s:write`],
      returns: message,
      async run({ params }, ctx) {
        const documentId = idIn(params)
        await ctx.ask(shareable.lock(ctx, documentId))
        await ctx.ask(linkRemoved(ctx, shareable, documentId))
        return { message: 'Share link removed', id: documentId }
      },
    }),
  ]
}

interface Link {
  readonly sealed: string
  readonly expiresAt: Date | null
  readonly createdAt: Date
  readonly viewCount: number
  readonly lastViewedAt: Date | null
}

/** The address of the document, made if there is none that works. Its document must be held. */
export async function linkFor(ctx: Context, shareable: Shareable, documentId: string): Promise<string> {
  const there = await ctx.ask(liveLink(ctx, shareable, documentId))
  const token = there && opened(ctx, there.sealed)
  if (token) return addressOf(ctx, token)
  const fresh = await ctx.ask(freshLink(ctx, shareable, documentId, null))
  return addressOf(ctx, ctx.vault.open(fresh.sealed))
}

export const addressOf = ({ restOrigin }: Pick<Context, 'restOrigin'>, token: string): string =>
  `${restOrigin}/s/${token}`

/** Nothing where the key it was sealed with is lost: the link still works, but nobody can be told it. */
function opened({ vault }: Pick<Context, 'vault'>, sealed: string): string | undefined {
  try {
    return vault.open(sealed)
  } catch {
    return undefined
  }
}

/**
 * The JSON of a link as it is stored becomes the one that is answered. Whoever has the address can answer a quote, so it
 * is told to those alone who may change the document.
 */
export const addressed =
  (needed: Scope) =>
  (json: string, ctx: Place): string => {
    const link = JSON.parse(json) as { url: string }
    const token = ctx.caller.scopes.has(needed) ? opened(ctx, link.url) : undefined
    return JSON.stringify({ ...link, url: token ? addressOf(ctx, token) : null })
  }

function shown(ctx: Context, { sealed, expiresAt, createdAt, lastViewedAt, viewCount }: Link) {
  return {
    url: addressOf(ctx, ctx.vault.open(sealed)),
    token: ctx.vault.open(sealed),
    expiresAt: expiresAt?.toISOString() ?? null,
    createdAt: createdAt.toISOString(),
    viewCount,
    lastViewedAt: lastViewedAt?.toISOString() ?? null,
  }
}

const columns = sql`sealed_token as sealed, expires_at as "expiresAt", created_at as "createdAt",
  view_count as "viewCount", last_viewed_at as "lastViewedAt"`

const liveLink = ({ orgId }: Context, { column }: Shareable, documentId: string): Statement<Link | undefined> =>
  statement(
    sql`select ${columns} from share_links where org_id = ${orgId} and ${raw(column)} = ${documentId}
        and (expires_at is null or expires_at > now())`,
    ([link]: Link[]) => link,
  )

/** Takes the place of the link there is, if there is one. */
function freshLink(
  { orgId, vault }: Context,
  { column }: Shareable,
  documentId: string,
  expiresAt: string | null,
): Statement<Link> {
  const token = newToken()
  return statement(
    sql`insert into share_links (org_id, id, ${raw(column)}, token_hash, sealed_token, expires_at)
        select ${orgId}, ${newId('shl')}, ${documentId}, ${tokenHash(token)}, ${vault.seal(token)}, ${expiresAt}::timestamptz
        where ${expiresAt}::timestamptz is null or ${expiresAt}::timestamptz > now()
        on conflict (org_id, ${raw(column)}) do update set id = excluded.id, token_hash = excluded.token_hash,
          sealed_token = excluded.sealed_token, expires_at = excluded.expires_at, created_at = now(), view_count = 0,
          last_viewed_at = null
        returning ${columns}`,
    ([link]: Link[]) => {
      if (!link) throw badRequest('expiresAt must be in the future')
      return link
    },
  )
}

const linkRemoved = ({ orgId }: Context, { column }: Shareable, documentId: string): Statement<void> =>
  statement(sql`delete from share_links where org_id = ${orgId} and ${raw(column)} = ${documentId}`, () => {})
