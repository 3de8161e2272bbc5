// Recurring schedules: agreements by which work comes round by itself.
import { Type as t } from 'typebox'
import { badRequest, conflict } from '../../api/errors.ts'
import { id, oneOf } from '../../api/fields.ts'
import { type Context, message, operation, resource, type Statement, statement } from '../../api/operation.ts'
import { read } from '../../api/plain.ts'
import { paging } from '../../api/table.ts'
import { sql } from '../../database.ts'
import { isSameShape, type Plan } from '../../domain/visits.ts'
import { all } from '../search.ts'
import { factsOf, refuseWrongReferences } from '../tickets/facts.ts'
import { actionOperations } from './actions.ts'
import { caughtUp, reapply, reshape } from './changes.ts'
import { settle } from './generation.ts'
import { type HeldSchedule, heldSchedule } from './held.ts'
import { occurrenceOperations } from './occurrences.ts'
import { presetValues } from './presets.ts'
import { type NewSchedule, newSchedule, ruleOf, type ScheduleBody, schedules, statuses } from './record.ts'
import { preparedLines } from './template.ts'

const path = '/recurring-schedules'

export default resource('recurring-schedules', [
  operation(`GET ${path}`, {
    name: 'listRecurringSchedules',
    summary: 'List recurring schedules, newest first',
    query: t.Object({ ...paging, customerId: t.Optional(id()), status: t.Optional(oneOf(statuses)) }),
    returns: schedules.list,
    run: ({ query: { customerId, status, ...page } }, ctx) =>
      schedules.page(
        ctx,
        page,
        all(
          customerId && sql`recurring_schedules.customer_id = ${customerId}`,
          status && sql`recurring_schedules.status = ${status}`,
        ),
      ),
  }),

  operation(`POST ${path}`, {
    name: 'createRecurringSchedule',
    summary: 'Create a recurring schedule; its jobs are made as their time comes near',
    body: newSchedule,
    status: 201,
    returns: schedules.record,
    async run({ body: { presetId, ...given } }, ctx) {
      const body: NewSchedule = given
      const preset = presetId ? await ctx.ask(presetValues(ctx, presetId)) : {}
      const place = await ctx.ask(hereAndNow(ctx))
      const values = { ...defaults, timeZone: place.timeZone, ...preset, ...body }
      if (!values.rrule) throw badRequest('rrule is required')
      if (!values.serviceRequired) throw badRequest('serviceRequired is required')
      ruleOf(values.rrule)
      refuseWrongReferences(values, await ctx.ask(factsOf(ctx, values)), values.customerId)
      const lineItems = await preparedLines(ctx, values.lineItems ?? [], preset.lineItems)
      const schedule = await ctx.ask(
        schedules.insert(ctx, { ...values, rrule: values.rrule.toUpperCase() }, undefined, {
          line_items: JSON.stringify(lineItems),
          planned_from: place.now,
        }),
      )
      const { id } = JSON.parse(schedule.text)
      await settle(ctx, await ctx.ask(heldSchedule(ctx, id)))
      return ctx.ask(schedules.find(ctx, id))
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
    body: schedules.update,
    returns: schedules.record,
    conflicts: ['SERIES_SHAPE_CHANGE'],
    async run({ params: { scheduleId }, query: { resync }, body }, ctx) {
      if (Object.keys(body).length === 0) throw badRequest('At least one updatable field is required')
      const before = await ctx.ask(heldSchedule(ctx, scheduleId))
      const values = await checkedChange(ctx, before, body)
      const after = { ...before, ...values, startsAt: values.startsAt ? new Date(values.startsAt) : before.startsAt }
      const keepsShape = isSameShape(before, after)
      if (!keepsShape && before.status === 'ended') throw badRequest('The schedule has ended')
      if (!keepsShape && !resync) throw conflict('SERIES_SHAPE_CHANGE')
      const plan = keepsShape ? undefined : await reshape(ctx, before, { ...after, rule: ruleOf(after.rrule) })
      await ctx.ask(schedules.change(ctx, scheduleId, values, undefined, plan && numbering(plan)))
      const schedule = await ctx.ask(heldSchedule(ctx, scheduleId))
      if (plan) await caughtUp(ctx, schedule)
      else if (resync && schedule.status !== 'ended') await reapply(ctx, schedule, schedule.now)
      else await settle(ctx, schedule)
      return ctx.ask(schedules.find(ctx, scheduleId))
    },
  }),

  operation(`DELETE ${path}/:scheduleId`, {
    name: 'deleteRecurringSchedule',
    summary: 'Delete a recurring schedule none of whose visits has a job',
    returns: message,
    conflicts: ['SCHEDULE_IN_USE'],
    async run({ params: { scheduleId } }, ctx) {
      await ctx.ask(heldSchedule(ctx, scheduleId))
      if (await ctx.ask(hasJobs(ctx, scheduleId))) throw conflict('SCHEDULE_IN_USE')
      return ctx.ask(schedules.remove(ctx, scheduleId))
    },
  }),

  ...actionOperations,
  ...occurrenceOperations,
])

const defaults = { durationMinutes: 60, horizonDays: 30 }

const hereAndNow = ({ orgId }: Context): Statement<{ timeZone: string; now: Date }> =>
  statement(
    sql`select time_zone as "timeZone", now() as now from organisations where org_id = ${orgId}`,
    ([row]: { timeZone: string; now: Date }[]) => row!,
  )

/** The values to write; references are judged only when they change. */
async function checkedChange(ctx: Context, before: HeldSchedule, body: ScheduleBody) {
  const { customerId, ...rest } = body
  if (customerId !== undefined && customerId !== before.customerId) throw badRequest('customerId cannot change')
  if (body.rrule !== undefined) ruleOf(body.rrule)
  const changed = (field: 'deviceId' | 'assignedTechnician' | 'stationId') =>
    body[field] === before[field] ? undefined : body[field]
  const wanted = {
    deviceId: changed('deviceId'),
    assignedTechnician: changed('assignedTechnician'),
    stationId: changed('stationId'),
  }
  if (Object.values(wanted).some(Boolean)) {
    refuseWrongReferences(wanted, await ctx.ask(factsOf(ctx, wanted)), before.customerId)
  }
  return {
    customerId: before.customerId,
    ...rest,
    ...(body.rrule && { rrule: body.rrule.toUpperCase() }),
    ...(body.lineItems && { lineItems: await preparedLines(ctx, body.lineItems, before.lineItems) }),
  }
}

const numbering = ({ firstIndex, indexOffset, plannedFrom }: Plan) => ({
  first_index: firstIndex,
  index_offset: indexOffset,
  shape_from: plannedFrom,
  planned_from: plannedFrom,
})

const hasJobs = ({ orgId }: Context, scheduleId: string): Statement<boolean> =>
  statement(
    sql`select 1 from recurring_occurrences
        where org_id = ${orgId} and schedule_id = ${scheduleId} and status = 'generated' limit 1`,
    (rows) => rows.length > 0,
  )
