// The secret addresses of calendars: who knows one reads the calendar of a member, or of everybody, and nothing else.
import { type Queryable, sql } from '../db/database.ts'
import { newId } from '../operations/ids.ts'
import { hashShareToken, newShareToken, shareTokenRegex } from '../operations/share-tokens.ts'
import { type AuditAction, auditEntry, type NewAuditEntry } from './audit.ts'

export interface Feed {
  readonly id: string
  /** Null: everybody's. */
  readonly memberId: string | null
  readonly memberName: string | null
  readonly createdAt: Date
  readonly lastReadAt: Date | null
}

export interface OpenFeed extends Pick<Feed, 'id' | 'memberId' | 'memberName'> {
  readonly orgId: string
  readonly orgName: string
  readonly timeZone: string
}

const feedColumns = sql`feed.id, feed.member_id as "memberId",
  nullif(concat_ws(' ', member.first_name, member.last_name), '') as "memberName"`
const joinMember = sql`left join members member on member.org_id = feed.org_id and member.id = feed.member_id`

/** What the audit log says of a feed. */
export const feedAuditEntry = (
  action: AuditAction,
  { id, memberName }: Pick<Feed, 'id' | 'memberName'>,
): NewAuditEntry => auditEntry(action, { id, name: memberName ?? 'everybody' })

/** The token is shown this once. */
export async function createFeed(
  database: Queryable,
  orgId: string,
  memberId: string | null,
): Promise<Feed & { token: string }> {
  const token = newShareToken()
  const id = newId('fed')
  const [member] = await database.query<{ isActive: boolean }>(sql`
    select is_active as "isActive" from members where org_id = ${orgId} and id = ${memberId}`)
  if (memberId !== null && !member) throw new Error(`There is no member ${memberId} in this organisation`)
  if (member && !member.isActive) throw new Error(`The member ${memberId} is not active`)
  await database.query(sql`
    insert into calendar_feeds (org_id, id, member_id, token_hash) values (${orgId}, ${id}, ${memberId}, ${hashShareToken(token)})`)
  const feed = (await listFeeds(database, orgId)).find((one) => one.id === id)!
  return { ...feed, token }
}

export const listFeeds = (database: Queryable, orgId: string): Promise<Feed[]> =>
  database.query<Feed>(sql`
    select ${feedColumns}, feed.created_at as "createdAt", feed.last_read_at as "lastReadAt"
    from calendar_feeds feed ${joinMember} where feed.org_id = ${orgId} order by feed.created_at desc, feed.id desc`)

/** The address is dead at once. */
export async function revokeFeed(
  database: Queryable,
  orgId: string,
  feedId: string,
): Promise<Pick<Feed, 'id' | 'memberId' | 'memberName'>> {
  const feed = (await listFeeds(database, orgId)).find((one) => one.id === feedId)
  const [removed] = await database.query(sql`
    delete from calendar_feeds where org_id = ${orgId} and id = ${feedId} returning 1`)
  if (!feed || !removed) throw new Error(`There is no calendar feed ${feedId} in this organisation`)
  return feed
}

/** The feed that a token opens; a member who may not sign in, or an organisation without a plan, reads nothing. */
export async function findFeedByToken(database: Queryable, token: string): Promise<OpenFeed | undefined> {
  if (!shareTokenRegex.test(token)) return undefined
  const [feed] = await database.query<OpenFeed>(sql`
    select feed.org_id as "orgId", ${feedColumns}, organisation.name as "orgName", organisation.time_zone as "timeZone"
    from calendar_feeds feed
    join organisations organisation on organisation.org_id = feed.org_id ${joinMember}
    where feed.token_hash = ${hashShareToken(token)} and (feed.member_id is null or member.is_active)
      and (organisation.entitlement = 'pro' or organisation.entitlement = 'trial'
        and (organisation.trial_ends_at is null or organisation.trial_ends_at > now()))`)
  return feed
}

/** Written once an hour at most: phones poll often. */
export const touchFeed = ({ orgId, id }: OpenFeed) => sql`
  update calendar_feeds set last_read_at = now()
  where org_id = ${orgId} and id = ${id} and (last_read_at is null or last_read_at < now() - interval '1 hour')`
