// Presets: how often, how long and what for, ready to begin a recurring schedule from.
import { Type as t } from 'typebox'
import { badRequest, notFound } from '../../api/errors.ts'
import { optional, text } from '../../api/fields.ts'
import { type Context, operation, resource, type Statement, statement } from '../../api/operation.ts'
import { read, remove } from '../../api/plain.ts'
import { paging, table } from '../../api/table.ts'
import { sql } from '../../database.ts'
import { factsOf, refuseWrongReferences } from '../tickets/facts.ts'
import { ruleOf, type ScheduleBody } from './record.ts'
import {
  durationMinutes,
  horizonDays,
  preparedLines,
  rrule,
  serviceRequired,
  type TemplateLine,
  templateFields,
} from './template.ts'

const { lineItems, ...others } = templateFields

const presets = table({
  name: 'recurring_presets',
  noun: 'recurring preset',
  prefix: 'pre',
  writable: {
    name: text(120, { examples: ['Yearly boiler service'] }),
    rrule: optional(rrule),
    durationMinutes: optional(durationMinutes),
    horizonDays: optional(horizonDays),
    serviceRequired: optional(serviceRequired),
    ...others,
    lineItems: t.Array(lineItems.items, { ...lineItems, default: [] }),
  },
  order: { column: 'sort_name', type: 'text', direction: 'asc' },
})

interface PresetBody {
  readonly rrule?: string | null
  readonly assignedTechnician?: string | null
  readonly stationId?: string | null
  readonly lineItems?: readonly TemplateLine[]
}

export default resource('recurring-schedules', [
  operation('GET /recurring-presets', {
    name: 'listRecurringPresets',
    summary: 'List recurring presets by name',
    query: t.Object(paging),
    returns: presets.list,
    run: ({ query }, ctx) => presets.page(ctx, query),
  }),

  operation('POST /recurring-presets', {
    name: 'createRecurringPreset',
    summary: 'Create a recurring preset',
    body: presets.create,
    status: 201,
    returns: presets.record,
    async run({ body }, ctx) {
      const values = await checked(ctx, body)
      return ctx.ask(presets.insert(ctx, values, undefined, { line_items: JSON.stringify(values.lineItems) }))
    },
  }),

  read('/recurring-presets/:presetId', presets),

  operation('PUT /recurring-presets/:presetId', {
    name: 'updateRecurringPreset',
    summary: 'Change a recurring preset; schedules made from it stay as they are',
    body: presets.update,
    returns: presets.record,
    async run({ params: { presetId }, body }, ctx) {
      const before = await ctx.ask(heldPreset(ctx, presetId))
      return ctx.ask(presets.change(ctx, presetId, await checked(ctx, body, before)))
    },
  }),

  remove('/recurring-presets/:presetId', presets),
])

async function checked<Body extends PresetBody>(ctx: Context, body: Body, before: PresetBody = {}): Promise<Body> {
  if (body.rrule) ruleOf(body.rrule)
  const changed = (field: 'assignedTechnician' | 'stationId') =>
    body[field] === before[field] ? undefined : body[field]
  const wanted = { assignedTechnician: changed('assignedTechnician'), stationId: changed('stationId') }
  if (wanted.assignedTechnician || wanted.stationId) {
    refuseWrongReferences(wanted, await ctx.ask(factsOf(ctx, wanted)), null)
  }
  return {
    ...body,
    ...(body.rrule && { rrule: body.rrule.toUpperCase() }),
    ...(body.lineItems && { lineItems: await preparedLines(ctx, body.lineItems, before.lineItems) }),
  }
}

const heldPreset = ({ orgId }: Context, presetId: string): Statement<PresetBody> =>
  statement(
    sql`select assigned_technician as "assignedTechnician", station_id as "stationId", line_items as "lineItems"
        from recurring_presets where org_id = ${orgId} and id = ${presetId} for update`,
    ([row]: PresetBody[]) => {
      if (!row) throw notFound(presets.noun)
      return row
    },
  )

/** What a preset gives to a new schedule: those of its values that it has. */
export const presetValues = ({ orgId }: Context, presetId: string): Statement<ScheduleBody> =>
  statement(
    sql`select rrule, duration_minutes as "durationMinutes", horizon_days as "horizonDays",
          service_required as "serviceRequired", description, assigned_technician as "assignedTechnician",
          station_id as "stationId", line_items as "lineItems"
        from recurring_presets where org_id = ${orgId} and id = ${presetId}`,
    ([row]: Record<string, unknown>[]) => {
      if (!row) throw badRequest('presetId does not exist')
      return Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null))
    },
  )
