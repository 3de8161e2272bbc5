// Delivers the mail of the outbox: each is retried with growing delays until a server takes it, and at last fails.
import { setTimeout as delay } from 'node:timers/promises'
import type { Config } from '../config/config.ts'
import { type Database, type Queryable, type Sql, sql } from '../db/database.ts'
import { backgroundWork } from '../fairness/tenant.ts'
import type { Dependencies } from '../operations/operation.ts'
import { withoutAttachment } from '../rendering/mail.ts'
import { pdfFileName } from '../rendering/pdf/pdf-file-name.ts'
import { oneLine } from '../rendering/sanitize-text.ts'
import { decryptBody, type OutboxMail, outboxColumns } from '../resources/outbox.ts'
import { takeTurns } from './fair-turns.ts'
import type { MailTransport } from './mail-transport.ts'
import { type MailedDocument, selectMailedDocument } from './mailed-document.ts'

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

/** How many are on their way at once: a server that is slow with one does not delay all, nor one organisation the others. */
const carriers = { maxConcurrent: 4, maxPerOrg: 2 }

/** Other processes carry as much of an organisation as may be carried at once. */
const lookAgainMs = 100

/** After so many tries a mail leaves without its PDF: its link leads to the document all the same. */
const maxPdfTries = 2

/** Everything that is due; `all` also what would be retried later. */
export async function deliverMail(dependencies: MailDependencies, { all = false } = {}): Promise<MailCounts> {
  const { database, stopSignal } = dependencies
  const [clock] = await database.background<{ now: Date }>(sql`select now() as now`)
  const isDue = dueCondition(all ? clock!.now : null)
  const counts = { sent: 0, failed: 0, waiting: 0 }
  await takeTurns({
    ...carriers,
    isStopped: () => stopSignal?.aborted ?? false,
    async findOrgs() {
      const rows = await database.background<{ orgId: string }>(sql`
        select distinct org_id as "orgId" from outbox where ${isDue}`)
      return rows.map(({ orgId }) => orgId)
    },
    async serve(orgId) {
      const outcome = await deliverNext(dependencies, orgId, isDue)
      if (outcome === 'none') return false
      if (outcome === 'carriedElsewhere') await delay(lookAgainMs)
      else if (outcome) counts[outcome]++
      return true
    },
  })
  return counts
}

/** `since` also takes what is not due yet, but nothing twice. */
const dueCondition = (since: Date | null): Sql => sql`status = 'queued'
  and (attempt_at <= now() or (${since}::timestamptz is not null and coalesce(tried_at, '-infinity') < ${since}))`

/** The attempt is counted before it is made: a mail that brings the process down is not retried for ever. */
async function claimMail(database: Database, orgId: string, isDue: Sql): Promise<OutboxMail | undefined> {
  const [mail] = await database.write<OutboxMail>(
    backgroundWork(orgId),
    sql`
    update outbox set attempts = attempts + 1, attempt_at = now() + interval '30 seconds', tried_at = now()
    where org_id = ${orgId} and id = (
      select id from outbox where org_id = ${orgId} and ${isDue} order by attempt_at for update skip locked limit 1)
    returning ${outboxColumns}`,
  )
  return mail
}

/** Also those of other processes and machines: what one organisation sends at once is the same wherever it is sent from. */
async function tryToCarry(transaction: Queryable, orgId: string): Promise<boolean> {
  const slots = await transaction.query(sql`
    select from generate_series(1, ${carriers.maxPerOrg}::int) slot
    where pg_try_advisory_xact_lock(hashtextextended(${`mail of ${orgId}`}, slot)) limit 1`)
  return slots.length > 0
}

/**
 * The row is locked while its mail is on its way, and no longer than the process lives: nobody else sends it meanwhile.
 * The lock is waited for: the claim of somebody else may hold the row for an instant. Who claimed it again later has
 * counted another attempt, and it is theirs.
 */
function deliverNext(
  dependencies: MailDependencies,
  orgId: string,
  isDue: Sql,
): Promise<keyof MailCounts | 'none' | 'carriedElsewhere' | undefined> {
  const { database } = dependencies
  return database.transaction(backgroundWork(orgId), async (transaction) => {
    if (!(await tryToCarry(transaction, orgId))) return 'carriedElsewhere'
    const mail = await claimMail(database, orgId, isDue)
    if (!mail) return 'none'
    const [lockedRow] = await transaction.query(sql`
      select 1 from outbox where org_id = ${mail.orgId} and id = ${mail.id} and status = 'queued'
        and attempts = ${mail.attempts} for update`)
    if (!lockedRow) return undefined
    if (mail.attempts > backoffSeconds.length + 1)
      return markFailed(transaction, mail, 'It was tried too often without an end')
    const sending = withStopGrace(send(dependencies, mail, transaction), dependencies.stopSignal)
    const outcome = await sending.catch(toFailure)
    if (!isFailure(outcome)) {
      await transaction.query(sql`
        update outbox set status = 'sent', sent_at = now(), failure_reason = ${outcome.note}, attempt_at = null
        where org_id = ${mail.orgId} and id = ${mail.id}`)
      return 'sent'
    }
    const delay = outcome.isFinal ? undefined : backoffSeconds[mail.attempts - 1]
    if (delay === undefined) return markFailed(transaction, mail, outcome.reason)
    await transaction.query(sql`
      update outbox set failure_reason = ${outcome.reason}, attempt_at = now() + make_interval(secs => ${delay}),
        pdf_tries = pdf_tries + ${outcome.isOfPdf ? 1 : 0}
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

interface Sent {
  /** What the delivery says of it, where something is missing. */
  readonly note: string | null
}

async function send(
  { transport, vault, pdf, mailFrom }: MailDependencies,
  mail: OutboxMail,
  transaction: Queryable,
): Promise<Sent> {
  const mailed = await findDocument(mail, transaction)
  const attachment = mailed && mail.attachPdf ? await renderAttachment(mailed, mail, pdf) : undefined
  const isIncomplete = attachment === 'unavailable'
  const body = decryptBody(mail, vault)
  const { text, html } = isIncomplete ? withoutAttachment(body) : body
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
    attachments: [...(attachment && !isIncomplete ? [attachment] : []), ...(mailed?.files ?? [])],
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const noPdf = 'Sent without its PDF, which could not be made; the link leads to the document'
  return { note: isIncomplete ? noPdf : (mailed?.note ?? null) }
}

/** As it is now. */
async function findDocument(mail: OutboxMail, transaction: Queryable): Promise<MailedDocument | undefined> {
  const statement = selectMailedDocument(mail)
  if (!statement) return undefined
  const rows = await transaction.query<never>(statement.sql)
  if (rows.length === 0) throw new Undeliverable('The document was deleted')
  return statement.decode(rows)
}

async function renderAttachment(mailed: MailedDocument, { orgId, pdfTries }: OutboxMail, pdf: Dependencies['pdf']) {
  const { document, facturX } = mailed
  try {
    const content = Buffer.from(await pdf(document, { orgId, isBackground: true, facturX }))
    return { filename: pdfFileName(document), content, contentType: 'application/pdf' }
  } catch (error) {
    if (pdfTries + 1 < maxPdfTries) throw new PdfMissing((error as Error).message)
    return 'unavailable'
  }
}

/** A mail on its way when the service is asked to stop is given a little longer, and then left for the next start. */
async function withStopGrace<T>(work: Promise<T>, stopSignal: AbortSignal | undefined): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>()
  const onStop = () => void setTimeout(() => reject(new Error('The service was stopped')), graceMs).unref()
  stopSignal?.addEventListener('abort', onStop)
  try {
    return await Promise.race([work, promise])
  } finally {
    stopSignal?.removeEventListener('abort', onStop)
  }
}
const graceMs = 3_000

/** What no retry mends. */
class Undeliverable extends Error {}
/** The mail waits for its PDF. */
class PdfMissing extends Error {}

interface Failure {
  readonly reason: string
  readonly isFinal: boolean
  readonly isOfPdf: boolean
}

const isFailure = (outcome: Sent | Failure): outcome is Failure => 'reason' in outcome

/** A mail server's answer in the five hundreds is its last word; the sentence is kept short, and on one line. */
function toFailure(error: unknown): Failure {
  const { message, responseCode } = error as Error & { responseCode?: number }
  const reason = message
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .toWellFormed()
    .slice(0, 300)
  const isFinal = error instanceof Undeliverable || (responseCode !== undefined && responseCode >= 500)
  return { reason, isFinal, isOfPdf: error instanceof PdfMissing }
}
