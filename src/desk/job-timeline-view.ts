// What happened on a job: what the service noted, what people wrote, and the field to write more.
import { type Html, html } from '../http/html.ts'
import { count } from './formatting.ts'
import type { Entry, JobPage } from './job-data.ts'
import { avatarOrNobody, chip } from './marks.ts'
import type { DeskRequest } from './router.ts'

function entryRow({ clock }: DeskRequest, { setup: { personById } }: JobPage, entry: Entry): Html {
  const { id, text, isSystem, authorId, authorName, visibility, at } = entry
  const when = html`<time datetime="${at.toISOString()}">${clock.ago(at)}</time>`
  const who = authorName ?? 'Somebody'
  if (isSystem)
    return html`<li id="${id}"><span class="tick"></span><span class="sys">${text} <span class="num">· ${authorName && `${authorName}, `}${when}</span></span></li>`
  const isOut = visibility === 'customer'
  return html`<li${isOut && html` class="shown"`} id="${id}">${avatarOrNobody(authorId === null ? null : personById.get(authorId))}<div class="said${isOut && ' out'}"><small><strong>${who}</strong> <span class="soft">${when}</span>${isOut && html` ${chip('The customer sees this', 'good')}`}</small><p>${text}</p></div></li>`
}

export function timelineCard(request: DeskRequest, page: JobPage, mayWrite: boolean): Html {
  const { href, csrfField, onceField, form, may } = request
  const { job, entries, earlierCount } = page
  const more = `/jobs/${job.id}?all=1#timeline`
  return html`<section class="card" id="happened"><header><h2>What happened</h2>${earlierCount > 0 && html`<a class="more" href="${href(more)}">${count(earlierCount, 'earlier entry', 'earlier entries')}</a>`}</header><ol class="time" id="timeline">${entries.map((entry) => entryRow(request, page, entry))}</ol>
${
  mayWrite &&
  may('messages:write') &&
  html`<form class="compose" id="compose" method="post" action="${href(`/jobs/${job.id}/notes`)}">${csrfField}${onceField}<textarea name="text" rows="1" maxlength="10000" aria-label="Write a note" placeholder="Write a note for the team" required>${form.get('text')}</textarea><div class="row"><label class="row soft small"><input type="checkbox" name="visibility" value="customer"${form.get('visibility') === 'customer' && html` checked`}> Show it to the customer</label><button class="btn">Add note</button></div></form>`
}</section>`
}
