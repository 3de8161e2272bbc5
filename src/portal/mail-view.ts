// The pages of outgoing mail: the list, and one mail as its reader gets it.
import { html } from '../http/html.ts'
import type { OutboxMail } from '../resources/outbox.ts'
import type { PortalRequest, View } from './router.ts'
import { badge, definitionList, fromNow, olderLink, timeTag } from './view-components.ts'

export const mailPageSize = 50

const statusBadges = { queued: ['Waits', 'idle'], sent: ['Sent', 'good'], failed: ['Not sent', 'bad'] } as const

export const mailListPage = (request: PortalRequest, mails: readonly OutboxMail[]): View => ({
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

export const mailPage = (request: PortalRequest, mail: OutboxMail, text: string): View => ({
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
