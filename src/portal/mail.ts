// What went out and what was done: outgoing mail, the addresses of calendars, and the audit log.
import { type Queryable, sql } from '../db/database.ts'
import { type Html, html } from '../http/html.ts'
import { type AuditEntry, auditActions, entriesPerPage, listAuditEntries } from '../identity/audit.ts'
import { createFeed, feedAuditEntry, listFeeds, revokeFeed } from '../identity/calendar-feeds.ts'
import { listMembers } from '../identity/members.ts'
import { notFound } from '../operations/errors.ts'
import { decryptBody, type OutboxMail, outboxColumns } from '../resources/outbox.ts'
import { attempt, type PortalRequest, type Router, type View } from './router.ts'
import { badge, definitionList, errorAlert, fromNow, secretBlock, timeTag } from './view-components.ts'

const mailPageSize = 50

const listMail = async (database: Queryable, orgId: string, before: string | null): Promise<OutboxMail[]> =>
  database.query<OutboxMail>(sql`
    select ${outboxColumns} from outbox where org_id = ${orgId} and (${before}::text is null
      or (created_at, id) < (select created_at, id from outbox where org_id = ${orgId} and id = ${before}))
    order by created_at desc, id desc limit ${mailPageSize + 1}::int`)

export function addMailRoutes(router: Router): void {
  const { database, vault } = router
  router.get('/mail', async (request) => {
    const mails = await listMail(database, request.orgId, request.query.before ?? null)
    return request.render(mailListPage(request, mails))
  })
  router.get('/mail/:id', async (request) => {
    const [mail] = await database.query<OutboxMail>(sql`
      select ${outboxColumns} from outbox where org_id = ${request.orgId} and id = ${request.params.id}`)
    if (!mail) throw notFound('mail')
    return request.render(mailPage(request, mail, decryptBody(mail, vault).text))
  })
}

const statusBadges = { queued: ['Waits', 'idle'], sent: ['Sent', 'good'], failed: ['Not sent', 'bad'] } as const

const mailListPage = (request: PortalRequest, mails: readonly OutboxMail[]): View => ({
  title: 'Outgoing mail',
  section: 'mail',
  body: html`<h1>Outgoing mail</h1>
<p>What customers were sent: quotes, invoices and reminders.</p>
${
  mails.length === 0
    ? html`<p class="empty">Nothing was sent yet. Mail is written here when a quote or an invoice is sent.</p>`
    : html`<ul class="records">${mails.slice(0, mailPageSize).map(
        (mail) => html`<li>
<h2><a href="${request.href(`/mail/${mail.id}`)}">${mail.subject}</a> ${badge(statusBadges[mail.status])}</h2>
<p class="quiet">To ${mail.to}, ${timeTag(mail.createdAt, request.timeZone)}${mail.failureReason && `. ${mail.failureReason}`}</p>
</li>`,
      )}</ul>${olderLink(request, '/mail', mails, mailPageSize)}`
}`,
})

const mailPage = (request: PortalRequest, mail: OutboxMail, text: string): View => ({
  title: mail.subject,
  section: 'mail',
  body: html`<p class="back"><a href="${request.href('/mail')}">All mail</a></p>
<h1>${mail.subject} ${badge(statusBadges[mail.status])}</h1>
${definitionList([
  ['To', mail.to],
  ...(mail.cc.length > 0 ? [['Copy to', mail.cc.join(', ')] as const] : []),
  ['Written', timeTag(mail.createdAt, request.timeZone)],
  ['Sent', timeTag(mail.sentAt, request.timeZone, mail.status === 'failed' ? 'given up' : 'not yet')],
  ['Tries', String(mail.attempts)],
  ...(mail.failureReason ? [['What went wrong', mail.failureReason] as const] : []),
  ...(mail.status === 'queued' && mail.attemptAt ? [['Next try', fromNow(mail.attemptAt)] as const] : []),
])}
<pre class="letter">${text}</pre>`,
})

export function addCalendarFeedRoutes(router: Router): void {
  const { database, config } = router
  const feedsPage = async (request: PortalRequest, wrong?: string): Promise<View> => {
    const feeds = await listFeeds(database, request.orgId)
    const members = (await listMembers(database, request.orgId)).filter(({ isActive }) => isActive)
    return {
      title: 'Calendar addresses',
      section: 'feeds',
      status: wrong === undefined ? 200 : 400,
      body: html`<h1>Calendar addresses</h1>
<p>A phone that subscribes to such an address shows the jobs of a member, or of everybody. Whoever has the address can read
the calendar, and nothing else.</p>
${errorAlert(wrong)}
<form method="post" action="${request.href('/feeds')}">${request.csrfField}
<label for="member">Whose calendar</label>
<select id="member" name="member"><option value="">Everybody</option>${members.map(
        ({ id, firstName, lastName }) => html`<option value="${id}">${firstName} ${lastName}</option>`,
      )}</select>
<div class="buttons"><button>Make an address</button></div></form>
${
  feeds.length === 0
    ? html`<p class="empty">There is no address yet. Make one for each phone that should show the calendar.</p>`
    : html`<ul class="records">${feeds.map(
        (feed) => html`<li><h2>${feed.memberName ?? 'Everybody'}</h2>
${definitionList([
  ['Made', timeTag(feed.createdAt, request.timeZone)],
  [
    'Last read',
    feed.lastReadAt ? html`${fromNow(feed.lastReadAt)} (${timeTag(feed.lastReadAt, request.timeZone)})` : 'never',
  ],
])}
<form method="post" action="${request.href(`/feeds/${feed.id}/revoke`)}">${request.csrfField}
<div class="buttons"><button class="danger">Shut it<span class="unseen">: the calendar of ${feed.memberName ?? 'everybody'}</span></button></div>
<p class="hint">The phone that reads it shows nothing new from then on.</p></form></li>`,
      )}</ul>`
}`,
    }
  }
  router.get('/feeds', async (request) => request.render(await feedsPage(request)))
  router.post('/feeds', async (request) => {
    const created = await attempt(() =>
      request.runAudited(
        (transaction) => createFeed(transaction, request.orgId, request.form.get('member') || null),
        (feed) => feedAuditEntry('feed.created', feed),
      ),
    )
    if ('wrong' in created) return request.render(await feedsPage(request, created.wrong))
    return request.render({
      title: 'The calendar address',
      section: 'feeds',
      body: html`<h1>The calendar address</h1>
<p>Subscribe to it in the calendar app of the phone (“add calendar by address”).</p>
${secretBlock(`The calendar of ${created.result.memberName ?? 'everybody'}`, `${config.restOrigin}/calendar/${created.result.token}.ics`)}
<div class="buttons"><a class="button" href="${request.href('/feeds')}">I have copied it</a></div>`,
    })
  })
  router.post('/feeds/:id/revoke', async (request) => {
    const feed = (await listFeeds(database, request.orgId)).find(({ id }) => id === request.params.id)
    if (!feed) throw notFound('calendar address')
    await request.runAudited(
      (transaction) => revokeFeed(transaction, request.orgId, feed.id),
      (revoked) => feedAuditEntry('feed.revoked', revoked),
    )
    return request.redirect('/feeds', 'shut')
  })
}

export function addAuditLogRoutes(router: Router): void {
  router.get('/audit', async (request) => {
    const lines = await listAuditEntries(router.database, request.orgId, request.query.before ?? null)
    return request.render({
      title: 'Audit log',
      section: 'audit',
      body: html`<h1>Audit log</h1>
<p>Who did what, in this portal or on the command line of the server. Lines are never changed and never deleted.</p>
${
  lines.length === 0
    ? html`<p class="empty">Nothing was done yet. Whatever is done to keys, apps, members, forms and calendar addresses is written down.</p>`
    : html`<ol class="lines">${lines.slice(0, entriesPerPage).map(
        (line) => html`<li><p class="quiet">${timeTag(line.at, request.timeZone)}</p>
<p><strong>${line.memberName}</strong> ${auditActions[line.action] ?? line.action} <strong>${line.detail.name}</strong>${auditDetails(line)}</p></li>`,
      )}</ol>${olderLink(request, '/audit', lines, entriesPerPage)}`
}`,
    })
  })
}

const detailLabels: Readonly<Record<string, string>> = {
  scopes: 'may',
  allowedUses: 'over',
  ipAllowlist: 'from',
  expiresAt: 'until',
  overlapHours: 'hours both values work',
  redirectUris: 'leads back to',
  roleBefore: 'was',
  isActive: 'active',
  allowedBy: 'allowed by',
  entitlement: 'plan',
}

/** Whatever else is known. */
function auditDetails({ detail: { name: _, ...rest } }: AuditEntry): Html | false {
  const known = Object.entries(rest).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  )
  const words = ([key, value]: [string, unknown]) => {
    const formatted = Array.isArray(value)
      ? value.join(', ')
      : typeof value === 'boolean'
        ? value
          ? 'yes'
          : 'no'
        : String(value).replace(/^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d\.\d+Z$/, '$1')
    return `${detailLabels[key] ?? key} ${formatted}`
  }
  return known.length > 0 && html` <span class="quiet">(${known.map(words).join('; ')})</span>`
}

const olderLink = (
  request: PortalRequest,
  path: string,
  records: readonly { readonly id: string }[],
  pageSize: number,
): Html | false =>
  records.length > pageSize &&
  html`<p><a href="${request.href(`${path}?before=${records[pageSize - 1]!.id}`)}">Older</a></p>`
