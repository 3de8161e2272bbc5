// What the pages of agreements show: the record as callers read it, and what stands around it.
import { sql } from '../db/database.ts'
import type { Series } from '../domain/recurrence.ts'
import { formatRule } from '../domain/recurrence-rule.ts'
import { ruleOf, type Schedule } from '../resources/recurring/record.ts'
import type { TaxRate } from './document-data.ts'
import { type Clock, createClock } from './formatting.ts'
import type { DeskRequest } from './router.ts'

export type Agreement = Schedule

/** What a preset gives to a new agreement; what it leaves open is null. */
export type PresetValues = Partial<
  Pick<
    Agreement,
    | 'rrule'
    | 'durationMinutes'
    | 'horizonDays'
    | 'serviceRequired'
    | 'description'
    | 'assignedTechnician'
    | 'stationId'
    | 'lineItems'
  >
>

export interface Preset extends PresetValues {
  readonly id: string
  readonly name: string
}

export interface AgreementCustomer {
  readonly id: string
  readonly name: string
  readonly devices: readonly { readonly id: string; readonly name: string }[]
}

export interface Surroundings {
  /** Undefined once the customer is deleted. */
  readonly customer: AgreementCustomer | null
  readonly taxRates: readonly TaxRate[]
  readonly presets: readonly { readonly id: string; readonly name: string }[]
  /** Rules that ask for a form on its visits. */
  readonly forms: readonly { readonly id: string; readonly name: string; readonly template: string }[]
}

export interface AgreementPage extends Surroundings {
  readonly record: Agreement
  readonly version: string | undefined
  /** What people call it. */
  readonly name: string
  /** The clock that its visits go by, which need not be that of the shop. */
  readonly clock: Clock
}

export const nameOf = ({ name, serviceRequired }: Pick<Agreement, 'name' | 'serviceRequired'>): string =>
  name ?? serviceRequired

export const seriesOf = ({
  startsAt,
  timeZone,
  rrule,
  durationMinutes,
}: Pick<Agreement, 'startsAt' | 'timeZone' | 'rrule' | 'durationMinutes'>): Series => ({
  startsAt: new Date(startsAt),
  timeZone,
  rule: ruleOf(rrule),
  durationMinutes,
})

/** What makes the series another one, as one text, so that it is compared and sent as a whole. */
export const shapeText = ({ startsAt, timeZone, rule, durationMinutes }: Series): string =>
  JSON.stringify({ startsAt: startsAt.toISOString(), timeZone, rrule: formatRule(rule), durationMinutes })

export const paramsOf = ({ params }: DeskRequest): { scheduleId: string } => ({ scheduleId: params.id! })

export async function loadAgreement(request: DeskRequest): Promise<AgreementPage> {
  const { data: record, version } = await request.readRecord<Agreement>('getRecurringSchedule', paramsOf(request))
  const around = await loadSurroundings(request, record.customerId, record.id)
  return { record, version, name: nameOf(record), clock: createClock(record.timeZone, new Date()), ...around }
}

const maxListed = 100

/** One statement; the customer is null where there is none of that id. */
export async function loadSurroundings(
  { orgId, database }: DeskRequest,
  customerId: string | null,
  scheduleId = '',
): Promise<Surroundings> {
  const [row] = await database.read<Surroundings>(
    orgId,
    sql`select
      (select json_build_object('id', id, 'name', coalesce(business_name, concat_ws(' ', first_name, last_name)), 'devices', (
        select coalesce(json_agg(json_build_object('id', id, 'name', name) order by name, id), '[]') from (
          select id, name from devices where org_id = ${orgId} and customer_id = customer.id
          order by name, id limit ${maxListed}::int) device))
        from customers customer where org_id = ${orgId} and id = ${customerId}) as customer,
      (select coalesce(json_agg(json_build_object('id', id, 'name', name, 'rate', rate::float8, 'isDefault', default_enabled)
        order by sort_name, id), '[]') from tax_rates where org_id = ${orgId}) as "taxRates",
      (select coalesce(json_agg(json_build_object('id', id, 'name', name) order by sort_name, id), '[]') from (
        select id, name, sort_name from recurring_presets where org_id = ${orgId}
        order by sort_name, id limit ${maxListed}::int) preset) as presets,
      (select coalesce(json_agg(json_build_object('id', rule.id, 'name', rule.name, 'template', template.name)
        order by rule.name, rule.id), '[]')
        from form_rules rule join form_templates template on template.org_id = rule.org_id and template.id = rule.template_id
        where rule.org_id = ${orgId} and rule.is_active and rule.match -> 'recurringScheduleIds' ? ${scheduleId}) as forms`,
  )
  return row!
}
