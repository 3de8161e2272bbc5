// Calendar addresses: made for a phone that subscribes to them, and shut again.
import { createFeed, feedAuditEntry, listFeeds, revokeFeed } from '../identity/calendar-feeds.ts'
import { listMembers } from '../identity/members.ts'
import { notFound } from '../operations/errors.ts'
import type { View } from './frame.ts'
import { withReadableErrors } from './readable-errors.ts'
import type { DeskDependencies, DeskRequest, DeskRouter } from './router.ts'
import { needsOf } from './settings.ts'
import { calendarFeedPage, calendarFeedsPage } from './settings-calendars-view.ts'

export function addCalendarSettings(router: DeskRouter, { config }: DeskDependencies): void {
  const needs = needsOf('calendars')
  router.get('/settings/calendars', needs, async (request) => request.render(await feedsPage(request)))
  router.post('/settings/calendars', needs, async (request) => {
    const { orgId, form } = request
    const made = await request.audited(
      (_, transaction) => withReadableErrors(() => createFeed(transaction, orgId, form.get('member') || null)),
      (feed) => feedAuditEntry('feed.created', feed),
    )
    if (!made.isDone) return request.render(await feedsPage(request, made.refusal.message))
    const { memberName, token } = made.data
    return request.render(calendarFeedPage(request, memberName, `${config.restOrigin}/calendar/${token}.ics`))
  })
  router.post('/settings/calendars/:id/end', needs, async (request) => {
    const { database, orgId, params } = request
    const feed = (await listFeeds(database, orgId)).find(({ id }) => id === params.id)
    if (!feed) throw notFound('calendar address')
    const performed = await request.audited(
      (_, transaction) => withReadableErrors(() => revokeFeed(transaction, orgId, feed.id)),
      (revoked) => feedAuditEntry('feed.revoked', revoked),
    )
    return request.answer(performed, { to: '/settings/calendars', done: 'shut' })
  })
}

async function feedsPage(request: DeskRequest, wrong?: string): Promise<View> {
  const { database, orgId } = request
  const [feeds, members] = await Promise.all([listFeeds(database, orgId), listMembers(database, orgId)])
  return calendarFeedsPage(
    request,
    feeds,
    members.filter(({ isActive }) => isActive),
    wrong,
  )
}
