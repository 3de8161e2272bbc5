// Recurring schedules: agreements by which work comes round by itself.
import { sql } from '../../db/database.ts'
import { isSameShape, type VisitPlan } from '../../domain/visits.ts'
import { Accepted } from '../../operations/answers.ts'
import { read } from '../../operations/crud.ts'
import { badRequest, conflictCode } from '../../operations/errors.ts'
import { id, oneOf } from '../../operations/fields.ts'
import { newId } from '../../operations/ids.ts'
import {
  type Context,
  deletionMessage,
  operation,
  resource,
  type Statement,
  statement,
} from '../../operations/operation.ts'
import { t } from '../../operations/schemas.ts'
import { paging } from '../../operations/table.ts'
import { filter, filterSet } from '../filters.ts'
import { customerBeingDeleted, refuseWrongReferences, selectTicketFacts } from '../tickets/facts.ts'
import { actionOperations } from './actions.ts'
import { reshape } from './changes.ts'
import { recurringEntity } from './entity.ts'
import { saveProgress } from './generation.ts'
import { occurrenceOperations } from './occurrences.ts'
import { beginGenerate, beginResync, finishWork, type StepOutcome } from './pending-work.ts'
import { selectPresetValues } from './presets.ts'
import {
  type NewSchedule,
  newSchedule,
  occurrenceEvents,
  ruleOf,
  type ScheduleBody,
  schedules,
  statuses,
} from './record.ts'
import { lockSchedule, type ScheduleWithPlan } from './schedule-plan.ts'
import { normalizeTemplateLines } from './template.ts'

const path = '/recurring-schedules'
const scheduleFilters = filterSet({
  customerId: filter(id(), (customerId) => sql`recurring_schedules.customer_id = ${customerId}`),
  status: filter(oneOf(statuses), (status) => sql`recurring_schedules.status = ${status}`),
})

const scheduleInUse = conflictCode('SCHEDULE_IN_USE', 'The schedule still has visits; end it instead.')
const seriesShapeChange = conflictCode(
  'SERIES_SHAPE_CHANGE',
  'This changes the shape of the series; repeat with resync=thisAndFuture.',
)

export default resource({ entity: recurringEntity, tables: [schedules], told: [occurrenceEvents] }, [
  operation(`GET ${path}`, {
    name: 'listRecurringSchedules',
    summary: 'List recurring schedules, newest first',
    query: t.Object({ ...paging, ...scheduleFilters.query }),
    returns: schedules.list,
    run: ({ query }, ctx) => scheduleFilters.page(schedules, ctx, query),
  }),

  operation(`POST ${path}`, {
    name: 'createRecurringSchedule',
    summary: 'Create a recurring schedule; its jobs are made as their time comes near',
    body: newSchedule,
    status: 201,
    returns: schedules.record,
    conflicts: [customerBeingDeleted],
    transaction: true,
    async run({ body: { presetId, ...given } }, ctx) {
      const body: NewSchedule = given
      const preset = presetId ? await ctx.query(selectPresetValues(ctx, presetId)) : {}
      const clock = await ctx.query(selectTimeZoneAndNow(ctx))
      const values = { ...defaults, timeZone: clock.timeZone, ...preset, ...body }
      if (!values.rrule) throw badRequest('rrule is required')
      if (!values.serviceRequired) throw badRequest('serviceRequired is required')
      ruleOf(values.rrule)
      refuseWrongReferences(values, await ctx.query(selectTicketFacts(ctx, values)), values.customerId)
      const lineItems = await normalizeTemplateLines(ctx, values.lineItems ?? [], preset.lineItems)
      const scheduleId = newId('rec')
      await ctx.query(
        schedules.insert(
          ctx,
          { ...values, rrule: values.rrule.toUpperCase() },
          {
            columns: {
              id: scheduleId,
              line_items: JSON.stringify(lineItems),
              planned_from: clock.now,
            },
          },
        ),
      )
      await saveProgress(ctx, await ctx.query(lockSchedule(ctx, scheduleId)))
      return ctx.query(schedules.find(ctx, scheduleId))
    },
  }),

  read(`${path}/:scheduleId`, schedules),

  operation(`PUT ${path}/:scheduleId`, {
    name: 'updateRecurringSchedule',
    summary: 'Change a recurring schedule; a new shape needs resync=thisAndFuture',
    query: t.Object({
      resync: t.Optional(
        oneOf(['thisAndFuture'], { description: 'Visits to come are made anew, but for those somebody touched.' }),
      ),
    }),
    body: schedules.updateBody,
    returns: schedules.record,
    conflicts: [seriesShapeChange],
    steps: true,
    async run({ params: { scheduleId }, query: { resync }, body }, ctx) {
      const begun = await ctx.step((step) => changeSchedule(step, scheduleId, body, resync !== undefined))
      const { isPending } = begun ? await finishWork(ctx, scheduleId, begun) : { isPending: false }
      const record = await ctx.step((step) => step.query(schedules.find(step, scheduleId)))
      return isPending ? new Accepted(record) : record
    },
  }),

  operation(`DELETE ${path}/:scheduleId`, {
    name: 'deleteRecurringSchedule',
    summary: 'Delete a recurring schedule none of whose visits has a job',
    returns: deletionMessage,
    conflicts: [scheduleInUse],
    transaction: true,
    async run({ params: { scheduleId } }, ctx) {
      await ctx.query(lockSchedule(ctx, scheduleId))
      if (await ctx.query(selectHasJobs(ctx, scheduleId))) throw scheduleInUse()
      return ctx.query(schedules.remove(ctx, scheduleId))
    },
  }),

  ...actionOperations,
  ...occurrenceOperations,
])

const defaults = { durationMinutes: 60, horizonDays: 30 }

const selectTimeZoneAndNow = ({ orgId }: Context): Statement<{ timeZone: string; now: Date }> =>
  statement(
    sql`select time_zone as "timeZone", now() as now from organisations where org_id = ${orgId}`,
    ([row]: { timeZone: string; now: Date }[]) => row!,
  )

/** The change itself. Answers the first step of what follows from it for the visits to come. */
async function changeSchedule(
  ctx: Context,
  scheduleId: string,
  body: ScheduleBody,
  isResync: boolean,
): Promise<StepOutcome | undefined> {
  const before = await ctx.query(lockSchedule(ctx, scheduleId))
  const values = await checkUpdate(ctx, before, body)
  const after = { ...before, ...values, startsAt: values.startsAt ? new Date(values.startsAt) : before.startsAt }
  const keepsShape = isSameShape(before, after)
  if (!keepsShape && before.status === 'ended') throw badRequest('The schedule has ended', 'SCHEDULE_ENDED')
  if (!keepsShape && !isResync) throw seriesShapeChange()
  const plan = keepsShape ? undefined : await reshape(ctx, before, { ...after, rule: ruleOf(after.rrule) })
  await ctx.query(schedules.update(ctx, scheduleId, values, { columns: plan && planColumns(plan) }))
  const schedule = await ctx.query(lockSchedule(ctx, scheduleId))
  const { status, generatedThrough, now } = schedule
  // In another shape, what was made before is made again, as far as it went.
  if (plan && status === 'active' && generatedThrough) return beginGenerate(ctx, schedule, generatedThrough)
  if (!plan && isResync && status !== 'ended') return beginResync(ctx, schedule, now)
  await saveProgress(ctx, schedule)
  return undefined
}

/** The values to write; references are judged only when they change. */
async function checkUpdate(ctx: Context, before: ScheduleWithPlan, body: ScheduleBody) {
  const { customerId, ...rest } = body
  if (customerId !== undefined && customerId !== before.customerId) throw badRequest('customerId cannot change')
  if (body.rrule !== undefined) ruleOf(body.rrule)
  const ifChanged = (field: 'deviceId' | 'assignedTechnician' | 'stationId') =>
    body[field] === before[field] ? undefined : body[field]
  const changedReferences = {
    deviceId: ifChanged('deviceId'),
    assignedTechnician: ifChanged('assignedTechnician'),
    stationId: ifChanged('stationId'),
  }
  if (Object.values(changedReferences).some(Boolean)) {
    refuseWrongReferences(
      changedReferences,
      await ctx.query(selectTicketFacts(ctx, changedReferences)),
      before.customerId,
    )
  }
  return {
    customerId: before.customerId,
    ...rest,
    ...(body.rrule && { rrule: body.rrule.toUpperCase() }),
    ...(body.lineItems && { lineItems: await normalizeTemplateLines(ctx, body.lineItems, before.lineItems) }),
  }
}

const planColumns = ({ firstIndex, indexOffset, plannedFrom }: VisitPlan) => ({
  first_index: firstIndex,
  index_offset: indexOffset,
  shape_from: plannedFrom,
  planned_from: plannedFrom,
})

const selectHasJobs = ({ orgId }: Context, scheduleId: string): Statement<boolean> =>
  statement(
    sql`select 1 from recurring_occurrences
        where org_id = ${orgId} and schedule_id = ${scheduleId} and status = 'generated' limit 1`,
    (rows) => rows.length > 0,
  )
