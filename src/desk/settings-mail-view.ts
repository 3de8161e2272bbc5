// The pages of outgoing mail: the list, and one mail as its reader gets it.
import { html } from '../http/html.ts'
import type { OutboxMail } from '../resources/outbox.ts'
import type { View } from './frame.ts'
import { badge, definitionList, fromNow, olderLink, timeTag } from './office-parts.ts'
import type { DeskRequest } from './router.ts'
import { settingsView } from './settings.ts'

export const mailPageSize = 50

const statusBadges = { queued: ['Waits', 'idle'], sent: ['Sent', 'good'], failed: ['Not sent', 'bad'] } as const

/** How mail leaves this server. Names and passwords of the mail server are nobody's business here. */
export interface MailSetup {
  /** Null where mail is written to files. */
  readonly server: string | null
  readonly from: string
}

interface MailList {
  readonly setup: MailSetup
  readonly mails: readonly OutboxMail[]
  /** Only these; empty for all. */
  readonly state: string
}

const states = [
  ['', 'All'],
  ['queued', 'Waiting'],
  ['sent', 'Sent'],
  ['failed', 'Not sent'],
] as const

export function mailListPage(request: DeskRequest, { setup, mails, state }: MailList): View {
  const { href, csrfField, email } = request
  const tab = ([name, words]: (typeof states)[number]) =>
    html`<a href="${href(name === '' ? '/settings/mail' : `/settings/mail?state=${name}`)}"${name === state && html` aria-current="true"`}>${words}</a>`
  return settingsView(request, 'mail', {
    title: 'Mail',
    body: html`<h1>Mail</h1>
<p>${
      setup.server === null
        ? 'This server has no mail server yet: mail is written to files in its data folder, and nobody gets it. Whoever runs it sets SMTP_URL and MAIL_FROM.'
        : html`Mail goes out through <strong>${setup.server}</strong>, from <strong>${setup.from}</strong>. Answers of customers go to the address of the organisation.`
    }</p>
<form method="post" action="${href('/settings/mail/test')}">${csrfField}<div class="buttons"><button class="second">Send a test mail to ${email}</button></div></form>
<section><h2>What was sent</h2>
<nav class="seg" aria-label="States">${states.map(tab)}</nav>
${
  mails.length === 0
    ? html`<p class="empty">${state === '' ? 'Nothing was sent yet. Mail is written here when a quote or an invoice is sent.' : 'No mail is in this state.'}</p>`
    : html`<ul class="records">${mails.slice(0, mailPageSize).map(
        (mail) => html`<li>
<h3><a href="${href(`/settings/mail/${mail.id}`)}">${mail.subject}</a> ${badge(statusBadges[mail.status])}</h3>
<p class="quiet">To ${mail.to}, ${timeTag(mail.createdAt, request.timeZone)}${mail.failureReason && `. ${mail.failureReason}`}</p>
</li>`,
      )}</ul>${olderLink(request, state === '' ? '/settings/mail' : `/settings/mail?state=${state}`, mails, mailPageSize)}`
}</section>`,
  })
}

export const mailPage = (request: DeskRequest, mail: OutboxMail, text: string | null): View =>
  settingsView(request, 'mail', {
    title: mail.subject,
    body: html`<p class="back"><a href="${request.href('/settings/mail')}">All mail</a></p>
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
${text === null ? html`<p class="quiet">What it says is for its reader alone.</p>` : html`<pre class="letter">${text}</pre>`}`,
  })
