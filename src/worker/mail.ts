// Delivers the mail of the outbox: each is retried with growing delays until a server takes it, and at last fails.
import type { Config } from '../config/config.ts'
import { type Database, type Queryable, sql } from '../db/database.ts'
import type { Dependencies } from '../operations/operation.ts'
import { pdfFileName } from '../rendering/pdf/pdf-file-name.ts'
import { oneLine } from '../rendering/sanitize-text.ts'
import { selectPrintDocument } from '../resources/billing/print-document.ts'
import { decryptBody, type OutboxMail, outboxColumns } from '../resources/outbox.ts'
import type { MailTransport } from './mail-transport.ts'

export interface MailCounts {
  readonly sent: number
  readonly failed: number
  /** Not taken, and retried later. */
  readonly waiting: number
}

interface MailDependencies extends Dependencies {
  readonly database: Database
  readonly transport: MailTransport
  readonly mailFrom: Config['mailFrom']
  /** Once it is aborted, nothing more is begun and what does not come to an end is left for the next start. */
  readonly stopSignal?: AbortSignal
}

/** How long after each attempt the next one comes; after the last, the mail has failed. Somewhat over a day in all. */
const backoffSeconds = [30, 120, 600, 1_800, 3_600, 7_200, 14_400, 28_800, 43_200]

/** How many are on their way at once: a server that is slow with one does not delay all. */
const maxConcurrent = 4

/** Everything that is due; `all` also what would be retried later. */
export async function deliverMail(dependencies: MailDependencies, { all = false } = {}): Promise<MailCounts> {
  const [clock] = await dependencies.database.query<{ now: Date }>(sql`select now() as now`)
  const startedAt = clock!.now
  const counts = { sent: 0, failed: 0, waiting: 0 }
  const deliverNext = async (): Promise<void> => {
    while (!dependencies.stopSignal?.aborted) {
      const mail = await claimMail(dependencies.database, all ? startedAt : null)
      if (!mail) return
      const outcome = await deliver(dependencies, mail)
      if (outcome) counts[outcome]++
    }
  }
  await Promise.all(Array.from({ length: maxConcurrent }, deliverNext))
  return counts
}

/**
 * The attempt is counted before it is made: a mail that brings the process down is not retried for ever. `since` also
 * takes what is not due yet, but nothing twice.
 */
async function claimMail(database: Database, since: Date | null): Promise<OutboxMail | undefined> {
  const [mail] = await database.query<OutboxMail>(sql`
    update outbox set attempts = attempts + 1, attempt_at = now() + interval '30 seconds', tried_at = now()
    where (org_id, id) = (
      select org_id, id from outbox where status = 'queued'
        and (attempt_at <= now() or (${since}::timestamptz is not null and coalesce(tried_at, '-infinity') < ${since}))
      order by attempt_at for update skip locked limit 1)
    returning ${outboxColumns}`)
  return mail
}

/** The row is locked while its mail is on its way, and no longer than the process lives: nobody else sends it meanwhile. */
function deliver(dependencies: MailDependencies, mail: OutboxMail): Promise<keyof MailCounts | undefined> {
  return dependencies.database.transaction(async (transaction) => {
    const [lockedRow] = await transaction.query(sql`
      select 1 from outbox where org_id = ${mail.orgId} and id = ${mail.id} and status = 'queued' for update skip locked`)
    if (!lockedRow) return undefined
    if (mail.attempts > backoffSeconds.length + 1)
      return markFailed(transaction, mail, 'It was tried too often without an end')
    const sending = withStopGrace(send(dependencies, mail, transaction), dependencies.stopSignal)
    const failure = await sending.then(() => undefined, toFailure)
    if (!failure) {
      await transaction.query(sql`
        update outbox set status = 'sent', sent_at = now(), failure_reason = null, attempt_at = null
        where org_id = ${mail.orgId} and id = ${mail.id}`)
      return 'sent'
    }
    const delay = failure.isFinal ? undefined : backoffSeconds[mail.attempts - 1]
    if (delay === undefined) return markFailed(transaction, mail, failure.reason)
    await transaction.query(sql`
      update outbox set failure_reason = ${failure.reason}, attempt_at = now() + make_interval(secs => ${delay})
      where org_id = ${mail.orgId} and id = ${mail.id}`)
    return 'waiting'
  })
}

async function markFailed(
  transaction: Queryable,
  { orgId, id, reminderId }: OutboxMail,
  reason: string,
): Promise<'failed'> {
  await transaction.query(sql`
    update outbox set status = 'failed', failure_reason = ${reason}, attempt_at = null
    where org_id = ${orgId} and id = ${id}`)
  await transaction.query(sql`
    update reminders set status = 'failed', failure_reason = ${reason}, updated_at = now()
    where org_id = ${orgId} and id = ${reminderId}`)
  return 'failed'
}

async function send(
  { transport, vault, pdf, mailFrom }: MailDependencies,
  mail: OutboxMail,
  transaction: Queryable,
): Promise<void> {
  const { text, html } = decryptBody(mail, vault)
  const attachments = await documentAttachments(mail, pdf, transaction)
  await transport.send({
    messageId: `<${mail.id}@${mailFrom.split('@')[1]}>`,
    date: mail.createdAt,
    from: { name: oneLine(mail.fromName), address: mailFrom },
    to: mail.to,
    cc: [...mail.cc],
    ...(mail.replyTo && { replyTo: mail.replyTo }),
    subject: mail.subject,
    text,
    html,
    attachments,
    disableFileAccess: true,
    disableUrlAccess: true,
  })
}

/** The document as it is now. */
async function documentAttachments(mail: OutboxMail, pdf: Dependencies['pdf'], transaction: Queryable) {
  const { orgId, quoteId, invoiceId, attachPdf } = mail
  const documentId = quoteId ?? invoiceId
  if (!documentId) return []
  const { sql: query, decode } = selectPrintDocument({ orgId }, quoteId ? 'quote' : 'invoice', documentId)
  const rows = await transaction.query<never>(query)
  if (rows.length === 0) throw new Undeliverable('The document was deleted')
  if (!attachPdf) return []
  const document = decode(rows)
  return [
    {
      filename: pdfFileName(document),
      content: Buffer.from(await pdf(document, { orgId })),
      contentType: 'application/pdf',
    },
  ]
}

/** A mail on its way when the service is asked to stop is given a little longer, and then left for the next start. */
async function withStopGrace(work: Promise<void>, stopSignal: AbortSignal | undefined): Promise<void> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onStop = () => void setTimeout(() => reject(new Error('The service was stopped')), graceMs).unref()
  stopSignal?.addEventListener('abort', onStop)
  try {
    await Promise.race([work, promise])
  } finally {
    stopSignal?.removeEventListener('abort', onStop)
  }
}
const graceMs = 3_000

/** What no retry mends. */
class Undeliverable extends Error {}

/** A mail server's answer in the five hundreds is its last word; the sentence is kept short, and on one line. */
function toFailure(error: unknown): { reason: string; isFinal: boolean } {
  const { message, responseCode } = error as Error & { responseCode?: number }
  const reason = message
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .slice(0, 300)
  return { reason, isFinal: error instanceof Undeliverable || (responseCode !== undefined && responseCode >= 500) }
}
