// The pages of calendar addresses: the list with its form, and a new address, shown once.
import { html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import type { Feed } from '../identity/calendar-feeds.ts'
import type { Member } from '../identity/members.ts'
import type { PortalRequest, View } from './router.ts'
import { definitionList, fromNow, secretBlock, timeTag } from './view-components.ts'

export const calendarFeedsPage = (
  request: PortalRequest,
  feeds: readonly Feed[],
  members: readonly Member[],
  wrong?: string,
): View => ({
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
})

export const calendarFeedPage = (request: PortalRequest, memberName: string | null, url: string): View => ({
  title: 'The calendar address',
  section: 'feeds',
  body: html`<h1>The calendar address</h1>
<p>Subscribe to it in the calendar app of the phone (“add calendar by address”).</p>
${secretBlock(`The calendar of ${memberName ?? 'everybody'}`, url)}
<div class="buttons"><a class="button" href="${request.href('/feeds')}">I have copied it</a></div>`,
})
