// Presets: how often, how long and what for, ready to begin a recurring schedule from.
import type { Static } from 'typebox'
import { sql } from '../../db/database.ts'
import { read, remove } from '../../operations/crud.ts'
import { badRequest, notFound } from '../../operations/errors.ts'
import { optional, text } from '../../operations/fields.ts'
import { type Context, operation, resource, type Statement, statement } from '../../operations/operation.ts'
import type { RowOf } from '../../operations/record-schemas.ts'
import { t } from '../../operations/schemas.ts'
import { paging, table } from '../../operations/table.ts'
import { refuseWrongReferences, selectTicketFacts } from '../tickets/facts.ts'
import { recurringEntity } from './entity.ts'
import { ruleOf, type ScheduleBody } from './record.ts'
import {
  durationMinutes,
  horizonDays,
  normalizeTemplateLines,
  rrule,
  serviceRequired,
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

/** A preset as a caller writes it; a change leaves out what stays. */
type PresetBody = Partial<Static<typeof presets.updateBody>>

export default resource({ entity: recurringEntity, tables: [presets] }, [
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
    body: presets.createBody,
    status: 201,
    returns: presets.record,
    transaction: true,
    async run({ body }, ctx) {
      const values = await checkPreset(ctx, body)
      return ctx.query(presets.insert(ctx, values, { columns: { line_items: JSON.stringify(values.lineItems) } }))
    },
  }),

  read('/recurring-presets/:presetId', presets),

  operation('PUT /recurring-presets/:presetId', {
    name: 'updateRecurringPreset',
    summary: 'Change a recurring preset; schedules made from it stay as they are',
    body: presets.updateBody,
    returns: presets.record,
    transaction: true,
    async run({ params: { presetId }, body }, ctx) {
      const before = await ctx.query(lockPreset(ctx, presetId))
      return ctx.query(presets.update(ctx, presetId, await checkPreset(ctx, body, before)))
    },
  }),

  remove('/recurring-presets/:presetId', presets),
])

async function checkPreset<Body extends PresetBody>(ctx: Context, body: Body, before: PresetBody = {}): Promise<Body> {
  if (body.rrule) ruleOf(body.rrule)
  const ifChanged = (field: 'assignedTechnician' | 'stationId') =>
    body[field] === before[field] ? undefined : body[field]
  const changedReferences = { assignedTechnician: ifChanged('assignedTechnician'), stationId: ifChanged('stationId') }
  if (changedReferences.assignedTechnician || changedReferences.stationId) {
    refuseWrongReferences(changedReferences, await ctx.query(selectTicketFacts(ctx, changedReferences)), null)
  }
  return {
    ...body,
    ...(body.rrule && { rrule: body.rrule.toUpperCase() }),
    ...(body.lineItems && { lineItems: await normalizeTemplateLines(ctx, body.lineItems, before.lineItems) }),
  }
}

/** What is compared with a change. */
type StoredPreset = Pick<RowOf<typeof presets>, 'assignedTechnician' | 'stationId' | 'lineItems'>

const lockPreset = ({ orgId }: Context, presetId: string): Statement<StoredPreset> =>
  statement(
    sql`select assigned_technician as "assignedTechnician", station_id as "stationId", line_items as "lineItems"
        from recurring_presets where org_id = ${orgId} and id = ${presetId} for update`,
    ([row]: StoredPreset[]) => {
      if (!row) throw notFound(presets.noun)
      return row
    },
  )

/** What a preset gives to a new schedule: those of its values that it has. */
export const selectPresetValues = ({ orgId }: Context, presetId: string): Statement<ScheduleBody> =>
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
