// The mail to the admins of an organisation when a webhook was paused because its receiver failed for days.
import { type Queryable, sql } from '../db/database.ts'
import { maxFailingDays } from '../domain/webhook-attempts.ts'
import type { Caller } from '../operations/caller.ts'
import { createContext } from '../operations/context.ts'
import type { Dependencies } from '../operations/operation.ts'
import { renderNotice } from '../rendering/notice.ts'
import { enqueueMail } from '../resources/outbox.ts'

interface FailingWebhook {
  readonly orgId: string
  readonly webhookId: string
  readonly url: string
}

/** Written in the transaction that pauses the webhook. */
export async function enqueueFailingNotice(
  { dependencies, portalOrigin }: { readonly dependencies: Dependencies; readonly portalOrigin: string },
  db: Queryable,
  { orgId, webhookId, url }: FailingWebhook,
): Promise<void> {
  const [organisation] = await db.query<{ name: string; email: string | null }>(sql`
    select name, email from organisations where org_id = ${orgId}`)
  const admins = await db.query<{ email: string }>(sql`
    select people.email from members join people on people.id = members.person_id
    where members.org_id = ${orgId} and members.role = 'admin' and members.is_active order by members.id`)
  const { host } = new URL(url)
  const mail = renderNotice({
    subject: `The webhook to ${host} is paused`,
    paragraphs: [
      `The webhook of ${organisation!.name} that tells ${url} of changes has failed for ${maxFailingDays} days, so it is paused. Nothing is sent there until somebody resumes it.`,
      'The log says what was answered. Once the receiver works again, resume the webhook and replay what it missed.',
    ],
    link: { words: 'Look at the webhook', url: `${portalOrigin}/portal/${orgId}/webhooks/${webhookId}` },
  })
  const ctx = createContext(db, workerCaller(orgId), dependencies)
  for (const { email } of admins) await ctx.query(enqueueMail(ctx, { ...mail, from: organisation!, to: email }))
}

const workerCaller = (orgId: string): Caller => ({
  orgId,
  kind: 'system',
  credentialId: 'worker',
  name: 'Jobwright',
  scopes: new Set(),
})
