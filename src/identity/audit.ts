// The audit log of an organisation: who did what to which key, app, member, form, feed, webhook or payment, or to all there is. Lines are only ever added.
import { type Queryable, sql } from '../db/database.ts'
import { newId } from '../operations/ids.ts'

/** Every audited action, as a sentence that names its subject after it. */
export const auditActions = {
  'key.created': 'made the API key',
  'key.paused': 'paused the API key',
  'key.resumed': 'resumed the API key',
  'key.rotated': 'gave a new value to the API key',
  'key.revoked': 'revoked the API key',
  'client.created': 'registered the app',
  'client.rotated': 'gave a new secret to the app',
  'client.removed': 'removed the app',
  'grant.approved': 'allowed the app',
  'grant.imported': 'carried over a token of the app',
  'grant.revoked': 'revoked the access of the app',
  'member.added': 'added the member',
  'member.joined': 'accepted the invitation of',
  'member.changed': 'changed the member',
  'member.reset': 'gave a new password to the member',
  'member.removed': 'removed the member',
  'invitation.created': 'invited',
  'invitation.renewed': 'sent the invitation again to',
  'invitation.withdrawn': 'withdrew the invitation of',
  'browsers.ended': 'signed out a browser of',
  'password.changed': 'changed the password of',
  'recovery.renewed': 'renewed the recovery codes of',
  'template.saved': 'saved the form template',
  'rule.saved': 'saved the form rule',
  'form.answered': 'answered the form',
  'form.signed': 'took a signature on the form',
  'form.submitted': 'submitted the form',
  'form.voided': 'voided the form',
  'form.reopened': 'reopened the form',
  'organisation.changed': 'changed the organisation',
  'organisation.exported': 'wrote out everything of the organisation',
  'organisation.imported': 'brought in everything of the organisation',
  'payment.imported': 'took over a payment for the invoice',
  'feed.created': 'made a calendar address for',
  'feed.revoked': 'shut the calendar address of',
  'mail.tested': 'sent a test mail to',
  'webhook.created': 'made the webhook to',
  'webhook.changed': 'changed the webhook to',
  'webhook.paused': 'paused the webhook to',
  'webhook.resumed': 'resumed the webhook to',
  'webhook.tested': 'sent a test to the webhook to',
  'webhook.rotated': 'gave a new secret to the webhook to',
  'webhook.replayed': 'sent past events again to the webhook to',
  'webhook.retried': 'tried a delivery again to the webhook to',
  'webhook.deleted': 'deleted the webhook to',
  'import.written': 'brought in the files of the import',
  'import.undone': 'took back the import',
  'export.created': 'gave the bookkeeper',
  'record.created': 'made',
  'record.changed': 'changed',
  'record.deleted': 'deleted',
} as const
export type AuditAction = keyof typeof auditActions

export interface NewAuditEntry {
  readonly action: AuditAction
  readonly subject: string | null
  /** What the subject was called, and whatever else describes what happened; never a secret. */
  readonly detail: { readonly name: string; readonly [more: string]: unknown }
}

/** A line about what has an id and a name. */
export const auditEntry = (
  action: AuditAction,
  { id, name }: { readonly id: string; readonly name: string },
  more: Readonly<Record<string, unknown>> = {},
): NewAuditEntry => ({ action, subject: id, detail: { name, ...more } })

export interface AuditEntry extends NewAuditEntry {
  readonly id: string
  readonly at: Date
  readonly memberName: string
}

export interface AuditAuthor {
  readonly id: string | null
  readonly name: string
}

/** Whoever runs the server and works on its command line. */
export const operator: AuditAuthor = { id: null, name: 'Command line' }

/** Run it in the transaction of the action. */
export async function audit(
  database: Queryable,
  orgId: string,
  author: AuditAuthor,
  { action, subject, detail }: NewAuditEntry,
): Promise<void> {
  // What is logged is written on the coordinator, the log on the organisation's node: see the table's comment in 0014.
  await database.query(sql`delete from coordinator_writes`)
  await database.query(sql`
    insert into audit_log (org_id, id, member_id, member_name, action, subject, detail)
    values (${orgId}, ${newId('aud')}, ${author.id}, ${author.name}, ${action}, ${subject}, ${JSON.stringify(detail)}::jsonb)`)
}

/** The member that a person is in an organisation, as the log names them. */
export async function findAuthor(database: Queryable, orgId: string, personId: string): Promise<AuditAuthor> {
  const [member] = await database.query<AuditAuthor>(sql`
    select id, concat_ws(' ', first_name, last_name) as name from members
    where org_id = ${orgId} and person_id = ${personId}`)
  return member ?? { id: null, name: 'Somebody' }
}

export const entriesPerPage = 50

/** Newest first; `before` is the id of the last line of the page before. */
export const listAuditEntries = (database: Queryable, orgId: string, before: string | null): Promise<AuditEntry[]> =>
  database.query<AuditEntry>(sql`
    select id, at, member_name as "memberName", action, subject, detail from audit_log
    where org_id = ${orgId} and (${before}::text is null
      or (at, id) < (select at, id from audit_log where org_id = ${orgId} and id = ${before}))
    order by at desc, id desc limit ${entriesPerPage + 1}::int`)
