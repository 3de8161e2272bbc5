// The board: every open job in the column of its status, and what was closed in the last days. Cards are moved.

import { sql } from '../db/database.ts'
import { dayMs } from '../domain/durations.ts'
import { type BoardColumn, boardView } from './board-view.ts'
import { showRefused } from './job.ts'
import { cardColumns, type JobCard } from './job-cards.ts'
import { explainGate, findJob } from './job-lookup.ts'
import type { DeskRequest, DeskRouter } from './router.ts'
import { loadSetup, type Status } from './shop-setup.ts'

const closedDays = 7
/** What is planned further ahead is counted, and shown when asked. */
const laterDays = 14
const maxCards = 600
const maxClosed = 30

export function addBoardRoutes(router: DeskRouter): void {
  router.get('/board', ['tickets:read'], async (request) => {
    const { orgId, database, query } = request
    const who = query.who ?? ''
    const [setup, cards, closed] = await Promise.all([
      loadSetup(request),
      database.read<JobCard>(orgId, selectCards(request, who), 'custom-plan'),
      database.read<{ statusId: string; count: number }>(orgId, countClosed(orgId, who)),
    ])
    const closedCounts = new Map(closed.map(({ statusId, count }) => [statusId, count]))
    const columns = setup.statuses.map((status) => toColumn(request, status, cards, closedCounts.get(status.id) ?? 0))
    return request.render(
      boardView(request, {
        who,
        isChoosing: query.choose !== undefined && request.may('tickets:write'),
        columns,
        setup,
        isCut: cards.filter(({ closedAt }) => !closedAt).length === maxCards,
      }),
    )
  })

  router.post('/jobs/:job/status', ['tickets:write'], async (request) => {
    const status = request.form.get('status') ?? ''
    const job = await findJob(request)
    const performed = await request.perform<{ id: string }>({
      operation: 'setTicketStatus',
      params: { ticketId: job.id },
      body: { status },
      subject: `job #${job.number}`,
    })
    const given = request.form.get('back')
    const back = given === 'board' || given === 'my-day' ? `/${given}` : `/jobs/${job.id}`
    if (performed.isDone) return request.answer(performed, { to: back, done: 'moved', more: { ids: [job.id] } })
    const explained = await explainGate(request, job, status, performed)
    return request.answer(explained, { to: back, refused: showRefused(request, job) })
  })
}

/** Everybody's, a member's, or nobody's. */
const whose = (who: string) =>
  who === ''
    ? sql`true`
    : who === 'nobody'
      ? sql`ticket.assigned_technician is null`
      : sql`ticket.assigned_technician = ${who}`

function selectCards({ orgId, clock }: DeskRequest, who: string) {
  const since = new Date(clock.now.getTime() - closedDays * dayMs).toISOString()
  return sql`
    select * from (
      select ${cardColumns} from tickets ticket
      where ticket.org_id = ${orgId} and ${whose(who)} and ticket.closed_at is null
      order by ticket.scheduled_from is null, ticket.scheduled_from, ticket.created_at limit ${maxCards}::int) open
    union all
    select * from (
      select ${cardColumns} from tickets ticket
      where ticket.org_id = ${orgId} and ${whose(who)} and ticket.closed_at > ${since}::timestamptz
      order by ticket.closed_at desc limit ${maxClosed}::int) closed`
}

const countClosed = (orgId: string, who: string) => sql`
  select ticket.status_id as "statusId", count(*)::int as count from tickets ticket
  where ticket.org_id = ${orgId} and ${whose(who)} and ticket.status_id in (
    select id from ticket_statuses where org_id = ${orgId} and stage = 'closed')
  group by 1`

function toColumn({ clock }: DeskRequest, status: Status, cards: readonly JobCard[], closedCount: number): BoardColumn {
  const own = cards.filter(({ statusId }) => statusId === status.id)
  const horizon = new Date(clock.now.getTime() + laterDays * dayMs)
  const isLater = ({ from }: JobCard) => from !== null && from > horizon
  if (status.stage === 'closed')
    return { status, shown: own, later: [], earlierCount: Math.max(0, closedCount - own.length) }
  return { status, shown: own.filter((job) => !isLater(job)), later: own.filter(isLater), earlierCount: 0 }
}
