// The pages of calendar addresses: the list with its form, and a new address, shown once.
import { html } from '../http/html.ts'
import { errorAlert } from '../http/layout.ts'
import type { Feed } from '../identity/calendar-feeds.ts'
import type { Member } from '../identity/members.ts'
import type { View } from './frame.ts'
import { definitionList, fromNow, timeTag } from './office-parts.ts'
import type { DeskRequest } from './router.ts'
import { settingsView } from './settings.ts'

export const calendarFeedsPage = (
  request: DeskRequest,
  feeds: readonly Feed[],
  members: readonly Member[],
  wrong?: string,
): View =>
  settingsView(request, 'calendars', {
    title: 'Calendar addresses',
    status: wrong === undefined ? 200 : 400,
    body: html`<h1>Calendar addresses</h1>
<p>A phone that subscribes to such an address shows the jobs of a member, or of everybody. Whoever has the address can read
the calendar, and nothing else.</p>
${errorAlert(wrong)}
<form method="post" action="${request.href('/settings/calendars')}">${request.csrfField}
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
<form method="post" action="${request.href(`/settings/calendars/${feed.id}/end`)}">${request.csrfField}
<div class="buttons"><button class="danger">Shut it<span class="unseen">: the calendar of ${feed.memberName ?? 'everybody'}</span></button></div>
<p class="hint">The phone that reads it shows nothing new from then on.</p></form></li>`,
      )}</ul>`
}`,
  })

export const calendarFeedPage = (request: DeskRequest, memberName: string | null, url: string): View =>
  settingsView(request, 'calendars', {
    title: 'The calendar address',
    scripts: ['document'],
    body: html`<h1>The calendar address</h1>
<p>Subscribe to it in the calendar app of the phone (“add calendar by address”).</p>
<label for="feed-url">The calendar of ${memberName ?? 'everybody'}</label>
<input id="feed-url" readonly value="${url}">
<p class="hint">This is the only time it is shown. Whoever has it can read the calendar.</p>
<div class="buttons"><button type="button" data-copy="feed-url">Copy</button><a class="button second" href="${request.href('/settings/calendars')}">I have copied it</a></div>`,
  })
