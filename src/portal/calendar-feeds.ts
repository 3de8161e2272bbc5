// Calendar addresses in the portal: made for a phone that subscribes to them, and shut again.
import { createFeed, feedAuditEntry, listFeeds, revokeFeed } from '../identity/calendar-feeds.ts'
import { listMembers } from '../identity/members.ts'
import { notFound } from '../operations/errors.ts'
import { calendarFeedPage, calendarFeedsPage } from './calendar-feeds-view.ts'
import { attempt, type PortalRequest, type Router, type View } from './router.ts'

export function addCalendarFeedRoutes(router: Router): void {
  const { database, config } = router
  const feedsPage = async (request: PortalRequest, wrong?: string): Promise<View> => {
    const feeds = await listFeeds(database, request.orgId)
    const members = (await listMembers(database, request.orgId)).filter(({ isActive }) => isActive)
    return calendarFeedsPage(request, feeds, members, wrong)
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
    const { memberName, token } = created.result
    return request.render(calendarFeedPage(request, memberName, `${config.restOrigin}/calendar/${token}.ics`))
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
