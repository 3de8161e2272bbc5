// What narrows the list of jobs, and how PostgreSQL is asked so that an index answers.
import { type Sql, sql } from '../../db/database.ts'
import { type Stage, stages } from '../../domain/gates.ts'
import { badRequest } from '../../operations/errors.ts'
import { dateTime, id, integer, oneOf } from '../../operations/fields.ts'
import type { Context } from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { externalFilters } from '../external-ids.ts'
import { changedAfterFilter, filter, filterSet, wordsFilter } from '../filters.ts'

/** In place of a member's id. No id is like it: ours begin with what they are of. */
const nobody = 'none'

export const ticketFilters = filterSet({
  search: wordsFilter('tickets', {
    examples: ['oven okafor'],
    description:
      'Words that the number, title, customer, device or the first 1,000 characters of the description hold, in any order.',
  }),
  number: filter(
    integer(1, 2_147_483_647, { examples: [42], description: 'The job with this number.' }),
    (number) => sql`tickets.ticket_number = ${number}`,
  ),
  status: filter(
    oneOf(['Open', 'In Progress', 'Closed'], { description: 'A built-in status; statusId takes any.' }),
    (name, { orgId }) =>
      sql`tickets.status_id = (select id from ticket_statuses where org_id = ${orgId} and name = ${name})`,
  ),
  statusId: filter(
    t.Array(id(), { maxItems: 50, description: 'One or several, separated by commas.' }),
    (ids) => (ids.length === 1 ? sql`tickets.status_id = ${ids[0]}` : sql`tickets.status_id = any(${ids})`),
    (ids) => (ids.length === 1 ? undefined : 'custom-plan'),
  ),
  stage: filter(
    oneOf(stages, { description: 'Jobs in any status of this stage.' }),
    (stage, { orgId }) => stageCondition(stage, orgId),
    (stage) => (stage === 'closed' ? undefined : 'custom-plan'),
  ),
  customerId: filter(id(), (customerId) => sql`tickets.customer_id = ${customerId}`),
  assignedTechnician: filter(id({ description: `A member, or \`${nobody}\` for jobs that nobody has.` }), (memberId) =>
    memberId === nobody ? sql`tickets.assigned_technician is null` : sql`tickets.assigned_technician = ${memberId}`,
  ),
  stationId: filter(id(), (stationId) => sql`tickets.station_id = ${stationId}`),
  deviceId: filter(id(), (deviceId) => sql`tickets.device_id = ${deviceId}`),
  isScheduled: filter(
    t.Boolean({ description: 'Only jobs that have a time, or only those that have none.' }),
    (isScheduled) => sql`(tickets.scheduled_from is null) = ${!isScheduled}`,
  ),
  closedAfter: filter(
    dateTime({ description: 'Jobs that were closed after this moment.' }),
    (moment) => sql`tickets.closed_at > ${moment}::timestamptz`,
    'custom-plan',
  ),
  updatedAfter: changedAfterFilter('tickets', 'Jobs that changed after this moment.'),
  ...externalFilters('tickets'),
})

/**
 * Closed jobs are dated; the others have an index of their own, which is read in the list's order. Found by their statuses
 * they would all have to be sorted, so that must not look like something an index could be asked for.
 */
function stageCondition(stage: Stage, orgId: string): Sql {
  if (stage === 'closed') return sql`tickets.closed_at is not null`
  return sql`tickets.closed_at is null and (tickets.status_id || '') = any(array(
    select id from ticket_statuses where org_id = ${orgId} and stage = ${stage}))`
}

/** Both ends make one condition. */
export const visitWindow = {
  scheduledFrom: t.Optional(dateTime({ description: 'Jobs whose time ends after this moment.' })),
  scheduledTo: t.Optional(dateTime({ description: 'Jobs whose time begins before this moment.' })),
}

/** A job and its event share one schedule, and the calendar has the index. */
export function visitCondition({ orgId }: Context, from: string | undefined, to: string | undefined): Sql | undefined {
  if (!from && !to) return undefined
  if (from && to && Date.parse(from) > Date.parse(to)) throw badRequest('scheduledTo must be after scheduledFrom')
  return sql`tickets.id in (select ticket_id from calendar_events where org_id = ${orgId} and ticket_id is not null
    and tstzrange(starts_at, ends_at) && tstzrange(${from ?? null}, ${to ?? null}))`
}
