// What went out and what was done: outgoing mail, the addresses of calendars, and the audit log.
import { notFound } from '../api/errors.ts'
import { type Executor, sql } from '../database.ts'
import { deeds, type Line, linesOnPage, listLines } from '../identity/audit.ts'
import { createFeed, feedLine, listFeeds, revokeFeed } from '../identity/calendar-feeds.ts'
import { listMembers } from '../identity/members.ts'
import { type Html, html } from '../pages/html.ts'
import { attempt, type Desk, type Sheet, type Visit } from './desk.ts'
import { badge, complaint, facts, fromNow, moment, secret } from './wording.ts'

interface Mail {
  readonly id: string
  readonly to: string
  readonly cc: readonly string[]
  readonly subject: string
  readonly status: 'queued' | 'sent' | 'failed'
  readonly failureReason: string | null
  readonly attempts: number
  readonly createdAt: Date
  readonly sentAt: Date | null
  readonly attemptAt: Date | null
  readonly sealedBody: string
}

const mailOnPage = 50
const mailRecord = sql`id, to_address as "to", cc, subject, status, failure_reason as "failureReason", attempts,
  created_at as "createdAt", sent_at as "sentAt", attempt_at as "attemptAt", sealed_body as "sealedBody"`

const mailOf = async (database: Executor, orgId: string, before: string | null): Promise<Mail[]> =>
  database.query<Mail>(sql`
    select ${mailRecord} from outbox where org_id = ${orgId} and (${before}::text is null
      or (created_at, id) < (select created_at, id from outbox where org_id = ${orgId} and id = ${before}))
    order by created_at desc, id desc limit ${mailOnPage + 1}::int`)

export function mailPages(desk: Desk): void {
  const { database, vault } = desk
  desk.get('/mail', async (visit) => {
    const mails = await mailOf(database, visit.orgId, visit.query.before ?? null)
    return visit.show(mailListPage(visit, mails))
  })
  desk.get('/mail/:id', async (visit) => {
    const [mail] = await database.query<Mail>(sql`
      select ${mailRecord} from outbox where org_id = ${visit.orgId} and id = ${visit.params.id}`)
    if (!mail) throw notFound('mail')
    return visit.show(mailPage(visit, mail, JSON.parse(vault.open(mail.sealedBody)).text))
  })
}

const states = { queued: ['Waits', 'idle'], sent: ['Sent', 'good'], failed: ['Not sent', 'bad'] } as const

const mailListPage = (visit: Visit, mails: readonly Mail[]): Sheet => ({
  title: 'Outgoing mail',
  section: 'mail',
  body: html`<h1>Outgoing mail</h1>
<p>What customers were sent: quotes, invoices and reminders.</p>
${
  mails.length === 0
    ? html`<p class="empty">Nothing was sent yet. Mail is written here when a quote or an invoice is sent.</p>`
    : html`<ul class="records">${mails.slice(0, mailOnPage).map(
        (mail) => html`<li>
<h2><a href="${visit.at(`/mail/${mail.id}`)}">${mail.subject}</a> ${badge(states[mail.status])}</h2>
<p class="quiet">To ${mail.to}, ${moment(mail.createdAt, visit.timeZone)}${mail.failureReason && `. ${mail.failureReason}`}</p>
</li>`,
      )}</ul>${older(visit, '/mail', mails, mailOnPage)}`
}`,
})

const mailPage = (visit: Visit, mail: Mail, text: string): Sheet => ({
  title: mail.subject,
  section: 'mail',
  body: html`<p class="back"><a href="${visit.at('/mail')}">All mail</a></p>
<h1>${mail.subject} ${badge(states[mail.status])}</h1>
${facts([
  ['To', mail.to],
  ...(mail.cc.length > 0 ? [['Copy to', mail.cc.join(', ')] as const] : []),
  ['Written', moment(mail.createdAt, visit.timeZone)],
  ['Sent', moment(mail.sentAt, visit.timeZone, mail.status === 'failed' ? 'given up' : 'not yet')],
  ['Tries', String(mail.attempts)],
  ...(mail.failureReason ? [['What went wrong', mail.failureReason] as const] : []),
  ...(mail.status === 'queued' && mail.attemptAt ? [['Next try', fromNow(mail.attemptAt)] as const] : []),
])}
<pre class="letter">${text}</pre>`,
})

export function feedPages(desk: Desk): void {
  const { database, config } = desk
  const page = async (visit: Visit, wrong?: string): Promise<Sheet> => {
    const feeds = await listFeeds(database, visit.orgId)
    const members = (await listMembers(database, visit.orgId)).filter(({ isActive }) => isActive)
    return {
      title: 'Calendar addresses',
      section: 'feeds',
      status: wrong === undefined ? 200 : 400,
      body: html`<h1>Calendar addresses</h1>
<p>A phone that subscribes to such an address shows the jobs of a member, or of everybody. Whoever has the address can read
the calendar, and nothing else.</p>
${complaint(wrong)}
<form method="post" action="${visit.at('/feeds')}">${visit.seal}
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
${facts([
  ['Made', moment(feed.createdAt, visit.timeZone)],
  [
    'Last read',
    feed.lastReadAt ? html`${fromNow(feed.lastReadAt)} (${moment(feed.lastReadAt, visit.timeZone)})` : 'never',
  ],
])}
<form method="post" action="${visit.at(`/feeds/${feed.id}/revoke`)}">${visit.seal}
<div class="buttons"><button class="danger">Shut it<span class="unseen">: the calendar of ${feed.memberName ?? 'everybody'}</span></button></div>
<p class="hint">The phone that reads it shows nothing new from then on.</p></form></li>`,
      )}</ul>`
}`,
    }
  }
  desk.get('/feeds', async (visit) => visit.show(await page(visit)))
  desk.post('/feeds', async (visit) => {
    const made = await attempt(() =>
      visit.act(
        (transaction) => createFeed(transaction, visit.orgId, visit.form.get('member') || null),
        (feed) => feedLine('feed.created', feed),
      ),
    )
    if ('wrong' in made) return visit.show(await page(visit, made.wrong))
    return visit.show({
      title: 'The calendar address',
      section: 'feeds',
      body: html`<h1>The calendar address</h1>
<p>Subscribe to it in the calendar app of the phone (“add calendar by address”).</p>
${secret(`The calendar of ${made.result.memberName ?? 'everybody'}`, `${config.restOrigin}/calendar/${made.result.token}.ics`)}
<div class="buttons"><a class="button" href="${visit.at('/feeds')}">I have copied it</a></div>`,
    })
  })
  desk.post('/feeds/:id/revoke', async (visit) => {
    const feed = (await listFeeds(database, visit.orgId)).find(({ id }) => id === visit.params.id)
    if (!feed) throw notFound('calendar address')
    await visit.act(
      (transaction) => revokeFeed(transaction, visit.orgId, feed.id),
      (shut) => feedLine('feed.revoked', shut),
    )
    return visit.goTo('/feeds', 'shut')
  })
}

export function auditPages(desk: Desk): void {
  desk.get('/audit', async (visit) => {
    const lines = await listLines(desk.database, visit.orgId, visit.query.before ?? null)
    return visit.show({
      title: 'Audit log',
      section: 'audit',
      body: html`<h1>Audit log</h1>
<p>Who did what, in this portal or on the command line of the server. Lines are never changed and never deleted.</p>
${
  lines.length === 0
    ? html`<p class="empty">Nothing was done yet. Whatever is done to keys, apps, members, forms and calendar addresses is written down.</p>`
    : html`<ol class="lines">${lines.slice(0, linesOnPage).map(
        (line) => html`<li><p class="quiet">${moment(line.at, visit.timeZone)}</p>
<p><strong>${line.memberName}</strong> ${deeds[line.action] ?? line.action} <strong>${line.detail.name}</strong>${more(line)}</p></li>`,
      )}</ol>${older(visit, '/audit', lines, linesOnPage)}`
}`,
    })
  })
}

const detailWords: Readonly<Record<string, string>> = {
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
function more({ detail: { name: _, ...rest } }: Line): Html | false {
  const known = Object.entries(rest).filter(
    ([, value]) => value !== null && !(Array.isArray(value) && value.length === 0),
  )
  const words = ([key, value]: [string, unknown]) => {
    const shown = Array.isArray(value)
      ? value.join(', ')
      : typeof value === 'boolean'
        ? value
          ? 'yes'
          : 'no'
        : String(value).replace(/^(\d{4}-\d\d-\d\d)T\d\d:\d\d:\d\d\.\d+Z$/, '$1')
    return `${detailWords[key] ?? key} ${shown}`
  }
  return known.length > 0 && html` <span class="quiet">(${known.map(words).join('; ')})</span>`
}

const older = (visit: Visit, path: string, records: readonly { readonly id: string }[], most: number): Html | false =>
  records.length > most && html`<p><a href="${visit.at(`${path}?before=${records[most - 1]!.id}`)}">Older</a></p>`
